/* The bones of a body of a scene: their volumes, and their motions at a frame. */
#include "scene/scene_bones.h"

#include "scene/scene_animation.h"
#include "scene/scene_cache.h"
#include "scene/scene_value.h"
#include "base/math3.h"
#include "base/rigid.h"
#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/* ------------------------------------------------------------------------------------------------ motion */

/* The bone's motion at `frame` as its animation gives it, from where it is described. */
static JnStatus motion_at(SceneBone *bone, const JnBone *desc, double frame, double motion[12], JnMessage *message) {
    memcpy(motion, identity, sizeof identity);
    if (bone->matrices.count > 0) {
        scene_matrix_at(&bone->matrices, frame, motion);
    } else if (bone->animation.key_count > 0) {
        Pose pose = pose_at(bone->animation.keys, bone->animation.key_count, frame);
        pose_matrix(&pose, motion);
    } else if (bone->positions) {
        uint32_t count = desc->surface.vertex_count;
        double placement[12];
        memcpy(placement, bone->placement, sizeof placement);
        JnStatus status = scene_animation_mesh(&bone->animation, frame, count, bone->place, bone->positions, message);
        if (status == JN_OK && bone->cache_places)
            status = scene_cache_placement(bone->animation.cache, frame, bone->place, placement, message);
        if (status != JN_OK)
            return status;
        for (size_t v = 0; v < count; ++v)
            affine_apply(placement, bone->positions + 3 * v, bone->positions + 3 * v);
        rigid_fit(bone->described, bone->positions, count, motion);
    }
    return JN_OK;
}

