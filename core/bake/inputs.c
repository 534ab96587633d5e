/* The inputs of the current frame, and the start pose. */
#include "bake/bake_internal.h"

#include "base/math3.h"
#include "base/rigid.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double inputs_frame_time(const JnBake *bake, uint32_t index) {
    return (bake->settings.first_frame + index) / bake->settings.fps;
}

bool inputs_has_interval(const JnBake *bake) {
    return bake->motion.frames_done > 0 || bake->motion.preroll_done > 0;
}

double inputs_interval_start(const JnBake *bake) {
    double index = bake->motion.frames_done > 0 ? bake->motion.frames_done - 1.0
                                                : bake->motion.preroll_done - 1.0 - bake->settings.preroll_count;
    return (bake->settings.first_frame + (inputs_has_interval(bake) ? index : -(double)bake->settings.preroll_count)) /
           bake->settings.fps;
}

double inputs_fraction(const JnBake *bake, double time) {
    if (!inputs_has_interval(bake))
        return 1;
    double fraction = (time - inputs_interval_start(bake)) * bake->settings.fps;
    /* the sum of the time steps differs from the frame's time by rounding: use the frame's exactly */
    if (fraction > 1 - 1e-9)
        return 1;
    return fraction < 1e-9 ? 0 : fraction;
}

void inputs_transform(const BodyMotion *motion, double fraction, double transform[12]) {
    affine_blend(motion->transform_from, motion->transform_to, fraction, transform);
}

/* ------------------------------------------------------------------------------------------------ a frame begins, ends
 */

static JnStatus reserve_track(const Body *body, TargetTrack *track, uint32_t sample_count, JnMessage *message) {
    if (track->points && sample_count <= track->sample_capacity) {
        track->sample_count = sample_count;
        return JN_OK;
    }
    size_t rows = (size_t)sample_count + 1;
    double *points = malloc((rows * body->point_count * 3 + 1) * sizeof *points);
    double *vertices = malloc((rows * body->mesh.vertex_count * 3 + 1) * sizeof *vertices);
    RigidMove *moves = malloc(rows * sizeof *moves);
    if (!points || !vertices || !moves) {
        free(points);
        free(vertices);
        free(moves);
        return status_no_memory(message, "the animation");
    }
    free(track->points);
    free(track->vertices);
    free(track->moves);
    *track = (TargetTrack){sample_count, sample_count, points, vertices, moves};
    return JN_OK;
}

/* Row `row` of the track: animated points in object space, placed in the scene, and the vertices that follow them. */
static JnStatus fill_row(const JnBake *bake, const Body *body, BodyMotion *motion, uint32_t row, const double *local,
                         JnMessage *message) {
    TargetTrack *track = &motion->track;
    double transform[12], *points = track->points + (size_t)row * body->point_count * 3;
    /* the first frame has no previous one: constant inputs */
    double fraction = inputs_has_interval(bake) ? (double)row / track->sample_count : 1;
    inputs_transform(motion, fraction, transform);
    double *vertices = track->vertices + (size_t)row * body->mesh.vertex_count * 3;
    if (body->hold_count && !motion->has_pose) {
        bones_move_rest(body, motion, fraction, points, vertices);
        return JN_OK;
    }
    body_place_points(local, body->point_count, transform, bake->settings.metres_per_unit, points);
    JnStatus status = inverse_embedding_positions(body->inverse_embedding, points, vertices, message);
    if (status == JN_OK)
        bones_place(body, motion, fraction, vertices);
    return status;
}

JnStatus inputs_fill_track(const JnBake *bake, uint32_t body_index, const JnBodyInput *input, JnMessage *message) {
    const Body *body = &bake->model.bodies[body_index];
    BodyMotion *motion = &bake->motion.bodies[body_index];
    uint32_t sample_count = input && input->targets ? input->sample_count : 1;
    JnStatus status = reserve_track(body, &motion->track, sample_count, message);
    if (status == JN_OK)
        status =
            fill_row(bake, body, motion, 0, inputs_has_interval(bake) ? motion->local_from : motion->local_to, message);
    for (uint32_t s = 1; status == JN_OK && s <= sample_count; ++s) {
        const double *local =
            s == sample_count ? motion->local_to : input->targets + (size_t)(s - 1) * body->point_count * 3;
        status = fill_row(bake, body, motion, s, local, message);
    }
    if (status == JN_OK && inputs_has_interval(bake))
        travel_begin_frame(body, motion, bake->settings.fps, input && input->cut);
    return status;
}

