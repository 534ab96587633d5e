#include "scene/scene_text.h"

#include "scene/json_scan.h"
#include "base/os/os.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdlib.h>

JnStatus scene_text_read(const char *path, const char *what, char **text, size_t *length, JnMessage *message) {
    char reason[128];
    uint64_t size = 0;
    *text = NULL;
    *length = 0;
    if (!os_file_size(path, &size))
        return status_fail(message, JN_ERR_FILE, "cannot open the %s %s: %s", what, path,
                           os_error_text(reason, sizeof reason));
    if (size > SCENE_TEXT_BYTES)
        return status_fail(message, JN_ERR_FORMAT, "the %s %s has %llu bytes, more than the %d allowed", what, path,
                           (unsigned long long)size, SCENE_TEXT_BYTES);
    FILE *file = os_file_open(path, "rb");
    if (!file)
        return status_fail(message, JN_ERR_FILE, "cannot open the %s %s: %s", what, path,
                           os_error_text(reason, sizeof reason));
    char *bytes = malloc((size_t)size + 1);
    if (!bytes) {
        fclose(file);
        return status_no_memory(message, what);
    }
    *length = fread(bytes, 1, (size_t)size, file);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed) {
        free(bytes);
        return status_fail(message, JN_ERR_FILE, "cannot read the %s %s", what, path);
    }
    bytes[*length] = '\0';
    *text = bytes;
    return JN_OK;
}

/* Fails with `problem` at the line and column (in characters, from 1) of text[offset]. */
static JnStatus fail_at(const char *text, size_t offset, const char *problem, JnMessage *message) {
    size_t line = 1, column = 1;
    for (size_t i = 0; i < offset; ++i) {
        if (text[i] == '\n') {
            ++line;
            column = 1;
        } else if (((unsigned char)text[i] & 0xC0u) != 0x80u) {
            ++column;
        }
    }
    return status_fail(message, JN_ERR_SCENE, "line %zu, column %zu: %s", line, column, problem);
}

JnStatus scene_text_parse(const char *text, size_t length, cJSON **json, JnMessage *message) {
    size_t offset;
    const char *problem = json_scan(text, length, &offset);
    *json = NULL;
    if (problem)
        return fail_at(text, offset, problem, message);

    /* after the scan, cJSON can only fail if out of memory */
    *json = cJSON_ParseWithLengthOpts(text, length + 1, NULL, 1);
    return *json ? JN_OK : status_no_memory(message, "the scene");
}
