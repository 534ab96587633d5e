/* Finding the kept modes for the first time, or again after they were lost, and how many to keep. */
#include "integrate/kept_modes.h"

#include "base/math3.h"
#include "base/status.h"
#include "linear/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A cluster of equal modes of many equal pieces is kept up to here beyond what was asked for. */
enum { CLUSTER_MOST = 32 };
/* Automatically: modes are looked for up to this number, and of those that a step resolves, with less than this phase
   in it, all are kept up to the last that moves visibly, at least the first few, and on to the next gap. A mode moves
   visibly if an acceleration of the whole body, as gravity or moving pins have, deflects it by this part of the
   largest deflection of a mode; a gap is an eigenvalue this much higher than the one before. */
enum { AUTOMATIC_MOST = 16, AUTOMATIC_LEAST = 4 };
static const double RESOLVED = 1.5, VISIBLE = 0.003, GAP = 1.1;

/* Rounds by the step's factor: more would cost as much as a factor of K's own, and a search with it. */
enum { NEAR_ROUNDS = 12 };
/* Bodies with fewer unknowns are solved exactly in no time. */
enum { NEAR_UNKNOWNS = 1000 };
/* The precision of eigenvalues that a step needs. */
static const double ROUGHLY = 1e-3;
/* Eigenvalues closer together than this, relative to themselves, may be one: they are only that well known. */
static const double SAME = 1e-2;

/* Vectors carried behind the modes, so that a step's matrix improves these: at least the first number, and one for so
   many modes. */
enum { GUARDS_LEAST = 4, MODES_PER_GUARD = 4 };

static uint32_t guards_for(uint32_t count) {
    return count / MODES_PER_GUARD > GUARDS_LEAST ? count / MODES_PER_GUARD : GUARDS_LEAST;
}

/* How far a steady acceleration of all vertices deflects mode k, at most, relative to other modes; INFINITY where
   nothing holds it. */
static double deflection(const KeptModes *modes, const View *view, uint32_t k, double value) {
    const double *u = modes->vectors + k * modes->n;
    double along[3] = {0, 0, 0};
    for (size_t i = 0; i < modes->n; ++i)
        along[i % 3] += view->system->masses[i / 3] * u[i];
    return value > 0 ? vec3_length(along) / value : INFINITY;
}

/* How many of the elastic ones to keep automatically: the vectors from `first` on, by ascending values. */
static uint32_t choose_visible(const KeptModes *modes, const View *view, uint32_t first, const double *values,
                               uint32_t found, double h) {
    uint32_t resolved = 0, count = 0;
    double largest = 0;
    while (resolved < found && h * sqrt(fabs(values[resolved])) < RESOLVED) {
        double here = deflection(modes, view, first + resolved, values[resolved]);
        largest = isfinite(here) ? fmax(largest, here) : largest;
        ++resolved;
    }
    for (uint32_t k = 0; k < resolved; ++k)
        if (deflection(modes, view, first + k, values[k]) >= VISIBLE * largest)
            count = k + 1;
    count = count > AUTOMATIC_LEAST ? count : AUTOMATIC_LEAST;
    while (count < resolved && values[count] < GAP * values[count - 1])
        ++count;
    return count < resolved ? count : resolved;
}

/* How many to keep of those that were asked for, likewise: to the end of a cluster of equal ones. */
static uint32_t choose_count(const double *values, uint32_t found, uint32_t asked) {
    uint32_t count = asked < found ? asked : found;
    while (count > 0 && count < found && count < asked + CLUSTER_MOST &&
           values[count] - values[count - 1] <= SAME * fabs(values[count]))
        ++count;
    return count;
}

/* The part of a mode that must be left without the rigid motions: less, and it is one of them, which stress has given
   an eigenvalue. */
static const double NOT_RIGID = 0.7;

/* Takes over the modes that are not rigid motions of pieces that nothing holds; these are there already. *turns: how
   many of them are rigid motions that pins allow, as about a hinge. */
static JnStatus take_over(KeptModes *modes, const View *view, const Modes *found, double *values, uint32_t *turns,
                          JnMessage *message) {
    uint32_t rigid = modes->state.rigid;
    JnStatus status = kept_modes_reserve(modes, rigid + found->count, message);
    modes->state.count = rigid;
    *turns = 0;
    for (uint32_t k = 0; status == JN_OK && k < found->count; ++k) {
        uint32_t at = modes->state.count;
        memcpy(modes->vectors + at * modes->n, found->shapes + k * modes->n, modes->n * sizeof(double));
        if (!modes->state.lowest && k < found->rigid_count)
            continue;
        if (kept_modes_orthonormalize(modes, view, at) < NOT_RIGID)
            continue;
        values[at - rigid] = found->eigenvalues[k];
        *turns += k < found->rigid_count;
        ++modes->state.count;
    }
    return status;
}

