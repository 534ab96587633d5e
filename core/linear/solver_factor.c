/* The choice between a new factor and the last one. */
#include "linear/solver_parts.h"

#include "base/math3.h"
#include "base/status.h"
#include "linear/vertex_rotations.h"

#include <string.h>

/* A system as given: A, C, and the positions of the vertices. */
typedef struct Given {
    const BlockMatrix *matrix;
    const PairBlocks *pairs;
    const double *positions;
} Given;

static bool may_couple(const Solver *solver, uint32_t vertex) {
    if (vertex >= solver->unknowns.vertex_count)
        return false;
    uint32_t i = solver->unknowns.of_vertex[vertex];
    return i == NOT_FREE || (solver->cholesky && cholesky_is_last(solver->cholesky, i));
}

static JnStatus check_pairs(const Solver *solver, const PairBlocks *pairs, JnMessage *message) {
    if (pair_blocks_empty(pairs))
        return JN_OK;
    if (solver->lu)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "a solver of matrices that are not positive definite takes no pairs of vertices");
    for (size_t k = 0; k < pairs->count; ++k) {
        const PairBlock *pair = &pairs->blocks[k];
        bool row_ok = may_couple(solver, pair->row);
        if (!row_ok || !may_couple(solver, pair->column))
            return status_fail(message, JN_ERR_ARGUMENT,
                               "the pair of vertices %u and %u cannot be added to the matrix: vertex %u is not among "
                               "those that are eliminated last",
                               (unsigned)pair->row, (unsigned)pair->column,
                               (unsigned)(row_ok ? pair->column : pair->row));
    }
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ pairs that stay */

/* A factor with other pairs is as good a preconditioner as one with these if at every vertex they differ by at most
   this part of themselves and of a part of A, which stands for what is left of A when the others are eliminated. */
static const double ALIKE = 0.1, LEFT_OF_MATRIX = 0.3;

static void remember_pairs(Solver *solver, const PairBlocks *pairs) {
    memset(solver->factored_pairs, 0, (size_t)solver->unknowns.count * 9 * sizeof(double));
    pair_blocks_add_diagonal(pairs, &solver->unknowns, 1, solver->factored_pairs);
    solver->knows_pairs = true;
}

static bool positive(const double a[9]) {
    return a[0] > 0 && a[0] * a[4] > a[1] * a[1] && mat3_det(a) > 0;
}

/* Whether C is nearly that in the factor. Uses the scratch of the iterations. */
static bool pairs_are_alike(const Solver *solver, const Given *given) {
    const FreeUnknowns *unknowns = &solver->unknowns;
    double *change = solver->iteration_scratch;
    bool alike = solver->knows_pairs;
    for (size_t i = 0; i < 9 * (size_t)unknowns->count; ++i)
        change[i] = -solver->factored_pairs[i];
    pair_blocks_add_diagonal(given->pairs, unknowns, 1, change);
    for (size_t i = 0; alike && i < unknowns->count; ++i) {
        const double *own = given->matrix->values + 9 * (size_t)unknowns->blocks[unknowns->block_starts[i]];
        const double *then = solver->factored_pairs + 9 * i, left = LEFT_OF_MATRIX * (own[0] + own[4] + own[8]) / 3;
        double more[9], less[9];
        for (int c = 0; c < 9; ++c) {
            double allowed = ALIKE * (then[c] + (c % 4 == 0 ? left : 0));
            more[c] = allowed + change[9 * i + (size_t)c];
            less[c] = allowed - change[9 * i + (size_t)c];
        }
        alike = positive(more) && positive(less);
    }
    return alike;
}

/* ------------------------------------------------------------------------------------------------ the factor */

/* Factors the A of solver->origin except for the unknowns eliminated last. */
static JnStatus factor_origin(Solver *solver, bool single, bool *positive_definite, JnMessage *message) {
    ++solver->report.factor_count;
    return single ? cholesky_factor_single(solver->cholesky, solver->origin, positive_definite, message)
                  : cholesky_factor(solver->cholesky, solver->origin, positive_definite, message);
}

