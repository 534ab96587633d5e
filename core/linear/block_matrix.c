#include "linear/block_matrix.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

static int compare_uint32(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts entries[0..count) and drops repeats; returns how many are left. */
static uint32_t sort_unique(uint32_t *entries, uint32_t count) {
    qsort(entries, count, sizeof *entries, compare_uint32);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i)
        if (kept == 0 || entries[i] != entries[kept - 1])
            entries[kept++] = entries[i];
    return kept;
}

/* Calls visit for every pair of different vertices that a group couples, the smaller one first. */
typedef void PairVisit(void *context, uint32_t smaller, uint32_t larger);
static void for_each_pair(const VertexGroups *kinds, uint32_t kind_count, PairVisit *visit, void *context) {
    for (uint32_t k = 0; k < kind_count; ++k) {
        const VertexGroups *kind = &kinds[k];
        for (size_t g = 0; g < kind->count; ++g) {
            size_t first = kind->starts ? kind->starts[g] : g * kind->size;
            size_t end = kind->starts ? kind->starts[g + 1] : first + kind->size;
            for (size_t a = first; a < end; ++a)
                for (size_t b = a + 1; b < end; ++b) {
                    uint32_t va = kind->vertices[a], vb = kind->vertices[b];
                    if (va != vb)
                        visit(context, va < vb ? va : vb, va < vb ? vb : va);
                }
        }
    }
}

static void count_pair(void *context, uint32_t smaller, uint32_t larger) {
    (void)larger;
    ++((size_t *)context)[smaller + 1];
}

typedef struct RowLists {
    size_t *fill; /* [vertex_count], where the next row of a column goes */
    uint32_t *rows;
} RowLists;

static void list_pair(void *context, uint32_t smaller, uint32_t larger) {
    RowLists *lists = context;
    lists->rows[lists->fill[smaller]++] = larger;
}

JnStatus block_matrix_build(uint32_t vertex_count, const VertexGroups *kinds, uint32_t kind_count, BlockMatrix *matrix,
                            JnMessage *message) {
    JnStatus status = JN_OK;
    memset(matrix, 0, sizeof *matrix);
    size_t *starts = calloc((size_t)vertex_count + 1, sizeof *starts);
    size_t *fill = calloc((size_t)vertex_count + 1, sizeof *fill);
    uint32_t *candidates = NULL;
    matrix->vertex_count = vertex_count;
    matrix->column_starts = calloc((size_t)vertex_count + 1, sizeof *matrix->column_starts);
    if (!starts || !fill || !matrix->column_starts)
        goto no_memory;

    /* how many candidates each column has, repeats included */
    for (uint32_t v = 0; v < vertex_count; ++v)
        starts[v + 1] = 1;
    for_each_pair(kinds, kind_count, count_pair, starts);
    for (uint32_t v = 0; v < vertex_count; ++v)
        starts[v + 1] += starts[v];
    candidates = malloc((starts[vertex_count] + 1) * sizeof *candidates);
    if (!candidates)
        goto no_memory;
    for (uint32_t v = 0; v < vertex_count; ++v) {
        fill[v] = starts[v];
        candidates[fill[v]++] = v;
    }
    for_each_pair(kinds, kind_count, list_pair, &(RowLists){fill, candidates});

    /* sorted unique rows of each column, packed */
    size_t packed = 0;
    for (uint32_t v = 0; v < vertex_count; ++v) {
        uint32_t kept = sort_unique(candidates + starts[v], (uint32_t)(starts[v + 1] - starts[v]));
        memmove(candidates + packed, candidates + starts[v], kept * sizeof *candidates);
        packed += kept;
        if (packed > UINT32_MAX)
            goto no_memory;
        matrix->column_starts[v + 1] = (uint32_t)packed;
    }
    matrix->block_count = (uint32_t)packed;
    matrix->rows = malloc((packed + 1) * sizeof *matrix->rows);
    matrix->values = calloc(packed * 9 + 1, sizeof *matrix->values);
    if (!matrix->rows || !matrix->values)
        goto no_memory;
    memcpy(matrix->rows, candidates, packed * sizeof *candidates);
    goto done;

no_memory:
    status = status_no_memory(message, "the stiffness matrix");
    block_matrix_free(matrix);
done:
    free(starts);
    free(fill);
    free(candidates);
    return status;
}

