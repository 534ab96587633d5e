/* The second backward differentiation formula (Ascher, Larionov, Sheen, Pai 2021, Eq. 7 with its sign corrected), for
   steps of any ratio r = h / h_before:

       u_1 = ((1 + r)^2 u_0 - r^2 u_-1) / (1 + 2r) + h (1 + r) / (1 + 2r) F(u_1).

   Where there is no valid history (at the start, after a jump, after a blow, when the step grows so much that the
   formula would be unstable), a step of SDIRK, also of second order, replaces it. A blow is a step in which the forces
   of contact change: a formula over two steps would spread it over the next ones, and make energy.

   The hybrid forms do so in the complement of the kept modes of the step (modal_split.h): what is left of the history
   is its differences there. */
#include "integrate/methods.h"
#include "integrate/stage.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

MULTISTEP_FAMILY(bdf2);
MULTISTEP_FAMILY(dirk);

/* Two-step formulas lose their stability where the step grows by 1 + sqrt 2. */
static const double LARGEST_GROWTH = 2;
/* The part by which forces of contact must change in a step to be a blow. */
static const double BLOW = 0.1;

typedef struct Bdf2 {
    bool fully;
    size_t count;                            /* vertex_count * 3 */
    double h;                                /* of the previous step; 0: there is no history */
    double *q, *v;                           /* at its start */
    double *contact;                         /* N, the force of contact at its end */
    double *position, *velocity, *q_1, *v_1; /* [count] */
    double *memory;                          /* of all these */
    double *start_force;                     /* [count] */
    StageSolver *solver;
    void *starter;
    ModalSplit *split; /* NULL: no modes are kept */
} Bdf2;

JnStatus bdf2_prepare(View *view, const MethodOptions *options, void **out, JnMessage *message) {
    Bdf2 *bdf = calloc(1, sizeof *bdf);
    *out = NULL;
    if (!bdf)
        return status_no_memory(message, "the integrator");
    bool hybrid = options->variant >= BDF_BDF2ERE;
    int variant = options->variant - (hybrid ? BDF_BDF2ERE : 0);
    bdf->fully = variant == BDF_BDF2 || view_has_turns(view); /* as dirk.c says */
    bdf->count = (size_t)view->system->vertex_count * 3;
    double **vectors[] = {&bdf->q,   &bdf->v,   &bdf->position, &bdf->velocity,
                          &bdf->q_1, &bdf->v_1, &bdf->contact,  &bdf->start_force};
    MethodOptions starter = {.variant = bdf->fully ? DIRK_SDIRK : DIRK_SSDIRK};
    bdf->memory = vectors_make(vectors, sizeof vectors / sizeof vectors[0], bdf->count);
    JnStatus status =
        bdf->memory ? stage_solver_create(view, &bdf->solver, message) : status_no_memory(message, "the integrator");
    if (status == JN_OK)
        status = dirk_prepare(view, &starter, &bdf->starter, message);
    if (status == JN_OK && hybrid && !view_has_turns(view)) /* as dirk.c says */
        status = modal_split_create(view, options, &bdf->split, message);
    if (status == JN_OK && bdf->split)
        dirk_borrow_modes(bdf->starter, bdf->split);
    if (status == JN_OK)
        *out = bdf;
    else
        bdf2_destroy(bdf);
    return status;
}