static BodyKeys next_keys(const BodyKeys *before, const JnBodyInput *input) {
    BodyKeys keys = *before;
    if (input && input->has_stiffness)
        keys.stiffness = input->stiffness;
    if (input && input->has_goal_strength)
        keys.goal_strength = input->goal_strength;
    if (input && input->has_pin_strength)
        keys.pin_strength = input->pin_strength;
    if (input && input->has_simulation)
        keys.simulation = input->simulation;
    return keys;
}

static JnStatus begin_body(JnBake *bake, uint32_t body_index, const JnBodyInput *input, JnMessage *message) {
    const Body *body = &bake->model.bodies[body_index];
    BodyMotion *motion = &bake->motion.bodies[body_index];
    size_t n = (size_t)body->point_count * 3;
    bool first = bake->motion.frames_done == 0;
    const double *targets = input && input->targets ? input->targets + (input->sample_count - 1) * n : NULL;
    memcpy(motion->transform_to, input && input->has_transform ? input->transform : motion->transform_from,
           sizeof motion->transform_to);
    if (first && !targets)
        targets = body->start_positions;
    motion->has_pose |= targets != NULL;
    memcpy(motion->local_to, targets ? targets : motion->local_from, n * sizeof(double));
    JnStatus status = bones_begin_frame(bake, body, motion, input, message);
    if (status != JN_OK)
        return status;
    if (input && input->forces)
        memcpy(motion->forces_to, input->forces, n * sizeof(double));
    else
        memset(motion->forces_to, 0, n * sizeof(double));
    motion->keys_to = next_keys(&motion->keys_from, input);
    if (first)
        motion->posed = targets || memcmp(motion->transform_to, body->rest_transform, sizeof motion->transform_to) != 0;
    if (!first && !affine_can_blend(motion->transform_from, motion->transform_to))
        return status_fail(
            message, JN_ERR_ARGUMENT,
            "the object '%s' is mirrored from one frame to the next: give its scale the same sign in both", body->name);
    motion->travel_to = (Travel){.cut = 0};
    /* what is cached may be the animation */
    bool is_seen = motion->keys_from.simulation < 1 || motion->keys_to.simulation < 1;
    if (body->has_targets || is_seen)
        status = inputs_fill_track(bake, body_index, input, message);
    if (status == JN_OK && first && bake->settings.preroll_count > 0)
        status = preroll_begin_body(bake, body, motion, message);
    return status;
}

static JnStatus begin_collider(JnBake *bake, uint32_t index, const JnColliderInput *input, JnMessage *message) {
    double *to = bake->motion.collider_to[index];
    memcpy(to, bake->motion.collider_from[index], 12 * sizeof *to);
    if (input && input->has_transform) {
        memcpy(to, input->transform, 12 * sizeof *to);
        for (int i = 0; i < 3; ++i)
            to[4 * i + 3] *= bake->settings.metres_per_unit;
    }
    ColliderShapes *shapes = &bake->motion.collider_shapes[index];
    const double *positions = input ? input->positions : NULL;
    for (size_t i = 0; i < shapes->number_count; ++i)
        shapes->to[i] = positions ? bake->settings.metres_per_unit * positions[i] : shapes->from[i];
    shapes->given |= positions != NULL;
    if (bake->motion.frames_done > 0 && !affine_can_blend(bake->motion.collider_from[index], to))
        return status_fail(
            message, JN_ERR_ARGUMENT,
            "input.colliders[%u] is mirrored from one frame to the next: give its scale the same sign in "
            "both",
            index);
    return JN_OK;
}

void inputs_place_field(const JnBake *bake, const double transform[12], FieldState *state) {
    memcpy(state->transform, transform, sizeof state->transform);
    for (int i = 0; i < 3; ++i)
        state->transform[4 * i + 3] *= bake->settings.metres_per_unit;
}