static uint32_t wanted_modes(const KeptModes *modes) {
    return modes->asked == KEPT_AUTOMATIC ? AUTOMATIC_MOST : modes->asked;
}

/* The lowest modes, by the step's own factor. *done: false where that is too far from one of K. */
static JnStatus solve_by_step(const KeptModes *modes, View *view, const KeptUpdate *update, const ModesProblem *problem,
                              uint32_t count, Modes *found, bool *done, JnMessage *message) {
    Solver *solver = jacobian_solver(view->jacobian);
    JnStatus status = JN_OK;
    if (solver && solver_unknown_count(solver) < NEAR_UNKNOWNS)
        return JN_OK;
    if (solver && !solver_has_factor(solver)) {
        status = jacobian_factor(view->jacobian, update->q, NULL, update->matrix, view_treatment(view), NULL, message);
        solver = jacobian_solver(view->jacobian);
    }
    if (status != JN_OK || !solver || !solver_has_factor(solver))
        return status;
    NearSolver near = {solver, update->matrix->mass, update->matrix->stiffness, NEAR_ROUNDS,
                       guards_for(wanted_modes(modes))};
    return modes_solve_near(problem, &near, count, found, done, message);
}

/* The lowest modes, by a factor of K's own where the step's does not serve. */
static JnStatus solve(const KeptModes *modes, View *view, const KeptUpdate *update, const ModesProblem *problem,
                      uint32_t count, Modes *found, JnMessage *message) {
    bool done = false, roughly = modes->precision == 0, held = modes->state.rigid == 0 && modes->state.lowest;
    JnStatus status = JN_OK;
    if (update->matrix && roughly && held)
        status = solve_by_step(modes, view, update, problem, count, found, &done, message);
    return status != JN_OK || done ? status : modes_solve(problem, count, found, message);
}

/* As many of the lowest modes as `wanted`. *enough: there are, or there are no more. */
static JnStatus find(KeptModes *modes, View *view, const KeptUpdate *update, uint32_t wanted, uint32_t asked,
                     bool *enough, JnMessage *message) {
    const System *system = view->system;
    ModesProblem problem = {.stiffness = &modes->stiffness->linear->matrix,
                            .masses = system->masses,
                            .mass_blocks = system->mass_blocks,
                            .fixed = view->roles,
                            .positions = modes->reference,
                            .precision = modes->precision > 0 ? 0 : ROUGHLY};
    Modes found;
    JnMessage why;
    JnStatus status = solve(modes, view, update, &problem, asked, &found, &why);
    *enough = true;
    modes->state.count = modes->state.rigid;
    if (status != JN_OK) {
        if (message && status != JN_ERR_DIVERGED)
            *message = why;
        return status == JN_ERR_DIVERGED ? JN_OK : status;
    }
    double *values = malloc(((size_t)found.count + 1) * sizeof *values);
    uint32_t turns = 0;
    status =
        values ? take_over(modes, view, &found, values, &turns, message) : status_no_memory(message, "the kept modes");
    if (status == JN_OK) {
        uint32_t before = modes->state.rigid + turns, elastic = modes->state.count - before;
        uint32_t most = elastic < AUTOMATIC_MOST ? elastic : AUTOMATIC_MOST;
        *enough = elastic >= wanted || found.count - found.rigid_count < asked;
        uint32_t kept = before + (modes->asked == KEPT_AUTOMATIC
                                      ? choose_visible(modes, view, before, values + turns, most, update->h)
                                      : choose_count(values + turns, elastic, modes->asked));
        uint32_t spare = modes->state.lowest ? modes->state.count - kept : 0, guards = guards_for(kept - before);
        modes->state.guards = spare < guards ? spare : guards;
        modes->state.count = kept;
    }
    free(values);
    modes_free(&found);
    return status;
}

JnStatus kept_modes_search(KeptModes *modes, View *view, const KeptUpdate *update, JnMessage *message) {
    const uint32_t wanted = wanted_modes(modes);
    uint32_t asked = wanted + guards_for(wanted);
    bool enough = false;
    ++view->system->mode_searches;
    modes->state.found = 1;
    modes->state.count = modes->state.guards = 0;
    JnStatus status = kept_modes_write_rigid(modes, view, update->q, update->h, message);
    /* those that stress has made of rigid motions come in addition */
    for (int attempt = 0; status == JN_OK && !enough && attempt < 2; ++attempt, asked += 3 + modes->state.rigid)
        status = find(modes, view, update, wanted, asked, &enough, message);
    return status;
}