/* The formula, from the history and *state to bdf->q_1, bdf->v_1. The system is at the step's end. */
static JnStatus two_step(Bdf2 *bdf, View *view, const State *state, double h, StepReport *report, JnMessage *message) {
    double r = h / bdf->h, now = (1 + r) * (1 + r) / (1 + 2 * r), before = r * r / (1 + 2 * r);
    const StageModes modes = {bdf->split, true, state->q, state->v, bdf->start_force, h, h, false};
    Stage stage = {.position = bdf->position,
                   .velocity = bdf->velocity,
                   .strength = 1,
                   .calmed_over = h,
                   .modes = bdf->split ? &modes : NULL};
    for (size_t i = 0; i < bdf->count; ++i) {
        stage.position[i] = now * state->q[i] - before * bdf->q[i];
        stage.velocity[i] = now * state->v[i] - before * bdf->v[i];
    }
    stage_use_rule(&stage, h * (1 + r) / (1 + 2 * r), bdf->count);
    JnStatus status = bdf->fully
                          ? stage_solve(bdf->solver, view, &stage, state->q, bdf->q_1, bdf->v_1, report, message)
                          : stage_solve_once(bdf->solver, view, &stage, state->q, false, bdf->q_1, bdf->v_1, message);
    if (status == JN_OK)
        view_calm(view, bdf->q_1, bdf->v_1);
    return status;
}

/* A step of SDIRK from *state to bdf->q_1, bdf->v_1. */
static JnStatus start(Bdf2 *bdf, View *view, const State *state, double h, StepReport *report, JnMessage *message) {
    State started = {bdf->q_1, bdf->v_1, state->time};
    memcpy(bdf->q_1, state->q, bdf->count * sizeof(double));
    memcpy(bdf->v_1, state->v, bdf->count * sizeof(double));
    return dirk_step(bdf->starter, view, &started, h, report, message);
}

/* Takes note of the forces of contact at the end of the step. *blow: they differ from those of the step before. */
static JnStatus find_blow(Bdf2 *bdf, View *view, bool *blow, JnMessage *message) {
    double *force = bdf->position, difference = 0, square = 0;
    JnStatus status = view_contact(view, bdf->q_1, NULL, force, message);
    for (size_t i = 0; i < bdf->count; ++i) {
        difference += (force[i] - bdf->contact[i]) * (force[i] - bdf->contact[i]);
        square += fmax(force[i] * force[i], bdf->contact[i] * bdf->contact[i]);
        bdf->contact[i] = force[i];
    }
    *blow = difference > BLOW * BLOW * square;
    return status;
}

JnStatus bdf2_step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    Bdf2 *bdf = self;
    size_t bytes = bdf->count * sizeof(double);
    JnStatus status = JN_OK;
    bool blow = false;
    *report = (StepReport){.h = h, .error = NAN, .residual = NAN};
    if (bdf->h > 0 && h <= LARGEST_GROWTH * bdf->h) {
        if (bdf->split)
            status = stage_start_force(view, state, bdf->start_force, message);
        if (status != JN_OK)
            return status;
        status = stage_begin(view, &(StageTimes){state->time, state->time + h, state->time + h, false}, state->q,
                             state->v, message);
        if (status == JN_OK)
            status = two_step(bdf, view, state, h, report, message);
    } else {
        status = start(bdf, view, state, h, report, message);
    }
    if (status == JN_OK)
        status = find_blow(bdf, view, &blow, message);
    memcpy(bdf->q, state->q, bytes);
    memcpy(bdf->v, state->v, bytes);
    memcpy(state->q, bdf->q_1, bytes);
    memcpy(state->v, bdf->v_1, bytes);
    state->time += h;
    bdf->h = blow ? 0 : h;
    return status;
}

void bdf2_restart(void *self, RestartReason reason) {
    Bdf2 *bdf = self;
    (void)reason;
    bdf->h = 0;
}

bool bdf2_archive(void *self, Archive *archive) {
    Bdf2 *bdf = self;
    size_t bytes = bdf->count * sizeof(double);
    return archive_piece(archive, &bdf->h, sizeof bdf->h) && archive_piece(archive, bdf->q, bytes) &&
           archive_piece(archive, bdf->v, bytes) && archive_piece(archive, bdf->contact, bytes) &&
           modal_split_archive(bdf->split, archive);
}

void bdf2_destroy(void *self) {
    Bdf2 *bdf = self;
    if (!bdf)
        return;
    free(bdf->memory);
    stage_solver_destroy(bdf->solver);
    dirk_destroy(bdf->starter);
    modal_split_destroy(bdf->split);
    free(bdf);
}
