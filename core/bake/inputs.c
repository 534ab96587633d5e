/* The inputs of the frame under way, and everything that moves at any time within it. */
#include "bake/bake_internal.h"

#include "base/math3.h"
#include "base/rigid.h"
#include "base/status.h"
#include "elastic/volume_patches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double inputs_frame_time(const JnBake *bake, uint32_t index) {
    return (bake->settings.first_frame + index) / bake->settings.fps;
}

double inputs_fraction(const JnBake *bake, double time) {
    if (bake->frames_done == 0)
        return 1;
    double fraction = (time - inputs_frame_time(bake, bake->frames_done - 1)) * bake->settings.fps;
    /* the sum of the time steps reaches the frame only up to rounding: the animation is met exactly */
    if (fraction > 1 - 1e-9)
        return 1;
    return fraction < 1e-9 ? 0 : fraction;
}

static void blend(const double *from, const double *to, size_t count, double fraction, double *out) {
    if (fraction == 1) {
        memcpy(out, to, count * sizeof *out);
        return;
    }
    for (size_t i = 0; i < count; ++i)
        out[i] = from[i] + fraction * (to[i] - from[i]);
}

void inputs_transform(const Body *body, double fraction, double transform[12]) {
    affine_blend(body->transform_from, body->transform_to, fraction, transform);
}

/* The two rows of a track around `fraction`, and how far it is from the first to the second. */
static double track_rows(const TargetTrack *track, double fraction, size_t *row) {
    double position = fraction * track->sample_count;
    *row = position >= track->sample_count ? track->sample_count - 1 : (size_t)position;
    return position - (double)*row;
}

void inputs_point_target(const Body *body, uint32_t point, double fraction, double target[3]) {
    size_t row, width = (size_t)body->point_count * 3;
    double weight = track_rows(&body->track, fraction, &row);
    const double *from = body->track.points + row * width + 3 * (size_t)point;
    blend(from, from + width, 3, weight, target);
}

/* ------------------------------------------------------------------------------------------------ taking a frame */

static JnStatus reserve_track(Body *body, uint32_t sample_count, JnMessage *message) {
    TargetTrack *track = &body->track;
    if (track->points && sample_count <= track->sample_capacity) {
        track->sample_count = sample_count;
        return JN_OK;
    }
    size_t rows = (size_t)sample_count + 1;
    double *points = malloc((rows * body->point_count * 3 + 1) * sizeof *points);
    double *vertices = malloc((rows * body->mesh.vertex_count * 3 + 1) * sizeof *vertices);
    if (!points || !vertices) {
        free(points);
        free(vertices);
        return status_no_memory(message, "the animation");
    }
    free(track->points);
    free(track->vertices);
    *track = (TargetTrack){sample_count, sample_count, points, vertices};
    return JN_OK;
}

/* Row `row` of the track: animated points in object space, placed in the scene, and the vertices that follow them. */
static JnStatus fill_row(const JnBake *bake, Body *body, uint32_t row, const double *local, JnMessage *message) {
    double transform[12], *points = body->track.points + (size_t)row * body->point_count * 3;
    /* nothing comes before the first frame: it is the same all through */
    inputs_transform(body, bake->frames_done == 0 ? 1 : (double)row / body->track.sample_count, transform);
    body_place_points(local, body->point_count, transform, bake->settings.metres_per_unit, points);
    return inverse_embedding_positions(body->follow, points,
                                       body->track.vertices + (size_t)row * body->mesh.vertex_count * 3, message);
}

static JnStatus fill_track(const JnBake *bake, Body *body, const JnBodyInput *input, JnMessage *message) {
    uint32_t sample_count = input && input->targets ? input->sample_count : 1;
    JnStatus status = reserve_track(body, sample_count, message);
    if (status == JN_OK)
        status = fill_row(bake, body, 0, bake->frames_done == 0 ? body->local_to : body->local_from, message);
    for (uint32_t s = 1; status == JN_OK && s <= sample_count; ++s) {
        const double *local =
            s == sample_count ? body->local_to : input->targets + (size_t)(s - 1) * body->point_count * 3;
        status = fill_row(bake, body, s, local, message);
    }
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
    return keys;
}

