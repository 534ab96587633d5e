#include "system/view_internal.h"

#include "base/os/os.h"
#include "base/status.h"
#include "linear/solver.h"
#include "system/jacobian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ begin, end */

static JnStatus create_lags(View *view, JnMessage *message) {
    for (uint32_t k = 0; k < view->system->term_count; ++k) {
        const ForceTerm *term = &view->system->terms[k];
        if (!term->operations->lag_create)
            continue;
        view->lags[k] = term->operations->lag_create(term->self);
        if (!view->lags[k])
            return status_no_memory(message, "what a time step holds fixed");
    }
    return JN_OK;
}

static bool solves_elsewhere(const View *view) {
    for (uint32_t v = 0; v < view->system->vertex_count; ++v)
        if (view->roles[v] == VERTEX_ELSEWHERE)
            return true;
    return false;
}

/* Allocates the motion of vertices that are solved elsewhere, if there are any, and of the pinned ones beside them. */
static bool prepare_prescribed(View *view) {
    size_t n = (size_t)view->system->vertex_count * 3 + 1;
    view->prescribed_positions = view->moment.targets;
    view->prescribed_velocities = view->moment.target_velocities;
    if (!solves_elsewhere(view))
        return true;
    view->prescribed_positions = view->elsewhere_positions = calloc(n, sizeof(double));
    view->prescribed_velocities = view->elsewhere_velocities = calloc(n, sizeof(double));
    return view->elsewhere_positions && view->elsewhere_velocities;
}

JnStatus view_create(const ViewDesc *desc, View **out, JnMessage *message) {
    System *system = desc->system;
    View *view = calloc(1, sizeof *view);
    *out = NULL;
    if (!view)
        return status_no_memory(message, "a view of the system");
    *view = (View){.system = system,
                   .stiffness = desc->stiffness,
                   .term_roles = desc->term_roles ? desc->term_roles : ALL_TERM_ROLES,
                   .subset = desc->subset,
                   .elsewhere = desc->elsewhere,
                   .elsewhere_owner = desc->elsewhere_owner,
                   .roles = calloc((size_t)system->vertex_count + 1, 1)};
    ++system->view_count;
    JnStatus status = view->roles ? JN_OK : status_no_memory(message, "a view of the system");
    if (status == JN_OK && desc->roles)
        memcpy(view->roles, desc->roles, system->vertex_count);
    if (status == JN_OK)
        status = system->world.create_moment(system->world.owner, &view->moment, message);
    if (status == JN_OK && !(prepare_prescribed(view) && view_prepare_reach(view)))
        status = status_no_memory(message, "a view of the system");
    if (status == JN_OK)
        status = create_lags(view, message);
    if (status != JN_OK) {
        view_destroy(view);
        return status;
    }
    system_number_moment(system, &view->moment);
    *out = view;
    return JN_OK;
}

void view_destroy(View *view) {
    if (!view)
        return;
    for (uint32_t k = 0; k < view->system->term_count; ++k)
        if (view->system->terms[k].operations->lag_destroy)
            view->system->terms[k].operations->lag_destroy(view->lags[k]);
    view->system->world.free_moment(view->system->world.owner, &view->moment);
    jacobian_destroy(view->jacobian);
    solver_destroy(view->mass_solver);
    free(view->end_position_offset);
    free(view->elsewhere_positions);
    free(view->elsewhere_velocities);
    free(view->roles);
    --view->system->view_count;
    free(view);
}

/* ------------------------------------------------------------------------------------------------ time */

static void prescribe(View *view) {
    const Moment *moment = &view->moment;
    if (!view->elsewhere_positions)
        return;
    for (size_t i = 0; i < (size_t)view->system->vertex_count * 3; ++i)
        if (view->roles[i / 3] == VERTEX_PINNED) {
            view->elsewhere_positions[i] = moment->targets[i];
            view->elsewhere_velocities[i] = moment->target_velocities[i];
        }
    if (view->elsewhere)
        view->elsewhere(view->elsewhere_owner, moment, view->elsewhere_positions, view->elsewhere_velocities);
}

static void moment_changed(View *view) {
    system_number_moment(view->system, &view->moment);
    system_set_moment(view->system, &view->moment);
    prescribe(view);
}

void view_clear_fixed(const View *view, double *x) {
    for (size_t v = 0; v < view->system->vertex_count; ++v)
        if (!view_is_free(view, v))
            x[3 * v] = x[3 * v + 1] = x[3 * v + 2] = 0;
}

