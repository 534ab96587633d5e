#include "linear/pair_blocks.h"

#include <stdlib.h>
#include <string.h>

bool pair_blocks_add(PairBlocks *pairs, uint32_t row, uint32_t column, const double block[9]) {
    if (pairs->count == pairs->capacity) {
        size_t capacity = pairs->capacity ? 2 * pairs->capacity : 64;
        PairBlock *blocks =
            capacity <= SIZE_MAX / sizeof *blocks ? realloc(pairs->blocks, capacity * sizeof *blocks) : NULL;
        if (!blocks)
            return false;
        pairs->blocks = blocks;
        pairs->capacity = capacity;
    }
    PairBlock *added = &pairs->blocks[pairs->count++];
    bool below = row >= column;
    added->row = below ? row : column;
    added->column = below ? column : row;
    for (int i = 0; i < 9; ++i)
        added->block[i] = below ? block[i] : block[3 * (i % 3) + i / 3];
    return true;
}

void pair_blocks_clear(PairBlocks *pairs) {
    pairs->count = 0;
}

void pair_blocks_free(PairBlocks *pairs) {
    free(pairs->blocks);
    memset(pairs, 0, sizeof *pairs);
}

/* y += C x for the block alone; row, column: where its rows and columns are in x and y. */
static void multiply_block(const PairBlock *pair, size_t row, size_t column, const double *x, double *y) {
    const double *a = pair->block, *xr = x + 3 * row, *xc = x + 3 * column;
    double *yr = y + 3 * row, *yc = y + 3 * column;
    for (int i = 0; i < 3; ++i)
        yr[i] += a[3 * i] * xc[0] + a[3 * i + 1] * xc[1] + a[3 * i + 2] * xc[2];
    for (int j = 0; row != column && j < 3; ++j)
        yc[j] += a[j] * xr[0] + a[3 + j] * xr[1] + a[6 + j] * xr[2];
}

void pair_blocks_multiply(const PairBlocks *pairs, const double *x, double *y) {
    for (size_t k = 0; pairs && k < pairs->count; ++k)
        multiply_block(&pairs->blocks[k], pairs->blocks[k].row, pairs->blocks[k].column, x, y);
}

void pair_blocks_multiply_free(const PairBlocks *pairs, const FreeUnknowns *unknowns, const double *x, double *y) {
    for (size_t k = 0; pairs && k < pairs->count; ++k) {
        uint32_t row = unknowns->of_vertex[pairs->blocks[k].row], column = unknowns->of_vertex[pairs->blocks[k].column];
        if (row != NOT_FREE && column != NOT_FREE)
            multiply_block(&pairs->blocks[k], row, column, x, y);
    }
}

void pair_blocks_add_diagonal(const PairBlocks *pairs, const FreeUnknowns *unknowns, double scale, double *blocks) {
    for (size_t k = 0; pairs && k < pairs->count; ++k) {
        const PairBlock *pair = &pairs->blocks[k];
        uint32_t i = unknowns->of_vertex[pair->row];
        for (size_t c = 0; pair->row == pair->column && i != NOT_FREE && c < 9; ++c)
            blocks[9 * (size_t)i + c] += scale * pair->block[c];
    }
}
