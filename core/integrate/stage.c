#include "integrate/stage.h"

#include "integrate/newton.h"

#include "base/status.h"
#include "base/vectors.h"

#include <stdlib.h>
#include <string.h>

struct StageSolver {    /* scratch, [vertex_count * 3] */
    double *force;      /* then the right-hand side, then the increment */
    double *difference; /* position less known, then the increment of pinned vertices */
    double *product;
    double *memory; /* of these */
    Newton *newton;
};

JnStatus stage_solver_create(const View *view, StageSolver **out, JnMessage *message) {
    StageSolver *solver = calloc(1, sizeof *solver);
    *out = NULL;
    if (solver) {
        double **vectors[] = {&solver->force, &solver->difference, &solver->product};
        solver->memory =
            vectors_make(vectors, sizeof vectors / sizeof vectors[0], (size_t)view->system->vertex_count * 3);
    }
    JnStatus status = solver && solver->memory ? JN_OK : status_no_memory(message, "the integrator's stages");
    if (status == JN_OK)
        status = newton_create(view, &solver->newton, message);
    if (status == JN_OK)
        *out = solver;
    else
        stage_solver_destroy(solver);
    return status;
}

void stage_solver_destroy(StageSolver *solver) {
    if (!solver)
        return;
    free(solver->memory);
    newton_destroy(solver->newton);
    free(solver);
}

void stage_use_rule(Stage *stage, double c, size_t count) {
    stage->lambda = c * c;
    stage->kappa = c;
    stage->inertia = 1;
    for (size_t i = 0; i < count; ++i)
        stage->position[i] += c * stage->velocity[i];
}

JnStatus stage_begin(View *view, double time_before, double time, const double *q, const double *v,
                     JnMessage *message) {
    view_set_time(view, time_before, time);
    return view_begin_step(view, &(StepStart){q, v, time - time_before}, message);
}

JnStatus stage_start_force(View *view, const State *state, double *force, JnMessage *message) {
    JnStatus status = stage_begin(view, state->time, state->time, state->q, state->v, message);
    return status == JN_OK ? view_force(view, state->q, state->v, force, message) : status;
}

/* Sets `position` so that x = position + lambda a and v = velocity + kappa a hold for x and v of the targets. */
static void place_pins(const View *view, Stage *stage) {
    for (size_t i = 0; i < (size_t)view->system->vertex_count * 3; ++i)
        if (!view_is_free(view, i / 3))
            stage->position[i] = view->prescribed_positions[i] -
                                 stage->lambda / stage->kappa * (view->prescribed_velocities[i] - stage->velocity[i]);
}

static void velocity_of(const View *view, const Stage *stage, const double *x, double *v) {
    double rate = stage->kappa / stage->lambda;
    for (size_t i = 0; i < (size_t)view->system->vertex_count * 3; ++i)
        v[i] = stage->velocity[i] + rate * (x[i] - stage->position[i]);
}

/* difference = the prescribed motion of pinned vertices from `known`, 0 elsewhere. Returns whether any of them moves.
 */
static bool find_pin_motion(StageSolver *solver, const View *view, const double *known) {
    bool moves = false;
    for (size_t i = 0; i < (size_t)view->system->vertex_count * 3; ++i) {
        solver->difference[i] = !view_is_free(view, i / 3) ? view->prescribed_positions[i] - known[i] : 0;
        moves |= solver->difference[i] != 0;
    }
    return moves;
}

JnStatus stage_solve_once(StageSolver *solver, View *view, Stage *stage, const double *known, bool keep_factor,
                          double *x, double *v, JnMessage *message) {
    size_t n = (size_t)view->system->vertex_count * 3;
    JacobianScales scales = {stage->inertia / stage->lambda, stage->kappa / stage->lambda, 1, true};
    JnStatus status = JN_OK;
    place_pins(view, stage);
    velocity_of(view, stage, known, v);
    if (keep_factor) {
        jacobian_keep(view->jacobian, known, v);
        status = view_force(view, known, v, solver->force, message);
    } else {
        status = jacobian_update(view->jacobian, known, v, &scales, view_treatment(view), solver->force, message);
    }
    if (status != JN_OK)
        return status;
    for (size_t i = 0; i < n; ++i)
        solver->difference[i] = stage->position[i] - known[i];
    system_multiply_mass(view->system, solver->difference, solver->product);
    for (size_t i = 0; i < n; ++i)
        solver->force[i] += scales.mass * solver->product[i] + (stage->extra ? stage->extra[i] : 0);
    bool pins_move = find_pin_motion(solver, view, known);
    status = jacobian_solve_near(view->jacobian, solver->force, pins_move ? solver->difference : NULL, NULL,
                                 solver->force, message);
    if (status != JN_OK)
        return status;
    for (size_t i = 0; i < n; ++i)
        x[i] = !view_is_free(view, i / 3) ? view->prescribed_positions[i] : known[i] + solver->force[i];
    velocity_of(view, stage, x, v);
    return view_check_way(view, known, x, message);
}

JnStatus stage_solve(StageSolver *solver, View *view, Stage *stage, const double *before, double *x, double *v,
                     StepReport *report, JnMessage *message) {
    size_t n = (size_t)view->system->vertex_count * 3;
    double rate = stage->kappa / stage->lambda, *origin = solver->difference;
    NewtonReport solved;
    place_pins(view, stage);
    /* initial guess: free flight */
    for (size_t i = 0; i < n; ++i) {
        x[i] = !view_is_free(view, i / 3) ? view->prescribed_positions[i] : stage->position[i];
        origin[i] = stage->position[i] - stage->velocity[i] / rate;
    }
    NewtonProblem problem = {.mass = stage->inertia / stage->lambda,
                             .inertia_target = stage->position,
                             .velocity_scale = rate,
                             .velocity_origin = origin,
                             .extra_force = stage->extra,
                             .before = before};
    JnStatus status = newton_solve(solver->newton, view, &problem, newton_step_limits(view), x, &solved, message);
    report->newton_iterations += solved.iterations;
    report->residual = solved.residual;
    velocity_of(view, stage, x, v);
    return status;
}