void view_set_time(View *view, double time_before, double time) {
    System *system = view->system;
    view->moment.time_before = time_before;
    view->moment.time = time;
    system->world.fill(system->world.owner, time_before, time, &view->moment);
    moment_changed(view);
}

void view_set_stage_time(View *view, double time_before, double time, double end) {
    const World *world = &view->system->world;
    view_set_time(view, time_before, time);
    if (end == time || !world->place_colliders)
        return;
    world->place_colliders(world->owner, time_before, end, &view->moment);
    moment_changed(view);
}

void view_set_load_part(View *view, double part) {
    view->moment.load_part = part;
    moment_changed(view);
}

/* Vertices that are solved elsewhere and have no motion of their own stay where the step starts. */
static void stay_at_start(View *view, const double *q) {
    for (size_t i = 0; i < (size_t)view->system->vertex_count * 3; ++i)
        if (view->roles[i / 3] == VERTEX_ELSEWHERE) {
            view->elsewhere_positions[i] = q[i];
            view->elsewhere_velocities[i] = 0;
        }
}

/* ------------------------------------------------------------------------------------------------ terms */

bool view_term_acts(const View *view, uint32_t term) {
    return view->term_roles & TERM_ROLE_BIT(view->system->terms[term].operations->role);
}

void view_account(System *system, uint32_t term, double since) {
    double seconds = os_clock_seconds() - since;
    *(system->terms[term].operations->role == TERM_CONTACT ? &system->times.contact : &system->times.assembly) +=
        seconds;
}

StepScope view_scope(const View *view) {
    return (StepScope){&view->moment, view->subset, view->roles, view->system->pool};
}

JnStatus view_begin_step(View *view, const StepStart *start, JnMessage *message) {
    System *system = view->system;
    const StepScope scope = view_scope(view);
    JnStatus status = JN_OK;
    system_set_moment(system, &view->moment);
    view->has_reach = false;
    if (view->elsewhere_positions && !view->elsewhere)
        stay_at_start(view, start->q);
    for (uint32_t k = 0; status == JN_OK && k < system->term_count; ++k) {
        const ForceTerm *term = &system->terms[k];
        if (!term->operations->begin_step || !view_term_acts(view, k))
            continue;
        double since = os_clock_seconds();
        status = term->operations->begin_step(term->self, view->lags[k], &scope, start, message);
        view_account(system, k, since);
    }
    return status;
}

JnStatus view_evaluate_term(View *view, uint32_t k, Evaluation evaluation, JnMessage *message) {
    System *system = view->system;
    const ForceTerm *term = &system->terms[k];
    double since = os_clock_seconds();
    evaluation.moment = &view->moment;
    evaluation.subset = view->subset;
    evaluation.pool = system->pool;
    if (term->operations->role == TERM_CONTACT)
        view_reach_end(view, &evaluation);
    JnStatus status = term->operations->evaluate(term->self, view->lags[k], &evaluation, message);
    view_account(system, k, since);
    return status;
}

JnStatus view_evaluate(View *view, uint32_t term_roles, Evaluation evaluation, JnMessage *message) {
    JnStatus status = JN_OK;
    system_set_moment(view->system, &view->moment);
    for (uint32_t k = 0; status == JN_OK && k < view->system->term_count; ++k)
        if (view_term_acts(view, k) && (term_roles & TERM_ROLE_BIT(view->system->terms[k].operations->role)))
            status = view_evaluate_term(view, k, evaluation, message);
    return status;
}

JnStatus view_force(View *view, uint32_t term_roles, const double *q, const double *v, double *force,
                    JnMessage *message) {
    memset(force, 0, (size_t)view->system->vertex_count * 3 * sizeof *force);
    return view_evaluate(view, term_roles, (Evaluation){.q = q, .v = v, .force = force, .stiffness = view->stiffness},
                         message);
}

JnStatus view_force_balance(View *view, const double *q, const double *v, double *force, double *scratch,
                            ForceBalance *balance, JnMessage *message) {
    size_t n = (size_t)view->system->vertex_count * 3;
    JnStatus status = JN_OK;
    *balance = (ForceBalance){0, 0};
    memset(force, 0, n * sizeof *force);
    system_set_moment(view->system, &view->moment);
    for (uint32_t k = 0; status == JN_OK && k < view->system->term_count; ++k) {
        if (!view_term_acts(view, k))
            continue;
        double square = 0;
        memset(scratch, 0, n * sizeof *scratch);
        status = view_evaluate_term(
            view, k,
            (Evaluation){.q = q, .v = v, .energy = &balance->energy, .force = scratch, .stiffness = view->stiffness},
            message);
        for (size_t i = 0; i < n; ++i) {
            force[i] += scratch[i];
            square += scratch[i] * scratch[i];
        }
        balance->magnitude += sqrt(square);
    }
    return status;
}

