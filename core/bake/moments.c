/* All inputs at any time of the current frame interval: the world of the system. */
#include "bake/bake_internal.h"

#include "base/math3.h"
#include "base/rigid.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void blend(const double *from, const double *to, size_t count, double fraction, double *out) {
    if (fraction == 1) {
        memcpy(out, to, count * sizeof *out);
        return;
    }
    for (size_t i = 0; i < count; ++i)
        out[i] = from[i] + fraction * (to[i] - from[i]);
}

/* The two rows of a track around `fraction`, and the interpolation weight between them. */
static double track_rows(const TargetTrack *track, double fraction, size_t *row) {
    double position = fraction * track->sample_count;
    *row = position >= track->sample_count ? track->sample_count - 1 : (size_t)position;
    return position - (double)*row;
}

void inputs_point_target(const JnBake *bake, uint32_t body_index, uint32_t point, double fraction, double target[3]) {
    const TargetTrack *track = &bake->motion.bodies[body_index].track;
    size_t row, width = (size_t)bake->model.bodies[body_index].point_count * 3;
    double weight = track_rows(track, fraction, &row);
    const double *from = track->points + row * width + 3 * (size_t)point;
    blend(from, from + width, 3, weight, target);
}

/* Mean velocity of the targets of a body between two fractions of the frame interval, m/s. */
static void find_target_velocities(const JnBake *bake, uint32_t body_index, double fraction_before, double fraction,
                                   double *velocities) {
    const TargetTrack *track = &bake->motion.bodies[body_index].track;
    size_t row, width = (size_t)bake->model.bodies[body_index].mesh.vertex_count * 3;
    track_rows(track, 0.5 * (fraction_before + fraction), &row);
    const double *from = track->vertices + row * width;
    double rate = !inputs_has_interval(bake) ? 0 : track->sample_count * bake->settings.fps;
    for (size_t i = 0; i < width; ++i)
        velocities[i] = rate * (from[width + i] - from[i]);
}

/* At an instant, velocities are differenced over this fraction of the frame interval. */
static const double INSTANT = 1e-3;

static void place_collider(const JnBake *bake, uint32_t index, double fraction_before, double fraction,
                           ColliderPlacement *placement) {
    const double *from = bake->motion.collider_from[index], *to = bake->motion.collider_to[index];
    double now[12], before[12], after[12], end = fraction;
    if (fraction_before == fraction) {
        fraction_before = fmax(fraction - INSTANT, 0);
        end = fraction_before + INSTANT;
    }
    affine_blend(from, to, fraction, now);
    affine_blend(from, to, fraction_before, before);
    affine_blend(from, to, end, after);
    double seconds = !inputs_has_interval(bake) ? 0 : (end - fraction_before) / bake->settings.fps;
    const ColliderShapes *shapes = &bake->motion.collider_shapes[index];
    const ColliderMotion motion = {.now = now,
                                   .before = before,
                                   .after = after,
                                   .seconds = seconds,
                                   .from = shapes->given ? shapes->from : NULL,
                                   .to = shapes->given ? shapes->to : NULL,
                                   .fraction = fraction,
                                   .fraction_before = fraction_before,
                                   .fraction_after = end};
    collider_move(&bake->model.colliders[index], &motion, placement);
}

/* Geometric interpolation between two positive numbers, as in painted stiffness; exact if both are equal. */
static double blend_ratio(double from, double to, double fraction) {
    return from == to || fraction == 1 ? to : from * pow(to / from, fraction);
}

/* The stiffness of the body and of its goals and releasable pins. */
static void apply_keys(const JnBake *bake, uint32_t body_index, double fraction, Moment *moment) {
    const Body *body = &bake->model.bodies[body_index];
    const BodyKeys *from = &bake->motion.bodies[body_index].keys_from, *to = &bake->motion.bodies[body_index].keys_to;
    moment->stiffness_factors[body_index] = blend_ratio(from->stiffness, to->stiffness, fraction);
    double goal, pin;
    blend(&from->goal_strength, &to->goal_strength, 1, fraction, &goal);
    blend(&from->pin_strength, &to->pin_strength, 1, fraction, &pin);
    pin = pin * pin * pin * pin;
    for (uint32_t k = 0; k < body->mesh.vertex_count; ++k) {
        uint32_t v = body->first_vertex + k;
        moment->goal_stiffness[v] =
            (goal * body->goal_rates[k] + pin * body->pin_rates[k]) * bake->model.system.masses[v];
    }
}

static bool are_zero(const double *numbers, size_t count) {
    size_t i = 0;
    while (i < count && numbers[i] == 0)
        ++i;
    return i == count;
}

/* The given forces on the body's vertices, which are 0 before. */
static void apply_forces(JnBake *bake, uint32_t body_index, double fraction, Moment *moment) {
    const Body *body = &bake->model.bodies[body_index];
    const BodyMotion *motion = &bake->motion.bodies[body_index];
    double *forces = bake->scratch.point_scratch;
    size_t count = (size_t)body->point_count * 3;
    if (are_zero(motion->forces_from, count) && are_zero(motion->forces_to, count))
        return;
    blend(motion->forces_from, motion->forces_to, count, fraction, forces);
    embedding_apply_transpose(&body->embedding, forces, moment->forces + 3 * (size_t)body->first_vertex);
}