static JnStatus begin_field(JnBake *bake, uint32_t index, const JnFieldInput *input, JnMessage *message) {
    FieldState *to = &bake->motion.fields_to[index];
    const FieldState *from = &bake->motion.fields_from[index];
    *to = *from;
    if (input && input->has_transform)
        inputs_place_field(bake, input->transform, to);
    if (input && input->has_strength)
        to->strength = input->strength;
    if (input && input->has_damping)
        to->damping = input->damping;
    if (inputs_has_interval(bake) && !affine_can_blend(from->transform, to->transform))
        return status_fail(
            message, JN_ERR_ARGUMENT,
            "input.fields[%u] is mirrored from one frame to the next: give its scale the same sign in both", index);
    return JN_OK;
}

JnStatus inputs_begin_frame(JnBake *bake, const JnFrameInput *input, JnMessage *message) {
    memcpy(bake->motion.gravity_to, input->has_gravity ? input->gravity : bake->motion.gravity_from,
           sizeof bake->motion.gravity_to);
    for (uint32_t c = 0; c < bake->model.collider_count; ++c) {
        JnStatus status = begin_collider(bake, c, input->collider_count ? &input->colliders[c] : NULL, message);
        if (status != JN_OK)
            return status;
    }
    for (uint32_t f = 0; f < bake->model.field_count; ++f) {
        JnStatus status = begin_field(bake, f, input->field_count ? &input->fields[f] : NULL, message);
        if (status != JN_OK)
            return status;
    }
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        JnStatus status = begin_body(bake, b, input->body_count ? &input->bodies[b] : NULL, message);
        if (status != JN_OK)
            return status;
    }
    return JN_OK;
}

void inputs_end_frame(JnBake *bake) {
    memcpy(bake->motion.gravity_from, bake->motion.gravity_to, sizeof bake->motion.gravity_from);
    for (uint32_t f = 0; f < bake->model.field_count; ++f)
        bake->motion.fields_from[f] = bake->motion.fields_to[f];
    for (uint32_t c = 0; c < bake->model.collider_count; ++c) {
        ColliderShapes *shapes = &bake->motion.collider_shapes[c];
        memcpy(bake->motion.collider_from[c], bake->motion.collider_to[c], sizeof bake->motion.collider_from[c]);
        if (shapes->number_count)
            memcpy(shapes->from, shapes->to, shapes->number_count * sizeof *shapes->from);
    }
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        BodyMotion *motion = &bake->motion.bodies[b];
        size_t n = (size_t)bake->model.bodies[b].point_count * 3;
        motion->keys_from = motion->keys_to;
        motion->travel_from = motion->travel_to;
        memcpy(motion->transform_from, motion->transform_to, sizeof motion->transform_from);
        memcpy(motion->local_from, motion->local_to, n * sizeof(double));
        if (bake->model.bodies[b].bone_count)
            memcpy(motion->bones_from, motion->bones_to,
                   12 * (size_t)bake->model.bodies[b].bone_count * sizeof *motion->bones_from);
        memcpy(motion->forces_from, motion->forces_to, n * sizeof(double));
    }
}

/* ------------------------------------------------------------------------------------------------ the start pose */

/* Vertices of a body in its start pose; bit-identical to the rest shape if no other pose is given. */
static JnStatus start_positions(JnBake *bake, const Body *body, const BodyMotion *motion, double *q,
                                JnMessage *message) {
    size_t bytes = (size_t)body->mesh.vertex_count * 3 * sizeof *q;
    memcpy(q, body->mesh.positions, bytes);
    if (motion->lead_from) {
        rigid_carry_points(motion->lead_motion, body->mesh.vertex_count, q);
        return JN_OK;
    }
    if (body->bone_count && !body->start_positions) {
        memcpy(q, motion->track.vertices, bytes);
        return JN_OK;
    }
    if (!motion->posed)
        return JN_OK;
    double *points = bake->scratch.point_scratch;
    body_place_points(body->start_positions ? body->start_positions : motion->local_to, body->point_count,
                      motion->transform_to, bake->settings.metres_per_unit, points);
    return inverse_embedding_positions(body->inverse_embedding, points, q, message);
}

