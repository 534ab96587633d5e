#include "integrate/system.h"

#include "base/math3.h"
#include "base/os/os.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

void system_free(System *system) {
    for (uint32_t k = 0; k < system->term_count; ++k)
        system->terms[k].destroy(system->terms[k].self);
    free(system->masses);
    free(system->mass_blocks);
    free(system->fixed);
    free(system->coupling);
    block_matrix_free(&system->matrix);
    solver_destroy(system->solver);
    solver_destroy(system->indefinite_solver);
    memset(system, 0, sizeof *system);
}

/* Adds the seconds since *since to contact's or assembly's account. */
static void account(System *system, uint32_t term, double since) {
    double seconds = os_clock_seconds() - since;
    *(term == system->contact_term ? &system->times.contact : &system->times.assembly) += seconds;
}

JnStatus system_begin_step(System *system, const StepStart *start, JnMessage *message) {
    JnStatus status = JN_OK;
    for (uint32_t k = 0; status == JN_OK && k < system->term_count; ++k) {
        if (!system->terms[k].begin_step)
            continue;
        double since = os_clock_seconds();
        status = system->terms[k].begin_step(system->terms[k].self, start, message);
        account(system, k, since);
    }
    return status;
}

static void evaluate_terms(System *system, const Evaluation *evaluation) {
    for (uint32_t k = 0; k < system->term_count; ++k) {
        double since = os_clock_seconds();
        system->terms[k].evaluate(system->terms[k].self, evaluation);
        account(system, k, since);
    }
}

void system_force(System *system, const double *q, const double *v, double *force) {
    memset(force, 0, (size_t)system->vertex_count * 3 * sizeof *force);
    Evaluation evaluation = {.q = q,
                             .v = v,
                             .force = force,
                             .stiffness = system->raw ? STIFFNESS_RAW : STIFFNESS_SAFE,
                             .pool = system->pool};
    evaluate_terms(system, &evaluation);
}

double system_energy(System *system, const double *q) {
    double energy = 0;
    Evaluation evaluation = {.q = q, .energy = &energy, .pool = system->pool};
    evaluate_terms(system, &evaluation);
    return energy;
}

SystemBalance system_force_balance(System *system, const double *q, const double *v, double *force, double *scratch) {
    size_t n = (size_t)system->vertex_count * 3;
    SystemBalance balance = {0, 0};
    memset(force, 0, n * sizeof *force);
    for (uint32_t k = 0; k < system->term_count; ++k) {
        double since = os_clock_seconds(), square = 0;
        Evaluation evaluation = {.q = q,
                                 .v = v,
                                 .energy = &balance.energy,
                                 .force = scratch,
                                 .stiffness = system->raw ? STIFFNESS_RAW : STIFFNESS_SAFE,
                                 .pool = system->pool};
        memset(scratch, 0, n * sizeof *scratch);
        system->terms[k].evaluate(system->terms[k].self, &evaluation);
        for (size_t i = 0; i < n; ++i) {
            force[i] += scratch[i];
            square += scratch[i] * scratch[i];
        }
        balance.magnitude += sqrt(square);
        account(system, k, since);
    }
    return balance;
}

double system_term_energy(System *system, uint32_t index, const double *q) {
    double energy = 0, since = os_clock_seconds();
    Evaluation evaluation = {.q = q, .energy = &energy, .stored_energy = true, .pool = system->pool};
    system->terms[index].evaluate(system->terms[index].self, &evaluation);
    account(system, index, since);
    return energy;
}

double system_kinetic_energy(const System *system, const double *v) {
    double energy = 0;
    if (!system->mass_blocks) {
        for (size_t i = 0; i < system->vertex_count; ++i)
            energy += 0.5 * system->masses[i] * vec3_dot(v + 3 * i, v + 3 * i);
        return energy;
    }
    const BlockMatrix *matrix = &system->matrix;
    for (uint32_t column = 0; column < system->vertex_count; ++column)
        for (uint32_t k = matrix->column_starts[column]; k < matrix->column_starts[column + 1]; ++k) {
            uint32_t row = matrix->rows[k];
            energy += (row == column ? 0.5 : 1) * system->mass_blocks[k] *
                      vec3_dot(v + 3 * (size_t)row, v + 3 * (size_t)column);
        }
    return energy;
}

