/* One collider of a scene: its shape, placement and motion. */
#include "scene/scene.h"

#include "base/status.h"
#include "scene/scene_animation.h"
#include "scene/scene_cache.h"
#include "scene/scene_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The direction of the up axis. */
static void up_vector(const JnBakeDesc *desc, double out[3]) {
    out[0] = 0;
    out[1] = desc->up_axis == JN_UP_Y;
    out[2] = desc->up_axis == JN_UP_Z;
}

static JnStatus read_mesh(JnScene *scene, const cJSON *json, SceneCollider *collider, JnCollider *desc,
                          JnMessage *message) {
    const cJSON *mesh = value_get(json, "mesh");
    bool is_mesh = strcmp(desc->kind, "mesh") == 0;
    char place[SCENE_PLACE_BYTES];
    snprintf(place, sizeof place, "%s.mesh", collider->place);
    if (is_mesh && !mesh)
        return status_fail(message, JN_ERR_SCENE, "%s is missing: name the file of the surface to collide with", place);
    if (!is_mesh && mesh)
        return status_fail(message, JN_ERR_SCENE, "%s: a %s has no mesh: remove it, or set kind to mesh", place,
                           desc->kind);
    if (!mesh)
        return JN_OK;
    JnStatus status = scene_mesh_open(scene, mesh, place, &collider->mesh, &collider->view, message);
    if (status != JN_OK)
        return status;
    /* of tets, the boundary */
    desc->surface = collider->view.surface;
    if (desc->surface.face_count == 0)
        return status_fail(message, JN_ERR_MESH, "%s holds no faces: give a surface (.obj, .ply, .stl, .abc, .glb)",
                           place);
    return JN_OK;
}

static JnStatus read_transform(const cJSON *json, const SceneCollider *collider, JnCollider *desc, JnMessage *message) {
    const cJSON *transform = value_get(json, "transform");
    if (!cJSON_IsObject(transform))
        return JN_OK;
    char place[SCENE_PLACE_BYTES];
    snprintf(place, sizeof place, "%s.transform", collider->place);
    Pose pose;
    JnStatus status = pose_read(transform, "transform", place, &pose, message);
    if (status == JN_OK)
        pose_matrix(&pose, desc->transform);
    return status;
}

/* Files and caches give the positions of the mesh, and caches may place it too. */
static JnStatus read_deformation(JnScene *scene, const cJSON *json, SceneCollider *collider, const JnCollider *desc,
                                 JnMessage *message) {
    const SceneAnimation *animation = &collider->animation;
    if (!animation->cache)
        return JN_OK;
    collider->positions = scene_alloc(scene, (size_t)desc->surface.vertex_count * 3, sizeof *collider->positions);
    if (!collider->positions)
        return status_no_memory(message, "animated positions");
    char place[SCENE_PLACE_BYTES];
    snprintf(place, sizeof place, "%s.animation.cache", collider->place);
    JnStatus status = scene_cache_places(scene, animation->cache, place, &collider->cache_places, message);
    if (status == JN_OK && collider->cache_places && value_get(json, "transform"))
        return status_fail(message, JN_ERR_SCENE,
                           "%s.transform: the animation cache places the object itself: remove it", collider->place);
    return status;
}

JnStatus scene_collider_read(JnScene *scene, const cJSON *json, uint32_t index, JnMessage *message) {
    JnCollider *desc = &scene->collider_descs[index];
    SceneCollider *collider = &scene->colliders[index];
    snprintf(collider->place, sizeof collider->place, "colliders[%u]", index);
    jn_collider_init(desc, sizeof *desc);
    up_vector(&scene->desc, desc->normal);
    value_fields(json, "collider", DESC_COLLIDER, desc);
    const double *n = desc->normal;
    if (!(sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) > 0))
        return status_fail(message, JN_ERR_SCENE, "%s.normal is [0, 0, 0]: it must point towards the free side",
                           collider->place);
    const cJSON *animation = value_get(json, "animation");
    if ((value_get(animation, "files") || value_get(animation, "cache")) && strcmp(desc->kind, "mesh") != 0)
        return status_fail(message, JN_ERR_SCENE,
                           "%s.animation: a %s does not deform: move it by keys, or set kind to mesh", collider->place,
                           desc->kind);
    JnStatus status = scene_groups_read(scene, json, collider->place, &desc->ignore_groups, message);
    if (status == JN_OK)
        status = read_mesh(scene, json, collider, desc, message);
    if (status == JN_OK)
        status = read_transform(json, collider, desc, message);
    if (status == JN_OK)
        status = scene_animation_read(scene, animation, collider->place, &collider->animation, message);
    return status == JN_OK ? read_deformation(scene, json, collider, desc, message) : status;
}

JnStatus scene_collider_input(const JnScene *scene, uint32_t index, double frame, JnColliderInput *input,
                              JnMessage *message) {
    SceneCollider *collider = &scene->colliders[index];
    SceneAnimation *animation = &collider->animation;
    jn_collider_input_init(input, sizeof *input);
    if (animation->key_count > 0) {
        Pose pose = pose_at(animation->keys, animation->key_count, frame);
        pose_matrix(&pose, input->transform);
        input->has_transform = 1;
    }
    if (!collider->positions)
        return JN_OK;
    JnStatus status = scene_animation_mesh(animation, frame, scene->collider_descs[index].surface.vertex_count,
                                           collider->place, collider->positions, message);
    input->positions = collider->positions;
    if (status != JN_OK || !collider->cache_places)
        return status;
    input->has_transform = 1;
    return scene_cache_placement(animation->cache, frame, collider->place, input->transform, message);
}

void scene_collider_free(SceneCollider *collider) {
    jn_mesh_free(collider->mesh);
    scene_cache_close(collider->animation.cache);
}
