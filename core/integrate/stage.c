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
    double *origin;                      /* the positions at which the stage's velocities are 0 */
    double *end_position, *end_velocity; /* what contact adds to the scaled unknowns */
    double *memory;                      /* of these */
    Newton *newton;
    ContactRounds *rounds;
};

JnStatus stage_solver_create(const View *view, StageSolver **out, JnMessage *message) {
    StageSolver *solver = calloc(1, sizeof *solver);
    *out = NULL;
    if (solver) {
        double **vectors[] = {&solver->force,  &solver->difference,   &solver->product,
                              &solver->origin, &solver->end_position, &solver->end_velocity};
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

/* ------------------------------------------------------------------------------------------------ kept modes */

/* NULL: there are none, or none in this step. */
static ModalSplit *active_split(const Stage *stage) {
    return stage->modes && stage->modes->split->modes->used.count > 0 ? stage->modes->split : NULL;
}

/* The force on free vertices that pins exert because they move by solver->difference from the known positions; added.
 */
static void add_pin_force(StageSolver *solver, const View *view, const Stage *stage, const JacobianScales *scales,
                          bool assembled, double *force) {
    const KeptModes *modes = stage->modes->split->modes;
    const BlockMatrix *stiffness = assembled ? &view->jacobian->linear->matrix : &modes->stiffness->linear->matrix;
    double *product = solver->product;
    block_matrix_multiply(stiffness, solver->difference, product);
    for (size_t i = 0; i < modes->n; ++i)
        force[i] -= product[i];
    if (!assembled && modes->state.damped) {
        block_matrix_multiply(&modes->damping->linear->matrix, solver->difference, product);
        for (size_t i = 0; i < modes->n; ++i)
            force[i] -= scales->damping * product[i];
    }
    if (!assembled || !view->system->mass_blocks)
        return;
    system_multiply_mass(view->system, solver->difference, product); /* without inertia */
    for (size_t i = 0; i < modes->n; ++i)
        force[i] += scales->mass * product[i];
}

/* With consistent mass, accelerating pins exert inertial forces on their neighbours: those of their mean acceleration
   from the start of the modes to the stage; added. */
static void add_pin_inertia(StageSolver *solver, const View *view, const StageModes *modes, double *force) {
    double *acceleration = modes->split->work[1];
    for (size_t i = 0; i < modes->split->modes->n; ++i)
        acceleration[i] =
            view_is_free(view, i / 3) ? 0 : (view->prescribed_velocities[i] - modes->v_0[i]) / modes->time;
    system_multiply_mass(view->system, acceleration, solver->product);
    for (size_t i = 0; i < modes->split->modes->n; ++i)
        force[i] -= solver->product[i];
}

/* The start of the modes, for the force of all but contact at the known positions and the velocities v; assembled: the
   matrix in use is at these. */
static JnStatus start_modes(StageSolver *solver, View *view, const Stage *stage, const JacobianScales *scales,
                            const double *known, const double *v, const double *force, bool assembled,
                            JnMessage *message) {
    const StageModes *modes = stage->modes;
    ModalSplit *split = modes->split;
    const KeptUpdate update = {modes->q_0, modes->v_0,  assembled ? scales : NULL,
                               *scales,    modes->step, modes->touching};
    double *start = split->work[3], *later = split->work[2];
    JnStatus status = modal_split_update(split, view, &update, message);
    if (status != JN_OK)
        return status;
    memcpy(later, force, split->modes->n * sizeof *later);
    memcpy(start, modes->start_force ? modes->start_force : force, split->modes->n * sizeof *start);
    if (find_pin_motion(solver, view, known))
        add_pin_force(solver, view, stage, scales, assembled, later);
    if (view->system->mass_blocks) {
        add_pin_inertia(solver, view, modes, start);
        add_pin_inertia(solver, view, modes, later);
    }
    modal_split_start(split, modes->v_0, modes->start_force ? &(ModalForce){start, modes->v_0} : NULL,
                      &(ModalForce){later, v}, modes->time);
    return JN_OK;
}

/* Where the modes are at the stage's time; they start first, if they do in this stage. */
static JnStatus advance_modes(StageSolver *solver, View *view, const Stage *stage, const JacobianScales *scales,
                              const double *known, const double *v, bool assembled, JnMessage *message) {
    const StageModes *modes = stage->modes;
    ModalSplit *split = modes->split;
    JnStatus status = JN_OK;
    if (modes->begins)
        status = start_modes(solver, view, stage, scales, known, v, solver->force, assembled, message);
    if (status != JN_OK)
        return status;
    modal_split_use(split, scales);
    modal_split_advance(split, modes->time);
    for (uint32_t k = 0; k < split->modes->used.count; ++k)
        split->stiffness[k] = stage->strength / split->motion[k].displacement;
    return JN_OK;
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

/* The targets of the modes, for unknowns that are positions less `known`, and the right-hand side of the others. v: the
   velocities of the stage at `known`. */
static JnStatus split_once(StageSolver *solver, View *view, const Stage *stage, const JacobianScales *scales,
                           const double *known, const double *v, JnMessage *message) {
    ModalSplit *split = stage->modes->split;
    double *way = split->work[1];
    JnStatus status = advance_modes(solver, view, stage, scales, known, v, true, message);
    if (status != JN_OK)
        return status;
    for (size_t i = 0; i < split->modes->n; ++i)
        way[i] = known[i] - stage->modes->q_0[i];
    mode_set_coordinates(&split->modes->used, way, split->target);
    mode_set_coordinates(&split->modes->used, v, split->m);
    for (uint32_t k = 0; k < split->modes->used.count; ++k) {
        split->target[k] = split->moved[k] - split->target[k];
        /* damping as at the velocities that the modes will have, or as if they had none */
        split->m[k] += scales->damping * split->target[k] - (split->modes->damp_all ? split->velocity[k] : 0);
    }
    modal_split_add_damping(split, split->m, solver->force);
    set_reach(solver, view, stage, known);
    return JN_OK;
}

/* Targets for unknowns that are positions, from those for positions less `known`. */
static void use_positions(ModalSplit *split, const double *known) {
    mode_set_coordinates(&split->modes->used, known, split->m);
    for (uint32_t k = 0; k < split->modes->used.count; ++k)
        split->target[k] += split->m[k];
}

/* The same for Newton's method, whose unknowns are positions: from x and `origin`, the positions at rest. */
static JnStatus split_fully(StageSolver *solver, View *view, const Stage *stage, const JacobianScales *scales,
                            double *x, double *v, double *origin, JnMessage *message) {
    const StageModes *modes = stage->modes;
    ModalSplit *split = modes->split;
    JnStatus status = JN_OK;
    velocity_of(view, stage, modes->q_0, v);
    if (modes->begins)
        status = view_force(view, ALL_BUT_CONTACT, modes->q_0, v, solver->force, message);
    if (status == JN_OK)
        status = advance_modes(solver, view, stage, scales, modes->q_0, v, false, message);
    if (status != JN_OK)
        return status;
    for (uint32_t k = 0; k < split->modes->used.count; ++k)
        split->target[k] = split->moved[k];
    use_positions(split, modes->q_0);
    modal_split_place(split, split->target, x);
    for (uint32_t k = 0; k < split->modes->used.count; ++k)
        split->place[k] = split->target[k] - (split->modes->damp_all ? split->velocity[k] / scales->damping : 0);
    modal_split_place(split, split->place, origin);
    set_reach(solver, view, stage, NULL);
    return JN_OK;
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
    if (stage->modes)
        status = split_once(solver, view, stage, &scales, known, v, message);
    if (status != JN_OK)
        return status;
    system_multiply_mass(view->system, increment, solver->product);
    for (size_t i = 0; i < n; ++i)
        solver->force[i] += scales.mass * solver->product[i] + (stage->extra ? stage->extra[i] : 0);
    bool pins_move = find_pin_motion(solver, view, known);
    const LinearStep linear = {
        .b = solver->force, .known = pins_move ? solver->difference : NULL, .split = active_split(stage)};
    status = contact_rounds_solve(solver->rounds, view, &linear, increment, message);
    if (status != JN_OK)
        return status;
    if (stage->modes)
        modal_split_answer(stage->modes->split, increment, stage->strength);
    for (size_t i = 0; i < n; ++i)
        x[i] = !view_is_free(view, i / 3) ? view->prescribed_positions[i] : known[i] + increment[i];
    velocity_of(view, stage, x, v);
    if (stage->modes)
        use_positions(stage->modes->split, known);
    set_reach(solver, view, stage, NULL);
    if (stage->modes)
        modal_split_place(stage->modes->split, stage->modes->split->velocity, v);
    return JN_OK;
}

JnStatus stage_solve(StageSolver *solver, View *view, Stage *stage, const double *before, double *x, double *v,
                     StepReport *report, JnMessage *message) {
    size_t n = (size_t)view->system->vertex_count * 3;
    double rate = stage->kappa / stage->lambda, *origin = solver->origin;
    const JacobianScales scales = {stage->inertia / stage->lambda, rate, 1, CONTACTS_GIVEN};
    NewtonReport solved = {0};
    JnStatus status = JN_OK;
    place_pins(view, stage);
    if (!stage->modes)
        set_reach(solver, view, stage, NULL);
    /* initial guess: free flight */
    for (size_t i = 0; i < n; ++i) {
        x[i] = !view_is_free(view, i / 3) ? view->prescribed_positions[i] : stage->position[i];
        origin[i] = stage->position[i] - stage->velocity[i] / rate;
    }
    if (stage->modes)
        status = split_fully(solver, view, stage, &scales, x, v, origin, message);
    if (status != JN_OK)
        return status;
    NewtonProblem problem = {.mass = stage->inertia / stage->lambda,
                             .inertia_target = stage->position,
                             .velocity_scale = rate,
                             .velocity_origin = origin,
                             .extra_force = stage->extra,
                             .before = before,
                             .split = active_split(stage)};
    status = newton_solve(solver->newton, view, &problem, newton_step_limits(view), x, &solved, message);
    report->newton_iterations += solved.iterations;
    report->residual = solved.residual;
    velocity_of(view, stage, x, v);
    if (stage->modes) {
        modal_split_answer(stage->modes->split, x, stage->strength);
        modal_split_place(stage->modes->split, stage->modes->split->velocity, v);
    }
    return status;
}
