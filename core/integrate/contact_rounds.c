#include "integrate/contact_rounds_internal.h"

#include "base/status.h"
#include "base/vectors.h"
#include "integrate/slope_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Contact has converged when its force differs from its linearization by this part of its size, and the normal forces
   of friction by that part of theirs. */
static const double FORCE_PART = 1e-3, FRICTION_PART = 3e-3;
/* If it is to be precise: when it differs by what is asked for and at least the first part, or by less than the second
   and no less than before. */
static const double PRECISE_PART = 1e-11, ROUNDING_PART = 1e-8;
/* Normal forces are worth renewing when forces are off by at most this part; and what rounds have not brought nearer
   than the second part is no solution. */
static const double RENEWAL_PART = 0.25, FAILED_PART = 0.05;
/* A round that leaves at most this part of what was off is a quick one. */
static const double QUICK_PART = 0.25;
/* Usually fewer rounds are enough, and solve their linear equations roughly, but for the last one.
   The first rounds take whole directions even if the potential rises, and later ones while they are quick: the set of
   contacts then changes as a whole, not point by point. */
enum { ROUNDS_MOST = 60, USUAL_ROUNDS = 12, RENEWALS_MOST = 12, BOLD_ROUNDS = 5, INTERIOR_MOST = 4 };

/* The potential along a line, without contact: its slope is start + bend t. */
typedef struct Line {
    double start, bend;
} Line;