/* Factors the A of solver->origin with `pairs`, in this precision. */
static JnStatus factor_with_pairs(Solver *solver, const PairBlocks *pairs, bool single, bool *positive_definite,
                                  JnMessage *message) {
    JnStatus status = factor_origin(solver, single, positive_definite, message);
    if (status == JN_OK && *positive_definite &&
        (!pair_blocks_empty(pairs) || !cholesky_last_factored(solver->cholesky)))
        cholesky_factor_last(solver->cholesky, solver->origin, &solver->unknowns, pairs, NULL, positive_definite);
    return status;
}

/* Computes the factor of an origin that was loaded. *usable: whether there is one now. */
static JnStatus restore_factor(Solver *solver, bool *usable, JnMessage *message) {
    *usable = solver->state.factored != 0;
    if (!*usable || !solver->factor_outdated)
        return JN_OK;
    JnStatus status = factor_origin(solver, solver->state.is_single, usable, message);
    if (status != JN_OK || !*usable)
        solver->state.factored = 0;
    solver->factor_outdated = false;
    return status;
}

double solver_factor_cost(const Solver *solver) {
    bool single = solver->state.single_retry.waiting == 0 && reuse_single_worthwhile(&solver->costs);
    return single ? solver->costs.single_factor : solver->costs.factor;
}

/* A new factor. `single`: in single precision if that is possible; `attempted`: after iterations with the old one
   failed. */
static JnStatus factor_given(Solver *solver, const Given *given, bool single, bool attempted, bool *positive_definite,
                             JnMessage *message) {
    SolverState *state = &solver->state;
    JnStatus status = JN_OK;
    cholesky_gather_values(solver->cholesky, given->matrix, solver->origin);
    if (given->positions)
        memcpy(solver->origin + solver->value_count, given->positions,
               (size_t)solver->unknowns.vertex_count * 3 * sizeof(double));
    state->has_positions = given->positions != NULL;
    *positive_definite = false;
    if (single)
        status = factor_with_pairs(solver, given->pairs, true, positive_definite, message);
    state->is_single = *positive_definite;
    if (status == JN_OK && !state->is_single)
        status = factor_with_pairs(solver, given->pairs, false, positive_definite, message);
    if (status == JN_OK && *positive_definite)
        remember_pairs(solver, given->pairs);
    ++solver->factor_number;
    state->factored = status == JN_OK && *positive_definite ? solver->factor_number : 0;
    state->sweeps.in_use = 0;
    solver->factor_outdated = false;

    if (single && !state->is_single && *positive_definite)
        retry_failed(&state->single_retry);
    reuse_count_factor(&state->counts, state->is_single ? solver->costs.single_factor : solver->costs.factor,
                       attempted);
    solver->has_system = state->factored != 0;
    solver->matrix = state->is_single ? given->matrix : NULL;
    solver->pairs = given->pairs;
    solver->positions = given->positions;
    solver->own_factor = true;
    solver->turned = false;
    return status;
}

/* A new factor in the precision that is cheaper. */
static JnStatus factor_cheaply(Solver *solver, const Given *given, bool attempted, bool *positive_definite,
                               JnMessage *message) {
    bool single = reuse_single_worthwhile(&solver->costs) && retry_now(&solver->state.single_retry);
    return factor_given(solver, given, single, attempted, positive_definite, message);
}

JnStatus solver_factor_after_all(Solver *solver, bool *positive_definite, JnMessage *message) {
    Given given = {solver->matrix, solver->pairs, solver->positions};
    if (!solver->own_factor)
        return factor_cheaply(solver, &given, solver->state.factored != 0, positive_definite, message);
    retry_failed(&solver->state.single_retry);
    return factor_given(solver, &given, false, false, positive_definite, message);
}

/* Solves the given system without a factor. */
static void sweep_given(Solver *solver, const Given *given) {
    solver->state.factored = 0;
    solver->has_system = true;
    solver->matrix = given->matrix;
    solver->pairs = given->pairs;
    solver->positions = given->positions;
    solver->own_factor = solver->turned = false;
}

/* ------------------------------------------------------------------------------------------------ systems */

JnStatus solver_factor(Solver *solver, const BlockMatrix *matrix, const PairBlocks *pairs, bool *positive_definite,
                       JnMessage *message) {
    *positive_definite = true;
    JnStatus status = check_pairs(solver, pairs, message);
    if (status == JN_OK && solver->lu) {
        ++solver->report.factor_count;
        status = lu_factor(solver->lu, matrix, positive_definite, message);
    } else if (status == JN_OK && solver->cholesky) {
        status = factor_given(solver, &(Given){matrix, pairs, NULL}, false, false, positive_definite, message);
    }
    return status;
}

