/* Construction of the solver, and its saved state. */
#include "linear/solver_parts.h"

#include "base/hash.h"
#include "base/status.h"
#include "linear/blas_guard.h"
#include "linear/conjugate_gradients.h"
#include "linear/vertex_rotations.h"

#include <stdlib.h>
#include <string.h>

/* Everything that depends on how large the system is. */
static JnStatus allocate(Solver *solver, const BlockMatrix *matrix, JnMessage *message) {
    size_t n = (size_t)solver->unknowns.count * 3, turns = vertex_rotations_scratch(matrix);
    size_t iterations = conjugate_gradients_scratch(&solver->unknowns), scratch = 8 * n + turns + iterations;
    solver->value_count = cholesky_value_count(solver->cholesky);
    solver->origin_count = solver->value_count + (size_t)matrix->vertex_count * 3;
    solver->origin = calloc(solver->origin_count, sizeof(double));
    solver->rotations = malloc(scratch * sizeof(double));
    if (!solver->origin || !solver->rotations || !factored_pairs_prepare(&solver->factored_pairs, &solver->unknowns))
        return status_no_memory(message, "the linear solver");
    solver->rotation_scratch = solver->rotations + 3 * n;
    solver->iteration_scratch = solver->rotation_scratch + turns;
    solver->b = solver->iteration_scratch + iterations;
    solver->x = solver->b + n;
    solver->inverses = solver->x + n;
    solver->report.bytes = (double)(solver->origin_count + scratch + 6 * n) * sizeof(double);
    return JN_OK;
}

/* The Cholesky factor with the free vertices of `last` eliminated last. */
static JnStatus create_cholesky(Solver *solver, const SolverDesc *desc, JnMessage *message) {
    const FreeUnknowns *unknowns = &solver->unknowns;
    uint8_t *flags = calloc(unknowns->count, sizeof *flags);
    bool any = false;
    if (!flags)
        return status_no_memory(message, "the linear solver");
    for (uint32_t k = 0; k < desc->last_count; ++k) {
        uint32_t i = unknowns->of_vertex[desc->last[k]];
        if (i != NOT_FREE)
            flags[i] = any = true;
    }
    JnStatus status = cholesky_create(desc->pattern, unknowns, any ? flags : NULL, &solver->cholesky, message);
    free(flags);
    return status;
}

/* The Cholesky factor and all that is needed to reuse it. */
static JnStatus prepare_cholesky(Solver *solver, const SolverDesc *desc, JnMessage *message) {
    const BlockMatrix *matrix = desc->pattern;
    if (!translation_correction_build(matrix, &solver->unknowns, &solver->translation_correction))
        return status_no_memory(message, "the linear solver");
    JnStatus status = create_cholesky(solver, desc, message);
    if (status == JN_OK)
        status = allocate(solver, matrix, message);
    if (status != JN_OK)
        return status;
    CholeskyReport cholesky;
    cholesky_report(solver->cholesky, &cholesky);
    solver->report.factor_flops = cholesky.factor_flops;
    solver->report.ordering = cholesky.ordering;
    solver->costs = reuse_costs(cholesky.factor_flops, cholesky.factor_entries,
                                solver->unknowns.block_starts[solver->unknowns.count], cholesky.last_flops);
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

static JnStatus check_last(const SolverDesc *desc, JnMessage *message) {
    if (desc->last_count > 0 && desc->kind != SOLVER_POSITIVE_DEFINITE)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "vertices can be eliminated last only where matrices are positive definite");
    for (uint32_t k = 0; k < desc->last_count; ++k)
        if (desc->last[k] >= desc->pattern->vertex_count)
            return status_fail(message, JN_ERR_ARGUMENT,
                               "vertex %u is to be eliminated last, but there are only %u vertices",
                               (unsigned)desc->last[k], (unsigned)desc->pattern->vertex_count);
    return JN_OK;
}

JnStatus solver_create(const SolverDesc *desc, Solver **out, JnMessage *message) {
    *out = NULL;
    JnStatus status = check_last(desc, message);
    if (status == JN_OK)
        status = blas_guard_reserve(message);
    if (status != JN_OK)
        return status;
    Solver *solver = calloc(1, sizeof *solver);
    if (!solver || !free_unknowns_build(desc->pattern, desc->fixed, &solver->unknowns)) {
        free(solver);
        return status_no_memory(message, "the linear solver");
    }
    solver->reuse_allowed = true;
    solver->report.ordering = "none";
    *out = solver;
    if (solver->unknowns.count == 0)
        return JN_OK;
    status = desc->kind == SOLVER_POSITIVE_DEFINITE
                 ? prepare_cholesky(solver, desc, message)
                 : prepare_lu(solver, desc->pattern, desc->kind == SOLVER_SYMMETRIC_INDEFINITE, message);
    if (status != JN_OK) {
        solver_destroy(solver);
        *out = NULL;
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ what is saved */

static uint64_t origin_hash(const Solver *solver) {
    uint64_t hash = HASH_START;
    if (solver->origin)
        hash_mix(&hash, solver->origin, solver->origin_count * sizeof *solver->origin);
    return hash;
}

/* The state, and what the factor was computed from, if there is one. */
static bool archive_pieces(Solver *solver, Archive *archive, bool *pairs_changed) {
    bool order_changed = false;
    *pairs_changed = false;
    if (!archive_piece(archive, &solver->state, sizeof solver->state) ||
        (solver->cholesky && !cholesky_archive(solver->cholesky, archive, &order_changed)))
        return false;
    bool done = solver->state.factored == 0 || !solver->cholesky ||
                (archive_piece(archive, solver->origin, solver->origin_count * sizeof *solver->origin) &&
                 factored_pairs_archive(&solver->factored_pairs, &solver->unknowns, archive, pairs_changed));
    *pairs_changed |= order_changed;
    return done;
}

bool solver_archive(Solver *solver, Archive *archive) {
    bool pairs_changed;
    if (!archive->loading)
        return archive_pieces(solver, archive, &pairs_changed);
    /* numbers identify factorizations within one solver, but another solver may have saved the same number */
    uint64_t factored = solver->state.factored, hash = origin_hash(solver);
    bool loaded = archive_pieces(solver, archive, &pairs_changed);
    if (!loaded)
        solver->state = (SolverState){.factored = 0};
    solver->factor_outdated =
        solver->factor_outdated || solver->state.factored != factored || origin_hash(solver) != hash;
    solver->last_outdated = solver->last_outdated || pairs_changed;
    solver->has_system = false;
    solver->matrix = NULL;
    /* continue from the loaded number, so that none is used twice */
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
        report->factor_entries = cholesky.factor_entries;
        report->bytes += cholesky.bytes;
    }
    if (solver->lu) {
        report->factor_flops = lu_factor_flops(solver->lu);
        report->bytes = report->factor_bytes = lu_factor_bytes(solver->lu);
    }
}

void solver_count_on(Solver *solver, const Solver *replaced) {
    solver->report.factor_count = replaced->report.factor_count;
    solver->report.iteration_count = replaced->report.iteration_count;
    solver->report.reused_count = replaced->report.reused_count;
    solver->report.pairs_count = replaced->report.pairs_count;
    solver->report.swept_count = replaced->report.swept_count;
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
    translation_correction_free(&solver->translation_correction);
    free(solver->origin);
    free(solver->rotations);
    factored_pairs_free(&solver->factored_pairs);
    free(solver);
}
