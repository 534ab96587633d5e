/* Finding the kept modes for the first time, or again after they were lost, and how many to keep. */
#include "integrate/kept_modes.h"

#include "base/status.h"
#include "linear/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A cluster of equal modes of many equal pieces is kept up to here beyond what was asked for. */
enum { CLUSTER_MOST = 32 };
/* Automatically: modes are looked for up to this number, and kept up to the widest gap after the first few, of those
   that a step resolves: with less than this phase in it. */
enum { AUTOMATIC_MOST = 16, AUTOMATIC_LEAST = 4 };
static const double RESOLVED = 1.5;

/* The precision of eigenvalues that a step needs. */
static const double ROUGHLY = 1e-3;
/* Eigenvalues closer together than this, relative to themselves, are one. */
static const double SAME = 1e-3;

/* How many of the elastic ones to keep, given in ascending order: to the end of a cluster of equal ones. */
static uint32_t choose_count(const double *values, uint32_t found, uint32_t asked, double h) {
    if (asked != KEPT_AUTOMATIC) {
        uint32_t count = asked < found ? asked : found;
        while (count > 0 && count < found && count < asked + CLUSTER_MOST &&
               values[count] - values[count - 1] <= SAME * fabs(values[count]))
            ++count;
        return count;
    }
    uint32_t resolved = 0, best = 0;
    double widest = 0;
    while (resolved < found && h * sqrt(fabs(values[resolved])) < RESOLVED)
        ++resolved;
    for (uint32_t k = AUTOMATIC_LEAST; k <= resolved && k < found; ++k) {
        double gap = values[k - 1] > 0 ? values[k] / values[k - 1] : 1;
        if (gap > widest) {
            widest = gap;
            best = k;
        }
    }
    return best > 0 ? best : resolved < found ? resolved : found;
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

/* As many of the lowest modes as `wanted`. *enough: there are, or there are no more. */
static JnStatus find(KeptModes *modes, View *view, const KeptUpdate *update, uint32_t wanted, uint32_t asked,
                     bool *enough, JnMessage *message) {
    const System *system = view->system;
    ModesProblem problem = {.stiffness = &modes->stiffness->linear->matrix,
                            .masses = system->masses,
                            .mass_blocks = system->mass_blocks,
                            .fixed = view->roles,
                            .positions = update->q,
                            .precision = modes->precision > 0 ? 0 : ROUGHLY};
    Modes found;
    JnMessage why;
    JnStatus status = modes_solve(&problem, asked, &found, &why);
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
        *enough = elastic >= wanted || found.count - found.rigid_count < asked;
        modes->state.count = before + choose_count(values + turns, elastic, modes->asked, update->h);
    }
    free(values);
    modes_free(&found);
    return status;
}

JnStatus kept_modes_search(KeptModes *modes, View *view, const KeptUpdate *update, JnMessage *message) {
    uint32_t wanted = modes->asked == KEPT_AUTOMATIC ? AUTOMATIC_MOST : modes->asked, asked = wanted;
    bool enough = false;
    ++view->system->mode_searches;
    modes->state.found = 1;
    modes->state.count = 0;
    JnStatus status = kept_modes_write_rigid(modes, view, update->q, message);
    /* those that stress has made of rigid motions come in addition */
    for (int attempt = 0; status == JN_OK && !enough && attempt < 2; ++attempt, asked += 3 + modes->state.rigid)
        status = find(modes, view, update, wanted, asked, &enough, message);
    return status;
}
