/* Animated meshes of Alembic files, in seconds, y up. */
#include "alembic_io.h"
#include "geometry/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Cache {
    AbcReader *reader;
    uint32_t object;
} Cache;

static JnStatus fail(const AbcError *error, JnMessage *message) {
    JnStatus status = error->status == ABC_ERR_MEMORY ? JN_ERR_MEMORY
                      : error->status == ABC_ERR_IO   ? JN_ERR_FILE
                                                      : JN_ERR_FORMAT;
    return status_fail(message, status, "%s", error->text);
}

static bool is_mesh(const AbcReader *reader, uint32_t object, AbcObjectInfo *info) {
    return abc_reader_object(reader, object, info) == ABC_OK &&
           (info->schema == ABC_SCHEMA_POLYMESH || info->schema == ABC_SCHEMA_SUBD);
}

/* The mesh at `path`, or the only one if path is NULL. */
static JnStatus find_mesh(Cache *cache, const char *path, JnMessage *message) {
    AbcArchiveInfo archive;
    AbcObjectInfo info;
    abc_reader_archive_info(cache->reader, &archive);
    if (path) {
        cache->object = abc_reader_find(cache->reader, path);
        if (cache->object != ABC_NO_OBJECT && is_mesh(cache->reader, cache->object, &info))
            return JN_OK;
        return status_fail(message, JN_ERR_SCENE, "object: the file holds no mesh '%.100s'", path);
    }
    uint32_t found = 0;
    char first[100] = "";
    for (uint32_t i = 0; i < archive.object_count; ++i)
        if (is_mesh(cache->reader, i, &info) && found++ == 0) {
            cache->object = i;
            strncpy(first, info.path, sizeof first - 1);
        }
    if (found == 1)
        return JN_OK;
    if (found == 0)
        return status_fail(message, JN_ERR_SCENE, "the file holds no mesh");
    return status_fail(message, JN_ERR_SCENE,
                       "the file holds %u meshes: say which by {\"file\": .., \"object\": \"%s\"}", found, first);
}

static void cache_close(Motion *motion) {
    Cache *cache = motion->state;
    abc_reader_close(cache->reader);
    free(cache);
}

/* The time of the first sample; 0 if the mesh has none. */
static double first_time(const Cache *cache) {
    AbcMeshInfo info;
    AbcTimeSampling sampling;
    if (abc_reader_mesh_info(cache->reader, cache->object, &info, NULL) != ABC_OK ||
        abc_reader_time_sampling(cache->reader, info.time_sampling, &sampling) != ABC_OK)
        return 0;
    double time = abc_sample_time(&sampling, 0);
    return isfinite(time) ? time : 0;
}

static JnStatus cache_open(Motion *motion, const char *object, double fps, JnMessage *message) {
    AbcError error;
    if (!isnan(fps))
        return status_fail(message, JN_ERR_SCENE, "fps: an Alembic file has times of its own: remove it");
    Cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return status_no_memory(message, "an animation cache");
    JnStatus status =
        abc_reader_open(&cache->reader, motion->path, NULL, &error) == ABC_OK ? JN_OK : fail(&error, message);
    motion->state = cache;
    if (status == JN_OK)
        status = find_mesh(cache, object, message);
    if (status == JN_OK)
        motion->first_time = first_time(cache);
    else
        cache_close(motion);
    return status;
}

static JnStatus cache_positions(Motion *motion, double time, uint32_t point_count, double *out, JnMessage *message) {
    Cache *cache = motion->state;
    AbcError error = {.status = ABC_OK};
    size_t count = 0, capacity = (size_t)point_count * 3;
    AbcStatus read = abc_reader_mesh_positions_at(cache->reader, cache->object, time, out, capacity, &count, &error);
    motion->last_count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
    /* the only possible argument error is a buffer that is too small */
    if ((read == ABC_OK || read == ABC_ERR_ARGUMENT) && count != point_count)
        return status_fail(message, JN_ERR_MESH, "%s has %zu vertices, but the mesh of the scene has %u", motion->path,
                           count, point_count);
    return read == ABC_OK ? JN_OK : fail(&error, message);
}

static JnStatus cache_placement(Motion *motion, double time, double matrix[12], JnMessage *message) {
    Cache *cache = motion->state;
    AbcError error;
    double rows[16];
    if (abc_reader_world_matrix(cache->reader, cache->object, time, rows, &error) != ABC_OK)
        return fail(&error, message);
    /* from row vectors to column vectors */
    for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 4; ++j)
            matrix[4 * i + j] = rows[4 * j + i];
    return JN_OK;
}

const MotionFormat motion_abc = {.ending = ".abc",
                                 .what = "an Alembic file",
                                 .y_up = true,
                                 .open = cache_open,
                                 .close = cache_close,
                                 .positions = cache_positions,
                                 .placement = cache_placement};
