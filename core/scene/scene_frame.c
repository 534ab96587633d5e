/* The inputs of one frame: a function of the frame alone, so that frames may be requested in any order. */
#include "scene/scene.h"

#include "scene/scene_animation.h"
#include "scene/scene_bones.h"
#include "scene/scene_cache.h"
#include "scene/scene_keys.h"
#include "base/status.h"
#include "base/struct_size.h"

#include <math.h>
#include <string.h>

/* Sums the forces that act at `frame`; false if none does. */
static bool sum_forces(SceneBody *body, double frame) {
    bool any = false;
    for (uint32_t f = 0; f < body->force_count; ++f) {
        const SceneForce *force = &body->forces[f];
        if (frame < force->from || frame > force->to)
            continue;
        if (!any)
            memset(body->force_per_point, 0, (size_t)body->point_count * 3 * sizeof *body->force_per_point);
        any = true;
        for (size_t i = 0; i < body->point_count; ++i)
            for (size_t k = 0; k < 3; ++k)
                body->force_per_point[3 * i + k] += force->force[k] * (double)force->map->values[i] / force->map->sum;
    }
    return any;
}

static JnStatus body_input(const JnScene *scene, SceneBody *body, double frame, JnBodyInput *input,
                           JnMessage *message) {
    jn_body_input_init(input, sizeof *input);
    if (sum_forces(body, frame))
        input->forces = body->force_per_point;
    scene_body_keys_at(body, frame, input);
    if (body->matrices.count > 0) {
        scene_matrix_at(&body->matrices, frame, input->transform);
        input->has_transform = 1;
    }
    JnStatus bones = scene_bones_at(scene, body, frame, input, message);
    if (bones != JN_OK || !scene_animation_any(&body->animation))
        return bones;

    /* keys are sampled within the frame, so that rotating points move along arcs; the first frame has no previous
       one */
    uint32_t samples = frame > scene->desc.first_frame ? body->sample_count : 1;
    for (uint32_t s = 0; s < samples; ++s) {
        double at = s + 1 == samples ? frame : frame - 1 + (s + 1.0) / samples;
        JnStatus status =
            scene_animation_positions(body, at, body->targets + (size_t)s * body->point_count * 3, message);
        if (status != JN_OK)
            return status;
    }
    for (uint32_t c = 0; c < body->cut_count; ++c)
        input->cut |= body->cuts[c] > frame - 1 && body->cuts[c] <= frame;
    input->sample_count = samples;
    input->targets = body->targets;
    if (!body->cache_places)
        return JN_OK;
    input->has_transform = 1;
    return scene_cache_placement(body->animation.cache, frame, body->place, input->transform, message);
}

JnStatus jn_scene_frame(JnScene *scene, double frame, JnFrameInput *input, size_t struct_size, JnMessage *message) {
    JnStatus filled = struct_size_check(input, struct_size, sizeof *input, "JnFrameInput", message);
    if (filled != JN_OK)
        return filled;
    if (!scene)
        return status_fail(message, JN_ERR_ARGUMENT, "scene is NULL: load one by jn_scene_load");
    if (!(fabs(frame) <= 1e8))
        return status_fail(message, JN_ERR_ARGUMENT, "frame is %g, but must be a number from -1e8 to 1e8", frame);
    jn_frame_input_init(input, sizeof *input);
    input->frame = frame;
    input->body_count = scene->desc.body_count;
    input->bodies = scene->body_inputs;
    input->collider_count = scene->desc.collider_count;
    input->colliders = scene->collider_inputs;
    input->field_count = scene->desc.field_count;
    input->fields = scene->field_inputs;
    for (uint32_t i = 0; i < scene->desc.field_count; ++i)
        scene_field_input(scene, i, frame, &scene->field_inputs[i]);
    for (uint32_t i = 0; i < scene->desc.body_count; ++i) {
        JnStatus status = body_input(scene, &scene->bodies[i], frame, &scene->body_inputs[i], message);
        if (status != JN_OK)
            return status;
    }
    for (uint32_t i = 0; i < scene->desc.collider_count; ++i) {
        JnStatus status = scene_collider_input(scene, i, frame, &scene->collider_inputs[i], message);
        if (status != JN_OK)
            return status;
    }
    if (scene->gravity_key_count > 0) {
        Pose pose = pose_at(scene->gravity_keys, scene->gravity_key_count, frame);
        memcpy(input->gravity, pose.translate, sizeof input->gravity);
        input->has_gravity = 1;
    }
    return status_clear(message);
}
