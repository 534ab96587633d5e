#include "scene/scene_animation.h"

#include "scene/scene_cache.h"
#include "scene/scene_value.h"
#include "base/math3.h"
#include "base/status.h"
#include "geometry/motion.h"

#include <stdio.h>
#include <string.h>

bool scene_animation_any(const SceneAnimation *animation) {
    return animation->key_count > 0 || animation->cache;
}

bool scene_animation_reads(const SceneAnimation *animation, const JnBakeDesc *desc, const char *path) {
    return scene_cache_reads(animation->cache, desc, path);
}

/* "bodies[0].animation.files" */
static void cache_place(const char *owner, const SceneAnimation *animation, char place[SCENE_PLACE_BYTES]) {
    snprintf(place, SCENE_PLACE_BYTES, "%.80s.animation.%s", owner, animation->cache_key);
}

JnStatus scene_animation_read(JnScene *scene, const cJSON *json, const char *owner, SceneAnimation *animation,
                              JnMessage *message) {
    if (!json)
        return JN_OK;
    char place[SCENE_PLACE_BYTES];
    snprintf(place, sizeof place, "%.80s.animation", owner);
    const cJSON *keys = value_get(json, "keys"), *files = value_get(json, "files");
    const char *pattern = value_text(json, "files");
    if (pattern && !motion_is_numbered(pattern))
        return status_fail(
            message, JN_ERR_SCENE,
            "%s.files is \"%.100s\", but needs #### in place of the frame number; one file of many frames is a cache",
            place, pattern);
    animation->cache_key = files ? "files" : "cache";
    if (!keys) {
        cache_place(owner, animation, place);
        return scene_cache_open(scene, files ? files : value_get(json, "cache"), place, &animation->cache, message);
    }
    if (!keys->child)
        return status_fail(message, JN_ERR_SCENE, "%s.keys is an empty list: give at least one key", place);
    return scene_keys_read(scene, keys, "pose_key", place, &animation->keys, &animation->key_count, message);
}

JnStatus scene_positions_read(const char *path, uint32_t point_count, const char *place, double *out,
                              JnMessage *message) {
    uint32_t count;
    JnStatus status = motion_mesh_positions(path, point_count, out, &count, message);
    if (status == JN_ERR_MESH && count && count != point_count)
        return status_fail(message, JN_ERR_SCENE, "%s: %s has %u vertices, but the mesh of the scene has %u", place,
                           path, count, point_count);
    return status == JN_OK ? JN_OK : scene_fail_in(place, status, message);
}

JnStatus scene_animation_mesh(SceneAnimation *animation, double frame, uint32_t point_count, const char *owner,
                              double *out, JnMessage *message) {
    char place[SCENE_PLACE_BYTES];
    cache_place(owner, animation, place);
    return scene_cache_positions(animation->cache, frame, point_count, place, out, message);
}

JnStatus scene_animation_positions(SceneBody *body, double frame, double *out, JnMessage *message) {
    SceneAnimation *animation = &body->animation;
    if (animation->cache)
        return scene_animation_mesh(animation, frame, body->point_count, body->place, out, message);

    /* keys move the posed shape in the scene's space: from_scene K to_scene */
    Pose pose = pose_at(animation->keys, animation->key_count, frame);
    double key[12], in_scene[12], matrix[12];
    bool moves = pose_moves(&pose);
    pose_matrix(&pose, key);
    affine_multiply(key, body->to_scene, in_scene);
    affine_multiply(body->from_scene, in_scene, matrix);
    for (size_t i = 0; i < body->point_count; ++i)
        if (moves)
            affine_apply(matrix, body->posed + 3 * i, out + 3 * i);
        else
            memcpy(out + 3 * i, body->posed + 3 * i, 3 * sizeof *out);
    return JN_OK;
}
