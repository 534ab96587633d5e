/* Whether a step made energy out of nothing: the sign of a method that is about to diverge, while its positions still
   look like a motion. Energy that comes from outside is allowed for: the work of gravity and given forces exactly, so
   too that of keys and of rest shapes that follow, which change what the same positions store, and that of what moves
   by its speed. */
#include "bake/bake_internal.h"

#include "base/math3.h"

#include <math.h>
#include <string.h>

/* Energy from nowhere may add up to this part of what is held. */
static const double SURPLUS = 0.2;
/* The work of what moves from outside, in energies of all masses at its speed. */
static const double DRIVEN = 10;

/* What bodies and goals store at q, J. */
static double energy_stored(JnBake *bake, const double *q) {
    double stored = 0;
    for (uint32_t k = 0; k < bake->system.term_count; ++k)
        if (k != bake->load_term && k != bake->system.contact_term)
            stored += system_term_energy(&bake->system, k, q);
    return stored;
}

/* Kinetic energy and what bodies, goals and contacts store, J. */
static double energy_held(JnBake *bake) {
    double held = system_kinetic_energy(&bake->system, bake->state.v) + energy_stored(bake, bake->state.q);
    if (bake->system.contact_term < bake->system.term_count)
        held += system_term_energy(&bake->system, bake->system.contact_term, bake->state.q);
    return held;
}

/* Whether the bodies themselves change in this frame: by keys, or because their rest shape follows. */
static bool bodies_change(const JnBake *bake) {
    for (uint32_t b = 0; b < bake->body_count; ++b) {
        const Body *body = &bake->bodies[b];
        const BodyKeys *from = &body->keys_from, *to = &body->keys_to;
        if (body->rest_moves || from->stiffness != to->stiffness || from->goal_strength != to->goal_strength ||
            from->pin_strength != to->pin_strength)
            return true;
    }
    return false;
}

/* The speed of the fastest pin, goal, collider or wind, m/s. */
static double outside_speed(const JnBake *bake) {
    double fastest = 0;
    for (size_t v = 0; v < bake->vertex_count; ++v)
        if (bake->system.fixed[v] || bake->goal_stiffness[v] > 0)
            fastest = fmax(fastest, vec3_length(bake->target_velocities + 3 * v));
    for (uint32_t c = 0; c < bake->collider_count; ++c)
        for (int b = 0; b < 8; ++b) {
            const double size = bake->points.bounding_size, *q = bake->state.q;
            double velocity[3], corner[3];
            for (int i = 0; i < 3; ++i)
                corner[i] = (bake->vertex_count ? q[i] : 0) + (b >> i & 1 ? size : -size);
            collider_velocity(&bake->colliders[c], corner, velocity);
            fastest = fmax(fastest, vec3_length(velocity));
        }
    return bake->inputs.air_density > 0 ? fmax(fastest, vec3_length(bake->inputs.wind)) : fastest;
}

JnStatus energy_check_start(JnBake *bake, JnMessage *message) {
    double time = bake->state.time;
    /* what touches now holds energy too, whatever touched in the step before */
    bake->system.set_time(bake->system.owner, time, time);
    JnStatus status = system_begin_step(&bake->system, &(StepStart){bake->state.q, bake->state.v, 0}, message);
    bake->energy.held = energy_held(bake);
    bake->energy.stored = bodies_change(bake) ? energy_stored(bake, bake->state.q) : 0;
    return status;
}

bool energy_check_step(JnBake *bake, const double *q_before, bool *driven) {
    EnergyLedger *ledger = &bake->energy;
    double mass = 0, speed = outside_speed(bake), size = bake->points.bounding_size, held = energy_held(bake);
    for (size_t v = 0; v < bake->vertex_count; ++v)
        mass += bake->system.masses[v];
    double work = system_term_energy(&bake->system, bake->load_term, q_before) -
                  system_term_energy(&bake->system, bake->load_term, bake->state.q);
    *driven = speed > 0;
    /* what the start of the step would store in the bodies of its end */
    if (bodies_change(bake)) {
        work += fmax(0, energy_stored(bake, q_before) - ledger->stored);
        *driven = true;
    }
    double surplus = fmax(0, ledger->surplus + held - ledger->held - work - DRIVEN * mass * speed * speed);
    /* a body that crosses a thousandth of its size in a second holds nothing worth a look */
    double floor = mass * 1e-6 * size * size;
    if (!(surplus <= SURPLUS * (held - surplus) + floor))
        return false;
    ledger->surplus = surplus;
    return true;
}