JnStatus scene_bones_at(const JnScene *scene, SceneBody *body, double frame, JnBodyInput *input, JnMessage *message) {
    const JnBody *desc = &scene->body_descs[body - scene->bodies];
    for (uint32_t b = 0; b < body->bone_count; ++b) {
        double motion[12];
        JnStatus status = motion_at(&body->bones[b], &desc->bones[b], frame, motion, message);
        if (status != JN_OK)
            return status;
        affine_multiply(motion, body->bones[b].from_rest, body->bone_motions + 12 * (size_t)b);
    }
    input->bones = body->bone_count ? body->bone_motions : NULL;
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ reading */

static JnStatus read_volume(JnScene *scene, const cJSON *json, SceneBone *bone, JnBone *desc, JnMessage *message) {
    const cJSON *mesh = value_get(json, "mesh"), *transform = value_get(json, "transform");
    char place[SCENE_PLACE_BYTES];
    snprintf(place, sizeof place, "%s.mesh", bone->place);
    if (mesh) {
        JnStatus status = scene_mesh_open(scene, mesh, place, &bone->mesh, &bone->view, message);
        if (status != JN_OK)
            return status;
        desc->surface = bone->view.surface;
        if (desc->surface.face_count == 0)
            return status_fail(message, JN_ERR_MESH, "%s holds no faces: give a closed surface", place);
    }
    snprintf(place, sizeof place, "%s.transform", bone->place);
    if (!cJSON_IsObject(transform))
        return JN_OK;
    Pose pose;
    JnStatus status = pose_read(transform, "transform", place, &pose, message);
    if (status == JN_OK)
        pose_matrix(&pose, desc->transform);
    return status;
}

/* A mesh that is animated as a mesh. */
static JnStatus read_deformation(JnScene *scene, const cJSON *json, double rest_frame, SceneBone *bone, JnBone *desc,
                                 JnMessage *message) {
    size_t count = (size_t)desc->surface.vertex_count * 3;
    if (!scene_animation_any(&bone->animation) || bone->animation.key_count > 0)
        return JN_OK;
    if (count == 0)
        return status_fail(
            message, JN_ERR_SCENE,
            "%s.animation: a capsule is moved by keys or by matrices, not by files or a cache: give it a "
            "mesh, or remove it",
            bone->place);
    bone->positions = scene_alloc(scene, count, sizeof *bone->positions);
    bone->described = scene_alloc(scene, count, sizeof *bone->described);
    if (!bone->positions || !bone->described)
        return status_no_memory(message, "animated positions");
    JnStatus status = JN_OK;
    if (bone->animation.cache)
        status = scene_cache_places(scene, bone->animation.cache, bone->place, &bone->cache_places, message);
    if (status == JN_OK && bone->cache_places && value_get(json, "transform"))
        return status_fail(message, JN_ERR_SCENE,
                           "%s.transform: the animation cache places the object itself: remove it", bone->place);
    if (status == JN_OK && bone->cache_places)
        status = scene_cache_placement(bone->animation.cache, rest_frame, bone->place, desc->transform, message);
    memcpy(bone->placement, desc->transform, sizeof bone->placement);
    for (size_t v = 0; status == JN_OK && v < desc->surface.vertex_count; ++v)
        affine_apply(desc->transform, desc->surface.positions + 3 * v, bone->described + 3 * v);
    return status;
}

static JnStatus read_bone(JnScene *scene, const SceneBody *body, const cJSON *json, SceneBone *bone, JnBone *desc,
                          JnMessage *message) {
    bool has_rest = value_get(body->json, "rest_frame") != NULL;
    double rest_frame = has_rest ? value_number(body->json, "body", "rest_frame") : scene->desc.first_frame, motion[12];
    const char *matrices = value_text(json, "matrices");
    const cJSON *animation = value_get(json, "animation");
    jn_bone_init(desc, sizeof *desc);
    value_fields(json, "bone", DESC_BONE, desc);
    memcpy(bone->from_rest, identity, sizeof identity);
    if (matrices && animation)
        return status_fail(message, JN_ERR_SCENE, "%s has both animation and matrices: keep one of them", bone->place);
    JnStatus status = read_volume(scene, json, bone, desc, message);
    if (status == JN_OK && matrices)
        status = scene_matrices_read(scene, matrices, bone->place, &bone->matrices, message);
    if (status == JN_OK)
        status = scene_animation_read(scene, animation, bone->place, &bone->animation, message);
    if (status == JN_OK)
        status = read_deformation(scene, json, rest_frame, bone, desc, message);
    if (status != JN_OK || !has_rest)
        return status;
    /* at the rest frame it is where its animation has it */
    double placed[12];
    status = motion_at(bone, desc, rest_frame, motion, message);
    affine_multiply(motion, desc->transform, placed);
    memcpy(desc->transform, placed, sizeof placed);
    if (status == JN_OK && !affine_inverse(motion, bone->from_rest))
        return status_fail(message, JN_ERR_SCENE, "%s is flattened by its motion at frame %g", bone->place, rest_frame);
    return status;
}

JnStatus scene_bones_read(JnScene *scene, SceneBody *body, JnBody *desc, JnMessage *message) {
    const cJSON *list = value_get(body->json, "bones");
    uint32_t count = list ? (uint32_t)cJSON_GetArraySize(list) : 0;
    if (count == 0)
        return JN_OK;
    JnBone *bones = scene_alloc(scene, count, sizeof *bones);
    body->bones = scene_alloc(scene, count, sizeof *body->bones);
    body->bone_motions = scene_alloc(scene, 12 * (size_t)count, sizeof *body->bone_motions);
    if (!bones || !body->bones || !body->bone_motions)
        return status_no_memory(message, "the bones");
    desc->bones = bones;
    for (const cJSON *item = list->child; item; item = item->next) {
        SceneBone *bone = &body->bones[body->bone_count];
        snprintf(bone->place, sizeof bone->place, "%s.bones[%u]", body->place, body->bone_count);
        desc->bone_count = ++body->bone_count;
        JnStatus status = read_bone(scene, body, item, bone, &bones[body->bone_count - 1], message);
        if (status != JN_OK)
            return status;
    }
    return JN_OK;
}

bool scene_bones_move(const SceneBody *body) {
    bool any = false;
    for (uint32_t b = 0; b < body->bone_count; ++b)
        any |= body->bones[b].matrices.count > 0 || scene_animation_any(&body->bones[b].animation);
    return any;
}

void scene_bones_free(SceneBody *body) {
    for (uint32_t b = 0; b < body->bone_count; ++b) {
        jn_mesh_free(body->bones[b].mesh);
        scene_cache_close(body->bones[b].animation.cache);
    }
}
