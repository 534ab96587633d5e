/* Detects steps that gain spurious energy: the sign of a method that is about to diverge, while its positions still
   look plausible. External work is accounted for: that of gravity, given forces and fields exactly; that of keys and of
   rest shapes that follow the animation, which change the energy stored at the same positions, exactly as well; that of
   moving pins, goals, colliders and wind by a bound from their speed. */
#include "bake/bake_internal.h"

#include "base/math3.h"

#include <math.h>
#include <string.h>

/* Spurious energy may sum to the first fraction of the energy held, or to the second of that at the step's start: a
   body that swings about where it hangs holds nearly none at the top, and any error is more than a part of that. */
static const double SURPLUS = 0.2, SURPLUS_AT_START = 0.01;
/* Bound on the work of external motion, as a multiple of the kinetic energy of all masses at its speed. */
static const double DRIVEN = 10;

/* Terms of bodies and goals, and of contact in addition. */
static const uint32_t LOADS = TERM_ROLE_BIT(TERM_LOADS) | TERM_ROLE_BIT(TERM_FIELDS);
static const uint32_t STORE = ~(TERM_ROLE_BIT(TERM_LOADS) | TERM_ROLE_BIT(TERM_FIELDS) | TERM_ROLE_BIT(TERM_CONTACT));

static JnStatus energy_stored(JnBake *bake, const double *q, double *stored, JnMessage *message) {
    return view_stored_energy(bake->motion.view, STORE, q, stored, message);
}

/* Kinetic energy and what bodies, goals and contacts store, J. */
static JnStatus energy_held(JnBake *bake, double *held, JnMessage *message) {
    double stored = 0, contact = 0;
    JnStatus status = energy_stored(bake, bake->motion.state.q, &stored, message);
    if (status == JN_OK)
        status =
            view_stored_energy(bake->motion.view, TERM_ROLE_BIT(TERM_CONTACT), bake->motion.state.q, &contact, message);
    *held = system_kinetic_energy(&bake->model.system, bake->motion.state.v) + stored + contact;
    return status;
}

/* The work of gravity, given forces and fields between two positions, J. */
static JnStatus work_of_loads(JnBake *bake, const double *from, const double *to, double *work, JnMessage *message) {
    double before = 0, after = 0;
    JnStatus status = view_stored_energy(bake->motion.view, LOADS, from, &before, message);
    if (status == JN_OK)
        status = view_stored_energy(bake->motion.view, LOADS, to, &after, message);
    *work = before - after;
    return status;
}

/* Whether the bodies themselves change in this frame: by keys, or because their rest shape follows. */
static bool bodies_change(const JnBake *bake) {
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const BodyKeys *from = &bake->motion.bodies[b].keys_from, *to = &bake->motion.bodies[b].keys_to;
        if (bake->model.bodies[b].rest_moves || from->stiffness != to->stiffness ||
            from->goal_strength != to->goal_strength || from->pin_strength != to->pin_strength)
            return true;
    }
    return false;
}

/* The speed of the fastest pin, goal, collider or wind, m/s. */
static double outside_speed(const JnBake *bake) {
    const Moment *moment = &bake->motion.view->moment;
    double fastest = travel_speed(bake);
    for (size_t v = 0; v < bake->model.vertex_count; ++v)
        if (!view_is_free(bake->motion.view, v) || moment->goal_stiffness[v] > 0)
            fastest = fmax(fastest, vec3_length(moment->target_velocities + 3 * v));
    for (uint32_t c = 0; c < bake->model.collider_count; ++c) {
        const ColliderKind *kind = bake->model.colliders[c].kind;
        if (kind->fastest)
            fastest = fmax(fastest, kind->fastest(&moment->colliders[c]));
        for (int b = 0; b < 8 && !kind->fastest; ++b) {
            const double size = bake->model.points.bounding_size, *q = bake->motion.state.q;
            double velocity[3], corner[3];
            for (int i = 0; i < 3; ++i)
                corner[i] = (bake->model.vertex_count ? q[i] : 0) + (b >> i & 1 ? size : -size);
            collider_velocity(&moment->colliders[c], corner, velocity);
            fastest = fmax(fastest, vec3_length(velocity));
        }
    }
    return moment->air_density > 0 ? fmax(fastest, vec3_length(moment->wind)) : fastest;
}

JnStatus energy_check_start(JnBake *bake, JnMessage *message) {
    View *view = bake->motion.view;
    State *state = &bake->motion.state;
    bake->motion.carried_to = state->time;
    /* current contacts store energy too, whatever the contacts of the previous step */
    view_set_time(view, state->time, state->time);
    JnStatus status = view_begin_step(view, &(StepStart){state->q, state->v, 0, false}, message);
    if (status == JN_OK)
        status = energy_held(bake, &bake->motion.energy.held, message);
    bake->motion.energy.stored = 0;
    if (status == JN_OK && bodies_change(bake))
        status = energy_stored(bake, state->q, &bake->motion.energy.stored, message);
    return status;
}

JnStatus energy_check_step(JnBake *bake, const double *q_before, bool *passed, bool *driven, JnMessage *message) {
    EnergyLedger *ledger = &bake->motion.energy;
    double mass = 0, speed = outside_speed(bake), size = bake->model.points.bounding_size, held = 0, work = 0;
    JnStatus status = energy_held(bake, &held, message);
    if (status == JN_OK)
        status = work_of_loads(bake, q_before, bake->motion.state.q, &work, message);
    for (size_t v = 0; v < bake->model.vertex_count; ++v)
        mass += bake->model.system.masses[v];
    *driven = speed > 0;
    /* the energy of the start positions with the materials and rest shapes of the end */
    if (status == JN_OK && bodies_change(bake)) {
        double stored = 0;
        status = energy_stored(bake, q_before, &stored, message);
        work += fmax(0, stored - ledger->stored);
        *driven = true;
    }
    /* slow pins and goals do work beyond the bound: what they have done is not held against the steps after them */
    double gained = ledger->driven && !*driven ? 0 : ledger->surplus;
    double surplus = fmax(0, gained + held - ledger->held - work - DRIVEN * mass * speed * speed);
    /* kinetic energies below that of a thousandth of the body's size per second are ignored */
    double floor = mass * 1e-6 * size * size;
    *passed = status == JN_OK && surplus <= fmax(SURPLUS * (held - surplus), SURPLUS_AT_START * ledger->held) + floor;
    if (*passed) {
        ledger->surplus = surplus;
        ledger->driven = *driven;
    }
    return status;
}
