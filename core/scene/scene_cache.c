#include "scene/scene_cache.h"

#include "scene/scene_value.h"
#include "base/os/os.h"
#include "base/status.h"
#include "geometry/motion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct SceneCache {
    Motion motion;
    /* the file's time at `frame` is start_time + (frame - start_frame) * rate / fps */
    double start_frame, start_time, rate, fps;
    int turn; /* 1: from y-up to z-up, -1: back, 0: the file stands as the scene does */
};

static double file_time(const SceneCache *cache, double frame) {
    double passed = frame - cache->start_frame;
    /* frames of the same rate are exact, so that no file is asked for a time between two samples */
    return cache->start_time + (cache->rate == cache->fps ? passed : passed * cache->rate / cache->fps);
}

static double last_frame(const JnBakeDesc *desc) {
    return desc->first_frame + (double)desc->frame_count - 1;
}

/* -------------------------------------------------------------------------------- numbered files */

/* The paths of the numbered files that `frame` needs, one after the other in `path`; false after the last. */
static bool next_path(const SceneCache *cache, double frame, int index, char *path) {
    double numbers[2];
    motion_numbered_range(file_time(cache, frame), &numbers[0], &numbers[1]);
    if (index > 1 || (index == 1 && numbers[1] == numbers[0]))
        return false;
    motion_numbered_path(cache->motion.path, numbers[index], path);
    return true;
}

static bool is_numbered(const SceneCache *cache) {
    return cache->motion.format == &motion_numbered;
}

/* Every numbered file of the bake must be there. */
static JnStatus check_files(const SceneCache *cache, const JnBakeDesc *desc, const char *place, JnMessage *message) {
    char *path = malloc(motion_numbered_size(cache->motion.path));
    JnStatus status = path ? JN_OK : status_no_memory(message, "a path");
    for (double frame = desc->first_frame; status == JN_OK && frame <= last_frame(desc); ++frame)
        for (int i = 0; status == JN_OK && next_path(cache, frame, i, path); ++i)
            if (!os_file_size(path, NULL))
                status =
                    status_fail(message, JN_ERR_FILE, "%s: there is no file %s for frame %.9g", place, path, frame);
    free(path);
    return status;
}

bool scene_cache_reads(const SceneCache *cache, const JnBakeDesc *desc, const char *path) {
    char *own = cache && is_numbered(cache) ? malloc(motion_numbered_size(cache->motion.path)) : NULL;
    bool reads = false;
    for (double frame = desc->first_frame; own && !reads && frame <= last_frame(desc); ++frame)
        for (int i = 0; !reads && next_path(cache, frame, i, own); ++i)
            reads = os_path_is_same(own, path);
    free(own);
    return reads;
}

/* -------------------------------------------------------------------------------- opening */

/* A number of the object, NaN if it is missing or the cache is a path alone. */
static double number_or_nan(const cJSON *json, const char *key) {
    const cJSON *value = cJSON_IsString(json) ? NULL : value_get(json, key);
    return value ? value->valuedouble : NAN;
}

/* Which frame of the scene is which time of the file. */
static JnStatus set_time(SceneCache *cache, const JnBakeDesc *desc, const cJSON *json, const char *place,
                         JnMessage *message) {
    const MotionFormat *format = cache->motion.format;
    double first_frame = number_or_nan(json, "first_frame"), fps = number_or_nan(json, "fps");
    double first_file = number_or_nan(json, "first_file");
    if (!isnan(first_file) && !is_numbered(cache))
        return status_fail(message, JN_ERR_SCENE, "%s.first_file: %s has no numbered files: remove it", place,
                           format->what);
    cache->fps = desc->fps;
    cache->rate = !format->in_frames ? 1 : isnan(fps) ? desc->fps : fps;
    bool moved = !isnan(first_frame) || !isnan(first_file) || !isnan(fps) || format->starts_anew;
    if (!moved)
        return JN_OK;
    cache->start_frame = isnan(first_frame) ? desc->first_frame : first_frame;
    cache->start_time = cache->motion.first_time;
    if (is_numbered(cache))
        cache->start_time = isnan(first_file) ? floor(cache->start_frame) : first_file;
    return JN_OK;
}

