#include "integrate/stage.h"

#include "integrate/contact_rounds.h"
#include "integrate/newton.h"

#include "base/status.h"
#include "base/vectors.h"

#include <stdlib.h>
#include <string.h>

struct StageSolver {    /* scratch, [vertex_count * 3] */
    double *force;      /* then the right-hand side, then the increment */
    double *difference; /* position less known, then the increment of pinned vertices */
    double *product;
    double *end_position, *end_velocity; /* what contact adds to the scaled unknowns */
    double *memory;                      /* of these */
    Newton *newton;
    ContactRounds *rounds;
};

JnStatus stage_solver_create(const View *view, StageSolver **out, JnMessage *message) {
    StageSolver *solver = calloc(1, sizeof *solver);
    *out = NULL;
    if (solver) {
        double **vectors[] = {&solver->force, &solver->difference, &solver->product, &solver->end_position,
                              &solver->end_velocity};
        solver->memory =
            vectors_make(vectors, sizeof vectors / sizeof vectors[0], (size_t)view->system->vertex_count * 3);
    }
    JnStatus status = solver && solver->memory ? JN_OK : status_no_memory(message, "the integrator's stages");
    if (status == JN_OK)
        status = newton_create(view, &solver->newton, message);
    if (status == JN_OK)
        status = contact_rounds_create(view, &solver->rounds, message);
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
    contact_rounds_destroy(solver->rounds);
    free(solver);
}

void stage_use_rule(Stage *stage, double c, size_t count) {
    stage->lambda = c * c;
    stage->kappa = c;
    stage->inertia = 1;
    for (size_t i = 0; i < count; ++i)
        stage->position[i] += c * stage->velocity[i];
}

JnStatus stage_begin(View *view, const StageTimes *times, const double *q, const double *v, JnMessage *message) {
    view_set_stage_time(view, times->before, times->time, times->end);
    return view_begin_step(view, &(StepStart){q, v, times->end - times->before, times->within}, message);
}

JnStatus stage_start_force(View *view, const State *state, double *force, JnMessage *message) {
    const StageTimes times = {state->time, state->time, state->time, false};
    JnStatus status = stage_begin(view, &times, state->q, state->v, message);
    return status == JN_OK ? view_force(view, ALL_BUT_CONTACT, state->q, state->v, force, message) : status;
}

JnStatus stage_contact_acceleration(View *view, const double *x, double *acceleration, JnMessage *message) {
    JnStatus status = view_contact(view, x, NULL, acceleration, message);
    return status == JN_OK && view_may_touch(view) ? view_divide_by_mass(view, acceleration, message) : status;
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

/* Tells the view how the step ends, for unknowns that are positions less `origin` (NULL: 0). */
static void set_reach(StageSolver *solver, View *view, const Stage *stage, const double *origin) {
    double rate = stage->kappa / stage->lambda;
    const StageEnd *end = stage->end;
    ContactReach reach = {end ? end->position[0] : 1, end ? end->velocity[0] : rate, stage->strength,
                          stage->calmed_over};
    for (size_t i = 0; i < (size_t)view->system->vertex_count * 3; ++i) {
        double from = origin ? origin[i] : 0;
        solver->end_position[i] = reach.position_scale * from;
        solver->end_velocity[i] = reach.velocity_scale * from;
        if (end) {
            solver->end_position[i] += end->position[1] * end->q_0[i] + end->position[2] * end->v_0[i];
            solver->end_velocity[i] += end->velocity[1] * end->q_0[i] + end->velocity[2] * end->v_0[i];
        } else {
            solver->end_velocity[i] += stage->velocity[i] - rate * stage->position[i];
        }
    }
    view_set_reach(view, &reach, solver->end_position, solver->end_velocity);
}

JnStatus stage_solve_once(StageSolver *solver, View *view, Stage *stage, const double *known, bool keep_factor,
                          double *x, double *v, JnMessage *message) {
    size_t n = (size_t)view->system->vertex_count * 3;
    JacobianScales scales = {stage->inertia / stage->lambda, stage->kappa / stage->lambda, 1, CONTACTS_GIVEN};
    double *increment = x;
    place_pins(view, stage);
    velocity_of(view, stage, known, v);
    set_reach(solver, view, stage, known);
    /* contact is first looked for where free flight ends */
    for (size_t i = 0; i < n; ++i)
        increment[i] = stage->position[i] - known[i];
    JnStatus status = keep_factor ? JN_OK : jacobian_give_contacts(view->jacobian, increment, message);
    if (status == JN_OK && keep_factor) {
        jacobian_keep(view->jacobian, known, v);
        status = view_force(view, ALL_BUT_CONTACT, known, v, solver->force, message);
    } else if (status == JN_OK) {
        status = jacobian_update(view->jacobian, known, v, &scales, view_treatment(view), solver->force, message);
    }
    if (status == JN_OK && keep_factor && (view_may_touch(view) || jacobian_has_contacts(view->jacobian)))
        status = jacobian_renew_contacts(view->jacobian, increment, message);
    if (status != JN_OK)
        return status;
    system_multiply_mass(view->system, increment, solver->product);
    for (size_t i = 0; i < n; ++i)
        solver->force[i] += scales.mass * solver->product[i] + (stage->extra ? stage->extra[i] : 0);
    bool pins_move = find_pin_motion(solver, view, known);
    const LinearStep linear = {solver->force, pins_move ? solver->difference : NULL, false, NULL};
    status = contact_rounds_solve(solver->rounds, view, &linear, increment, message);
    if (status != JN_OK)
        return status;
    for (size_t i = 0; i < n; ++i)
        x[i] = !view_is_free(view, i / 3) ? view->prescribed_positions[i] : known[i] + increment[i];
    velocity_of(view, stage, x, v);
    set_reach(solver, view, stage, NULL);
    return JN_OK;
}

JnStatus stage_solve(StageSolver *solver, View *view, Stage *stage, const double *before, double *x, double *v,
                     StepReport *report, JnMessage *message) {
    size_t n = (size_t)view->system->vertex_count * 3;
    double rate = stage->kappa / stage->lambda, *origin = solver->difference;
    NewtonReport solved;
    place_pins(view, stage);
    set_reach(solver, view, stage, NULL);
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
