#include "scene/scene_animation.h"

#include "scene/scene_cache.h"
#include "scene/scene_value.h"
#include "base/math3.h"
#include "base/os/os.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS_MOST = 20 };

bool scene_animation_any(const SceneAnimation *animation) {
    return animation->key_count > 0 || animation->files || animation->cache;
}

/* Writes the path of frame `number` to frame_path: the last run of # replaced by the number, padded with
 * zeros. */
static const char *frame_path(const SceneAnimation *animation, double number) {
    const char *end = strrchr(animation->files, '#') + 1, *start = end;
    while (start > animation->files && start[-1] == '#')
        --start;
    snprintf(animation->frame_path, animation->frame_path_bytes, "%.*s%0*.0f%s", (int)(start - animation->files),
             animation->files, (int)(end - start), number, end);
    return animation->frame_path;
}

/* The number of the last file: a frame between two of them needs both. */
static double last_file(const JnBakeDesc *desc) {
    return ceil(desc->first_frame + (double)desc->frame_count - 1);
}

bool scene_animation_reads(const SceneAnimation *animation, const JnBakeDesc *desc, const char *path) {
    double last = animation->files ? last_file(desc) : -INFINITY;
    for (double frame = floor(desc->first_frame); frame <= last; ++frame)
        if (os_path_is_same(frame_path(animation, frame), path))
            return true;
    return false;
}

/* files: a pattern with #, and a file for every frame of the bake. */
static JnStatus read_files(JnScene *scene, const char *pattern, const char *place, SceneAnimation *animation,
                           JnMessage *message) {
    if (!strchr(pattern, '#'))
        return status_fail(message, JN_ERR_SCENE, "%s.files is \"%.100s\", but needs #### in place of the frame number",
                           place, pattern);
    animation->files = scene_path(scene, pattern);
    if (!animation->files)
        return status_no_memory(message, "a path");
    animation->frame_path_bytes = strlen(animation->files) + DIGITS_MOST;
    animation->frame_path = scene_alloc(scene, animation->frame_path_bytes, 1);
    if (!animation->frame_path)
        return status_no_memory(message, "a path");
    double last = last_file(&scene->desc);
    for (double frame = floor(scene->desc.first_frame); frame <= last; ++frame)
        if (!os_file_size(frame_path(animation, frame), NULL))
            return status_fail(message, JN_ERR_FILE, "%s.files: there is no file %s for frame %.0f", place,
                               animation->frame_path, frame);
    return JN_OK;
}

JnStatus scene_animation_read(JnScene *scene, const cJSON *json, const char *owner, SceneAnimation *animation,
                              JnMessage *message) {
    if (!json)
        return JN_OK;
    char place[SCENE_PLACE_BYTES], cache_place[SCENE_PLACE_BYTES];
    snprintf(place, sizeof place, "%.80s.animation", owner);
    snprintf(cache_place, sizeof cache_place, "%.80s.animation.cache", owner);
    const cJSON *keys = value_get(json, "keys"), *cache = value_get(json, "cache");
    if (cache)
        return scene_cache_open(scene, cache, cache_place, &animation->cache, message);
    if (!keys)
        return read_files(scene, value_text(json, "files"), place, animation, message);
    if (!keys->child)
        return status_fail(message, JN_ERR_SCENE, "%s.keys is an empty list: give at least one key", place);
    return scene_keys_read(scene, keys, "pose_key", place, &animation->keys, &animation->key_count, message);
}

JnStatus scene_positions_read(const char *path, uint32_t point_count, const char *place, double *out,
                              JnMessage *message) {
    JnMesh *mesh;
    JnStatus status = jn_mesh_read(path, &mesh, message);
    if (status != JN_OK)
        return scene_fail_in(place, status, message);
    JnMeshView view = {.struct_size = (uint32_t)sizeof view};
    status = jn_mesh_view(mesh, &view, message);
    if (status == JN_OK) {
        uint32_t count = view.tets.tet_count       ? view.tets.vertex_count
                         : view.surface.face_count ? view.surface.vertex_count
                                                   : view.curves.vertex_count;
        const double *positions = view.tets.tet_count       ? view.tets.positions
                                  : view.surface.face_count ? view.surface.positions
                                                            : view.curves.positions;
        if (count != point_count)
            status = status_fail(message, JN_ERR_SCENE, "%s: %s has %u vertices, but the mesh of the scene has %u",
                                 place, path, count, point_count);
        else
            memcpy(out, positions, (size_t)count * 3 * sizeof *out);
    }
    jn_mesh_free(mesh);
    return status;
}

/* Positions between the files of two whole frames. */
static JnStatus file_positions(SceneAnimation *animation, double frame, uint32_t point_count, const char *owner,
                               double *out, JnMessage *message) {
    double before = floor(frame), t = frame - before;
    char place[SCENE_PLACE_BYTES];
    snprintf(place, sizeof place, "%.80s.animation.files", owner);
    JnStatus status = scene_positions_read(frame_path(animation, before), point_count, place, out, message);
    if (status != JN_OK || t == 0)
        return status;
    size_t count = (size_t)point_count * 3;
    double *after = malloc(count * sizeof *after);
    if (!after)
        return status_no_memory(message, "animated positions");
    status = scene_positions_read(frame_path(animation, before + 1), point_count, place, after, message);
    for (size_t i = 0; i < count && status == JN_OK; ++i)
        out[i] = (1 - t) * out[i] + t * after[i];
    free(after);
    return status;
}

JnStatus scene_animation_mesh(SceneAnimation *animation, double frame, uint32_t point_count, const char *owner,
                              double *out, JnMessage *message) {
    if (animation->files)
        return file_positions(animation, frame, point_count, owner, out, message);
    char place[SCENE_PLACE_BYTES];
    snprintf(place, sizeof place, "%.80s.animation.cache", owner);
    return scene_cache_positions(animation->cache, frame, point_count, place, out, message);
}

JnStatus scene_animation_positions(SceneBody *body, double frame, double *out, JnMessage *message) {
    SceneAnimation *animation = &body->animation;
    if (animation->files || animation->cache)
        return scene_animation_mesh(animation, frame, body->point_count, body->place, out, message);

    /* keys move the posed shape in the scene's space: from_scene K to_scene */
    Pose pose = pose_at(animation->keys, animation->key_count, frame);
    double key[12], in_scene[12], matrix[12];
    bool moves = pose_moves(&pose);
    pose_matrix(&pose, key);
    pose_multiply(key, body->to_scene, in_scene);
    pose_multiply(body->from_scene, in_scene, matrix);
    for (size_t i = 0; i < body->point_count; ++i)
        if (moves)
            affine_apply(matrix, body->posed + 3 * i, out + 3 * i);
        else
            memcpy(out + 3 * i, body->posed + 3 * i, 3 * sizeof *out);
    return JN_OK;
}
