#include "integrate/contact_rounds.h"

#include "base/status.h"
#include "base/vectors.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Contact has converged when its force differs from the linear one by this part, and the normal forces of friction by
   that part, of their size. */
static const double FORCE_PART = 1e-4, FRICTION_PART = 1e-3;
/* The fraction of the decrease predicted by the slope that a step must achieve (Armijo). */
static const double ARMIJO = 1e-4;
enum { ROUNDS_MOST = 60, FREE_ROUNDS = 8, CUTS_MOST = 20 };

struct ContactRounds { /* [vertex_count * 3] */
    size_t count;
    double *force;       /* of contact at z */
    double *direction;   /* the next z, then less z */
    double *trial;       /* z along the direction, */
    double *trial_force; /* and the force of contact there */
    double *product;     /* right-hand side, then products with the direction */
    double *memory;
};

JnStatus contact_rounds_create(const View *view, ContactRounds **out, JnMessage *message) {
    ContactRounds *rounds = calloc(1, sizeof *rounds);
    *out = NULL;
    if (rounds) {
        double **vectors[] = {&rounds->force, &rounds->direction, &rounds->trial, &rounds->trial_force,
                              &rounds->product};
        rounds->count = (size_t)view->system->vertex_count * 3;
        rounds->memory = vectors_make(vectors, sizeof vectors / sizeof vectors[0], rounds->count);
    }
    if (!rounds || !rounds->memory) {
        contact_rounds_destroy(rounds);
        return status_no_memory(message, "contact in the integrator");
    }
    *out = rounds;
    return JN_OK;
}

void contact_rounds_destroy(ContactRounds *rounds) {
    if (!rounds)
        return;
    free(rounds->memory);
    free(rounds);
}

static void set_known(const View *view, const LinearStep *step, double *z) {
    for (size_t i = 0; i < (size_t)view->system->vertex_count * 3; ++i)
        if (!view_is_free(view, i / 3))
            z[i] = step->known ? step->known[i] : 0;
}

/* direction = the solution with contact linearized at z, less z. */
static JnStatus find_direction(ContactRounds *rounds, View *view, const LinearStep *step, const double *z,
                               bool good_guess, JnMessage *message) {
    for (size_t i = 0; i < rounds->count; ++i)
        rounds->product[i] = step->b[i] + rounds->force[i];
    jacobian_add_contact_product(view->jacobian, z, rounds->product);
    JnStatus status = jacobian_solve_near(view->jacobian, rounds->product, step->known, good_guess ? z : NULL,
                                          rounds->direction, message);
    set_known(view, step, rounds->direction);
    for (size_t i = 0; i < rounds->count; ++i)
        rounds->direction[i] -= z[i];
    return status;
}

/* trial = z + t direction, and contact there. *finite false: contact is undefined there. */
static JnStatus try_part(ContactRounds *rounds, View *view, const double *z, double t, double *energy, bool *finite,
                         JnMessage *message) {
    for (size_t i = 0; i < rounds->count; ++i)
        rounds->trial[i] = z[i] + t * rounds->direction[i];
    JnStatus status = view_contact(view, rounds->trial, energy, rounds->trial_force, message);
    *finite = status == JN_OK && isfinite(*energy);
    return status == JN_ERR_DIVERGED ? JN_OK : status;
}

/* Whether the force of contact at `trial`, a whole direction from z, is what its linearization at z made of it. */
static bool as_expected(ContactRounds *rounds, const View *view) {
    double square = 0, difference = 0;
    memset(rounds->product, 0, rounds->count * sizeof(double));
    jacobian_add_contact_product(view->jacobian, rounds->direction, rounds->product);
    for (size_t i = 0; i < rounds->count; ++i) {
        double off = rounds->trial_force[i] - rounds->force[i] + rounds->product[i];
        difference += view_is_free(view, i / 3) ? off * off : 0;
        square += rounds->trial_force[i] * rounds->trial_force[i];
    }
    return difference <= FORCE_PART * FORCE_PART * square;
}

/* Shortens the direction until the potential decreases along it. energy: of contact at z, then at `trial`. */
static JnStatus search_line(ContactRounds *rounds, View *view, const double *z, double *energy, JnMessage *message) {
    const double *d = rounds->direction;
    double start_energy = *energy, t = 1;
    /* A z - b - c(z) = -(A + C) d at the solution of the linear system */
    memset(rounds->product, 0, rounds->count * sizeof(double));
    jacobian_add_contact_product(view->jacobian, d, rounds->product);
    double contact_bend = vector_dot(d, rounds->product, rounds->count);
    jacobian_multiply(view->jacobian, d, rounds->product);
    double slope = -vector_dot(d, rounds->product, rounds->count);
    double bend = -slope - contact_bend, linear = slope + vector_dot(rounds->force, d, rounds->count);
    for (int cut = 0; cut <= CUTS_MOST; ++cut) {
        bool finite;
        JnStatus status = try_part(rounds, view, z, t, energy, &finite, message);
        if (status != JN_OK)
            return status;
        double rise = t * linear + 0.5 * t * t * bend + (*energy - start_energy);
        if (finite && rise <= ARMIJO * t * slope)
            break;
        double shrink = finite && rise > t * slope ? -0.5 * t * slope / (rise - t * slope) : 0.25;
        t *= fmin(fmax(shrink, 0.1), 0.5);
    }
    return JN_OK;
}

/* One round from z, with the contacts of the matrix those at z. `free`: a whole direction is taken even if the
   potential rises by it: the set of contacts then changes as a whole, not point by point. */
static JnStatus solve_round(ContactRounds *rounds, View *view, const LinearStep *step, double *z, double *energy,
                            bool good_guess, bool free_round, bool *converged, JnMessage *message) {
    double trial_energy;
    bool finite;
    JnStatus status = find_direction(rounds, view, step, z, good_guess, message);
    if (status == JN_OK)
        status = try_part(rounds, view, z, 1, &trial_energy, &finite, message);
    if (status != JN_OK)
        return status;
    *converged = finite && as_expected(rounds, view);
    if (*converged || (finite && free_round)) {
        *energy = trial_energy;
    } else {
        status = search_line(rounds, view, z, energy, message);
    }
    memcpy(z, rounds->trial, rounds->count * sizeof(double));
    memcpy(rounds->force, rounds->trial_force, rounds->count * sizeof(double));
    return status;
}

JnStatus contact_rounds_solve(ContactRounds *rounds, View *view, const LinearStep *step, double *z,
                              JnMessage *message) {
    double energy, change = 1;
    if (!view_may_touch(view)) {
        JnStatus status =
            jacobian_solve_near(view->jacobian, step->b, step->known, step->good_guess ? z : NULL, z, message);
        set_known(view, step, z);
        return status;
    }
    set_known(view, step, z);
    JnStatus status = view_contact(view, z, &energy, rounds->force, message);
    int free_rounds = FREE_ROUNDS;
    for (int round = 0; status == JN_OK && change > FRICTION_PART && round < ROUNDS_MOST; ++round) {
        bool converged = false;
        if (round > 0)
            status = jacobian_renew_contacts(view->jacobian, z, message);
        if (status == JN_OK)
            status = solve_round(rounds, view, step, z, &energy, round > 0 || step->good_guess, free_rounds-- > 0,
                                 &converged, message);
        if (status != JN_OK || !converged)
            continue;
        view_renew_friction(view, z, FRICTION_PART, &change);
        if (change > FRICTION_PART) {
            status = view_contact(view, z, &energy, rounds->force, message);
            free_rounds = FREE_ROUNDS;
        }
    }
    return status;
}
