/* The choice between a new factor and the last one, and what it must remember. */
#include "linear/solver.h"

#include "base/status.h"
#include "linear/conjugate_gradients.h"
#include "linear/lu.h"
#include "linear/reuse.h"
#include "linear/vertex_rotations.h"

#include <stdlib.h>
#include <string.h>

const double SOLVER_TOLERANCE = 1e-8;

/* All that decides the next solves, beside what the factor was made of. */
typedef struct SolverState { /* saved and loaded as it is */
    ReuseCounts counts;
    uint64_t factored;      /* which factorization the factor is of; 0: there is none */
    uint32_t has_positions; /* 1: of that matrix */
    uint32_t is_single;     /* 1: it is in single precision */
    Retry single_retry;     /* of attempts to factor so */
} SolverState;

struct Solver {
    FreeUnknowns unknowns;
    TranslationCorrection translations;
    Cholesky *cholesky; /* of positive definite matrices */
    Lu *lu;             /* of others; neither if every vertex is fixed */
    ReuseCosts costs;
    bool reuse_allowed;

    SolverState state;
    double *origin; /* [origin_count] what the factor was made of: the matrix's values, then the positions */
    size_t value_count, origin_count;
    bool factor_outdated;      /* the factor is not of `origin`, which came back or was loaded */
    uint64_t factor_number;    /* given last */
    const BlockMatrix *matrix; /* to iterate on; NULL: the factor is the matrix's own, in double precision */
    const double *positions;   /* of that matrix, or NULL */
    bool own_factor;           /* the factor is of the matrix to iterate on */
    bool turned;               /* the iterations turn the factor by `rotations` */

    SolverState held;
    double *held_origin; /* of held.factored if it moved there, to make room for a new one; else spare */
    bool held_moved;

    double *rotations, *rotation_scratch, *iteration_scratch, *b, *x; /* in one allocation at `rotations` */
    SolverReport report;
};

/* Everything that depends on how large the system is. */
static JnStatus allocate(Solver *solver, const BlockMatrix *matrix, JnMessage *message) {
    size_t n = (size_t)solver->unknowns.count * 3, turns = vertex_rotations_scratch(matrix);
    size_t iterations = conjugate_gradients_scratch(&solver->unknowns), scratch = 5 * n + turns + iterations;
    solver->value_count = cholesky_value_count(solver->cholesky);
    solver->origin_count = solver->value_count + (size_t)matrix->vertex_count * 3;
    solver->origin = malloc(solver->origin_count * sizeof(double));
    solver->held_origin = malloc(solver->origin_count * sizeof(double));
    solver->rotations = malloc(scratch * sizeof(double));
    if (!solver->origin || !solver->held_origin || !solver->rotations)
        return status_no_memory(message, "the linear solver");
    solver->rotation_scratch = solver->rotations + 3 * n;
    solver->iteration_scratch = solver->rotation_scratch + turns;
    solver->b = solver->iteration_scratch + iterations;
    solver->x = solver->b + n;
    solver->report.bytes = (double)(2 * solver->origin_count + scratch) * sizeof(double);
    return JN_OK;
}

/* The Cholesky and all that goes with reusing it. */
static JnStatus prepare_cholesky(Solver *solver, const BlockMatrix *matrix, JnMessage *message) {
    if (!translation_correction_build(matrix, &solver->unknowns, &solver->translations))
        return status_no_memory(message, "the linear solver");
    JnStatus status = cholesky_create(matrix, &solver->unknowns, &solver->cholesky, message);
    if (status == JN_OK)
        status = allocate(solver, matrix, message);
    if (status != JN_OK)
        return status;
    CholeskyReport cholesky;
    cholesky_report(solver->cholesky, &cholesky);
    solver->report.factor_flops = cholesky.factor_flops;
    solver->report.ordering = cholesky.ordering;
    solver->costs = reuse_costs(cholesky.factor_flops, cholesky.factor_entries,
                                solver->unknowns.block_starts[solver->unknowns.count]);
    return JN_OK;
}

