/* Solver on CHOLMOD: supernodal, the pattern of the free unknowns analysed once. */
#include "linear/solver.h"

#include "base/status.h"
#include "linear/cholmod_guard.h"

#include <stdlib.h>
#include <string.h>

struct Solver {
    cholmod_common common;
    cholmod_sparse *scalar; /* lower triangle of the free unknowns, filled from the block matrix */
    cholmod_factor *factor;
    cholmod_dense *rhs; /* reused from call to call, as the workspace */
    CholmodWorkspace workspace;
    uint32_t vertex_count;
    uint32_t free_count;     /* vertices */
    uint32_t *free_vertices; /* [free_count] */
    uint32_t *free_blocks;   /* blocks with both vertices free, in their order */
    uint32_t free_block_count;
    SolverReport report;
    bool has_factor;
};

/* Numbers the free vertices and lists the free blocks. free_of_vertex: [vertex_count], UINT32_MAX for fixed ones. */
static bool select_free(Solver *solver, const BlockMatrix *matrix, const uint8_t *fixed, uint32_t *free_of_vertex) {
    solver->free_vertices = malloc(((size_t)matrix->vertex_count + 1) * sizeof(uint32_t));
    solver->free_blocks = malloc(((size_t)matrix->block_count + 1) * sizeof(uint32_t));
    if (!solver->free_vertices || !solver->free_blocks)
        return false;
    for (uint32_t v = 0; v < matrix->vertex_count; ++v) {
        bool is_free = !fixed || !fixed[v];
        free_of_vertex[v] = is_free ? solver->free_count : UINT32_MAX;
        if (is_free)
            solver->free_vertices[solver->free_count++] = v;
    }
    for (uint32_t i = 0; i < solver->free_count; ++i) {
        uint32_t v = solver->free_vertices[i];
        for (uint32_t k = matrix->column_starts[v]; k < matrix->column_starts[v + 1]; ++k)
            if (free_of_vertex[matrix->rows[k]] != UINT32_MAX)
                solver->free_blocks[solver->free_block_count++] = k;
    }
    return true;
}

/* The lower pattern with `size` unknowns a vertex: 1 for ordering, 3 for factoring. NULL without memory. */
static cholmod_sparse *make_pattern(Solver *solver, const BlockMatrix *matrix, const uint32_t *free_of_vertex,
                                    size_t size) {
    size_t n = (size_t)solver->free_count * size;
    size_t diagonal = (size_t)solver->free_count, off = (size_t)solver->free_block_count - diagonal;
    size_t entries = diagonal * size * (size + 1) / 2 + off * size * size;
    if (entries > INT32_MAX)
        return NULL;
    cholmod_sparse *sparse =
        cholmod_allocate_sparse(n, n, entries, 1, 1, -1, size == 1 ? CHOLMOD_PATTERN : CHOLMOD_REAL, &solver->common);
    if (!sparse)
        return NULL;
    int *starts = sparse->p, *rows = sparse->i, fill = 0;
    const uint32_t *block = solver->free_blocks;
    for (uint32_t i = 0; i < solver->free_count; ++i) {
        uint32_t end = matrix->column_starts[solver->free_vertices[i] + 1], count = 0;
        while (block + count < solver->free_blocks + solver->free_block_count && block[count] < end)
            ++count;
        for (size_t c = 0; c < size; ++c) {
            starts[(size_t)i * size + c] = fill;
            for (uint32_t k = 0; k < count; ++k)
                for (size_t r = k == 0 ? c : 0; r < size; ++r)
                    rows[fill++] = (int)(free_of_vertex[matrix->rows[block[k]]] * size + r);
        }
        block += count;
    }
    starts[n] = fill;
    return sparse;
}

/* Copies the free blocks' values into the scalar matrix. */
static void fill_values(Solver *solver, const BlockMatrix *matrix) {
    const int *starts = solver->scalar->p;
    double *values = solver->scalar->x;
    const uint32_t *block = solver->free_blocks;
    for (uint32_t i = 0; i < solver->free_count; ++i) {
        size_t column = (size_t)3 * i;
        double *x0 = values + starts[column], *x1 = values + starts[column + 1], *x2 = values + starts[column + 2];
        uint32_t count = (uint32_t)(starts[column + 1] - starts[column]) / 3;
        const double *a = matrix->values + (size_t)9 * *block++;
        x0[0] = a[0], x0[1] = a[3], x0[2] = a[6];
        x1[0] = a[4], x1[1] = a[7];
        x2[0] = a[8];
        x0 += 3, x1 += 2, x2 += 1;
        for (uint32_t k = 1; k < count; ++k, x0 += 3, x1 += 3, x2 += 3) {
            a = matrix->values + (size_t)9 * *block++;
            x0[0] = a[0], x0[1] = a[3], x0[2] = a[6];
            x1[0] = a[1], x1[1] = a[4], x1[2] = a[7];
            x2[0] = a[2], x2[1] = a[5], x2[2] = a[8];
        }
    }
}

