#include "linear/solver_parts.h"

#include "base/status.h"
#include "linear/conjugate_gradients.h"
#include "linear/vertex_rotations.h"

#include <stdlib.h>
#include <string.h>

const double SOLVER_TOLERANCE = 1e-8, SOLVER_ROUGH_PART = 0.0003;

static JnStatus no_memory(JnMessage *message) {
    return status_no_memory(message, "right-hand sides");
}

static JnStatus no_factor(JnMessage *message) {
    return status_fail(message, JN_ERR_ORDER, "the linear solver has no factor to solve with");
}

static JnStatus solve_by_lu(Solver *solver, const double *b, double *x, uint32_t count, JnMessage *message) {
    size_t full = (size_t)solver->unknowns.vertex_count * 3;
    if (!lu_has_factor(solver->lu))
        return no_factor(message);
    JnStatus status = JN_OK;
    for (size_t k = 0; k < count && status == JN_OK; ++k) {
        free_unknowns_gather(&solver->unknowns, b + k * full, solver->b);
        status = lu_solve(solver->lu, solver->b, solver->x, message);
        if (status == JN_OK)
            free_unknowns_scatter(&solver->unknowns, solver->x, x + k * full);
    }
    return status;
}

static JnStatus solve_by_factor(Solver *solver, const double *b, double *x, uint32_t count, JnMessage *message) {
    size_t full = (size_t)solver->unknowns.vertex_count * 3, packed = (size_t)solver->unknowns.count * 3;
    if (!solver->has_system)
        return no_factor(message);
    double *rhs = cholesky_right_hand_sides(solver->cholesky, count);
    if (!rhs)
        return no_memory(message);
    for (uint32_t k = 0; k < count; ++k)
        free_unknowns_gather(&solver->unknowns, b + k * full, rhs + k * packed);
    const double *solved = cholesky_solve(solver->cholesky);
    if (!solved)
        return no_memory(message);
    for (uint32_t k = 0; k < count; ++k)
        free_unknowns_scatter(&solver->unknowns, solved + k * packed, x + k * full);
    reuse_count_solve(&solver->state.counts, &solver->costs);
    return JN_OK;
}

/* By conjugate gradients with the factor, for the matrix in use. */
static CgOutcome iterate_with_factor(Solver *solver, CgProblem *problem, uint32_t *iterations) {
    problem->preconditioner = solver->cholesky;
    problem->rotations = solver->turned ? solver->rotations : NULL;
    problem->most_iterations =
        reuse_most_iterations(&solver->costs, solver->own_factor ? solver->costs.factor : solver_factor_cost(solver));
    CgOutcome outcome = conjugate_gradients(problem, solver->x, iterations);
    reuse_count_iterations(&solver->state.counts, &solver->costs, *iterations);
    if (solver->own_factor && (outcome == CG_CONVERGED || outcome == CG_ROUGH))
        retry_succeeded(&solver->state.single_retry);
    return outcome;
}

static CgOutcome iterate_with_sweeps(Solver *solver, CgProblem *problem, uint32_t *iterations) {
    SweepCounts *counts = &solver->state.sweeps;
    Sweeps sweeps = {solver->matrix, &solver->unknowns, solver->inverses};
    if (!sweeps_prepare(&sweeps, solver->pairs))
        return CG_INDEFINITE;
    problem->sweeps = &sweeps;
    problem->most_iterations = sweeps_most_iterations(counts, &solver->costs);
    CgOutcome outcome = conjugate_gradients(problem, solver->x, iterations);
    sweeps_count_iterations(counts, &solver->costs, *iterations, outcome == CG_TOO_SLOW);
    return outcome;
}