static JnStatus prepare_lu(Solver *solver, const BlockMatrix *matrix, bool symmetric, JnMessage *message) {
    size_t n = (size_t)solver->unknowns.count * 3;
    solver->report.ordering = "amd";
    solver->b = malloc(2 * n * sizeof(double));
    if (!solver->b)
        return status_no_memory(message, "the linear solver");
    solver->x = solver->b + n;
    return lu_create(matrix, &solver->unknowns, symmetric, &solver->lu, message);
}

JnStatus solver_create(const BlockMatrix *matrix, const uint8_t *fixed, Solver **solver, JnMessage *message) {
    return solver_create_kind(matrix, fixed, SOLVER_POSITIVE_DEFINITE, solver, message);
}

JnStatus solver_create_kind(const BlockMatrix *matrix, const uint8_t *fixed, SolverKind kind, Solver **out,
                            JnMessage *message) {
    *out = NULL;
    Solver *solver = calloc(1, sizeof *solver);
    if (!solver || !free_unknowns_build(matrix, fixed, &solver->unknowns)) {
        free(solver);
        return status_no_memory(message, "the linear solver");
    }
    solver->reuse_allowed = true;
    solver->report.ordering = "none";
    *out = solver;
    if (solver->unknowns.count == 0)
        return JN_OK;
    JnStatus status = kind == SOLVER_POSITIVE_DEFINITE
                          ? prepare_cholesky(solver, matrix, message)
                          : prepare_lu(solver, matrix, kind == SOLVER_SYMMETRIC_INDEFINITE, message);
    if (status != JN_OK) {
        solver_destroy(solver);
        *out = NULL;
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ the factor */

/* Factors solver->origin, which is that of factorization `number`. `single`: in single precision if that is possible.
 */
static JnStatus factor_origin(Solver *solver, uint64_t number, bool single, bool *positive_definite,
                              JnMessage *message) {
    JnStatus status = JN_OK;
    *positive_definite = false;
    if (single) {
        status = cholesky_factor_single(solver->cholesky, solver->origin, positive_definite, message);
        ++solver->report.factor_count;
        single = *positive_definite;
    }
    if (status == JN_OK && !single) {
        status = cholesky_factor(solver->cholesky, solver->origin, positive_definite, message);
        ++solver->report.factor_count;
    }
    solver->state.factored = status == JN_OK && *positive_definite ? number : 0;
    solver->state.is_single = single;
    solver->factor_outdated = false;
    return status;
}

static void exchange_origins(Solver *solver) {
    double *origin = solver->origin;
    solver->origin = solver->held_origin;
    solver->held_origin = origin;
}

/* Makes the factor of an origin that came back. *usable: whether there is one now. */
static JnStatus restore_factor(Solver *solver, bool *usable, JnMessage *message) {
    *usable = solver->state.factored != 0;
    return *usable && solver->factor_outdated
               ? factor_origin(solver, solver->state.factored, solver->state.is_single, usable, message)
               : JN_OK;
}

/* What the next factor costs. */
static double factor_cost(const Solver *solver) {
    bool single = solver->state.single_retry.waiting == 0 && reuse_single_worthwhile(&solver->costs);
    return single ? solver->costs.single_factor : solver->costs.factor;
}

/* A new factor. `single`: in single precision if that is possible; `attempted`: after iterations with the old one
   failed. */
static JnStatus factor_matrix(Solver *solver, const BlockMatrix *matrix, const double *positions, bool single,
                              bool attempted, bool *positive_definite, JnMessage *message) {
    if (solver->held.factored != 0 && !solver->held_moved) {
        exchange_origins(solver);
        solver->held_moved = true;
    }
    cholesky_gather_values(solver->cholesky, matrix, solver->origin);
    if (positions)
        memcpy(solver->origin + solver->value_count, positions,
               (size_t)solver->unknowns.vertex_count * 3 * sizeof(double));
    solver->state.has_positions = positions != NULL;
    JnStatus status = factor_origin(solver, ++solver->factor_number, single, positive_definite, message);
    bool is_single = solver->state.is_single;
    if (single && !is_single && *positive_definite)
        retry_failed(&solver->state.single_retry);
    reuse_count_factor(&solver->state.counts, is_single ? solver->costs.single_factor : solver->costs.factor,
                       attempted);
    solver->matrix = is_single ? matrix : NULL;
    solver->positions = positions;
    solver->own_factor = true;
    solver->turned = false;
    return status;
}

/* A new factor in the precision that is cheaper. */
static JnStatus factor_cheaply(Solver *solver, const BlockMatrix *matrix, const double *positions, bool attempted,
                               bool *positive_definite, JnMessage *message) {
    bool single = reuse_single_worthwhile(&solver->costs) && retry_now(&solver->state.single_retry);
    return factor_matrix(solver, matrix, positions, single, attempted, positive_definite, message);
}

JnStatus solver_factor(Solver *solver, const BlockMatrix *matrix, bool *positive_definite, JnMessage *message) {
    *positive_definite = true;
    if (solver->lu) {
        ++solver->report.factor_count;
        return lu_factor(solver->lu, matrix, positive_definite, message);
    }
    return solver->cholesky ? factor_matrix(solver, matrix, NULL, false, false, positive_definite, message) : JN_OK;
}

JnStatus solver_factor_mixed(Solver *solver, const BlockMatrix *matrix, const double *positions,
                             bool *positive_definite, JnMessage *message) {
    return solver->cholesky ? factor_cheaply(solver, matrix, positions, false, positive_definite, message)
                            : solver_factor(solver, matrix, positive_definite, message);
}

JnStatus solver_update(Solver *solver, const BlockMatrix *matrix, const double *positions, bool *positive_definite,
                       JnMessage *message) {
    bool reuse =
        solver->cholesky && solver->reuse_allowed && reuse_worthwhile(&solver->state.counts, factor_cost(solver));
    JnStatus status = reuse ? restore_factor(solver, &reuse, message) : JN_OK;
    if (status != JN_OK)
        return status;
    if (!reuse)
        return solver_factor_mixed(solver, matrix, positions, positive_definite, message);
    *positive_definite = true;
    reuse_count_matrix(&solver->state.counts);
    ++solver->report.reused_count;
    solver->matrix = matrix;
    solver->positions = positions;
    solver->own_factor = false;
    solver->turned = positions && solver->state.has_positions;
    if (solver->turned)
        vertex_rotations_find(matrix, &solver->unknowns, solver->origin + solver->value_count, positions,
                              solver->rotation_scratch, solver->rotations);
    return JN_OK;
}

void solver_allow_reuse(Solver *solver, bool allowed) {
    solver->reuse_allowed = allowed;
}

/* ------------------------------------------------------------------------------------------------ solves */

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
    bool usable;
    JnStatus status = restore_factor(solver, &usable, message);
    if (status != JN_OK || !usable || solver->state.is_single)
        return status != JN_OK ? status : no_factor(message);
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

static CgOutcome iterate(Solver *solver, const double *b, const double *guess) {
    size_t n = (size_t)solver->unknowns.count * 3;
    uint32_t iterations;
    free_unknowns_gather(&solver->unknowns, b, solver->b);
    if (guess)
        free_unknowns_gather(&solver->unknowns, guess, solver->x);
    else
        memset(solver->x, 0, n * sizeof *solver->x);
    CgProblem problem = {.matrix = solver->matrix,
                         .unknowns = &solver->unknowns,
                         .translations = &solver->translations,
                         .preconditioner = solver->cholesky,
                         .rotations = solver->turned ? solver->rotations : NULL,
                         .b = solver->b,
                         .tolerance = SOLVER_TOLERANCE,
                         .most_iterations = reuse_most_iterations(
                             &solver->costs, solver->own_factor ? solver->costs.factor : factor_cost(solver)),
                         .scratch = solver->iteration_scratch};
    CgOutcome outcome = conjugate_gradients(&problem, solver->x, &iterations);
    reuse_count_iterations(&solver->state.counts, &solver->costs, iterations);
    solver->report.iteration_count += iterations;
    if (solver->own_factor && outcome == CG_CONVERGED)
        retry_succeeded(&solver->state.single_retry);
    return outcome;
}

/* After iterations that took too long: an old factor is followed by a new one, the matrix's own in single precision by
   one in double. So there is an end. */
static JnStatus factor_after_all(Solver *solver, bool *positive_definite, JnMessage *message) {
    if (!solver->own_factor)
        return factor_cheaply(solver, solver->matrix, solver->positions, true, positive_definite, message);
    retry_failed(&solver->state.single_retry);
    return factor_matrix(solver, solver->matrix, solver->positions, false, false, positive_definite, message);
}

JnStatus solver_solve_near(Solver *solver, const double *b, const double *guess, double *x, bool *positive_definite,
                           JnMessage *message) {
    *positive_definite = true;
    if (solver->lu)
        return solve_by_lu(solver, b, x, 1, message);
    if (!solver->cholesky) {
        memset(x, 0, (size_t)solver->unknowns.vertex_count * 3 * sizeof *x);
        return JN_OK;
    }
    if (!solver->matrix)
        return solve_by_factor(solver, b, x, 1, message);
    JnStatus status = JN_OK;
    switch (iterate(solver, b, guess)) {
    case CG_CONVERGED:
        free_unknowns_scatter(&solver->unknowns, solver->x, x);
        return JN_OK;
    case CG_NO_MEMORY:
        return no_memory(message);
    case CG_INDEFINITE:
        *positive_definite = false;
        return JN_OK;
    case CG_TOO_SLOW:
        status = factor_after_all(solver, positive_definite, message);
        break;
    }
    return status == JN_OK && *positive_definite ? solver_solve_near(solver, b, guess, x, positive_definite, message)
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
        status = solver_solve_near(solver, b + k * full, NULL, x + k * full, &positive_definite, message);
        if (status == JN_OK && !positive_definite)
            status = status_fail(message, JN_ERR_DIVERGED, "a matrix that should be solved is not positive definite");
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ what is remembered
 */

void solver_hold(Solver *solver) {
    solver->held = solver->state;
    solver->held_moved = false;
}

void solver_return(Solver *solver) {
    if (solver->held_moved)
        exchange_origins(solver);
    if (solver->held_moved || solver->state.factored != solver->held.factored)
        solver->factor_outdated = true;
    solver->held_moved = false;
    solver->state = solver->held;
    solver->matrix = NULL;
}

/* The two pieces: the state, and what the factor was made of, if there is one. */
static bool visit_pieces(Solver *solver, SolverVisit visit, void *context) {
    if (!visit(context, &solver->state, sizeof solver->state))
        return false;
    return solver->state.factored == 0 || !solver->cholesky ||
           visit(context, solver->origin, solver->origin_count * sizeof *solver->origin);
}

bool solver_save(Solver *solver, SolverVisit visit, void *context) {
    return visit_pieces(solver, visit, context);
}

bool solver_load(Solver *solver, SolverVisit visit, void *context) {
    bool loaded = visit_pieces(solver, visit, context);
    if (!loaded)
        solver->state = (SolverState){.factored = 0};
    solver->held = (SolverState){.factored = 0};
    solver->held_moved = false;
    solver->matrix = NULL;
    solver->factor_outdated = true;
    /* numbers go on from the loaded one, so that none is used twice */
    if (solver->factor_number < solver->state.factored)
        solver->factor_number = solver->state.factored;
    return loaded;
}

/* ------------------------------------------------------------------------------------------------ */

void solver_report(const Solver *solver, SolverReport *report) {
    *report = solver->report;
    if (solver->cholesky) {
        CholeskyReport cholesky;
        cholesky_report(solver->cholesky, &cholesky);
        report->factor_bytes = cholesky.factor_bytes;
        report->bytes += cholesky.bytes;
    }
    if (solver->lu) {
        report->factor_flops = lu_factor_flops(solver->lu);
        report->bytes = report->factor_bytes = lu_factor_bytes(solver->lu);
    }
}

uint32_t solver_unknown_count(const Solver *solver) {
    return solver->unknowns.count * 3;
}

void solver_destroy(Solver *solver) {
    if (!solver)
        return;
    if (solver->lu || !solver->cholesky)
        free(solver->b);
    cholesky_destroy(solver->cholesky);
    lu_destroy(solver->lu);
    free_unknowns_free(&solver->unknowns);
    translation_correction_free(&solver->translations);
    free(solver->origin);
    free(solver->held_origin);
    free(solver->rotations);
    free(solver);
}
