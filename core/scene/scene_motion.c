/* How a body of a scene moves and starts: cuts of its animation, the frame of its rest shape, its start. */
#include "scene/scene.h"

#include "integrate/integrator.h"
#include "scene/scene_animation.h"
#include "scene/scene_cache.h"
#include "scene/scene_value.h"
#include "scene/scene_weights.h"
#include "base/math3.h"
#include "base/status.h"

#include <stdio.h>
#include <string.h>

enum { SAMPLES_MOST = 8 }; /* of keyed motion within a frame */

static JnStatus read_start_pose(JnScene *scene, SceneBody *body, const cJSON *pose, JnMessage *message) {
    char place[SCENE_PLACE_BYTES];
    snprintf(place, sizeof place, "%s.start.pose", body->place);
    const char *field = value_text(pose, "field");
    double *positions;
    JnStatus status;
    if (field) {
        status = scene_field(scene, body, field, 3, place, &positions, message);
    } else {
        const char *path = scene_input_path(scene, value_text(pose, "file"));
        positions = scene_alloc(scene, (size_t)body->point_count * 3, sizeof *positions);
        status = path && positions ? scene_positions_read(path, body->point_count, place, positions, message)
                                   : status_no_memory(message, "the start pose");
    }
    body->posed = positions;
    return status;
}

/* v = velocity + w x (x - centre), x in the scene's space */
static JnStatus read_start_velocity(JnScene *scene, const SceneBody *body, const cJSON *start, JnBody *desc,
                                    JnMessage *message) {
    double velocity[3], spin[3], centre[3] = {0, 0, 0};
    value_vector(start, "start", "velocity", velocity);
    value_vector(start, "start", "angular_velocity", spin);
    double *velocities = scene_alloc(scene, (size_t)body->point_count * 3, sizeof *velocities);
    if (!velocities)
        return status_no_memory(message, "the start velocities");
    const double *positions = desc->start_positions ? desc->start_positions : body->points;
    for (size_t i = 0; i < body->point_count; ++i) {
        double x[3];
        affine_apply(body->to_scene, positions + 3 * i, x);
        for (int k = 0; k < 3; ++k)
            centre[k] += x[k] / body->point_count;
    }
    for (size_t i = 0; i < body->point_count; ++i) {
        double x[3], arm[3], turn[3];
        affine_apply(body->to_scene, positions + 3 * i, x);
        vec3_sub(x, centre, arm);
        vec3_cross(spin, arm, turn);
        for (size_t k = 0; k < 3; ++k)
            velocities[3 * i + k] = velocity[k] + turn[k] * acos(-1.0) / 180;
    }
    desc->start_velocities = velocities;
    return JN_OK;
}

/* Frames at which the animation is cut. */
static JnStatus read_cuts(JnScene *scene, SceneBody *body, JnMessage *message) {
    const cJSON *list = value_get(body->json, "cuts");
    if (!list)
        return JN_OK;
    if (!scene_animation_any(&body->animation))
        return status_fail(message, JN_ERR_SCENE, "%s.cuts: the body has no animation to cut: remove them",
                           body->place);
    body->cut_count = (uint32_t)cJSON_GetArraySize(list);
    body->cuts = scene_alloc(scene, body->cut_count, sizeof *body->cuts);
    if (!body->cuts)
        return status_no_memory(message, "the cuts");
    value_numbers(list, body->cut_count, body->cuts);
    return JN_OK;
}

/* The animated pose at the rest frame replaces the points of the rest shape; painted maps keep those of the file. */
static JnStatus read_rest_frame(JnScene *scene, SceneBody *body, JnBody *desc, JnMessage *message) {
    if (!value_get(body->json, "rest_frame"))
        return JN_OK;
    double frame = value_number(body->json, "body", "rest_frame");
    size_t count = (size_t)body->point_count * 3;
    if (!scene_animation_any(&body->animation))
        return status_fail(message, JN_ERR_SCENE,
                           "%s.rest_frame: the body has no animation to take a pose from: remove it", body->place);
    if (body->render)
        return status_fail(
            message, JN_ERR_SCENE,
            "%s.rest_frame: the animation moves the surface, not the tets of the mesh: give the surface as "
            "mesh, which is then filled with tets, or remove it",
            body->place);
    double *rest = scene_alloc(scene, count, sizeof *rest);
    if (!rest)
        return status_no_memory(message, "the rest shape");
    JnStatus status = scene_animation_positions(body, frame, rest, message);
    if (status != JN_OK)
        return status;
    if (desc->tets.tet_count)
        desc->tets.positions = rest;
    if (desc->surface.vertex_count)
        desc->surface.positions = rest;
    if (desc->curves.vertex_count)
        desc->curves.positions = rest;
    body->points = rest;
    if (!body->cache_places)
        return JN_OK;
    char place[SCENE_PLACE_BYTES];
    snprintf(place, sizeof place, "%s.rest_frame", body->place);
    return scene_cache_placement(body->animation.cache, frame, place, desc->transform, message);
}

JnStatus scene_motion_read(JnScene *scene, SceneBody *body, JnBody *desc, JnMessage *message) {
    JnStatus status = read_cuts(scene, body, message);
    if (status == JN_OK)
        status = read_rest_frame(scene, body, desc, message);
    if (status != JN_OK)
        return status;
    const cJSON *start = value_get(body->json, "start"), *pose = value_get(start, "pose");
    status = pose ? read_start_pose(scene, body, pose, message) : JN_OK;
    if (status != JN_OK)
        return status;
    if (pose)
        desc->start_positions = body->posed;

    /* an animated body starts in its animated pose; a given pose overrides animated positions */
    if (scene_animation_any(&body->animation)) {
        /* 0: the bake chooses, at most so many */
        uint32_t steps = scene->desc.steps_per_frame > 0 ? scene->desc.steps_per_frame : SAMPLES_MOST;
        body->sample_count = !body->animation.keys ? 1 : steps < SAMPLES_MOST ? steps : SAMPLES_MOST;
        size_t count = (size_t)body->point_count * 3;
        double *first = scene_alloc(scene, count, sizeof *first);
        body->targets = scene_alloc(scene, count * body->sample_count, sizeof *body->targets);
        if (!first || !body->targets)
            return status_no_memory(message, "animated positions");
        status = scene_animation_positions(body, scene->desc.first_frame, first, message);
        if (status != JN_OK)
            return status;
        if (!pose || body->animation.keys)
            desc->start_positions = first;
    }
    if (value_get(start, "velocity") || value_get(start, "angular_velocity"))
        status = read_start_velocity(scene, body, start, desc, message);
    return status;
}