static CgOutcome iterate(Solver *solver, const double *b, const double *guess, bool roughly) {
    size_t n = (size_t)solver->unknowns.count * 3;
    uint32_t iterations = 0;
    free_unknowns_gather(&solver->unknowns, b, solver->b);
    if (guess)
        free_unknowns_gather(&solver->unknowns, guess, solver->x);
    else
        memset(solver->x, 0, n * sizeof *solver->x);
    CgProblem problem = {.matrix = solver->matrix,
                         .pairs = solver->pairs,
                         .unknowns = &solver->unknowns,
                         .translations = &solver->translation_correction,
                         .b = solver->b,
                         .tolerance = SOLVER_TOLERANCE,
                         .enough = roughly ? SOLVER_ROUGH_PART : 0,
                         .scratch = solver->iteration_scratch};
    CgOutcome outcome = solver->state.sweeps.in_use ? iterate_with_sweeps(solver, &problem, &iterations)
                                                    : iterate_with_factor(solver, &problem, &iterations);
    solver->report.iteration_count += iterations;
    return outcome;
}

JnStatus solver_solve_near(Solver *solver, const double *b, const double *guess, double *x, bool *positive_definite,
                           bool *rough, JnMessage *message) {
    *positive_definite = true;
    if (rough)
        *rough = false;
    if (solver->lu)
        return solve_by_lu(solver, b, x, 1, message);
    if (!solver->cholesky) {
        memset(x, 0, (size_t)solver->unknowns.vertex_count * 3 * sizeof *x);
        return JN_OK;
    }
    if (!solver->matrix)
        return solve_by_factor(solver, b, x, 1, message);
    JnStatus status = JN_OK;
    CgOutcome outcome = iterate(solver, b, guess, rough != NULL);
    switch (outcome) {
    case CG_CONVERGED:
    case CG_ROUGH:
        if (rough)
            *rough = outcome == CG_ROUGH;
        free_unknowns_scatter(&solver->unknowns, solver->x, x);
        return JN_OK;
    case CG_NO_MEMORY:
        return no_memory(message);
    case CG_INDEFINITE:
        *positive_definite = false;
        return JN_OK;
    case CG_TOO_SLOW:
        status = solver_factor_after_all(solver, positive_definite, message);
        break;
    }
    return status == JN_OK && *positive_definite
               ? solver_solve_near(solver, b, guess, x, positive_definite, rough, message)
               : status;
}

JnStatus solver_solve(Solver *solver, const double *b, double *x, uint32_t count, JnMessage *message) {
    size_t full = (size_t)solver->unknowns.vertex_count * 3;
    if (solver->lu)
        return solve_by_lu(solver, b, x, count, message);
    if (solver->cholesky && !solver->matrix)
        return solve_by_factor(solver, b, x, count, message);
    JnStatus status = JN_OK;
    bool positive_definite = true;
    for (size_t k = 0; k < count && status == JN_OK; ++k) {
        status = solver_solve_near(solver, b + k * full, NULL, x + k * full, &positive_definite, NULL, message);
        if (status == JN_OK && !positive_definite)
            status = status_fail(message, JN_ERR_DIVERGED, "a matrix that should be solved is not positive definite");
    }
    return status;
}

bool solver_has_factor(const Solver *solver) {
    return solver->cholesky && solver->has_system && !(solver->matrix && solver->state.sweeps.in_use);
}

JnStatus solver_precondition(Solver *solver, const double *b, double *x, uint32_t count, JnMessage *message) {
    size_t full = (size_t)solver->unknowns.vertex_count * 3, packed = (size_t)solver->unknowns.count * 3;
    if (!solver_has_factor(solver))
        return no_factor(message);
    const double *rotations = solver->matrix && solver->turned ? solver->rotations : NULL;
    double *r = calloc(2 * packed * count + 1, sizeof *r), *z = r + packed * count;
    if (!r)
        return no_memory(message);
    for (uint32_t k = 0; k < count; ++k) {
        free_unknowns_gather(&solver->unknowns, b + k * full, r + k * packed);
        if (rotations)
            vertex_rotations_apply_transposed(rotations, solver->unknowns.count, r + k * packed, r + k * packed);
    }
    bool done = cholesky_precondition_many(solver->cholesky, r, z, count);
    for (uint32_t k = 0; done && k < count; ++k) {
        if (rotations)
            vertex_rotations_apply(rotations, solver->unknowns.count, z + k * packed, z + k * packed);
        free_unknowns_scatter(&solver->unknowns, z + k * packed, x + k * full);
    }
    free(r);
    return done ? JN_OK : no_memory(message);
}
