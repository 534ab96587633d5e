/* The integrator "auto": looks at the scene, and puts what the rules choose in its place before anything depends on the
   method. A number of time steps that was given is kept. The choice is part of the input hash: a bake that was begun
   with another choice, by other rules, is not resumed with this one. */
#include "bake/bake_internal.h"

#include "base/hash.h"
#include "base/status.h"
#include "integrate/auto_rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where the body's vertices are in the start pose that was given for it. */
static JnStatus place_start_pose(JnBake *bake, const Body *body, double *q, JnMessage *message) {
    body_place_points(body->start_positions, body->point_count, body->rest_transform, bake->settings.metres_per_unit,
                      bake->scratch.point_scratch);
    return inverse_embedding_positions(body->inverse_embedding, bake->scratch.point_scratch, q, message);
}

/* A body bends, and its parts turn far, if its slowest wobble is slower by this factor than the wave that crosses it
   would be. */
static const double SLENDER = 2;
/* s: over which the speed of what starts wound up is judged. */
static const double WHILE = 1.0 / 24;

/* The speed at which all energy of the start poses would take the bodies that let go of them, in sizes of the smallest
   in WHILE. */
static JnStatus find_wound_up(JnBake *bake, double *wound_up, JnMessage *message) {
    double *q = bake->motion.state.q, energy = 0, mass = 0, size = INFINITY;
    JnStatus status = JN_OK;
    for (uint32_t b = 0; status == JN_OK && b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        const size_t first = body->first_vertex, end = first + body->mesh.vertex_count;
        memcpy(q + 3 * first, body->mesh.positions, 3 * (end - first) * sizeof *q);
        if (!body->start_positions || body->settle || body->keep_shape)
            continue;
        status = place_start_pose(bake, body, q + 3 * first, message);
        size = fmin(size, body->bounding_size);
        for (size_t v = first; v < end; ++v)
            mass += bake->model.system.masses[v];
    }
    *wound_up = 0;
    if (status != JN_OK || mass == 0)
        return status;
    status = view_stored_energy(bake->motion.view, TERM_ROLE_BIT(TERM_ELASTIC), q, &energy, message);
    *wound_up = energy > 0 ? sqrt(2 * energy / mass) * WHILE / size : 0;
    return status;
}

static bool is_any_free(const JnBake *bake, const Body *body) {
    bool any = false;
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
        any |= view_is_free(bake->motion.view, body->first_vertex + v);
    return any;
}

/* Whether parts of it may turn far: it is free, or slender. frequency: Hz, of its slowest wobble. */
static bool turns_far(const Body *body, double frequency) {
    const JnMaterial *material = &body->material;
    double wave = sqrt(material->young_modulus / material->density) / (4 * body->bounding_size);
    return !body->has_targets || body->element_count == 0 || wave > SLENDER * frequency;
}

/* What is damped beyond the critical damping does not swing, but creeps back. Hz. */
static double visible_rate(double frequency, double ratio) {
    return ratio > 1 ? frequency / (ratio + sqrt(ratio * ratio - 1)) : frequency;
}

static JnStatus add_facts_of(JnBake *bake, uint32_t b, AutoFacts *facts, JnMessage *message) {
    const Body *body = &bake->model.bodies[b];
    double omega, ratio;
    facts->held |= body->has_targets;
    facts->fibres |= body->rod_count > 0;
    facts->only_fibres &= body->rod_count > 0;
    if (!is_any_free(bake, body))
        return JN_OK;
    facts->driven = false;
    JnStatus status = bake_slowest_wobble(bake, b, &omega, &ratio, message);
    if (status == JN_ERR_MEMORY)
        return status;
    double frequency = omega / (2 * acos(-1)), rate = visible_rate(frequency, ratio);
    /* a body whose modes are not found has no say */
    if (status == JN_OK && rate == 0)
        facts->slack = true;
    else if (rate > bake->settings.fps)
        facts->unseen = true;
    else {
        facts->wobble = fmax(facts->wobble, rate);
        facts->damping = fmax(facts->damping, turns_far(body, frequency) ? ratio : 0);
    }
    return JN_OK;
}

static JnStatus find_facts(JnBake *bake, AutoFacts *facts, JnMessage *message) {
    JnStatus status = JN_OK;
    *facts = (AutoFacts){.fps = bake->settings.fps,
                         .body_count = bake->model.body_count,
                         .driven = true,
                         .only_fibres = true,
                         .contact = bake->model.contact_method != NULL,
                         .fast_regions = fast_regions_painted(bake)};
    for (uint32_t b = 0; status == JN_OK && b < bake->model.body_count; ++b)
        status = add_facts_of(bake, b, facts, message);
    if (status != JN_OK)
        return status;
    status_clear(message);
    return find_wound_up(bake, &facts->wound_up, message);
}

JnStatus auto_resolve(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    AutoFacts facts;
    AutoChoice choice;
    if (bake->model.integrator != integrator_auto)
        return JN_OK;
    JnStatus status = find_facts(bake, &facts, message);
    if (status != JN_OK)
        return status;
    auto_choose(&facts, &choice);
    const bool given = desc->steps_per_frame > 0;
    uint32_t steps =
        given ? desc->steps_per_frame : bake_whole_samples(choice.steps_per_frame, bake->settings.samples_per_frame);
    const char *name = choice.method->entry.name;
    bake->model.integrator = choice.method;
    bake->model.chosen_modes = choice.mode_count;
    bake->settings.steps_per_frame = steps;
    hash_mix(&bake->model.input_hash, name, strlen(name));
    hash_mix(&bake->model.input_hash, &choice.mode_count, sizeof choice.mode_count);
    hash_mix(&bake->model.input_hash, &steps, sizeof steps);
    snprintf(bake->output.choice, sizeof bake->output.choice, "auto takes %s with %s%u time %s a frame: %s", name,
             given ? "the given " : "", steps, steps == 1 ? "step" : "steps", choice.reason);
    return JN_OK;
}

const char *jn_bake_choice(const JnBake *bake) {
    return bake ? bake->output.choice : "";
}
