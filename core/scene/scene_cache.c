#include "scene/scene_cache.h"

#include "alembic_io.h"
#include "scene/scene_value.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

struct SceneCache {
    AbcReader *reader;
    uint32_t object;
    const char *path; /* the scene's */
    double fps;
    bool z_up; /* the scene is z-up: rotate the data of the y-up file */
};

static JnStatus fail(const char *place, const AbcError *error, JnMessage *message) {
    JnStatus status = error->status == ABC_ERR_MEMORY ? JN_ERR_MEMORY
                      : error->status == ABC_ERR_IO   ? JN_ERR_FILE
                                                      : JN_ERR_FORMAT;
    return status_fail(message, status, "%s: %s", place, error->text);
}

static bool is_mesh(const AbcReader *reader, uint32_t object, AbcObjectInfo *info) {
    return abc_reader_object(reader, object, info) == ABC_OK &&
           (info->schema == ABC_SCHEMA_POLYMESH || info->schema == ABC_SCHEMA_SUBD);
}

/* The mesh at `path`, or the only one if path is NULL. */
static JnStatus find_mesh(SceneCache *cache, const char *path, const char *place, JnMessage *message) {
    AbcArchiveInfo archive;
    AbcObjectInfo info;
    abc_reader_archive_info(cache->reader, &archive);
    if (path) {
        cache->object = abc_reader_find(cache->reader, path);
        if (cache->object != ABC_NO_OBJECT && is_mesh(cache->reader, cache->object, &info))
            return JN_OK;
        return status_fail(message, JN_ERR_SCENE, "%s.object: the file holds no mesh '%.100s'", place, path);
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
        return status_fail(message, JN_ERR_SCENE, "%s: the file holds no mesh", place);
    return status_fail(message, JN_ERR_SCENE,
                       "%s: the file holds %u meshes: say which by {\"file\": .., \"object\": \"%s\"}", place, found,
                       first);
}

JnStatus scene_cache_open(JnScene *scene, const cJSON *json, const char *place, SceneCache **cache,
                          JnMessage *message) {
    const char *file = cJSON_IsString(json) ? json->valuestring : value_text(json, "file");
    const char *object = cJSON_IsString(json) ? NULL : value_text(json, "object");
    char *path = scene_input_path(scene, file);
    *cache = calloc(1, sizeof **cache);
    if (!path || !*cache) {
        free(*cache);
        *cache = NULL;
        return status_no_memory(message, "an animation cache");
    }
    (*cache)->path = path;
    (*cache)->fps = scene->desc.fps;
    (*cache)->z_up = scene->desc.up_axis == JN_UP_Z;
    AbcError error;
    JnStatus status =
        abc_reader_open(&(*cache)->reader, path, NULL, &error) == ABC_OK ? JN_OK : fail(place, &error, message);
    if (status == JN_OK)
        status = find_mesh(*cache, object, place, message);
    if (status != JN_OK) {
        scene_cache_close(*cache);
        *cache = NULL;
    }
    return status;
}

void scene_cache_close(SceneCache *cache) {
    if (!cache)
        return;
    abc_reader_close(cache->reader);
    free(cache);
}

JnStatus scene_cache_positions(SceneCache *cache, double frame, uint32_t point_count, const char *place, double *out,
                               JnMessage *message) {
    AbcError error = {.status = ABC_OK};
    size_t count = 0, capacity = (size_t)point_count * 3;
    AbcStatus read =
        abc_reader_mesh_positions_at(cache->reader, cache->object, frame / cache->fps, out, capacity, &count, &error);
    /* the only possible argument error is a buffer that is too small */
    if ((read == ABC_OK || read == ABC_ERR_ARGUMENT) && count != point_count)
        return status_fail(message, JN_ERR_SCENE,
                           "%s: the mesh in %s has %zu vertices at frame %g, but that of the scene has %u", place,
                           cache->path, count, frame, point_count);
    if (read != ABC_OK)
        return fail(place, &error, message);
    for (size_t i = 0; i < capacity && cache->z_up; i += 3) {
        double y = out[i + 1];
        out[i + 1] = -out[i + 2];
        out[i + 2] = y;
    }
    return JN_OK;
}

JnStatus scene_cache_placement(SceneCache *cache, double frame, const char *place, double matrix[12],
                               JnMessage *message) {
    AbcError error;
    double rows[16];
    if (abc_reader_world_matrix(cache->reader, cache->object, frame / cache->fps, rows, &error) != ABC_OK)
        return fail(place, &error, message);
    /* from row vectors to column vectors */
    double m[12];
    for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 4; ++j)
            m[4 * i + j] = rows[4 * j + i];
    /* C M C^-1, C turning y up to z up: row and column 1 are the old 2 with the sign changed, 2 the old 1 */
    static const size_t from[4] = {0, 2, 1, 3};
    static const double sign[4] = {1, -1, 1, 1};
    for (size_t i = 0; i < 3; ++i)
        for (size_t j = 0; j < 4; ++j)
            matrix[4 * i + j] = cache->z_up ? sign[i] * sign[j] * m[4 * from[i] + from[j]] : m[4 * i + j];
    return JN_OK;
}

JnStatus scene_cache_places(const JnScene *scene, SceneCache *cache, const char *place, bool *places,
                            JnMessage *message) {
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    double matrix[12], last = scene->desc.first_frame + (double)scene->desc.frame_count - 1;
    *places = false;
    for (double frame = scene->desc.first_frame; frame <= last && !*places; ++frame) {
        JnStatus status = scene_cache_placement(cache, frame, place, matrix, message);
        if (status != JN_OK)
            return status;
        for (int i = 0; i < 12; ++i)
            *places = *places || matrix[i] != identity[i];
    }
    return JN_OK;
}