static JnStatus analyze(Solver *solver, const BlockMatrix *matrix, const uint32_t *free_of_vertex, JnMessage *message) {
    cholmod_sparse *graph = make_pattern(solver, matrix, free_of_vertex, 1);
    solver->scalar = graph ? make_pattern(solver, matrix, free_of_vertex, 3) : NULL;
    if (solver->scalar) {
        CholmodHold hold = cholmod_guard_hold();
        solver->factor = cholmod_guard_analyze(graph, solver->scalar, 3, &solver->report.ordering, &solver->common);
        cholmod_guard_release(hold);
    }
    cholmod_free_sparse(&graph, &solver->common);
    if (!solver->scalar)
        return status_no_memory(message, "the linear system");
    if (!solver->factor)
        return cholmod_guard_fail(&solver->common, "the analysis of the stiffness matrix", message);
    solver->report.factor_flops = solver->common.fl;
    solver->report.factor_bytes =
        (double)solver->factor->xsize * sizeof(double) + (double)solver->factor->ssize * sizeof(int);
    return JN_OK;
}

JnStatus solver_create(const BlockMatrix *matrix, const uint8_t *fixed, Solver **out, JnMessage *message) {
    *out = NULL;
    Solver *solver = calloc(1, sizeof *solver);
    uint32_t *free_of_vertex = malloc(((size_t)matrix->vertex_count + 1) * sizeof *free_of_vertex);
    if (!solver || !free_of_vertex) {
        free(solver);
        free(free_of_vertex);
        return status_no_memory(message, "the linear solver");
    }
    cholmod_guard_start(&solver->common);
    solver->vertex_count = matrix->vertex_count;
    solver->report.ordering = "none";
    JnStatus status = JN_OK;
    if (!select_free(solver, matrix, fixed, free_of_vertex))
        status = status_no_memory(message, "the linear solver");
    else if (solver->free_count > 0)
        status = analyze(solver, matrix, free_of_vertex, message);
    free(free_of_vertex);
    if (status != JN_OK)
        solver_destroy(solver);
    else
        *out = solver;
    return status;
}

JnStatus solver_factor(Solver *solver, const BlockMatrix *matrix, bool *positive_definite, JnMessage *message) {
    *positive_definite = true;
    solver->has_factor = false;
    if (solver->free_count == 0)
        return JN_OK;
    fill_values(solver, matrix);
    CholmodHold hold = cholmod_guard_hold();
    int done = cholmod_factorize(solver->scalar, solver->factor, &solver->common);
    cholmod_guard_release(hold);
    if (!done || solver->common.status < 0)
        return cholmod_guard_fail(&solver->common, "the factorization", message);
    *positive_definite = solver->common.status != CHOLMOD_NOT_POSDEF && solver->factor->minor == solver->factor->n;
    solver->has_factor = *positive_definite;
    return JN_OK;
}

JnStatus solver_solve(Solver *solver, const double *b, double *x, uint32_t count, JnMessage *message) {
    size_t full = (size_t)solver->vertex_count * 3, reduced = (size_t)solver->free_count * 3;
    if (solver->free_count == 0) {
        memset(x, 0, full * count * sizeof *x);
        return JN_OK;
    }
    if (!solver->has_factor)
        return status_fail(message, JN_ERR_ORDER, "the linear solver has no factor to solve with");
    cholmod_dense *rhs = cholmod_ensure_dense(&solver->rhs, reduced, count, reduced, CHOLMOD_REAL, &solver->common);
    if (!rhs)
        return status_no_memory(message, "right-hand sides");

    /* gather the free unknowns, solve, scatter */
    double *packed = rhs->x;
    for (uint32_t k = 0; k < count; ++k)
        for (uint32_t i = 0; i < solver->free_count; ++i)
            memcpy(packed + k * reduced + (size_t)3 * i, b + k * full + (size_t)3 * solver->free_vertices[i],
                   3 * sizeof *b);
    if (!cholmod_guard_solve(solver->factor, rhs, &solver->workspace, &solver->common))
        return cholmod_guard_fail(&solver->common, "the solve", message);
    memset(x, 0, full * count * sizeof *x);
    const double *solved = solver->workspace.solution->x;
    for (uint32_t k = 0; k < count; ++k)
        for (uint32_t i = 0; i < solver->free_count; ++i)
            memcpy(x + k * full + (size_t)3 * solver->free_vertices[i], solved + k * reduced + (size_t)3 * i,
                   3 * sizeof *x);
    return JN_OK;
}

void solver_report(const Solver *solver, SolverReport *report) {
    *report = solver->report;
}

uint32_t solver_unknown_count(const Solver *solver) {
    return solver->free_count * 3;
}

void solver_destroy(Solver *solver) {
    if (!solver)
        return;
    cholmod_free_sparse(&solver->scalar, &solver->common);
    cholmod_free_factor(&solver->factor, &solver->common);
    cholmod_free_dense(&solver->rhs, &solver->common);
    cholmod_guard_free_workspace(&solver->workspace, &solver->common);
    cholmod_finish(&solver->common);
    free(solver->free_vertices);
    free(solver->free_blocks);
    free(solver);
}
