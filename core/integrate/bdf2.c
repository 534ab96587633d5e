/* The second backward differentiation formula (Ascher, Larionov, Sheen, Pai 2021, Eq. 7 with its sign corrected), for
   steps of any ratio r = h / h_before:

       u_1 = ((1 + r)^2 u_0 - r^2 u_-1) / (1 + 2r) + h (1 + r) / (1 + 2r) F(u_1).

   Where there is no valid history (at the start, after a jump, when contacts change, when the step grows so much that
   the formula would be unstable), a step of SDIRK, also of second order, replaces it. */
#include "integrate/methods.h"
#include "integrate/stage.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

MULTISTEP_FAMILY(bdf2);
ONE_STEP_FAMILY(dirk);

/* Two-step formulas lose their stability where the step grows by 1 + sqrt 2. */
static const double LARGEST_GROWTH = 2;

typedef struct History { /* saved bytes: this, then q and v */
    double h;            /* of the previous step; 0: none */
    uint64_t contacts;   /* as view_contact_signature in it */
} History;

typedef struct Bdf2 {
    bool fully;
    size_t count; /* vertex_count * 3 */
    History history;
    double *q, *v;                           /* at the start of the previous step */
    double *position, *velocity, *q_1, *v_1; /* [count] */
    double *memory;                          /* of all these */
    StageSolver *solver;
    void *starter;
} Bdf2;

JnStatus bdf2_prepare(View *view, const MethodOptions *options, void **out, JnMessage *message) {
    Bdf2 *bdf = calloc(1, sizeof *bdf);
    *out = NULL;
    if (!bdf)
        return status_no_memory(message, "the integrator");
    bdf->fully = options->variant == BDF_BDF2;
    bdf->count = (size_t)view->system->vertex_count * 3;
    double **vectors[] = {&bdf->q, &bdf->v, &bdf->position, &bdf->velocity, &bdf->q_1, &bdf->v_1};
    MethodOptions starter = {.variant = bdf->fully ? DIRK_SDIRK : DIRK_SSDIRK};
    bdf->memory = vectors_make(vectors, sizeof vectors / sizeof vectors[0], bdf->count);
    JnStatus status =
        bdf->memory ? stage_solver_create(view, &bdf->solver, message) : status_no_memory(message, "the integrator");
    if (status == JN_OK)
        status = dirk_prepare(view, &starter, &bdf->starter, message);
    if (status == JN_OK)
        *out = bdf;
    else
        bdf2_destroy(bdf);
    return status;
}

/* The formula, from the history and *state to bdf->q_1, bdf->v_1. The system is at the step's end. */
static JnStatus two_step(Bdf2 *bdf, View *view, const State *state, double h, StepReport *report, JnMessage *message) {
    double r = h / bdf->history.h, now = (1 + r) * (1 + r) / (1 + 2 * r), before = r * r / (1 + 2 * r);
    Stage stage = {.position = bdf->position, .velocity = bdf->velocity};
    for (size_t i = 0; i < bdf->count; ++i) {
        stage.position[i] = now * state->q[i] - before * bdf->q[i];
        stage.velocity[i] = now * state->v[i] - before * bdf->v[i];
    }
    stage_use_rule(&stage, h * (1 + r) / (1 + 2 * r), bdf->count);
    if (!bdf->fully)
        return stage_solve_once(bdf->solver, view, &stage, state->q, false, bdf->q_1, bdf->v_1, message);
    return stage_solve(bdf->solver, view, &stage, state->q, bdf->q_1, bdf->v_1, report, message);
}

JnStatus bdf2_step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    Bdf2 *bdf = self;
    size_t bytes = bdf->count * sizeof(double);
    *report = (StepReport){.h = h, .error = NAN, .residual = NAN};
    JnStatus status = stage_begin(view, state->time, state->time + h, state->q, state->v, message);
    if (status != JN_OK)
        return status;
    uint64_t contacts = view_contact_signature(view);
    bool has_history = bdf->history.h > 0 && h <= LARGEST_GROWTH * bdf->history.h && contacts == bdf->history.contacts;
    if (has_history) {
        status = two_step(bdf, view, state, h, report, message);
        state->time += h;
    } else {
        State started = {bdf->q_1, bdf->v_1, state->time};
        memcpy(bdf->q_1, state->q, bytes);
        memcpy(bdf->v_1, state->v, bytes);
        status = dirk_step(bdf->starter, view, &started, h, report, message);
        state->time = started.time;
    }
    memcpy(bdf->q, state->q, bytes);
    memcpy(bdf->v, state->v, bytes);
    memcpy(state->q, bdf->q_1, bytes);
    memcpy(state->v, bdf->v_1, bytes);
    bdf->history = (History){h, contacts};
    return status;
}

void bdf2_restart(void *self, RestartReason reason) {
    Bdf2 *bdf = self;
    (void)reason;
    bdf->history.h = 0;
}

bool bdf2_archive(void *self, Archive *archive) {
    Bdf2 *bdf = self;
    size_t bytes = bdf->count * sizeof(double);
    return archive_piece(archive, &bdf->history, sizeof bdf->history) && archive_piece(archive, bdf->q, bytes) &&
           archive_piece(archive, bdf->v, bytes);
}

void bdf2_destroy(void *self) {
    Bdf2 *bdf = self;
    if (!bdf)
        return;
    free(bdf->memory);
    stage_solver_destroy(bdf->solver);
    dirk_destroy(bdf->starter);
    free(bdf);
}