uint32_t block_matrix_find(const BlockMatrix *matrix, uint32_t row, uint32_t column) {
    uint32_t low = matrix->column_starts[column], high = matrix->column_starts[column + 1];
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (matrix->rows[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

JnStatus block_matrix_make_unsymmetric(BlockMatrix *matrix, JnMessage *message) {
    if (!matrix->upper)
        matrix->upper = calloc((size_t)matrix->block_count * 9 + 1, sizeof *matrix->upper);
    return matrix->upper ? JN_OK : status_no_memory(message, "the matrix");
}

void block_matrix_add(BlockMatrix *matrix, uint32_t row, uint32_t column, const double block[9]) {
    size_t at =
        9 * (size_t)(row >= column ? block_matrix_find(matrix, row, column) : block_matrix_find(matrix, column, row));
    if (row < column && !matrix->upper) {
        for (size_t i = 0; i < 3; ++i)
            for (size_t j = 0; j < 3; ++j)
                matrix->values[at + 3 * i + j] += block[3 * j + i];
        return;
    }
    double *values = (row < column ? matrix->upper : matrix->values) + at;
    for (int i = 0; i < 9; ++i)
        values[i] += block[i];
}

void block_matrix_set_zero(BlockMatrix *matrix) {
    memset(matrix->values, 0, (size_t)matrix->block_count * 9 * sizeof *matrix->values);
    if (matrix->upper)
        memset(matrix->upper, 0, (size_t)matrix->block_count * 9 * sizeof *matrix->upper);
}

void block_matrix_multiply(const BlockMatrix *matrix, const double *x, double *y) {
    memset(y, 0, (size_t)matrix->vertex_count * 3 * sizeof *y);
    for (size_t column = 0; column < matrix->vertex_count; ++column) {
        const double *xc = x + 3 * column;
        double sum[3] = {0, 0, 0};
        for (size_t k = matrix->column_starts[column]; k < matrix->column_starts[column + 1]; ++k) {
            const double *a = matrix->values + 9 * k, *u = matrix->upper ? matrix->upper + 9 * k : NULL;
            size_t row = matrix->rows[k];
            double *yr = y + 3 * row;
            const double *xr = x + 3 * row;
            for (int i = 0; i < 3; ++i)
                yr[i] += a[3 * i] * xc[0] + a[3 * i + 1] * xc[1] + a[3 * i + 2] * xc[2];
            if (row == column)
                continue;
            for (int j = 0; j < 3; ++j)
                sum[j] += u ? u[3 * j] * xr[0] + u[3 * j + 1] * xr[1] + u[3 * j + 2] * xr[2]
                            : a[j] * xr[0] + a[3 + j] * xr[1] + a[6 + j] * xr[2];
        }
        for (size_t j = 0; j < 3; ++j)
            y[3 * column + j] += sum[j];
    }
}

/* y += A x or A'x, A a 3x3 block, for BLOCK_PRODUCTS vectors number by number beside each other, [3][BLOCK_PRODUCTS].
 */
static inline void add_beside(const double *a, bool transposed, const double *x, double *y) {
    typedef double Numbers __attribute__((vector_size(8 * BLOCK_PRODUCTS), aligned(8), may_alias));
    const Numbers *from = (const Numbers *)x;
    Numbers *to = (Numbers *)y;
    const size_t row = transposed ? 1 : 3, column = transposed ? 3 : 1;
    for (size_t i = 0; i < 3; ++i)
        to[i] += a[row * i] * from[0] + a[row * i + column] * from[1] + a[row * i + 2 * column] * from[2];
}

/* The products of BLOCK_PRODUCTS vectors: x, y: [vertex_count * 3][BLOCK_PRODUCTS], y 0 at first. */
static void multiply_beside(const BlockMatrix *matrix, const double *x, double *y) {
    enum { WIDTH = 3 * BLOCK_PRODUCTS };
    for (size_t column = 0; column < matrix->vertex_count; ++column) {
        double sum[WIDTH] = {0};
        for (size_t k = matrix->column_starts[column]; k < matrix->column_starts[column + 1]; ++k) {
            const double *a = matrix->values + 9 * k;
            size_t row = matrix->rows[k];
            add_beside(a, false, x + WIDTH * column, y + WIDTH * row);
            if (row != column)
                add_beside(a, true, x + WIDTH * row, sum);
        }
        for (size_t i = 0; i < WIDTH; ++i)
            y[WIDTH * column + i] += sum[i];
    }
}

void block_matrix_multiply_many(const BlockMatrix *matrix, const double *x, uint32_t count, double *scratch,
                                double *y) {
    enum { L = BLOCK_PRODUCTS };
    size_t n = (size_t)matrix->vertex_count * 3;
    double *restrict beside = scratch, *restrict products = scratch + L * n;
    for (uint32_t first = 0; first < count; first += L) {
        /* a vector too few is replaced by the last one */
        const uint32_t last = count - 1;
        const double *from[L];
        double *to[L];
        for (uint32_t l = 0; l < L; ++l) {
            size_t at = (first + l < last ? first + l : last) * n;
            from[l] = x + at;
            to[l] = y + at;
        }
        for (size_t i = 0; i < n; ++i)
            for (size_t l = 0; l < L; ++l)
                beside[L * i + l] = from[l][i];
        memset(products, 0, L * n * sizeof *products);
        multiply_beside(matrix, beside, products);
        for (size_t i = 0; i < n; ++i)
            for (size_t l = 0; l < L; ++l)
                to[l][i] = products[L * i + l];
    }
}

JnStatus block_matrix_share_pattern(const BlockMatrix *pattern, BlockMatrix *matrix, JnMessage *message) {
    *matrix = *pattern;
    matrix->upper = NULL;
    matrix->borrows_pattern = true;
    matrix->values = calloc((size_t)pattern->block_count * 9 + 1, sizeof *matrix->values);
    if (matrix->values)
        return JN_OK;
    memset(matrix, 0, sizeof *matrix);
    return status_no_memory(message, "a matrix");
}

void block_matrix_drop_values(BlockMatrix *matrix) {
    free(matrix->values);
    free(matrix->upper);
    matrix->values = matrix->upper = NULL;
}

void block_matrix_free(BlockMatrix *matrix) {
    if (!matrix->borrows_pattern) {
        free(matrix->column_starts);
        free(matrix->rows);
    }
    free(matrix->values);
    free(matrix->upper);
    memset(matrix, 0, sizeof *matrix);
}
