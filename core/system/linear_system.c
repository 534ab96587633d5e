#include "system/linear_system.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

JnStatus linear_system_create(const BlockMatrix *pattern, LinearSystem **out, JnMessage *message) {
    size_t n = (size_t)pattern->vertex_count + 1;
    LinearSystem *linear = calloc(1, sizeof *linear);
    *out = NULL;
    if (!linear)
        return status_no_memory(message, "a matrix");
    linear->fixed = calloc(n, 1);
    linear->eliminated_last = calloc(n, 1);
    linear->marked = calloc(n, 1);
    JnStatus status = linear->fixed && linear->eliminated_last && linear->marked
                          ? block_matrix_share_pattern(pattern, &linear->matrix, message)
                          : status_no_memory(message, "a matrix");
    if (status == JN_OK)
        *out = linear;
    else
        linear_system_destroy(linear);
    return status;
}

void linear_system_destroy(LinearSystem *linear) {
    if (!linear)
        return;
    solver_destroy(linear->solver);
    solver_destroy(linear->indefinite_solver);
    block_matrix_free(&linear->matrix);
    pair_blocks_free(&linear->pairs);
    free(linear->fixed);
    free(linear->eliminated_last);
    free(linear->marked);
    free(linear);
}

/* ------------------------------------------------------------------------------------------------ solvers */

/* Replaces the solver by one that eliminates the marked vertices last. */
static JnStatus replace_solver(LinearSystem *linear, const uint8_t *marked, JnMessage *message) {
    uint32_t vertex_count = linear->matrix.vertex_count, count = 0;
    uint32_t *last = malloc(((size_t)vertex_count + 1) * sizeof *last);
    if (!last)
        return status_no_memory(message, "the linear solver");
    for (uint32_t v = 0; v < vertex_count; ++v)
        if (marked[v])
            last[count++] = v;
    Solver *solver;
    SolverDesc desc = {.pattern = &linear->matrix, .fixed = linear->fixed, .last = last, .last_count = count};
    JnStatus status = solver_create(&desc, &solver, message);
    free(last);
    if (status != JN_OK)
        return status;
    solver_allow_reuse(solver, linear->reuse);
    solver_destroy(linear->solver);
    linear->solver = solver;
    memmove(linear->eliminated_last, marked, vertex_count);
    return JN_OK;
}

JnStatus linear_system_make_solver(LinearSystem *linear, const uint8_t *fixed, bool reuse, JnMessage *message) {
    memcpy(linear->fixed, fixed, linear->matrix.vertex_count);
    linear->reuse = reuse;
    return replace_solver(linear, linear->eliminated_last, message);
}

JnStatus linear_system_let_pairs_join(LinearSystem *linear, const uint8_t *vertices, JnMessage *message) {
    uint32_t missing = 0;
    for (uint32_t v = 0; v < linear->matrix.vertex_count; ++v) {
        linear->marked[v] = vertices[v] || linear->eliminated_last[v];
        missing += linear->marked[v] && !linear->eliminated_last[v] && !linear->fixed[v];
    }
    return missing > 0 ? replace_solver(linear, linear->marked, message) : JN_OK;
}

JnStatus linear_system_factor_indefinite(LinearSystem *linear, bool *regular, JnMessage *message) {
    JnStatus status = JN_OK;
    SolverDesc desc = {.pattern = &linear->matrix, .fixed = linear->fixed, .kind = SOLVER_SYMMETRIC_INDEFINITE};
    if (!linear->indefinite_solver)
        status = solver_create(&desc, &linear->indefinite_solver, message);
    return status == JN_OK ? solver_factor(linear->indefinite_solver, &linear->matrix, &linear->pairs, regular, message)
                           : status;
}

/* ------------------------------------------------------------------------------------------------ products, archive */

void linear_system_multiply(const LinearSystem *linear, const double *x, double *y) {
    block_matrix_multiply(&linear->matrix, x, y);
    pair_blocks_multiply(&linear->pairs, x, y);
}

bool linear_system_archive(LinearSystem *linear, Archive *archive) {
    uint32_t vertex_count = linear->matrix.vertex_count;
    memcpy(linear->marked, linear->eliminated_last, vertex_count);
    if (!archive_piece(archive, linear->marked, vertex_count))
        return false;
    if (memcmp(linear->marked, linear->eliminated_last, vertex_count) != 0 &&
        replace_solver(linear, linear->marked, NULL) != JN_OK)
        return false;
    return solver_archive(linear->solver, archive);
}