static int find_turn(const SceneCache *cache, const JnBakeDesc *desc, const cJSON *json) {
    const char *axis = cJSON_IsString(json) ? NULL : value_text(json, "up_axis");
    uint32_t up = axis                         ? (strcmp(axis, "z") == 0 ? JN_UP_Z : JN_UP_Y)
                  : cache->motion.format->y_up ? JN_UP_Y
                                               : desc->up_axis;
    return up == desc->up_axis ? 0 : up == JN_UP_Y ? 1 : -1;
}

JnStatus scene_cache_open(JnScene *scene, const cJSON *json, const char *place, SceneCache **cache,
                          JnMessage *message) {
    const char *file = cJSON_IsString(json) ? json->valuestring : value_text(json, "file");
    const char *object = cJSON_IsString(json) ? NULL : value_text(json, "object");
    char *path = scene_path(scene, file);
    *cache = calloc(1, sizeof **cache);
    if (!path || !*cache) {
        free(*cache);
        *cache = NULL;
        return status_no_memory(message, "an animation cache");
    }
    JnStatus status = motion_open(path, object, number_or_nan(json, "fps"), &(*cache)->motion, message);
    if (status != JN_OK)
        scene_fail_in(place, status, message);
    if (status == JN_OK && !is_numbered(*cache) && !scene_input_path(scene, file))
        status = status_no_memory(message, "a path");
    if (status == JN_OK)
        status = set_time(*cache, &scene->desc, json, place, message);
    if (status == JN_OK)
        (*cache)->turn = find_turn(*cache, &scene->desc, json);
    if (status == JN_OK && is_numbered(*cache))
        status = check_files(*cache, &scene->desc, place, message);
    if (status != JN_OK) {
        scene_cache_close(*cache);
        *cache = NULL;
    }
    return status;
}

void scene_cache_close(SceneCache *cache) {
    if (!cache)
        return;
    motion_close(&cache->motion);
    free(cache);
}

/* -------------------------------------------------------------------------------- frames */

JnStatus scene_cache_positions(SceneCache *cache, double frame, uint32_t point_count, const char *place, double *out,
                               JnMessage *message) {
    Motion *motion = &cache->motion;
    motion->last_count = point_count;
    JnStatus status = motion->format->positions(motion, file_time(cache, frame), point_count, out, message);
    if (status == JN_ERR_MESH && motion->last_count != point_count)
        return status_fail(message, JN_ERR_SCENE,
                           "%s: the mesh in %s has %u vertices at frame %g, but that of the scene has %u", place,
                           is_numbered(cache) ? (const char *)motion->state : motion->path, motion->last_count, frame,
                           point_count);
    if (status != JN_OK)
        return scene_fail_in(place, status, message);
    for (size_t i = 0; i < 3 * (size_t)point_count && cache->turn; i += 3) {
        double y = out[i + 1];
        out[i + 1] = -cache->turn * out[i + 2];
        out[i + 2] = cache->turn * y;
    }
    return JN_OK;
}

JnStatus scene_cache_placement(SceneCache *cache, double frame, const char *place, double matrix[12],
                               JnMessage *message) {
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    Motion *motion = &cache->motion;
    double m[12];
    memcpy(matrix, identity, sizeof identity);
    if (!motion->format->placement)
        return JN_OK;
    JnStatus status = motion->format->placement(motion, file_time(cache, frame), m, message);
    if (status != JN_OK)
        return scene_fail_in(place, status, message);
    /* C M C^-1, C turning y up to z up: row and column 1 are the old 2 with the sign changed, 2 the old 1; or back */
    static const size_t from[4] = {0, 2, 1, 3};
    const double sign[4] = {1, -cache->turn, cache->turn, 1};
    for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 4; ++j)
            matrix[4 * i + j] = cache->turn ? sign[i] * sign[j] * m[4 * from[i] + from[j]] : m[4 * i + j];
    return JN_OK;
}

JnStatus scene_cache_places(const JnScene *scene, SceneCache *cache, const char *place, bool *places,
                            JnMessage *message) {
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    double matrix[12];
    *places = false;
    for (double frame = scene->desc.first_frame; frame <= last_frame(&scene->desc) && !*places; ++frame) {
        JnStatus status = scene_cache_placement(cache, frame, place, matrix, message);
        if (status != JN_OK)
            return status;
        for (int i = 0; i < 12; ++i)
            *places = *places || matrix[i] != identity[i];
    }
    return JN_OK;
}
