#include "linear/scalar_system.h"

#include "base/status.h"
#include "linear/blas_guard.h"
#include "linear/cholmod_guard.h"

#include <stdbool.h>
#include <stdlib.h>

struct ScalarSystem {
    cholmod_common common;
    cholmod_triplet *triplets;
    cholmod_factor *factor;
    cholmod_dense *rhs;
    CholmodWorkspace workspace;
    uint32_t size;
    bool overflow;
};

JnStatus scalar_system_create(uint32_t size, size_t capacity, ScalarSystem **out, JnMessage *message) {
    *out = NULL;
    JnStatus status = blas_guard_reserve(message);
    if (status != JN_OK)
        return status;
    ScalarSystem *system = calloc(1, sizeof *system);
    if (!system)
        return status_no_memory(message, "a linear system");
    cholmod_guard_start(&system->common);
    system->size = size;
    system->triplets = cholmod_allocate_triplet(size, size, capacity, -1, CHOLMOD_REAL, &system->common);
    if (!system->triplets) {
        scalar_system_destroy(system);
        return status_no_memory(message, "a linear system");
    }
    *out = system;
    return JN_OK;
}

void scalar_system_add(ScalarSystem *system, uint32_t row, uint32_t column, double value) {
    cholmod_triplet *t = system->triplets;
    if (t->nnz >= t->nzmax) {
        system->overflow = true;
        return;
    }
    ((int *)t->i)[t->nnz] = (int)(row > column ? row : column);
    ((int *)t->j)[t->nnz] = (int)(row > column ? column : row);
    ((double *)t->x)[t->nnz] = value;
    ++t->nnz;
}

JnStatus scalar_system_factor(ScalarSystem *system, JnMessage *message) {
    if (system->overflow)
        return status_fail(message, JN_ERR_ORDER, "a linear system received more entries than it has room for");
    cholmod_sparse *matrix = cholmod_triplet_to_sparse(system->triplets, 0, &system->common);
    cholmod_free_triplet(&system->triplets, &system->common);
    if (!matrix)
        return status_no_memory(message, "a linear system");
    CholmodHold hold = cholmod_guard_hold();
    const char *ordering;
    system->factor = cholmod_guard_analyze(matrix, matrix, 1, NULL, &ordering, &system->common);
    int done = system->factor && cholmod_factorize(matrix, system->factor, &system->common);
    cholmod_guard_release(hold);
    cholmod_free_sparse(&matrix, &system->common);
    if (!done || system->common.status < 0)
        return cholmod_guard_fail(&system->common, "the factorization", message);
    if (system->common.status == CHOLMOD_NOT_POSDEF || system->factor->minor != system->factor->n)
        return status_fail(message, JN_ERR_DIVERGED, "a linear system is not positive definite");
    return JN_OK;
}

JnStatus scalar_system_solve(ScalarSystem *system, double *values, uint32_t count, JnMessage *message) {
    size_t size = system->size;
    if (!cholmod_ensure_dense(&system->rhs, size, count, size, CHOLMOD_REAL, &system->common))
        return status_no_memory(message, "right-hand sides");
    for (size_t i = 0; i < size; ++i)
        for (size_t c = 0; c < count; ++c)
            ((double *)system->rhs->x)[c * size + i] = values[i * count + c];
    if (!cholmod_guard_solve(system->factor, system->rhs, &system->workspace, &system->common))
        return cholmod_guard_fail(&system->common, "the solve", message);
    const double *solution = system->workspace.solution->x;
    for (size_t i = 0; i < size; ++i)
        for (size_t c = 0; c < count; ++c)
            values[i * count + c] = solution[c * size + i];
    return JN_OK;
}

void scalar_system_destroy(ScalarSystem *system) {
    if (!system)
        return;
    cholmod_free_triplet(&system->triplets, &system->common);
    cholmod_free_factor(&system->factor, &system->common);
    cholmod_free_dense(&system->rhs, &system->common);
    cholmod_guard_free_workspace(&system->workspace, &system->common);
    cholmod_finish(&system->common);
    free(system);
}