void system_multiply_mass(const System *system, const double *x, double *y) {
    size_t n = (size_t)system->vertex_count * 3;
    if (!system->mass_blocks) {
        for (size_t i = 0; i < n; ++i)
            y[i] = system->masses[i / 3] * x[i];
        return;
    }
    const BlockMatrix *matrix = &system->matrix;
    memset(y, 0, n * sizeof *y);
    for (size_t column = 0; column < system->vertex_count; ++column)
        for (size_t k = matrix->column_starts[column]; k < matrix->column_starts[column + 1]; ++k) {
            size_t row = matrix->rows[k];
            double mass = system->mass_blocks[k];
            for (size_t i = 0; i < 3; ++i)
                y[3 * row + i] += mass * x[3 * column + i];
            for (size_t i = 0; row != column && i < 3; ++i)
                y[3 * column + i] += mass * x[3 * row + i];
        }
}

bool system_has_potential(const System *system) {
    for (uint32_t k = 0; k < system->term_count; ++k)
        if (!system->terms[k].has_potential)
            return false;
    return true;
}

/* matrix = scale M. */
static void start_with_mass(System *system, double scale) {
    block_matrix_set_zero(&system->matrix);
    for (size_t k = 0; system->mass_blocks && k < system->matrix.block_count; ++k)
        for (size_t i = 0; i < 3; ++i)
            system->matrix.values[9 * k + 4 * i] = scale * system->mass_blocks[k];
    for (size_t v = 0; !system->mass_blocks && v < system->vertex_count; ++v) {
        double *diagonal = system->matrix.values + 9 * (size_t)system->matrix.column_starts[v];
        for (int i = 0; i < 3; ++i)
            diagonal[4 * i] = scale * system->masses[v];
    }
}

uint64_t system_touching(const System *system) {
    uint64_t touching = 0;
    for (uint32_t k = 0; k < system->term_count; ++k)
        if (system->terms[k].touching)
            touching += system->terms[k].touching(system->terms[k].self);
    return touching;
}

void system_assemble(System *system, const double *q, const double *v, const MatrixScales *scales, StiffnessKind kind,
                     double *force) {
    double since = os_clock_seconds();
    if (force)
        memset(force, 0, (size_t)system->vertex_count * 3 * sizeof *force);
    start_with_mass(system, scales->mass);
    system->times.assembly += os_clock_seconds() - since;
    Evaluation evaluation = {.q = q,
                             .v = v,
                             .force = force,
                             .matrix = &system->matrix,
                             .stiffness_scale = scales->stiffness,
                             .damping_scale = scales->damping,
                             .stiffness = kind,
                             .hold_contacts = scales->hold_contacts,
                             .pool = system->pool};
    evaluate_terms(system, &evaluation);
}

/* Assembles the current matrix at `kind` and gives it to the solver. */
static JnStatus take_matrix(System *system, StiffnessKind kind, double *force, bool *positive_definite,
                            JnMessage *message) {
    const double *q = system->current.q;
    system_assemble(system, q, system->current.v, &system->current.scales, kind, force);
    system->current.kind = kind;
    double since = os_clock_seconds();
    JnStatus status;
    /* a raw matrix's signs must be known for sure, and without mass a matrix is too ill-conditioned to iterate on */
    if (system->raw || system->current.scales.mass == 0)
        status = solver_factor(system->solver, &system->matrix, NULL, positive_definite, message);
    else if (system->current.factored)
        status = solver_factor_mixed(system->solver, &system->matrix, NULL, q, positive_definite, message);
    else
        status = solver_update(system->solver, &system->matrix, NULL, q, positive_definite, message);
    system->times.factor += os_clock_seconds() - since;
    if (status == JN_OK && !*positive_definite && kind != STIFFNESS_PROJECTED)
        ++system->projected_count;
    return status;
}

static JnStatus fail_indefinite(const System *system, JnMessage *message) {
    return status_fail(message, JN_ERR_DIVERGED,
                       "the system's matrix is %s, so the motion has diverged: use more steps_per_frame",
                       system->raw ? "singular" : "not positive definite even after projection");
}