/* A velocity field is extended into the body like a small displacement. */
static JnStatus start_velocities(JnBake *bake, const Body *body, double *v, JnMessage *message) {
    size_t n = (size_t)body->mesh.vertex_count * 3;
    memset(v, 0, n * sizeof *v);
    if (!body->start_velocities)
        return JN_OK;
    double *points = bake->scratch.point_scratch;
    double seconds =
        body->section_neighbours ? 1e-6 : 1; /* the sections of fibres rotate: linear only for small displacements */
    embedding_apply(&body->embedding, body->mesh.positions, points);
    for (size_t i = 0; i < (size_t)body->point_count * 3; ++i)
        points[i] += seconds * bake->settings.metres_per_unit * body->start_velocities[i];
    JnStatus status = inverse_embedding_positions(body->inverse_embedding, points, v, message);
    for (size_t i = 0; i < n; ++i)
        v[i] = (v[i] - body->mesh.positions[i]) / seconds;
    return status;
}

/* A body without a pose of its own that hangs on another starts where that one is. */
static void start_with_carrier(JnBake *bake, uint32_t body_index) {
    const Body *body = &bake->model.bodies[body_index], *carrier = &bake->model.bodies[body->carrier];
    double motion[12];
    if (body == carrier || bake->motion.bodies[body_index].posed)
        return;
    double *q = bake->motion.state.q + 3 * (size_t)body->first_vertex;
    rigid_fit(carrier->mesh.positions, bake->motion.state.q + 3 * (size_t)carrier->first_vertex,
              carrier->mesh.vertex_count, motion);
    memcpy(q, body->mesh.positions, (size_t)body->mesh.vertex_count * 3 * sizeof *q);
    rigid_carry_points(motion, body->mesh.vertex_count, q);
}

JnStatus inputs_start_state(JnBake *bake, JnMessage *message) {
    bake->motion.state.time = bake->motion.carried_to = inputs_interval_start(bake);
    view_set_time(bake->motion.view, bake->motion.state.time, bake->motion.state.time);
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        size_t first = 3 * (size_t)body->first_vertex;
        JnStatus status = start_positions(bake, body, &bake->motion.bodies[b], bake->motion.state.q + first, message);
        if (status == JN_OK)
            status = start_velocities(bake, body, bake->motion.state.v + first, message);
        if (status != JN_OK)
            return status;
    }
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        start_with_carrier(bake, b);
    for (size_t i = 0; i < (size_t)bake->model.vertex_count * 3; ++i)
        if (!view_is_free(bake->motion.view, i / 3)) {
            bake->motion.state.q[i] = bake->motion.view->moment.targets[i];
            bake->motion.state.v[i] = 0;
        }
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ jumps */

/* A relative change of more than this within a frame is a jump. */
static const double JUMP = 0.1;

static bool jumps(double from, double to) {
    return fabs(to - from) > JUMP * fmax(fabs(from), fabs(to));
}

static bool field_jumps(const FieldState *from, const FieldState *to) {
    return jumps(from->strength, to->strength) || jumps(from->damping, to->damping);
}

bool inputs_jump(const JnBake *bake) {
    double change[3];
    vec3_sub(bake->motion.gravity_to, bake->motion.gravity_from, change);
    if (vec3_length(change) > JUMP * fmax(vec3_length(bake->motion.gravity_from), vec3_length(bake->motion.gravity_to)))
        return true;
    for (uint32_t f = 0; f < bake->model.field_count; ++f)
        if (field_jumps(&bake->motion.fields_from[f], &bake->motion.fields_to[f]))
            return true;
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const BodyKeys *from = &bake->motion.bodies[b].keys_from, *to = &bake->motion.bodies[b].keys_to;
        if (jumps(from->stiffness, to->stiffness) || jumps(from->goal_strength, to->goal_strength) ||
            jumps(from->pin_strength, to->pin_strength))
            return true;
    }
    return false;
}
