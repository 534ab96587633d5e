#include "linear/free_unknowns.h"

#include <stdlib.h>
#include <string.h>

bool free_unknowns_build(const BlockMatrix *matrix, const uint8_t *fixed, FreeUnknowns *unknowns) {
    size_t n = (size_t)matrix->vertex_count + 1, blocks = (size_t)matrix->block_count + 1;
    *unknowns = (FreeUnknowns){.vertex_count = matrix->vertex_count,
                               .vertices = malloc(n * sizeof(uint32_t)),
                               .of_vertex = malloc(n * sizeof(uint32_t)),
                               .block_starts = malloc(n * sizeof(uint32_t)),
                               .blocks = malloc(blocks * sizeof(uint32_t)),
                               .rows = malloc(blocks * sizeof(uint32_t))};
    uint32_t fill = 0;
    if (!unknowns->vertices || !unknowns->of_vertex || !unknowns->block_starts || !unknowns->blocks ||
        !unknowns->rows) {
        free_unknowns_free(unknowns);
        return false;
    }
    for (uint32_t v = 0; v < matrix->vertex_count; ++v) {
        bool is_free = !fixed || !fixed[v];
        unknowns->of_vertex[v] = is_free ? unknowns->count : NOT_FREE;
        if (is_free)
            unknowns->vertices[unknowns->count++] = v;
    }
    for (uint32_t i = 0; i < unknowns->count; ++i) {
        uint32_t v = unknowns->vertices[i];
        unknowns->block_starts[i] = fill;
        for (uint32_t k = matrix->column_starts[v]; k < matrix->column_starts[v + 1]; ++k)
            if (unknowns->of_vertex[matrix->rows[k]] != NOT_FREE) {
                unknowns->blocks[fill] = k;
                unknowns->rows[fill++] = unknowns->of_vertex[matrix->rows[k]];
            }
    }
    unknowns->block_starts[unknowns->count] = fill;
    return true;
}

void free_unknowns_free(FreeUnknowns *unknowns) {
    free(unknowns->vertices);
    free(unknowns->of_vertex);
    free(unknowns->block_starts);
    free(unknowns->blocks);
    free(unknowns->rows);
    memset(unknowns, 0, sizeof *unknowns);
}

void free_unknowns_gather(const FreeUnknowns *unknowns, const double *full, double *packed) {
    for (size_t i = 0; i < unknowns->count; ++i)
        for (size_t c = 0; c < 3; ++c)
            packed[3 * i + c] = full[3 * (size_t)unknowns->vertices[i] + c];
}

void free_unknowns_scatter(const FreeUnknowns *unknowns, const double *packed, double *full) {
    memset(full, 0, (size_t)unknowns->vertex_count * 3 * sizeof *full);
    for (size_t i = 0; i < unknowns->count; ++i)
        for (size_t c = 0; c < 3; ++c)
            full[3 * (size_t)unknowns->vertices[i] + c] = packed[3 * i + c];
}

void free_unknowns_multiply(const FreeUnknowns *unknowns, const BlockMatrix *matrix, const double *x, double *y) {
    memset(y, 0, (size_t)unknowns->count * 3 * sizeof *y);
    for (size_t column = 0; column < unknowns->count; ++column) {
        const double *xc = x + 3 * column,
                     *d = matrix->values + 9 * (size_t)unknowns->blocks[unknowns->block_starts[column]];
        double x0 = xc[0], x1 = xc[1], x2 = xc[2];
        double s0 = d[0] * x0 + d[1] * x1 + d[2] * x2, s1 = d[3] * x0 + d[4] * x1 + d[5] * x2;
        double s2 = d[6] * x0 + d[7] * x1 + d[8] * x2;
        for (uint32_t k = unknowns->block_starts[column] + 1; k < unknowns->block_starts[column + 1]; ++k) {
            const double *a = matrix->values + 9 * (size_t)unknowns->blocks[k], *xr = x + 3 * (size_t)unknowns->rows[k];
            double *yr = y + 3 * (size_t)unknowns->rows[k];
            yr[0] += a[0] * x0 + a[1] * x1 + a[2] * x2;
            yr[1] += a[3] * x0 + a[4] * x1 + a[5] * x2;
            yr[2] += a[6] * x0 + a[7] * x1 + a[8] * x2;
            s0 += a[0] * xr[0] + a[3] * xr[1] + a[6] * xr[2];
            s1 += a[1] * xr[0] + a[4] * xr[1] + a[7] * xr[2];
            s2 += a[2] * xr[0] + a[5] * xr[1] + a[8] * xr[2];
        }
        y[3 * column] += s0;
        y[3 * column + 1] += s1;
        y[3 * column + 2] += s2;
    }
}
