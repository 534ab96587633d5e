/* The frames before the first one, which are simulated and not written. Animated bodies begin in their rest shape,
   moved rigidly to where the first frame has them, so that they need not fly there; their targets go from that pose to
   the first frame's, slowly at both ends. All other inputs are those of the first frame. */
#include "bake/bake_internal.h"

#include "base/math3.h"
#include "base/rigid.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static void forget(BodyMotion *motion) {
    free(motion->lead_from);
    free(motion->lead_to);
    free(motion->lead_forces);
    free(motion->lead_bones);
    motion->lead_from = motion->lead_to = motion->lead_forces = motion->lead_bones = NULL;
}

/* lead_from: the rest shape where the first frame is, in the object's space. rest, first: [point_count * 3], scratch.
 */
static void place_rest(const JnBake *bake, const Body *body, BodyMotion *motion, double *rest, double *first) {
    double unit = bake->settings.metres_per_unit, inverse[12];
    embedding_apply(&body->embedding, body->mesh.positions, rest);
    if (body->has_targets) /* as bones and targets have it */
        memcpy(first, motion->track.points, (size_t)body->point_count * 3 * sizeof *first);
    else
        body_place_points(motion->local_to, body->point_count, motion->transform_to, unit, first);
    rigid_fit(rest, first, body->point_count, motion->lead_motion);
    rigid_carry_points(motion->lead_motion, body->point_count, rest);
    affine_inverse(motion->transform_to, inverse); /* exists: the inputs were checked */
    for (size_t p = 0; p < body->point_count; ++p) {
        double x[3] = {rest[3 * p] / unit, rest[3 * p + 1] / unit, rest[3 * p + 2] / unit};
        affine_apply(inverse, x, motion->lead_from + 3 * p);
    }
}

JnStatus preroll_begin_body(const JnBake *bake, const Body *body, BodyMotion *motion, JnMessage *message) {
    size_t bytes = (size_t)body->point_count * 3 * sizeof(double),
           bones = 12 * (size_t)body->bone_count * sizeof(double);
    double *rest = malloc(bytes + 1), *first = malloc(bytes + 1);
    forget(motion);
    motion->lead_from = malloc(bytes + 1);
    motion->lead_to = malloc(bytes + 1);
    motion->lead_forces = malloc(bytes + 1);
    motion->lead_bones = malloc(bones + 1);
    JnStatus status = rest && first && motion->lead_from && motion->lead_to && motion->lead_forces && motion->lead_bones
                          ? JN_OK
                          : status_no_memory(message, "the frames before the first one");
    if (status == JN_OK) {
        place_rest(bake, body, motion, rest, first);
        memcpy(motion->lead_to, motion->local_to, bytes);
        memcpy(motion->lead_forces, motion->forces_to, bytes);
        if (bones)
            memcpy(motion->lead_bones, motion->bones_to, bones);
    }
    free(rest);
    free(first);
    return status;
}

/* How far the pose has come after a part of the time, 0 to 1. */
static double ease(double part) {
    return part * part * (3 - 2 * part);
}

static void blend_pose(const BodyMotion *motion, size_t count, double part, double *pose) {
    for (size_t i = 0; i < count; ++i)
        pose[i] =
            part == 1 ? motion->lead_to[i] : motion->lead_from[i] + part * (motion->lead_to[i] - motion->lead_from[i]);
}

/* The inputs of the interval number `done`, from 1. */
static JnStatus begin_interval(JnBake *bake, uint32_t done, JnMessage *message) {
    bake->motion.preroll_done = done;
    double count = bake->settings.preroll_count;
    JnStatus status = JN_OK;
    for (uint32_t b = 0; status == JN_OK && b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        BodyMotion *motion = &bake->motion.bodies[b];
        size_t n = (size_t)body->point_count * 3;
        memcpy(motion->transform_from, motion->transform_to, sizeof motion->transform_from);
        motion->keys_from = motion->keys_to;
        blend_pose(motion, n, ease((done - 1) / count), motion->local_from);
        blend_pose(motion, n, ease(done / count), motion->local_to);
        for (uint32_t k = 0; k < body->bone_count; ++k) {
            const double *last = motion->lead_bones + 12 * (size_t)k;
            bone_between(body, k, motion->lead_motion, last, ease((done - 1) / count),
                         motion->bones_from + 12 * (size_t)k);
            bone_between(body, k, motion->lead_motion, last, ease(done / count), motion->bones_to + 12 * (size_t)k);
        }
        for (size_t i = 0; i < n; ++i) /* a frame's forces act on the way to it */
            motion->forces_to[i] = done == bake->settings.preroll_count ? motion->lead_forces[i] : 0;
        if (body->has_targets)
            status = inputs_fill_track(bake, b, NULL, message);
        motion->travel_from = (Travel){.cut = 0};
    }
    return status;
}

/* What moves between frames stands still. */
static void hold_world(JnBake *bake) {
    memcpy(bake->motion.gravity_from, bake->motion.gravity_to, sizeof bake->motion.gravity_from);
    for (uint32_t f = 0; f < bake->model.field_count; ++f)
        bake->motion.fields_from[f] = bake->motion.fields_to[f];
    for (uint32_t c = 0; c < bake->model.collider_count; ++c) {
        ColliderShapes *shapes = &bake->motion.collider_shapes[c];
        memcpy(bake->motion.collider_from[c], bake->motion.collider_to[c], sizeof bake->motion.collider_from[c]);
        if (shapes->number_count)
            memcpy(shapes->from, shapes->to, shapes->number_count * sizeof *shapes->from);
    }
}

JnStatus preroll_run(JnBake *bake, JnMessage *message) {
    JnStatus status = JN_OK;
    if (bake->settings.preroll_count == 0)
        return JN_OK;
    hold_world(bake);
    for (uint32_t done = 1; status == JN_OK && done <= bake->settings.preroll_count; ++done) {
        status = begin_interval(bake, done, message);
        if (status == JN_OK)
            status = simulate_interval(bake, false, message);
    }
    /* reports count from the first frame on */
    bake->motion.steps_done = bake->motion.damped_steps = 0;
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        forget(&bake->motion.bodies[b]);
    return status;
}
