/* Numbered mesh files, one for each frame: walk.0001.obj, walk.0002.obj, .. */
#include "geometry/mesh.h"
#include "geometry/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the number stands in the path, and how many digits it has at least. */
typedef struct Slot {
    size_t begin, end;
    int digits;
} Slot;

/* "%d" or "%04d" that ends before path[end]. */
static bool percent_slot(const char *path, size_t end, Slot *slot) {
    size_t begin = end - 1; /* at the d */
    while (begin > 0 && path[begin - 1] >= '0' && path[begin - 1] <= '9')
        --begin;
    if (path[end - 1] != 'd' || begin == 0 || path[begin - 1] != '%' || end - begin > 3)
        return false;
    *slot = (Slot){begin - 1, end, atoi(path + begin)};
    return true;
}

static bool find_slot(const char *path, Slot *slot) {
    const char *last = strrchr(path, '#');
    if (last) {
        const char *first = last;
        while (first > path && first[-1] == '#')
            --first;
        *slot = (Slot){(size_t)(first - path), (size_t)(last - path) + 1, (int)(last - first) + 1};
        return true;
    }
    for (size_t end = strlen(path); end > 1; --end)
        if (percent_slot(path, end, slot))
            return true;
    return false;
}

enum { NUMBER_SIZE = 24 };

bool motion_is_numbered(const char *path) {
    Slot slot;
    return find_slot(path, &slot);
}

size_t motion_numbered_size(const char *path) {
    Slot slot;
    return strlen(path) + NUMBER_SIZE + (find_slot(path, &slot) ? (size_t)slot.digits : 0) + 1;
}

void motion_numbered_path(const char *path, double number, char *out) {
    Slot slot = {0};
    find_slot(path, &slot);
    snprintf(out, motion_numbered_size(path), "%.*s%0*.0f%s", (int)slot.begin, path, slot.digits, number,
             path + slot.end);
}

void motion_numbered_range(double time, double *before, double *after) {
    double whole = round(time);
    time = fabs(time - whole) < 1e-6 ? whole : time;
    *before = floor(time);
    *after = ceil(time);
}

static JnStatus numbered_open(Motion *motion, const char *object, double fps, JnMessage *message) {
    (void)fps;
    if (object)
        return status_fail(message, JN_ERR_FORMAT, "%s: a numbered file holds one mesh: name no object of it",
                           motion->path);
    motion->state = malloc(motion_numbered_size(motion->path));
    return motion->state ? JN_OK : status_no_memory(message, "a path");
}

static void numbered_close(Motion *motion) {
    free(motion->state);
}

JnStatus motion_mesh_positions(const char *path, uint32_t point_count, double *out, uint32_t *count,
                               JnMessage *message) {
    JnMesh *mesh;
    *count = 0;
    JnStatus status = jn_mesh_read(path, &mesh, message);
    if (status != JN_OK)
        return status;
    *count = mesh->vertex_count;
    if (*count == point_count)
        memcpy(out, mesh->positions, 3 * (size_t)point_count * sizeof *out);
    else
        status = status_fail(message, JN_ERR_MESH, "%s has %u vertices, but the mesh of the scene has %u", path, *count,
                             point_count);
    jn_mesh_free(mesh);
    return status;
}

static JnStatus numbered_positions(Motion *motion, double time, uint32_t point_count, double *out, JnMessage *message) {
    double before, after;
    motion_numbered_range(time, &before, &after);
    motion_numbered_path(motion->path, before, motion->state);
    JnStatus status = motion_mesh_positions(motion->state, point_count, out, &motion->last_count, message);
    if (status != JN_OK || after == before)
        return status;
    size_t count = 3 * (size_t)point_count;
    double t = time - before, *next = malloc((count + 1) * sizeof *next);
    if (!next)
        return status_no_memory(message, "animated positions");
    motion_numbered_path(motion->path, after, motion->state);
    status = motion_mesh_positions(motion->state, point_count, next, &motion->last_count, message);
    for (size_t i = 0; i < count && status == JN_OK; ++i)
        out[i] = (1 - t) * out[i] + t * next[i];
    free(next);
    return status;
}

const MotionFormat motion_numbered = {.what = "numbered files",
                                      .in_frames = true,
                                      .open = numbered_open,
                                      .close = numbered_close,
                                      .positions = numbered_positions};
