/* Backward Euler: M (q1 - q0 - h v0) = h^2 f(q1, v1), v1 = (q1 - q0) / h, solved to convergence by Newton's method
   (newton.h), while si.c takes one Newton step. BEERE does so in the complement of the kept modes (modal_split.h). */
#include "integrate/methods.h"
#include "integrate/newton.h"
#include "integrate/stage.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

MULTISTEP_FAMILY(be);

typedef struct BackwardEuler {
    Newton *newton;
    double *target;         /* [vertex_count * 3] q0 + h v0 */
    double *x;              /* [vertex_count * 3] q1 */
    double *start_velocity; /* [vertex_count * 3] v0, of BEERE */
    double *end_velocity;   /* [vertex_count * 3] -q0 / h; of BEERE the velocities at the end */
    StageSolver *stages;    /* of BEERE */
    ModalSplit *split;      /* NULL: no modes are kept */
} BackwardEuler;

JnStatus be_prepare(View *view, const MethodOptions *options, void **out, JnMessage *message) {
    size_t n = (size_t)view->system->vertex_count * 3 + 1;
    BackwardEuler *be = calloc(1, sizeof *be);
    *out = NULL;
    if (be) {
        be->target = calloc(n, sizeof(double));
        be->x = calloc(n, sizeof(double));
        be->end_velocity = calloc(n, sizeof(double));
        be->start_velocity = calloc(n, sizeof(double));
    }
    JnStatus status = be && be->target && be->x && be->end_velocity && be->start_velocity
                          ? JN_OK
                          : status_no_memory(message, "the integrator");
    if (status == JN_OK)
        status = newton_create(view, &be->newton, message);
    if (status == JN_OK && options->variant == BE_BEERE && !view_has_turns(view)) /* as dirk.c says */
        status = modal_split_create(view, options, &be->split, message);
    if (status == JN_OK && be->split)
        status = stage_solver_create(view, &be->stages, message);
    if (status == JN_OK)
        *out = be;
    else
        be_destroy(be);
    return status;
}

/* The step of BEERE, from *state to be->x, be->end_velocity: backward Euler as a stage. */
static JnStatus solve_split(BackwardEuler *be, View *view, const State *state, double h, StepReport *report,
                            JnMessage *message) {
    size_t n = (size_t)view->system->vertex_count * 3;
    const StageModes modes = {be->split, true, state->q, state->v, NULL, h, h, true};
    Stage stage = {.position = be->target, .velocity = be->start_velocity, .strength = 1, .modes = &modes};
    memcpy(be->target, state->q, n * sizeof(double));
    memcpy(be->start_velocity, state->v, n * sizeof(double));
    stage_use_rule(&stage, h, n);
    *report = (StepReport){h, NAN, NAN, 0};
    return stage_solve(be->stages, view, &stage, state->q, be->x, be->end_velocity, report, message);
}

JnStatus be_step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    BackwardEuler *be = self;
    size_t n = (size_t)view->system->vertex_count * 3;
    NewtonReport solved;
    view_set_time(view, state->time, state->time + h);
    JnStatus status = view_begin_step(view, &(StepStart){state->q, state->v, h, false}, message);
    if (status != JN_OK)
        return status;

    if (be->split) {
        status = solve_split(be, view, state, h, report, message);
        if (status != JN_OK)
            return status;
        memcpy(state->q, be->x, n * sizeof(double));
        memcpy(state->v, be->end_velocity, n * sizeof(double));
        state->time += h;
        return JN_OK;
    }
    /* initial guess: free flight */
    for (size_t i = 0; i < n; ++i) {
        be->target[i] = state->q[i] + h * state->v[i];
        be->x[i] = !view_is_free(view, i / 3) ? view->prescribed_positions[i] : be->target[i];
        be->end_velocity[i] = -state->q[i] / h;
    }
    view_set_reach(view, &(ContactReach){1, 1 / h, 1, 0}, NULL, be->end_velocity);
    NewtonProblem problem = {.mass = 1 / (h * h),
                             .inertia_target = be->target,
                             .velocity_scale = 1 / h,
                             .velocity_origin = state->q,
                             .before = state->q};
    status = newton_solve(be->newton, view, &problem, newton_step_limits(view), be->x, &solved, message);
    if (status != JN_OK)
        return status;
    for (size_t i = 0; i < n; ++i) {
        state->v[i] = (be->x[i] - state->q[i]) / h;
        state->q[i] = be->x[i];
    }
    state->time += h;
    *report = (StepReport){h, NAN, solved.residual, solved.iterations};
    return JN_OK;
}

void be_restart(void *self, RestartReason reason) {
    (void)self, (void)reason; /* the modes stay */
}

bool be_archive(void *self, Archive *archive) {
    return modal_split_archive(((BackwardEuler *)self)->split, archive);
}

void be_destroy(void *self) {
    BackwardEuler *be = self;
    if (!be)
        return;
    newton_destroy(be->newton);
    free(be->target);
    free(be->x);
    free(be->end_velocity);
    free(be->start_velocity);
    stage_solver_destroy(be->stages);
    modal_split_destroy(be->split);
    free(be);
}