/* Factors the raw matrix, whatever the signs of its eigenvalues. */
static JnStatus take_indefinite(System *system, bool *regular, JnMessage *message) {
    JnStatus status = JN_OK;
    double since = os_clock_seconds();
    if (!system->indefinite_solver)
        status = solver_create(&(SolverDesc){&system->matrix, system->fixed, .kind = SOLVER_SYMMETRIC_INDEFINITE},
                               &system->indefinite_solver, message);
    if (status == JN_OK)
        status = solver_factor(system->indefinite_solver, &system->matrix, NULL, regular, message);
    system->times.factor += os_clock_seconds() - since;
    system->current.indefinite = true;
    return status;
}

/* The first matrix that serves, of those that the system may try. */
static JnStatus find_matrix(System *system, const double *q, const double *v, const MatrixScales *scales, bool factored,
                            double *force, JnMessage *message) {
    bool positive_definite;
    if (!system->coupling)
        system->coupling = malloc(((size_t)system->vertex_count * 3 + 1) * sizeof(double));
    if (!system->coupling)
        return status_no_memory(message, "right-hand sides");
    system->current.q = q;
    system->current.v = v;
    system->current.scales = *scales;
    system->current.factored = factored;
    system->current.indefinite = false;
    JnStatus status =
        take_matrix(system, system->raw ? STIFFNESS_RAW : system->first_kind, force, &positive_definite, message);
    if (status == JN_OK && !positive_definite)
        status = system->raw ? take_indefinite(system, &positive_definite, message)
                             : take_matrix(system, STIFFNESS_PROJECTED, force, &positive_definite, message);
    return status == JN_OK && !positive_definite ? fail_indefinite(system, message) : status;
}

JnStatus system_factor(System *system, const double *q, const double *v, const MatrixScales *scales, double *force,
                       JnMessage *message) {
    return find_matrix(system, q, v, scales, true, force, message);
}

JnStatus system_factor_mass(System *system, JnMessage *message) {
    bool positive_definite;
    memset(&system->current, 0, sizeof system->current);
    system->current.scales.mass = 1;
    system->current.kind = STIFFNESS_PROJECTED; /* there is no other to turn to */
    system->current.factored = true;
    start_with_mass(system, 1);
    double since = os_clock_seconds();
    JnStatus status = solver_factor(system->solver, &system->matrix, NULL, &positive_definite, message);
    system->times.factor += os_clock_seconds() - since;
    return status == JN_OK && !positive_definite ? fail_indefinite(system, message) : status;
}

JnStatus system_update(System *system, const double *q, const double *v, const MatrixScales *scales, double *force,
                       JnMessage *message) {
    return find_matrix(system, q, v, scales, false, force, message);
}

void system_keep(System *system, const double *q, const double *v) {
    system->current.q = q;
    system->current.v = v;
}

/* b - matrix pinned; b itself if nothing is pinned. */
static const double *right_hand_side(System *system, const double *b, const double *pinned) {
    size_t n = (size_t)system->vertex_count * 3;
    if (!pinned)
        return b;
    block_matrix_multiply(&system->matrix, pinned, system->coupling);
    for (size_t i = 0; i < n; ++i)
        system->coupling[i] = b[i] - system->coupling[i];
    return system->coupling;
}

/* One attempt with the matrix as it is. */
static JnStatus try_solve(System *system, const double *b, const double *pinned, const double *guess, double *x,
                          bool *positive_definite, JnMessage *message) {
    double since = os_clock_seconds();
    const double *rhs = right_hand_side(system, b, pinned);
    Solver *solver = system->current.indefinite ? system->indefinite_solver : system->solver;
    JnStatus status = solver_solve_near(solver, rhs, guess, x, positive_definite, message);
    system->times.solve += os_clock_seconds() - since;
    return status;
}

JnStatus system_solve_near(System *system, const double *b, const double *pinned, const double *guess, double *x,
                           JnMessage *message) {
    bool positive_definite;
    JnStatus status = try_solve(system, b, pinned, guess, x, &positive_definite, message);
    if (status != JN_OK || positive_definite)
        return status;
    if (!system->raw && system->current.kind != STIFFNESS_PROJECTED) {
        ++system->projected_count;
        status = take_matrix(system, STIFFNESS_PROJECTED, NULL, &positive_definite, message);
        if (status == JN_OK && positive_definite)
            status = try_solve(system, b, pinned, guess, x, &positive_definite, message);
    }
    return status == JN_OK && !positive_definite ? fail_indefinite(system, message) : status;
}

JnStatus system_solve(System *system, const double *b, double *x, JnMessage *message) {
    return system_solve_near(system, b, NULL, NULL, x, message);
}