JnStatus contact_rounds_create(const View *view, ContactRounds **out, JnMessage *message) {
    ContactRounds *rounds = calloc(1, sizeof *rounds);
    *out = NULL;
    if (rounds) {
        double **vectors[] = {&rounds->force,   &rounds->direction,  &rounds->trial,       &rounds->trial_force,
                              &rounds->product, &rounds->impedances, &rounds->stiffnesses, &rounds->rhs};
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

/* From the diagonal of the matrix. */
static void find_impedances(ContactRounds *rounds, const View *view) {
    const BlockMatrix *matrix = &view->jacobian->linear->matrix;
    const ContactReach reach = view->has_reach ? view->reach : (ContactReach){1, 0, 1, 0};
    for (size_t v = 0; v < view->system->vertex_count; ++v) {
        const double *block = matrix->values + 9 * (size_t)matrix->column_starts[v];
        double mean = (block[0] + block[4] + block[8]) / (3 * reach.strength);
        bool is_free = view_is_free(view, v), moves = reach.velocity_scale > 0 && mean > 0;
        rounds->stiffnesses[v] = is_free && mean > 0 ? mean / reach.position_scale : INFINITY;
        rounds->impedances[v] = !is_free ? INFINITY : moves ? mean / reach.velocity_scale : view->system->masses[v];
    }
}

static void set_known(const View *view, const LinearStep *step, double *z) {
    for (size_t i = 0; i < (size_t)view->system->vertex_count * 3; ++i)
        if (!view_is_free(view, i / 3))
            z[i] = step->known ? step->known[i] : 0;
}

/* product = A (z - origin), or A z if there is none. */
static void multiply_way(ContactRounds *rounds, const View *view, const LinearStep *step, const double *z) {
    for (size_t i = 0; i < rounds->count; ++i)
        rounds->trial[i] = step->origin ? z[i] - step->origin[i] : z[i];
    jacobian_multiply_without_contacts(view->jacobian, rounds->trial, rounds->product);
}

/* The same where some modes have targets. */
static JnStatus find_split_direction(ContactRounds *rounds, View *view, const LinearStep *step, const double *z,
                                     JnMessage *message) {
    step->split->roughly = !step->origin;
    modal_split_left(step->split, view, step->b, step->origin, z, rounds->product);
    for (size_t i = 0; i < rounds->count; ++i)
        rounds->product[i] += view_is_free(view, i / 3) ? rounds->force[i] : 0;
    return modal_split_solve(step->split, view, rounds->product, NULL, rounds->direction, message);
}

JnStatus contact_find_direction(ContactRounds *rounds, View *view, const LinearStep *step, const double *z,
                                bool good_guess, const GuessSpan *span, bool *rough, JnMessage *message) {
    if (rough)
        *rough = false;
    if (step->split)
        return find_split_direction(rounds, view, step, z, message);
    if (step->origin) {
        multiply_way(rounds, view, step, z);
        for (size_t i = 0; i < rounds->count; ++i)
            rounds->rhs[i] = step->b[i] - rounds->product[i] + rounds->force[i];
        return jacobian_solve(view->jacobian, rounds->rhs, rounds->direction, message);
    }
    for (size_t i = 0; i < rounds->count; ++i)
        rounds->rhs[i] = step->b[i] + rounds->force[i];
    jacobian_add_contact_product(view->jacobian, z, rounds->rhs);
    const double *guess = good_guess ? z : NULL;
    if (span) {
        guess_find(view, &(GuessProblem){.b = rounds->rhs, .known = step->known}, span, rounds->direction);
        guess = rounds->direction;
    }
    JnStatus status =
        jacobian_solve_near(view->jacobian, rounds->rhs, step->known, guess, rounds->direction, rough, message);
    set_known(view, step, rounds->direction);
    for (size_t i = 0; i < rounds->count; ++i)
        rounds->direction[i] -= z[i];
    return status;
}

/* By how much the force of contact at `trial`, a whole direction from z, is off its linearization at z, relative to its
   size; as accelerations, so that beside a heavy body a light one counts as much. */
static double part_off(ContactRounds *rounds, const View *view) {
    double square = 0, difference = 0;
    memset(rounds->product, 0, rounds->count * sizeof(double));
    jacobian_add_contact_product(view->jacobian, rounds->direction, rounds->product);
    for (size_t i = 0; i < rounds->count; ++i) {
        double off = rounds->trial_force[i] - rounds->force[i] + rounds->product[i], mass = view->system->masses[i / 3];
        if (!view_is_free(view, i / 3))
            continue;
        difference += off * off / (mass * mass);
        square += rounds->trial_force[i] * rounds->trial_force[i] / (mass * mass);
    }
    return difference > 0 ? sqrt(difference / square) : 0;
}

typedef struct Search {
    ContactRounds *rounds;
    View *view;
    const double *z;
    Line line;
} Search;

/* trial = z + t direction, contact there, and the slope of the potential along the direction: a SlopeAt. */
static JnStatus slope_at(void *owner, double t, double *slope, JnMessage *message) {
    const Search *search = owner;
    ContactRounds *rounds = search->rounds;
    for (size_t i = 0; i < rounds->count; ++i)
        rounds->trial[i] = search->z[i] + t * rounds->direction[i];
    JnStatus status = view_contact(search->view, rounds->trial, NULL, rounds->trial_force, message);
    *slope =
        search->line.start + t * search->line.bend - vector_dot(rounds->trial_force, rounds->direction, rounds->count);
    return status;
}

/* Along the direction from z. */
static Line start_line(ContactRounds *rounds, const View *view, const LinearStep *step, const double *z) {
    Line line = {0, 0};
    if (step->split) {
        modal_split_left(step->split, view, step->b, step->origin, z, rounds->product);
        line.start = -vector_dot(rounds->direction, rounds->product, rounds->count);
        modal_split_multiply(step->split, view, rounds->direction, rounds->product);
    } else {
        multiply_way(rounds, view, step, z);
        for (size_t i = 0; i < rounds->count; ++i)
            line.start += view_is_free(view, i / 3) ? rounds->direction[i] * (rounds->product[i] - step->b[i]) : 0;
        jacobian_multiply_without_contacts(view->jacobian, rounds->direction, rounds->product);
    }
    line.bend = vector_dot(rounds->direction, rounds->product, rounds->count);
    return line;
}

/* Shortens the direction to where the potential is least along it, nearly. It is convex, and contact alone, which is
   evaluated again and again, costs little. Where the potential does not decrease at all, the direction is kept. */
static JnStatus search_line(ContactRounds *rounds, View *view, const LinearStep *step, const double *z, double *taken,
                            JnMessage *message) {
    return slope_search(slope_at, &(Search){rounds, view, z, start_line(rounds, view, step, z)}, taken, message);
}

/* One round from z, with the contacts of the matrix those at z. *off: how far from the solution its end is, as part of
   the force of contact. *undefined: contact has no value at z. rough: as in contact_find_direction. */
static JnStatus solve_round(ContactRounds *rounds, View *view, const LinearStep *step, double *z, bool first,
                            bool search, double *off, bool *undefined, bool *rough, JnMessage *message) {
    double taken = 1;
    bool good_guess = !first || step->good_guess;
    *undefined = false;
    JnStatus status = view_linear_contact(view, z, rounds->force, message);
    if (status == JN_OK)
        status = contact_find_direction(rounds, view, step, z, good_guess, first ? step->span : NULL, rough, message);
    for (size_t i = 0; status == JN_OK && i < rounds->count; ++i)
        rounds->trial[i] = z[i] + rounds->direction[i];
    if (status != JN_OK)
        return status;
    status = view_contact(view, rounds->trial, NULL, rounds->trial_force, message);
    *undefined = status == JN_ERR_DIVERGED;
    *off = status == JN_OK ? part_off(rounds, view) : 1;
    if (status == JN_OK && search && *off > FORCE_PART)
        status = search_line(rounds, view, step, z, &taken, message);
    *off = taken < 1 ? 1 : *off;
    memcpy(z, rounds->trial, rounds->count * sizeof(double));
    return status;
}

/* Solves the linear equations of a round that stopped early to the end; z is its end, and contact has not changed
 * since.
 */
static JnStatus refine_round(ContactRounds *rounds, View *view, const LinearStep *step, double *z, double *off,
                             JnMessage *message) {
    JnStatus status = jacobian_solve_near(view->jacobian, rounds->rhs, step->known, z, rounds->trial, NULL, message);
    set_known(view, step, rounds->trial);
    for (size_t i = 0; status == JN_OK && i < rounds->count; ++i)
        rounds->direction[i] += rounds->trial[i] - z[i];
    if (status == JN_OK)
        status = view_contact(view, rounds->trial, NULL, rounds->trial_force, message);
    *off = status == JN_OK ? part_off(rounds, view) : 1;
    memcpy(z, rounds->trial, rounds->count * sizeof(double));
    return status;
}

/* Of the rounds with what is held now. */
typedef struct Progress {
    double off;    /* as in solve_round */
    double before; /* that of the round before */
    double change; /* of the normal forces of friction */
    double looser; /* how many times what is usual is close enough */
    int bold;      /* rounds that may still take whole directions */
    int renewals;  /* of those normal forces */
} Progress;

static void renew_friction(View *view, const double *z, Progress *progress) {
    if (progress->off > RENEWAL_PART || progress->renewals == RENEWALS_MOST)
        return;
    view_renew_friction(view, z, FRICTION_PART, &progress->change);
    progress->renewals += progress->change > FRICTION_PART;
    progress->bold = progress->change > FRICTION_PART ? BOLD_ROUNDS : progress->bold;
}

static bool agrees(const Progress *progress, const LinearStep *step) {
    double off = progress->off;
    bool precise = off <= fmax(PRECISE_PART, step->precision) || (off <= ROUNDING_PART && off > 0.5 * progress->before);
    return (progress->change <= progress->looser * FRICTION_PART || progress->renewals == RENEWALS_MOST) &&
           (step->origin ? precise : off <= progress->looser * FORCE_PART);
}

/* Where nothing may touch, and some modes have targets: from where these are met. */
static JnStatus solve_split(ContactRounds *rounds, View *view, const LinearStep *step, double *z, JnMessage *message) {
    ModalSplit *split = step->split;
    double *start = rounds->trial;
    memset(start, 0, rounds->count * sizeof *start);
    mode_set_add(&split->modes->used, split->target, start);
    set_known(view, step, start);
    split->roughly = !step->origin;
    if (!step->origin)
        return modal_split_solve_from(split, view, step->b, step->known, start, step->good_guess, z, message);
    modal_split_left(split, view, step->b, step->origin, start, rounds->product);
    for (size_t i = 0; i < rounds->count; ++i)
        z[i] -= start[i];
    JnStatus status =
        modal_split_solve(split, view, rounds->product, step->good_guess ? z : NULL, rounds->direction, message);
    for (size_t i = 0; i < rounds->count; ++i)
        z[i] = start[i] + rounds->direction[i];
    return status;
}

/* With what is held now. */
static JnStatus solve_held(ContactRounds *rounds, View *view, const LinearStep *step, double *z, JnMessage *message) {
    bool done = false, undefined = false;
    if (!view_may_touch(view) && step->split)
        return solve_split(rounds, view, step, z, message);
    if (!view_may_touch(view)) {
        bool rough;
        JnStatus status = jacobian_solve_near(view->jacobian, step->b, step->known, step->good_guess ? z : NULL, z,
                                              step->roughly ? &rough : NULL, message);
        set_known(view, step, z);
        return status;
    }
    set_known(view, step, z);
    if (step->split && !step->origin)
        modal_split_place(step->split, step->split->target, z);
    find_impedances(rounds, view);
    JnStatus status = JN_OK;
    Progress progress = {.off = 1, .change = 1, .bold = BOLD_ROUNDS};
    int interior = 0;
    for (int round = 0; !done && round < ROUNDS_MOST; ++round) {
        bool rough = false, may_be_rough = round < USUAL_ROUNDS && !step->origin;
        progress.before = progress.off;
        progress.looser = round < USUAL_ROUNDS ? 1 : round < 2 * USUAL_ROUNDS ? 10 : 50;
        ++view->system->contact_rounds;
        status = system_check_cancelled(view->system, message);
        if (status == JN_OK && progress.bold <= 0 && interior < INTERIOR_MOST) {
            ++interior;
            progress.bold = BOLD_ROUNDS;
            status = contact_solve_interior(rounds, view, step, z, message);
        }
        if (round > 0 && status == JN_OK)
            status = jacobian_renew_contacts(view->jacobian, z, message);
        if (status == JN_OK)
            status = solve_round(rounds, view, step, z, round == 0, progress.bold <= 0, &progress.off, &undefined,
                                 may_be_rough ? &rough : NULL, message);
        progress.bold -= !(progress.off <= QUICK_PART * progress.before);
        if (undefined && step->origin) {
            status_clear(message); /* a line search along the way to z will stop before it */
            return JN_OK;
        }
        if (status != JN_OK)
            return status;
        renew_friction(view, z, &progress);
        done = agrees(&progress, step);
        if (done && rough) {
            status = refine_round(rounds, view, step, z, &progress.off, message);
            if (status != JN_OK)
                return status;
            renew_friction(view, z, &progress);
            done = agrees(&progress, step);
        }
        view_move_friction(view, z, progress.bold > 0 ? rounds->impedances : NULL);
    }
    if (!done && !step->origin && progress.off > FAILED_PART && !view->takes_nearest)
        return status_fail(message, JN_ERR_DIVERGED,
                           "what touches did not come to an agreement in %d rounds: use more steps_per_frame",
                           ROUNDS_MOST);
    return status;
}

JnStatus contact_rounds_solve(ContactRounds *rounds, View *view, const LinearStep *step, double *z,
                              JnMessage *message) {
    LinearStep again = *step;
    bool more = true;
    JnStatus status = JN_OK;
    for (int look = 0; status == JN_OK && more && look <= CONTACT_LOOKS_MOST; ++look) {
        more = false;
        status = look > 0 ? jacobian_renew_contacts(view->jacobian, z, message) : JN_OK;
        if (status == JN_OK)
            status = solve_held(rounds, view, &again, z, message);
        if (status == JN_OK && !step->origin)
            status = view_look_again(view, z, &more, message);
        again.good_guess = true;
        again.span = NULL;
    }
    return status;
}