JnStatus solver_factor_mixed(Solver *solver, const BlockMatrix *matrix, const PairBlocks *pairs,
                             const double *positions, bool *positive_definite, JnMessage *message) {
    if (!solver->cholesky)
        return solver_factor(solver, matrix, pairs, positive_definite, message);
    JnStatus status = check_pairs(solver, pairs, message);
    return status == JN_OK
               ? factor_cheaply(solver, &(Given){matrix, pairs, positions}, false, positive_definite, message)
               : status;
}

/* Puts the pairs of the given system into the last factor. false: it is not positive definite with them. */
static bool factor_pairs(Solver *solver, const Given *given) {
    bool positive_definite;
    const double *then = solver->origin + solver->value_count;
    solver->turned = given->positions && solver->state.has_positions;
    if (solver->turned)
        vertex_rotations_find(given->matrix, &solver->unknowns, then, given->positions, solver->rotation_scratch,
                              solver->rotations);
    /* the factor is that of A in the old pose, so the current pairs are rotated back to it: R (A_old + R' C R) R' */
    cholesky_factor_last(solver->cholesky, solver->origin, &solver->unknowns, given->pairs,
                         solver->turned ? solver->rotations : NULL, &positive_definite);
    remember_pairs(solver, given->pairs);
    solver->knows_pairs = positive_definite;
    if (positive_definite && !pair_blocks_empty(given->pairs)) {
        reuse_count_pairs(&solver->state.counts, &solver->costs);
        ++solver->report.pairs_count;
    }
    return positive_definite;
}

/* Uses the last factor for the given system. new_matrix: A differs from that of the last system. false: it is not
   positive definite with these pairs, and is discarded. */
static bool reuse_factor(Solver *solver, const Given *given, bool new_matrix) {
    if (new_matrix)
        reuse_count_matrix(&solver->state.counts);
    bool keep = !new_matrix && pairs_are_alike(solver, given);
    if (!keep && !factor_pairs(solver, given))
        return false;
    solver->report.reused_count += new_matrix;
    solver->has_system = true;
    solver->matrix = given->matrix;
    solver->pairs = given->pairs;
    solver->positions = given->positions;
    solver->own_factor = solver->own_factor && !new_matrix;
    return true;
}

JnStatus solver_update(Solver *solver, const BlockMatrix *matrix, const PairBlocks *pairs, const double *positions,
                       bool *positive_definite, JnMessage *message) {
    JnStatus status = check_pairs(solver, pairs, message);
    SolverState *state = &solver->state;
    bool may_reuse = status == JN_OK && solver->cholesky && solver->reuse_allowed;
    bool reuse = may_reuse && !state->sweeps.in_use && reuse_worthwhile(&state->counts, solver_factor_cost(solver));
    if (reuse)
        status = restore_factor(solver, &reuse, message);
    if (status != JN_OK)
        return status;
    *positive_definite = true;
    if (reuse && reuse_factor(solver, &(Given){matrix, pairs, positions}, true))
        return JN_OK;
    if (may_reuse && sweeps_worthwhile(&state->sweeps, &state->counts, &solver->costs)) {
        sweep_given(solver, &(Given){matrix, pairs, positions});
        ++solver->report.swept_count;
        return JN_OK;
    }
    return solver_factor_mixed(solver, matrix, pairs, positions, positive_definite, message);
}

JnStatus solver_change_pairs(Solver *solver, const BlockMatrix *matrix, const PairBlocks *pairs,
                             const double *positions, bool *positive_definite, JnMessage *message) {
    JnStatus status = check_pairs(solver, pairs, message);
    if (status != JN_OK)
        return status;
    *positive_definite = true;
    if (solver->state.sweeps.in_use && solver->has_system) {
        sweep_given(solver, &(Given){matrix, pairs, positions});
        return JN_OK;
    }
    if (solver->cholesky && solver->state.factored && solver->has_system &&
        reuse_factor(solver, &(Given){matrix, pairs, positions}, false))
        return JN_OK;
    return solver_factor_mixed(solver, matrix, pairs, positions, positive_definite, message);
}

void solver_allow_reuse(Solver *solver, bool allowed) {
    solver->reuse_allowed = allowed;
}