static JnStatus begin_body(const JnBake *bake, Body *body, const JnBodyInput *input, JnMessage *message) {
    size_t n = (size_t)body->point_count * 3;
    bool first = bake->frames_done == 0;
    const double *targets = input && input->targets ? input->targets + (input->sample_count - 1) * n : NULL;
    memcpy(body->transform_to, input && input->has_transform ? input->transform : body->transform_from,
           sizeof body->transform_to);
    if (first && !targets)
        targets = body->start_positions;
    memcpy(body->local_to, targets ? targets : body->local_from, n * sizeof(double));
    if (input && input->forces)
        memcpy(body->forces_to, input->forces, n * sizeof(double));
    else
        memset(body->forces_to, 0, n * sizeof(double));
    body->keys_to = next_keys(&body->keys_from, input);
    if (first)
        body->posed = targets || memcmp(body->transform_to, body->rest_transform, sizeof body->transform_to) != 0;
    if (!first && !affine_can_blend(body->transform_from, body->transform_to))
        return status_fail(
            message, JN_ERR_ARGUMENT,
            "the object '%s' is mirrored from one frame to the next: give its scale the same sign in both", body->name);
    return body->follows ? fill_track(bake, body, input, message) : JN_OK;
}

static JnStatus begin_collider(JnBake *bake, uint32_t index, const JnColliderInput *input, JnMessage *message) {
    double *to = bake->collider_to[index];
    memcpy(to, bake->collider_from[index], 12 * sizeof *to);
    if (input && input->has_transform) {
        memcpy(to, input->transform, 12 * sizeof *to);
        for (int i = 0; i < 3; ++i)
            to[4 * i + 3] *= bake->settings.metres_per_unit;
    }
    if (bake->frames_done > 0 && !affine_can_blend(bake->collider_from[index], to))
        return status_fail(
            message, JN_ERR_ARGUMENT,
            "input.colliders[%u] is mirrored from one frame to the next: give its scale the same sign in "
            "both",
            index);
    return JN_OK;
}

JnStatus inputs_begin_frame(JnBake *bake, const JnFrameInput *input, JnMessage *message) {
    memcpy(bake->gravity_to, input->has_gravity ? input->gravity : bake->gravity_from, sizeof bake->gravity_to);
    for (uint32_t c = 0; c < bake->collider_count; ++c) {
        JnStatus status = begin_collider(bake, c, input->collider_count ? &input->colliders[c] : NULL, message);
        if (status != JN_OK)
            return status;
    }
    for (uint32_t b = 0; b < bake->body_count; ++b) {
        JnStatus status = begin_body(bake, &bake->bodies[b], input->body_count ? &input->bodies[b] : NULL, message);
        if (status != JN_OK)
            return status;
    }
    return JN_OK;
}

void inputs_end_frame(JnBake *bake) {
    memcpy(bake->gravity_from, bake->gravity_to, sizeof bake->gravity_from);
    for (uint32_t c = 0; c < bake->collider_count; ++c)
        memcpy(bake->collider_from[c], bake->collider_to[c], sizeof bake->collider_from[c]);
    for (uint32_t b = 0; b < bake->body_count; ++b) {
        Body *body = &bake->bodies[b];
        size_t n = (size_t)body->point_count * 3;
        body->keys_from = body->keys_to;
        memcpy(body->transform_from, body->transform_to, sizeof body->transform_from);
        memcpy(body->local_from, body->local_to, n * sizeof(double));
        memcpy(body->forces_from, body->forces_to, n * sizeof(double));
    }
}

/* ------------------------------------------------------------------------------------------------ moving in time */

