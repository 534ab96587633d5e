/* Two-stage diagonally implicit Runge-Kutta methods (Ascher, Larionov, Sheen, Pai 2021, Eqs. 8 and 9): the
   trapezoidal rule to a time within the step, then a backward differentiation over both parts,

       u_m = u_0 + c_1 (F(u_0) + F(u_m)),   u_1 = u_0 + w (u_m - u_0) + c_2 F(u_1).

   TR-BDF2 goes to the middle. SDIRK goes to (2 - sqrt 2) h, which makes c_1 = c_2, so that both stages have the same
   matrix. The semi-implicit forms take one Newton step a stage; that of SDIRK keeps the first stage's matrix for the
   second. With fibres they solve each stage fully: the stages share forces, and those of a linearized turn are wrong by
   as much as keeps it on its circle.

   Contact acts at the step's end in both stages, for the first as extrapolated from it. So it is the same force in both
   unless other forces change much within the step. */
#include "integrate/methods.h"
#include "integrate/stage.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ONE_STEP_FAMILY(dirk);

typedef struct Dirk {
    double stage_time; /* time of the first stage, in steps */
    double weight;     /* w */
    double last;       /* c_2, in steps */
    bool fully, share_factor;
    double *start_force, *position, *velocity, *x, *v; /* [vertex_count * 3] */
    double *memory;                                    /* of these */
    StageSolver *solver;
} Dirk;

JnStatus dirk_prepare(View *view, const MethodOptions *options, void **out, JnMessage *message) {
    Dirk *dirk = calloc(1, sizeof *dirk);
    *out = NULL;
    if (!dirk)
        return status_no_memory(message, "the integrator");
    bool singly = options->variant == DIRK_SDIRK || options->variant == DIRK_SSDIRK;
    dirk->stage_time = singly ? 2 - sqrt(2) : 0.5;
    dirk->weight = singly ? sqrt(2) / 2 / (2 - sqrt(2)) : 4.0 / 3;
    dirk->last = singly ? 1 - sqrt(2) / 2 : 1.0 / 3;
    dirk->fully = options->variant == DIRK_TR_BDF2 || options->variant == DIRK_SDIRK || view_has_turns(view);
    dirk->share_factor = options->variant == DIRK_SSDIRK;
    double **vectors[] = {&dirk->start_force, &dirk->position, &dirk->velocity, &dirk->x, &dirk->v};
    dirk->memory = vectors_make(vectors, sizeof vectors / sizeof vectors[0], (size_t)view->system->vertex_count * 3);
    JnStatus status =
        dirk->memory ? stage_solver_create(view, &dirk->solver, message) : status_no_memory(message, "the integrator");
    if (status == JN_OK)
        *out = dirk;
    else
        dirk_destroy(dirk);
    return status;
}

/* The trapezoidal rule from *state to dirk->x, dirk->v. */
static JnStatus first_stage(Dirk *dirk, View *view, const State *state, double h, StepReport *report,
                            JnMessage *message) {
    size_t n = (size_t)view->system->vertex_count * 3;
    double c = 0.5 * dirk->stage_time * h;
    const StageTimes times = {state->time, state->time + dirk->stage_time * h, state->time + h, false};
    JnStatus status = stage_start_force(view, state, dirk->start_force, message);
    if (status == JN_OK)
        status = stage_begin(view, &times, state->q, state->v, message);
    if (status != JN_OK)
        return status;
    double part = dirk->stage_time;
    const StageEnd end = {{1 / (part * part), 1 - 1 / (part * part), h * (1 - 1 / part)},
                          {2 / (part * part * h), -2 / (part * part * h), 1 - 2 / part},
                          state->q,
                          state->v};
    Stage stage = {.position = dirk->position,
                   .velocity = dirk->velocity,
                   .extra = dirk->start_force,
                   .strength = 2,
                   .end = &end,
                   .calmed_over = h};
    for (size_t i = 0; i < n; ++i) {
        stage.position[i] = state->q[i] + c * state->v[i];
        stage.velocity[i] = state->v[i];
    }
    stage_use_rule(&stage, c, n);
    if (!dirk->fully)
        return stage_solve_once(dirk->solver, view, &stage, state->q, false, dirk->x, dirk->v, message);
    return stage_solve(dirk->solver, view, &stage, state->q, dirk->x, dirk->v, report, message);
}

/* The backward differentiation from *state and dirk->x, dirk->v to *state at the step's end. */
static JnStatus last_stage(Dirk *dirk, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    size_t n = (size_t)view->system->vertex_count * 3;
    const StageTimes times = {state->time + dirk->stage_time * h, state->time + h, state->time + h, true};
    JnStatus status = stage_begin(view, &times, dirk->x, dirk->v, message);
    if (status != JN_OK)
        return status;
    Stage stage = {.position = dirk->position, .velocity = dirk->velocity, .strength = 1, .calmed_over = h};
    for (size_t i = 0; i < n; ++i) {
        stage.position[i] = state->q[i] + dirk->weight * (dirk->x[i] - state->q[i]);
        stage.velocity[i] = state->v[i] + dirk->weight * (dirk->v[i] - state->v[i]);
    }
    stage_use_rule(&stage, dirk->last * h, n);
    if (!dirk->fully)
        return stage_solve_once(dirk->solver, view, &stage, dirk->x, dirk->share_factor, state->q, state->v, message);
    return stage_solve(dirk->solver, view, &stage, dirk->x, state->q, state->v, report, message);
}

JnStatus dirk_step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    Dirk *dirk = self;
    *report = (StepReport){.h = h, .error = NAN, .residual = NAN};
    JnStatus status = first_stage(dirk, view, state, h, report, message);
    if (status == JN_OK)
        status = last_stage(dirk, view, state, h, report, message);
    if (status == JN_OK)
        view_calm(view, state->q, state->v);
    state->time += h;
    return status;
}

void dirk_destroy(void *self) {
    Dirk *dirk = self;
    if (!dirk)
        return;
    free(dirk->memory);
    stage_solver_destroy(dirk->solver);
    free(dirk);
}
