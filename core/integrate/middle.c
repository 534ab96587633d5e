/* Methods without damping of their own: the trapezoidal rule, u_1 = u_0 + h/2 (F(u_0) + F(u_1)), and the implicit
   midpoint rule, u_1 = u_0 + h F((u_0 + u_1) / 2), which is half a step of backward Euler and as much again. */
#include "integrate/methods.h"
#include "integrate/stage.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ONE_STEP_FAMILY(middle);

typedef struct Middle {
    bool midpoint;
    double *start_force, *position, *velocity, *x, *v; /* [vertex_count * 3] */
    double *memory;                                    /* of these */
    StageSolver *solver;
} Middle;

JnStatus middle_prepare(System *system, const MethodOptions *options, void **out, JnMessage *message) {
    Middle *middle = calloc(1, sizeof *middle);
    *out = NULL;
    if (!middle)
        return status_no_memory(message, "the integrator");
    middle->midpoint = options->variant == MIDDLE_MIDPOINT;
    double **vectors[] = {&middle->start_force, &middle->position, &middle->velocity, &middle->x, &middle->v};
    middle->memory = vectors_make(vectors, sizeof vectors / sizeof vectors[0], (size_t)system->vertex_count * 3);
    JnStatus status = middle->memory ? stage_solver_create(system, &middle->solver, message)
                                     : status_no_memory(message, "the integrator");
    if (status == JN_OK)
        *out = middle;
    else
        middle_destroy(middle);
    return status;
}

/* The stage at middle->x, middle->v: the step's end, or its middle. */
static JnStatus solve_stage(Middle *middle, System *system, const State *state, double h, StepReport *report,
                            JnMessage *message) {
    size_t n = (size_t)system->vertex_count * 3;
    double c = 0.5 * h;
    Stage stage = {.position = middle->position, .velocity = middle->velocity};
    JnStatus status = JN_OK;
    if (!middle->midpoint) {
        status = stage_start_force(system, state, middle->start_force, message);
        stage.extra = middle->start_force;
    }
    if (status == JN_OK)
        status =
            stage_begin(system, state->time, state->time + (middle->midpoint ? c : h), state->q, state->v, message);
    if (status != JN_OK)
        return status;
    for (size_t i = 0; i < n; ++i) {
        stage.position[i] = state->q[i] + (middle->midpoint ? 0 : c * state->v[i]);
        stage.velocity[i] = state->v[i];
    }
    stage_use_rule(&stage, c, n);
    return stage_solve(middle->solver, system, &stage, state->q, middle->x, middle->v, report, message);
}

JnStatus middle_step(void *self, System *system, State *state, double h, StepReport *report, JnMessage *message) {
    Middle *middle = self;
    *report = (StepReport){.h = h, .error = NAN, .residual = NAN};
    JnStatus status = solve_stage(middle, system, state, h, report, message);
    if (status != JN_OK)
        return status;
    if (middle->midpoint)
        system->set_time(system->owner, state->time, state->time + h);
    for (size_t i = 0; i < (size_t)system->vertex_count * 3; ++i) {
        double q = middle->midpoint ? 2 * middle->x[i] - state->q[i] : middle->x[i];
        double v = middle->midpoint ? 2 * middle->v[i] - state->v[i] : middle->v[i];
        state->q[i] = system->fixed[i / 3] ? system->pin_targets[i] : q;
        state->v[i] = system->fixed[i / 3] ? system->pin_velocities[i] : v;
    }
    state->time += h;
    return JN_OK;
}

void middle_destroy(void *self) {
    Middle *middle = self;
    if (!middle)
        return;
    free(middle->memory);
    stage_solver_destroy(middle->solver);
    free(middle);
}