/* How fast the targets of a body move on the way from one fraction of the frame interval to another, m/s. */
static void set_target_velocities(JnBake *bake, const Body *body, double fraction_before, double fraction) {
    size_t row, width = (size_t)body->mesh.vertex_count * 3;
    track_rows(&body->track, 0.5 * (fraction_before + fraction), &row);
    const double *from = body->track.vertices + row * width;
    double *velocities = bake->target_velocities + 3 * (size_t)body->first_vertex;
    double rate = bake->frames_done == 0 ? 0 : body->track.sample_count * bake->settings.fps;
    for (size_t i = 0; i < width; ++i)
        velocities[i] = rate * (from[width + i] - from[i]);
}

/* An instant counts as this part of the frame interval, so that what moves has a velocity in it too. */
static const double INSTANT = 1e-3;

static void move_collider(JnBake *bake, uint32_t index, double fraction_before, double fraction) {
    const double *from = bake->collider_from[index], *to = bake->collider_to[index];
    double transform[12], before[12], after[12], end = fraction;
    if (fraction_before == fraction) {
        fraction_before = fmax(fraction - INSTANT, 0);
        end = fraction_before + INSTANT;
    }
    affine_blend(from, to, fraction, transform);
    affine_blend(from, to, fraction_before, before);
    affine_blend(from, to, end, after);
    double seconds = bake->frames_done == 0 ? 0 : (end - fraction_before) / bake->settings.fps;
    collider_move(&bake->colliders[index], transform, before, after, seconds);
}

/* Between two positive numbers by ratio, as painted stiffness blends; what stays, stays to the bit. */
static double blend_ratio(double from, double to, double fraction) {
    return from == to || fraction == 1 ? to : from * pow(to / from, fraction);
}

void inputs_set_keys(JnBake *bake, uint32_t body_index, double fraction) {
    const Body *body = &bake->bodies[body_index];
    const BodyKeys *from = &body->keys_from, *to = &body->keys_to;
    double stiffness = blend_ratio(from->stiffness, to->stiffness, fraction);
    tet_elements_set_stiffness(bake->elements, body_index, stiffness);
    if (bake->volume)
        volume_patches_set_stiffness(bake->volume, body_index, stiffness);
    if (bake->springs)
        springs_set_stiffness(bake->springs, body_index, stiffness);
    double goal, pin;
    blend(&from->goal_strength, &to->goal_strength, 1, fraction, &goal);
    blend(&from->pin_strength, &to->pin_strength, 1, fraction, &pin);
    pin = pin * pin * pin * pin;
    for (uint32_t k = 0; k < body->mesh.vertex_count; ++k) {
        uint32_t v = body->first_vertex + k;
        bake->goal_stiffness[v] = (goal * body->goal_rates[k] + pin * body->pin_rates[k]) * bake->system.masses[v];
    }
}

void inputs_set_time(void *owner, double time_before, double time) {
    JnBake *bake = owner;
    double fraction = inputs_fraction(bake, time), fraction_before = inputs_fraction(bake, time_before);
    blend(bake->gravity_from, bake->gravity_to, 3, fraction, bake->inputs.gravity);
    for (uint32_t c = 0; c < bake->collider_count; ++c)
        move_collider(bake, c, fraction_before, fraction);
    memset(bake->forces, 0, (size_t)bake->vertex_count * 3 * sizeof *bake->forces);
    for (uint32_t b = 0; b < bake->body_count; ++b) {
        inputs_set_keys(bake, b, fraction);
        const Body *body = &bake->bodies[b];
        double *forces = bake->point_scratch;
        blend(body->forces_from, body->forces_to, (size_t)body->point_count * 3, fraction, forces);
        embedding_apply_transpose(&body->embedding, forces, bake->forces + 3 * (size_t)body->first_vertex);
        if (!body->follows)
            continue;
        size_t row, width = (size_t)body->mesh.vertex_count * 3;
        double weight = track_rows(&body->track, fraction, &row);
        const double *from = body->track.vertices + row * width;
        blend(from, from + width, width, weight, bake->targets + 3 * (size_t)body->first_vertex);
        set_target_velocities(bake, body, fraction_before, fraction);
    }
    if (bake->springs)
        springs_follow(bake->springs, bake->targets);
    uint32_t limited = tet_elements_follow(bake->elements, bake->targets, bake->pool);
    if (bake->volume)
        volume_patches_follow(bake->volume, bake->elements);
    if (limited > bake->limited_rest_count)
        bake->limited_rest_count = limited;
}

