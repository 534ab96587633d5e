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

JnStatus stage_solver_create(const System *system, StageSolver **out, JnMessage *message) {
    StageSolver *solver = calloc(1, sizeof *solver);
    *out = NULL;
    if (solver) {
        double **vectors[] = {&solver->force, &solver->difference, &solver->product};
        solver->memory = vectors_make(vectors, sizeof vectors / sizeof vectors[0], (size_t)system->vertex_count * 3);
    }
    JnStatus status = solver && solver->memory ? JN_OK : status_no_memory(message, "the integrator's stages");
    if (status == JN_OK)
        status = newton_create(system, &solver->newton, message);
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

JnStatus stage_begin(System *system, double time_before, double time, const double *q, const double *v,
                     JnMessage *message) {
    system->set_time(system->owner, time_before, time);
    return system_begin_step(system, &(StepStart){q, v, time - time_before}, message);
}

JnStatus stage_start_force(System *system, const State *state, double *force, JnMessage *message) {
    JnStatus status = stage_begin(system, state->time, state->time, state->q, state->v, message);
    if (status == JN_OK)
        system_force(system, state->q, state->v, force);
    return status;
}

/* x = position + lambda a and v = velocity + kappa a hold with x and v of the targets. */
static void place_pins(const System *system, Stage *stage) {
    for (size_t i = 0; i < (size_t)system->vertex_count * 3; ++i)
        if (system->fixed[i / 3])
            stage->position[i] = system->pin_targets[i] -
                                 stage->lambda / stage->kappa * (system->pin_velocities[i] - stage->velocity[i]);
}

static void velocity_of(const System *system, const Stage *stage, const double *x, double *v) {
    double rate = stage->kappa / stage->lambda;
    for (size_t i = 0; i < (size_t)system->vertex_count * 3; ++i)
        v[i] = stage->velocity[i] + rate * (x[i] - stage->position[i]);
}

/* difference = the prescribed motion of pinned vertices from `known`, 0 elsewhere. Returns whether any of them moves.
 */
static bool find_pin_motion(StageSolver *solver, const System *system, const double *known) {
    bool moves = false;
    for (size_t i = 0; i < (size_t)system->vertex_count * 3; ++i) {
        solver->difference[i] = system->fixed[i / 3] ? system->pin_targets[i] - known[i] : 0;
        moves |= solver->difference[i] != 0;
    }
    return moves;
}

JnStatus stage_solve_once(StageSolver *solver, System *system, Stage *stage, const double *known, bool keep_factor,
                          double *x, double *v, JnMessage *message) {
    size_t n = (size_t)system->vertex_count * 3;
    MatrixScales scales = {stage->inertia / stage->lambda, stage->kappa / stage->lambda, 1, true};
    JnStatus status = JN_OK;
    place_pins(system, stage);
    velocity_of(system, stage, known, v);
    if (keep_factor) {
        system_keep(system, known, v);
        system_force(system, known, v, solver->force);
    } else {
        status = system_update(system, known, v, &scales, solver->force, message);
    }
    if (status != JN_OK)
        return status;
    for (size_t i = 0; i < n; ++i)
        solver->difference[i] = stage->position[i] - known[i];
    system_multiply_mass(system, solver->difference, solver->product);
    for (size_t i = 0; i < n; ++i)
        solver->force[i] += scales.mass * solver->product[i] + (stage->extra ? stage->extra[i] : 0);
    bool pins_move = find_pin_motion(solver, system, known);
    status =
        system_solve_near(system, solver->force, pins_move ? solver->difference : NULL, NULL, solver->force, message);
    if (status != JN_OK)
        return status;
    for (size_t i = 0; i < n; ++i)
        x[i] = system->fixed[i / 3] ? system->pin_targets[i] : known[i] + solver->force[i];
    velocity_of(system, stage, x, v);
    return JN_OK;
}

JnStatus stage_solve(StageSolver *solver, System *system, Stage *stage, const double *before, double *x, double *v,
                     StepReport *report, JnMessage *message) {
    size_t n = (size_t)system->vertex_count * 3;
    double rate = stage->kappa / stage->lambda, *origin = solver->difference;
    NewtonReport solved;
    place_pins(system, stage);
    /* the search begins where the bodies would fly freely */
    for (size_t i = 0; i < n; ++i) {
        x[i] = system->fixed[i / 3] ? system->pin_targets[i] : stage->position[i];
        origin[i] = stage->position[i] - stage->velocity[i] / rate;
    }
    NewtonProblem problem = {.mass = stage->inertia / stage->lambda,
                             .inertia_target = stage->position,
                             .position_weight = 1,
                             .velocity_scale = rate,
                             .velocity_origin = origin,
                             .extra_force = stage->extra,
                             .before = before};
    JnStatus status = newton_solve(solver->newton, system, &problem, newton_step_limits(system), x, &solved, message);
    report->newton_iterations += solved.iterations;
    report->residual = solved.residual;
    velocity_of(system, stage, x, v);
    return status;
}