void view_holding(const View *view, double *stiffness) {
    const System *system = view->system;
    for (uint32_t v = 0; v < system->vertex_count; ++v)
        stiffness[v] = view->moment.goal_stiffness ? view->moment.goal_stiffness[v] : 0;
    for (uint32_t k = 0; k < system->term_count; ++k)
        if (system->terms[k].operations->add_holding)
            system->terms[k].operations->add_holding(system->terms[k].self, view->lags[k], stiffness);
}

JnStatus view_stored_energy(View *view, uint32_t term_roles, const double *q, double *energy, JnMessage *message) {
    JnStatus status = JN_OK;
    bool has_reach = view->has_reach;
    *energy = 0;
    view->has_reach = false;
    system_set_moment(view->system, &view->moment);
    for (uint32_t k = 0; status == JN_OK && k < view->system->term_count; ++k) {
        double stored = 0;
        if (!view_term_acts(view, k) || !(term_roles & TERM_ROLE_BIT(view->system->terms[k].operations->role)))
            continue;
        status = view_evaluate_term(view, k, (Evaluation){.q = q, .energy = &stored, .stored_energy = true}, message);
        *energy += stored;
    }
    view->has_reach = has_reach;
    return status;
}

bool view_has_potential(const View *view) {
    for (uint32_t k = 0; k < view->system->term_count; ++k)
        if (view_term_acts(view, k) && !view->system->terms[k].operations->has_potential)
            return false;
    return true;
}

bool view_follow_turns(const View *view, TurnKind kind, const double *q0, double *q1) {
    bool moved = false;
    for (uint32_t k = 0; k < view->system->term_count; ++k) {
        const ForceTerm *term = &view->system->terms[k];
        if (term->operations->follow_turns && view_term_acts(view, k))
            moved |= term->operations->follow_turns(term->self, view->roles, kind, q0, q1);
    }
    return moved;
}

bool view_has_turns(const View *view) {
    bool any = false;
    for (uint32_t k = 0; k < view->system->term_count; ++k)
        any |= view->system->terms[k].operations->follow_turns && view_term_acts(view, k);
    return any;
}

bool view_archive(View *view, Archive *archive) {
    for (uint32_t k = 0; k < view->system->term_count; ++k) {
        const TermOperations *operations = view->system->terms[k].operations;
        if (operations->lag_archive && !operations->lag_archive(view->lags[k], archive))
            return false;
    }
    return true;
}

bool view_step_archive(View *view, Archive *archive) {
    for (uint32_t k = 0; k < view->system->term_count; ++k) {
        const TermOperations *operations = view->system->terms[k].operations;
        if (operations->step_archive && !operations->step_archive(view->lags[k], archive))
            return false;
    }
    return true;
}

bool view_retry_archive(View *view, Archive *archive) {
    for (uint32_t k = 0; k < view->system->term_count; ++k) {
        const TermOperations *operations = view->system->terms[k].operations;
        if (operations->retry_archive && !operations->retry_archive(view->lags[k], archive))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ mass */

static JnStatus make_mass_solver(View *view, JnMessage *message) {
    const System *system = view->system;
    BlockMatrix mass;
    bool positive_definite = false;
    JnStatus status = block_matrix_share_pattern(&system->pattern, &mass, message);
    if (status == JN_OK)
        status = solver_create(&(SolverDesc){.pattern = &system->pattern, .fixed = view->roles}, &view->mass_solver,
                               message);
    if (status == JN_OK) {
        system_write_mass(system, 1, &mass);
        status = solver_factor(view->mass_solver, &mass, NULL, &positive_definite, message);
    }
    if (status == JN_OK && !positive_definite)
        status = status_fail(message, JN_ERR_MESH, "the consistent mass is not positive definite: remesh");
    block_matrix_free(&mass);
    if (status != JN_OK) {
        solver_destroy(view->mass_solver);
        view->mass_solver = NULL;
    }
    return status;
}

JnStatus view_divide_by_mass(View *view, double *x, JnMessage *message) {
    const System *system = view->system;
    if (!system->mass_blocks) {
        for (size_t i = 0; i < (size_t)system->vertex_count * 3; ++i)
            x[i] = view_is_free(view, i / 3) ? x[i] / system->masses[i / 3] : 0;
        return JN_OK;
    }
    JnStatus status = view->mass_solver ? JN_OK : make_mass_solver(view, message);
    return status == JN_OK ? solver_solve(view->mass_solver, x, x, 1, message) : status;
}