/* Vertices of a body in its start pose; the rest shape itself, to the bit, where nothing says otherwise. */
static JnStatus start_positions(JnBake *bake, Body *body, double *q, JnMessage *message) {
    memcpy(q, body->mesh.positions, (size_t)body->mesh.vertex_count * 3 * sizeof *q);
    if (!body->posed)
        return JN_OK;
    double *points = bake->point_scratch;
    body_place_points(body->start_positions ? body->start_positions : body->local_to, body->point_count,
                      body->transform_to, bake->settings.metres_per_unit, points);
    return inverse_embedding_positions(body->follow, points, q, message);
}

/* A velocity field extends into the body as a small displacement does. */
static JnStatus start_velocities(JnBake *bake, Body *body, double *v, JnMessage *message) {
    size_t n = (size_t)body->mesh.vertex_count * 3;
    memset(v, 0, n * sizeof *v);
    if (!body->start_velocities)
        return JN_OK;
    double *points = bake->point_scratch;
    double seconds =
        body->section_neighbours ? 1e-6 : 1; /* fibres turn their sections: a rate only while it is small */
    embedding_apply(&body->embedding, body->mesh.positions, points);
    for (size_t i = 0; i < (size_t)body->point_count * 3; ++i)
        points[i] += seconds * bake->settings.metres_per_unit * body->start_velocities[i];
    JnStatus status = inverse_embedding_positions(body->follow, points, v, message);
    for (size_t i = 0; i < n; ++i)
        v[i] = (v[i] - body->mesh.positions[i]) / seconds;
    return status;
}

JnStatus inputs_start_state(JnBake *bake, JnMessage *message) {
    bake->state.time = inputs_frame_time(bake, 0);
    inputs_set_time(bake, bake->state.time, bake->state.time);
    for (uint32_t b = 0; b < bake->body_count; ++b) {
        Body *body = &bake->bodies[b];
        size_t first = 3 * (size_t)body->first_vertex;
        JnStatus status = start_positions(bake, body, bake->state.q + first, message);
        if (status == JN_OK)
            status = start_velocities(bake, body, bake->state.v + first, message);
        if (status != JN_OK)
            return status;
    }
    for (size_t i = 0; i < (size_t)bake->vertex_count * 3; ++i)
        if (bake->system.fixed[i / 3]) {
            bake->state.q[i] = bake->targets[i];
            bake->state.v[i] = 0;
        }
    return JN_OK;
}

/* A change by more than this part within a frame is a jump. */
static const double JUMP = 0.1;

static bool jumps(double from, double to) {
    return fabs(to - from) > JUMP * fmax(fabs(from), fabs(to));
}

bool inputs_jump(const JnBake *bake) {
    double change[3];
    vec3_sub(bake->gravity_to, bake->gravity_from, change);
    if (vec3_length(change) > JUMP * fmax(vec3_length(bake->gravity_from), vec3_length(bake->gravity_to)))
        return true;
    for (uint32_t b = 0; b < bake->body_count; ++b) {
        const BodyKeys *from = &bake->bodies[b].keys_from, *to = &bake->bodies[b].keys_to;
        if (jumps(from->stiffness, to->stiffness) || jumps(from->goal_strength, to->goal_strength) ||
            jumps(from->pin_strength, to->pin_strength))
            return true;
    }
    return false;
}
