#include "geometry/motion.h"
#include "base/os/os.h"

#include <string.h>

static const MotionFormat *const formats[] = {&motion_abc, &motion_mdd, &motion_pc2, &motion_glb, &motion_numbered};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

const MotionFormat *motion_format(uint32_t index) {
    return index < FORMAT_COUNT ? formats[index] : NULL;
}

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool ends_with(const char *path, const char *ending) {
    size_t length = strlen(path), end = strlen(ending);
    for (size_t i = 0; i < end; ++i)
        if (length < end || lower(path[length - end + i]) != ending[i])
            return false;
    return true;
}

static JnStatus find_format(const char *path, const MotionFormat **format, JnMessage *message) {
    char known[64] = "";
    /* a file may have # in its own name */
    *format = motion_is_numbered(path) && !os_file_size(path, NULL) ? &motion_numbered : NULL;
    for (size_t i = 0; i < FORMAT_COUNT && !*format; ++i) {
        if (!formats[i]->ending)
            continue;
        if (ends_with(path, formats[i]->ending))
            *format = formats[i];
        strcat(strcat(known, " "), formats[i]->ending);
    }
    if (*format)
        return JN_OK;
    return status_fail(message, JN_ERR_FORMAT,
                       "cannot read animation from %s: its name must end in one of%s, or hold #### in place of the "
                       "number of a mesh file",
                       path, known);
}

JnStatus motion_open(const char *path, const char *object, double fps, Motion *motion, JnMessage *message) {
    *motion = (Motion){.path = path};
    JnStatus status = find_format(path, &motion->format, message);
    if (status == JN_OK)
        status = motion->format->open(motion, object, fps, message);
    if (status != JN_OK)
        *motion = (Motion){0};
    return status;
}

void motion_close(Motion *motion) {
    if (motion->format)
        motion->format->close(motion);
    *motion = (Motion){0};
}
