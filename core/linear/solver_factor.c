/* The choice between a new factor and the last one. */
#include "linear/solver_parts.h"

#include "base/status.h"
#include "linear/vertex_rotations.h"

#include <string.h>

/* A system as given: A, C, and the positions of the vertices. */
typedef struct Given {
    const BlockMatrix *matrix;
    const PairBlocks *pairs;
    const double *positions;
} Given;

static JnStatus no_memory(JnMessage *message) {
    return status_no_memory(message, "the linear solver");
}

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

/* ------------------------------------------------------------------------------------------------ the factor */

/* Factors the A of solver->origin except for the unknowns eliminated last. */
static JnStatus factor_origin(Solver *solver, bool single, bool *positive_definite, JnMessage *message) {
    ++solver->report.factor_count;
    return single ? cholesky_factor_single(solver->cholesky, solver->origin, positive_definite, message)
                  : cholesky_factor(solver->cholesky, solver->origin, positive_definite, message);
}

/* Puts pairs into the factor of solver->origin. false: it is not positive definite with them. */
static bool factor_last(Solver *solver, const PairBlocks *pairs) {
    bool positive_definite;
    cholesky_factor_last(solver->cholesky, solver->origin, &solver->unknowns, pairs, &positive_definite);
    solver->state.last_apart = 1;
    return positive_definite;
}

/* Factors the A of solver->origin with the pairs given, in this precision. */
static JnStatus factor_with_pairs(Solver *solver, bool single, bool *positive_definite, JnMessage *message) {
    const PairBlocks *pairs = &solver->factored_pairs.given;
    JnStatus status = factor_origin(solver, single, positive_definite, message);
    solver->state.last_apart = 0;
    if (status == JN_OK && *positive_definite &&
        (!pair_blocks_empty(pairs) || !cholesky_last_factored(solver->cholesky)))
        *positive_definite = factor_last(solver, pairs);
    return status;
}

/* Computes the factor of an origin and of pairs that were loaded. *usable: whether there is one now. */
static JnStatus restore_factor(Solver *solver, bool *usable, JnMessage *message) {
    JnStatus status = JN_OK;
    /* pairs that are in the factor itself can only be taken out by a new one */
    bool outdated = solver->factor_outdated || (solver->last_outdated && !solver->state.last_apart);
    bool last_outdated = outdated || solver->last_outdated;
    *usable = solver->state.factored != 0;
    if (!*usable)
        return JN_OK;
    if (outdated)
        status = factor_origin(solver, solver->state.is_single, usable, message);
    if (status == JN_OK && *usable && last_outdated && solver->state.last_apart)
        *usable = factor_last(solver, &solver->factored_pairs.held);
    if (status != JN_OK || !*usable)
        solver->state.factored = 0;
    solver->factor_outdated = solver->last_outdated = false;
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
    *positive_definite = false;
    if (!factored_pairs_give(&solver->factored_pairs, &solver->unknowns, given->pairs, NULL))
        return no_memory(message);
    JnStatus status = JN_OK;
    cholesky_gather_values(solver->cholesky, given->matrix, solver->origin);
    if (given->positions)
        memcpy(solver->origin + solver->value_count, given->positions,
               (size_t)solver->unknowns.vertex_count * 3 * sizeof(double));
    state->has_positions = given->positions != NULL;
    if (single)
        status = factor_with_pairs(solver, true, positive_definite, message);
    state->is_single = *positive_definite;
    if (status == JN_OK && !state->is_single)
        status = factor_with_pairs(solver, false, positive_definite, message);
    factored_pairs_hold(&solver->factored_pairs, &solver->unknowns);
    ++solver->factor_number;
    state->factored = status == JN_OK && *positive_definite ? solver->factor_number : 0;
    state->sweeps.in_use = 0;
    solver->factor_outdated = solver->last_outdated = false;

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

/* The rotations from the pose of the last factor to that of the given system. */
static void find_rotations(Solver *solver, const Given *given) {
    const double *then = solver->origin + solver->value_count;
    solver->turned = given->positions && solver->state.has_positions;
    if (solver->turned)
        vertex_rotations_find(given->matrix, &solver->unknowns, then, given->positions, solver->rotation_scratch,
                              solver->rotations);
}

/* Puts the pairs given into the last factor. false: it is not positive definite with them. */
static bool change_pairs(Solver *solver) {
    bool any = !pair_blocks_empty(&solver->factored_pairs.given);
    if (!factor_last(solver, &solver->factored_pairs.given))
        return false;
    factored_pairs_hold(&solver->factored_pairs, &solver->unknowns);
    if (any)
        reuse_count_pairs(&solver->state.counts, &solver->costs);
    solver->report.pairs_count += any;
    return true;
}

/* Uses the last factor for the given system. new_matrix: A differs from that of the last system. *usable: false if it
   is not positive definite with these pairs; it is to be discarded then. */
static JnStatus reuse_factor(Solver *solver, const Given *given, bool new_matrix, bool *usable, JnMessage *message) {
    FactoredPairs *pairs = &solver->factored_pairs;
    if (new_matrix) {
        reuse_count_matrix(&solver->state.counts);
        find_rotations(solver, given);
    }
    if (!factored_pairs_give(pairs, &solver->unknowns, given->pairs, solver->turned ? solver->rotations : NULL))
        return no_memory(message);
    *usable = factored_pairs_alike(pairs, &solver->unknowns, given->matrix) || change_pairs(solver);
    if (!*usable)
        return JN_OK;
    solver->report.reused_count += new_matrix;
    solver->has_system = true;
    solver->matrix = given->matrix;
    solver->pairs = given->pairs;
    solver->positions = given->positions;
    solver->own_factor = solver->own_factor && !new_matrix;
    return JN_OK;
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
    if (reuse)
        status = reuse_factor(solver, &(Given){matrix, pairs, positions}, true, &reuse, message);
    if (status != JN_OK || reuse)
        return status;
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
    bool reuse = solver->cholesky && solver->state.factored && solver->has_system;
    if (reuse)
        status = reuse_factor(solver, &(Given){matrix, pairs, positions}, false, &reuse, message);
    if (status != JN_OK || reuse)
        return status;
    return solver_factor_mixed(solver, matrix, pairs, positions, positive_definite, message);
}

void solver_allow_reuse(Solver *solver, bool allowed) {
    solver->reuse_allowed = allowed;
}
