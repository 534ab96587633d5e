#include "linear/schur_block.h"

#include "linear/supernodes.h"

#include <stdlib.h>
#include <string.h>

/* BLAS and LAPACK routines, with Fortran calling conventions. */
extern void dpotrf_(const char *triangle, const int *n, double *a, const int *stride, int *info);
extern void dsyrk_(const char *triangle, const char *transposed, const int *n, const int *depth, const double *scale,
                   const double *a, const int *a_stride, const double *c_scale, double *c, const int *c_stride);

bool schur_block_prepare(SchurBlock *block, const cholmod_factor *analysis, int count) {
    size_t size = (size_t)count * (size_t)count;
    const int *order = analysis->Perm;
    *block = (SchurBlock){.count = count,
                          .places = malloc(analysis->n * sizeof(int)),
                          .schur = calloc(size, sizeof(double)),
                          .factor = malloc(size * sizeof(double))};
    if (!block->places || !block->schur || !block->factor) {
        schur_block_free(block);
        return false;
    }
    int first = (int)analysis->n - count;
    for (int i = 0; i < (int)analysis->n; ++i)
        block->places[order[i]] = i >= first ? i - first : -1;
    return true;
}

double schur_block_bytes(const SchurBlock *block) {
    return 2.0 * block->count * block->count * sizeof(double);
}

void schur_block_free(SchurBlock *block) {
    free(block->places);
    free(block->schur);
    free(block->factor);
    memset(block, 0, sizeof *block);
}

/* Where the block's column j begins, from its diagonal on, among the values of a whole factor. */
static size_t column_start(const SchurBlock *block, const cholmod_factor *analysis, int j) {
    Supernode node = supernode_of(analysis, analysis->nsuper - 1);
    return node.values + (size_t)(node.width - block->count + j) * (size_t)(node.stride + 1);
}

void schur_block_copy_front(SchurBlock *block, const cholmod_factor *analysis, const float *values) {
    size_t n = (size_t)block->count;
    for (size_t j = 0; j < n; ++j) {
        const float *from = values + column_start(block, analysis, (int)j);
        for (size_t i = j; i < n; ++i)
            block->schur[j * n + i] = (double)from[i - j];
    }
}

void schur_block_put_single(const SchurBlock *block, const cholmod_factor *analysis, float *values) {
    size_t n = (size_t)block->count;
    for (size_t j = 0; j < n; ++j) {
        float *to = values + column_start(block, analysis, (int)j);
        for (size_t i = j; i < n; ++i)
            to[i - j] = (float)block->factor[j * n + i];
    }
}

void schur_block_put_double(const SchurBlock *block, cholmod_factor *factor) {
    size_t n = (size_t)block->count;
    for (size_t j = 0; j < n; ++j)
        memcpy((double *)factor->x + column_start(block, factor, (int)j), block->factor + j * n + j,
               (n - j) * sizeof(double));
    factor->minor = factor->n;
}

/* Subtracts the contribution of `width` columns of a supernode to the block; products: [count][count] scratch. */
static void subtract_columns(SchurBlock *block, const Supernode *node, int width, int first, const double *x,
                             double *products) {
    static const double ONE = 1, ZERO = 0;
    int rows = 0;
    while (rows < node->stride - width && node->rows[node->stride - 1 - rows] >= first)
        ++rows;
    if (rows == 0 || width == 0)
        return;
    int above = node->stride - rows;
    dsyrk_("L", "N", &rows, &width, &ONE, x + node->values + above, &node->stride, &ZERO, products, &rows);
    for (int j = 0; j < rows; ++j) {
        double *to = block->schur + (size_t)(node->rows[above + j] - first) * (size_t)block->count;
        for (int i = j; i < rows; ++i)
            to[node->rows[above + i] - first] -= products[(size_t)j * (size_t)rows + (size_t)i];
    }
}

void schur_block_compute(SchurBlock *block, const cholmod_factor *factor, const cholmod_sparse *matrix,
                         const double *values) {
    const int *starts = matrix->p, *rows = matrix->i;
    int first = (int)factor->n - block->count;
    size_t n = (size_t)block->count;
    memset(block->schur, 0, n * n * sizeof *block->schur);
    for (size_t j = 0; j < n; ++j)
        for (int k = starts[(size_t)first + j]; k < starts[(size_t)first + j + 1]; ++k)
            block->schur[j * n + (size_t)(rows[k] - first)] = values[k];
    for (size_t s = 0; s < factor->nsuper; ++s) {
        Supernode node = supernode_of(factor, s);
        int width = s + 1 < factor->nsuper ? node.width : node.width - block->count;
        subtract_columns(block, &node, width, first, factor->x, block->factor);
    }
}

/* Adds a block to the rows and columns of two free vertices in `factor`. */
static void add_pair(SchurBlock *block, const PairBlock *pair, uint32_t row, uint32_t column) {
    const int *row_places = block->places + 3 * (size_t)row, *column_places = block->places + 3 * (size_t)column;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < (row == column ? i + 1 : 3); ++j) {
            int a = row_places[i], b = column_places[j], low = a > b ? a : b, left = a > b ? b : a;
            block->factor[(size_t)left * (size_t)block->count + (size_t)low] += pair->block[3 * i + j];
        }
}

bool schur_block_factor(SchurBlock *block, const FreeUnknowns *unknowns, const PairBlocks *pairs) {
    int info;
    size_t n = (size_t)block->count;
    memcpy(block->factor, block->schur, n * n * sizeof(double));
    for (size_t k = 0; pairs && k < pairs->count; ++k) {
        const PairBlock *pair = &pairs->blocks[k];
        uint32_t row = unknowns->of_vertex[pair->row], column = unknowns->of_vertex[pair->column];
        if (row != NOT_FREE && column != NOT_FREE)
            add_pair(block, pair, row, column);
    }
    dpotrf_("L", &block->count, block->factor, &block->count, &info);
    bool positive = info == 0;
    /* the BLAS may accept a NaN pivot as positive */
    for (size_t j = 0; j < n; ++j)
        positive &= block->factor[j * n + j] > 0;
    return positive;
}
