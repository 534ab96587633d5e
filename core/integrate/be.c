/* Backward Euler: M (q1 - q0 - h v0) = h^2 f(q1, v1), v1 = (q1 - q0) / h, solved to convergence by Newton's method
   (newton.h), while si.c takes one Newton step. */
#include "integrate/integrator.h"
#include "integrate/newton.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>

ONE_STEP_FAMILY(be);

typedef struct BackwardEuler {
    Newton *newton;
    double *target;       /* [vertex_count * 3] q0 + h v0 */
    double *x;            /* [vertex_count * 3] q1 */
    double *end_velocity; /* [vertex_count * 3] -q0 / h */
} BackwardEuler;

JnStatus be_prepare(View *view, const MethodOptions *options, void **out, JnMessage *message) {
    (void)options;
    size_t n = (size_t)view->system->vertex_count * 3 + 1;
    BackwardEuler *be = calloc(1, sizeof *be);
    *out = NULL;
    if (be) {
        be->target = calloc(n, sizeof(double));
        be->x = calloc(n, sizeof(double));
        be->end_velocity = calloc(n, sizeof(double));
    }
    JnStatus status =
        be && be->target && be->x && be->end_velocity ? JN_OK : status_no_memory(message, "the integrator");
    if (status == JN_OK)
        status = newton_create(view, &be->newton, message);
    if (status == JN_OK)
        *out = be;
    else
        be_destroy(be);
    return status;
}

JnStatus be_step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    BackwardEuler *be = self;
    size_t n = (size_t)view->system->vertex_count * 3;
    NewtonReport solved;
    view_set_time(view, state->time, state->time + h);
    JnStatus status = view_begin_step(view, &(StepStart){state->q, state->v, h, false}, message);
    if (status != JN_OK)
        return status;

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

void be_destroy(void *self) {
    BackwardEuler *be = self;
    if (!be)
        return;
    newton_destroy(be->newton);
    free(be->target);
    free(be->x);
    free(be->end_velocity);
    free(be);
}