/* Targets of a body that is carried along: moved to where it is, with velocities relative to that motion. */
static void carry_targets(const JnBake *bake, uint32_t body_index, double fraction_before, double fraction,
                          Moment *moment) {
    const Body *body = &bake->model.bodies[body_index];
    double *targets = moment->targets + 3 * (size_t)body->first_vertex, motion[12], carried[3];
    double *velocities = moment->target_velocities + 3 * (size_t)body->first_vertex;
    double to = inputs_fraction(bake, bake->motion.carried_to);
    for (size_t v = 0; v < body->mesh.vertex_count; ++v) {
        travel_velocity(bake, body_index, 0.5 * (fraction_before + fraction), targets + 3 * v, carried);
        for (size_t i = 0; i < 3; ++i)
            velocities[3 * v + i] -= carried[i];
    }
    if (fraction == to)
        return;
    travel_between(bake, body_index, fraction, to, motion);
    rigid_carry_points(motion, body->mesh.vertex_count, targets);
    rigid_carry_vectors(motion, body->mesh.vertex_count, velocities);
}

static void apply_targets(const JnBake *bake, uint32_t body_index, double fraction_before, double fraction,
                          Moment *moment) {
    const Body *body = &bake->model.bodies[body_index];
    const TargetTrack *track = &bake->motion.bodies[body_index].track;
    size_t row, width = (size_t)body->mesh.vertex_count * 3, first = 3 * (size_t)body->first_vertex;
    double weight = track_rows(track, fraction, &row);
    const double *from = track->vertices + row * width;
    blend(from, from + width, width, weight, moment->targets + first);
    find_target_velocities(bake, body_index, fraction_before, fraction, moment->target_velocities + first);
    if (travel_is_out(bake, body_index))
        carry_targets(bake, body_index, fraction_before, fraction, moment);
}

static void place_colliders(void *owner, double time_before, double time, Moment *moment) {
    const JnBake *bake = owner;
    double fraction = inputs_fraction(bake, time), fraction_before = inputs_fraction(bake, time_before);
    for (uint32_t c = 0; c < bake->model.collider_count; ++c)
        place_collider(bake, c, fraction_before, fraction, &moment->colliders[c]);
}

static void place_fields(const JnBake *bake, double fraction, Moment *moment) {
    for (uint32_t f = 0; f < bake->model.field_count; ++f) {
        const FieldState *from = &bake->motion.fields_from[f], *to = &bake->motion.fields_to[f];
        FieldState *now = &moment->fields[f];
        affine_blend(from->transform, to->transform, fraction, now->transform);
        blend(&from->strength, &to->strength, 1, fraction, &now->strength);
        blend(&from->damping, &to->damping, 1, fraction, &now->damping);
    }
}

static void fill_moment(void *owner, double time_before, double time, Moment *moment) {
    JnBake *bake = owner;
    double fraction = inputs_fraction(bake, time), fraction_before = inputs_fraction(bake, time_before);
    blend(bake->motion.gravity_from, bake->motion.gravity_to, 3, fraction, moment->gravity);
    place_fields(bake, fraction, moment);
    place_colliders(owner, time_before, time, moment);
    memset(moment->forces, 0, (size_t)bake->model.vertex_count * 3 * sizeof *moment->forces);
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        apply_keys(bake, b, fraction, moment);
        apply_forces(bake, b, fraction, moment);
        if (bake->model.bodies[b].has_targets)
            apply_targets(bake, b, fraction_before, fraction, moment);
    }
}

/* Before any frame: nothing moves, targets are the modelled shape. */
static JnStatus create_moment(void *owner, Moment *moment, JnMessage *message) {
    JnBake *bake = owner;
    JnStatus status = moment_create(bake->model.vertex_count, bake->model.body_count, moment, message);
    if (status == JN_OK)
        status =
            collider_placements_create(bake->model.colliders, bake->model.collider_count, &moment->colliders, message);
    moment->fields = status == JN_OK ? calloc((size_t)bake->model.field_count + 1, sizeof *moment->fields) : NULL;
    if (status == JN_OK && !moment->fields) {
        collider_placements_destroy(bake->model.colliders, bake->model.collider_count, moment->colliders);
        status = status_no_memory(message, "the fields of force");
    }
    if (status != JN_OK) {
        moment_free(moment);
        return status;
    }
    place_fields(bake, 1, moment);
    bake_modelled_positions(bake, moment->targets);
    memcpy(moment->gravity, bake->settings.gravity, sizeof moment->gravity);
    memcpy(moment->wind, bake->settings.wind, sizeof moment->wind);
    moment->air_density = bake->settings.air_density;
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        apply_keys(bake, b, 1, moment);
    return JN_OK;
}

static void free_moment(void *owner, Moment *moment) {
    const JnBake *bake = owner;
    collider_placements_destroy(bake->model.colliders, bake->model.collider_count, moment->colliders);
    free(moment->fields);
    moment_free(moment);
}

static bool should_stop(void *owner) {
    return ((const JnBake *)owner)->cancelled != 0;
}

World inputs_world(JnBake *bake) {
    return (World){create_moment, fill_moment, place_colliders, free_moment, should_stop, bake};
}
