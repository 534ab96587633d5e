/* Methods without numerical damping: the trapezoidal rule, u_1 = u_0 + h/2 (F(u_0) + F(u_1)), and the implicit midpoint
   rule, u_1 = u_0 + h F((u_0 + u_1) / 2), which is half a step of backward Euler followed by half a step of forward
   Euler. */
#include "integrate/methods.h"
#include "integrate/stage.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ONE_STEP_FAMILY(midpoint);

typedef struct Midpoint {
    bool midpoint;
    double *start_force, *position, *velocity, *x, *v; /* [vertex_count * 3] */
    double *memory;                                    /* of these */
    StageSolver *solver;
} Midpoint;

JnStatus midpoint_prepare(View *view, const MethodOptions *options, void **out, JnMessage *message) {
    Midpoint *rule = calloc(1, sizeof *rule);
    *out = NULL;
    if (!rule)
        return status_no_memory(message, "the integrator");
    rule->midpoint = options->variant == MIDPOINT_IMPLICIT;
    double **vectors[] = {&rule->start_force, &rule->position, &rule->velocity, &rule->x, &rule->v};
    rule->memory = vectors_make(vectors, sizeof vectors / sizeof vectors[0], (size_t)view->system->vertex_count * 3);
    JnStatus status =
        rule->memory ? stage_solver_create(view, &rule->solver, message) : status_no_memory(message, "the integrator");
    if (status == JN_OK)
        *out = rule;
    else
        midpoint_destroy(rule);
    return status;
}

/* The stage at rule->x, rule->v: the step's end, or its middle. */
static JnStatus solve_stage(Midpoint *rule, View *view, const State *state, double h, StepReport *report,
                            JnMessage *message) {
    size_t n = (size_t)view->system->vertex_count * 3;
    double c = 0.5 * h;
    /* from the middle, the step goes on by as much again */
    const StageEnd end = {{2, -1, 0}, {4 / h, -4 / h, -1}, state->q, state->v};
    const StageTimes times = {state->time, state->time + (rule->midpoint ? c : h), state->time + h, false};
    Stage stage = {.position = rule->position,
                   .velocity = rule->velocity,
                   .strength = rule->midpoint ? 1 : 2,
                   .end = rule->midpoint ? &end : NULL,
                   .calmed_over = h};
    JnStatus status = JN_OK;
    if (!rule->midpoint) {
        status = stage_start_force(view, state, rule->start_force, message);
        stage.extra = rule->start_force;
    }
    if (status == JN_OK)
        status = stage_begin(view, &times, state->q, state->v, message);
    if (status != JN_OK)
        return status;
    for (size_t i = 0; i < n; ++i) {
        stage.position[i] = state->q[i] + (rule->midpoint ? 0 : c * state->v[i]);
        stage.velocity[i] = state->v[i];
    }
    stage_use_rule(&stage, c, n);
    return stage_solve(rule->solver, view, &stage, state->q, rule->x, rule->v, report, message);
}

JnStatus midpoint_step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    Midpoint *rule = self;
    *report = (StepReport){.h = h, .error = NAN, .residual = NAN};
    JnStatus status = solve_stage(rule, view, state, h, report, message);
    if (status != JN_OK)
        return status;
    if (rule->midpoint)
        view_set_time(view, state->time, state->time + h);
    for (size_t i = 0; i < (size_t)view->system->vertex_count * 3; ++i) {
        double q = rule->midpoint ? 2 * rule->x[i] - state->q[i] : rule->x[i];
        double v = rule->midpoint ? 2 * rule->v[i] - state->v[i] : rule->v[i];
        state->q[i] = !view_is_free(view, i / 3) ? view->prescribed_positions[i] : q;
        state->v[i] = !view_is_free(view, i / 3) ? view->prescribed_velocities[i] : v;
    }
    view_calm(view, state->q, state->v);
    state->time += h;
    return JN_OK;
}

void midpoint_destroy(void *self) {
    Midpoint *rule = self;
    if (!rule)
        return;
    free(rule->memory);
    stage_solver_destroy(rule->solver);
    free(rule);
}
