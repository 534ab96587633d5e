#include "linear/factored_pairs.h"

#include "base/math3.h"
#include "linear/vertex_rotations.h"

#include <stdlib.h>
#include <string.h>

/* They are alike if at every vertex they differ by at most this part of themselves and of a part of A, which stands for
   what is left of A when the others are eliminated. */
static const double ALIKE = 0.1, LEFT_OF_MATRIX = 0.3;

bool factored_pairs_prepare(FactoredPairs *pairs, const FreeUnknowns *unknowns) {
    size_t n = 9 * (size_t)unknowns->count;
    *pairs = (FactoredPairs){.diagonal = calloc(2 * n, sizeof(double))};
    pairs->change = pairs->diagonal ? pairs->diagonal + n : NULL;
    return pairs->diagonal != NULL;
}

void factored_pairs_free(FactoredPairs *pairs) {
    pair_blocks_free(&pairs->held);
    pair_blocks_free(&pairs->given);
    free(pairs->diagonal);
    memset(pairs, 0, sizeof *pairs);
}

bool factored_pairs_give(FactoredPairs *pairs, const FreeUnknowns *unknowns, const PairBlocks *C,
                         const double *rotations) {
    bool ok = true;
    pair_blocks_clear(&pairs->given);
    for (size_t k = 0; C && ok && k < C->count; ++k) {
        const PairBlock *pair = &C->blocks[k];
        uint32_t row = unknowns->of_vertex[pair->row], column = unknowns->of_vertex[pair->column];
        double turned[9];
        if (row == NOT_FREE || column == NOT_FREE)
            continue;
        if (rotations)
            vertex_rotations_turn_block(rotations, row, column, pair->block, turned);
        ok = pair_blocks_add(&pairs->given, pair->row, pair->column, rotations ? turned : pair->block);
    }
    return ok;
}

static bool positive(const double a[9]) {
    return a[0] > 0 && a[0] * a[4] > a[1] * a[1] && mat3_det(a) > 0;
}

bool factored_pairs_alike(FactoredPairs *pairs, const FreeUnknowns *unknowns, const BlockMatrix *matrix) {
    bool alike = true;
    for (size_t i = 0; i < 9 * (size_t)unknowns->count; ++i)
        pairs->change[i] = -pairs->diagonal[i];
    pair_blocks_add_diagonal(&pairs->given, unknowns, 1, pairs->change);
    for (size_t i = 0; alike && i < unknowns->count; ++i) {
        const double *own = matrix->values + 9 * (size_t)unknowns->blocks[unknowns->block_starts[i]];
        const double *then = pairs->diagonal + 9 * i, left = LEFT_OF_MATRIX * (own[0] + own[4] + own[8]) / 3;
        double more[9], less[9];
        for (int c = 0; c < 9; ++c) {
            double allowed = ALIKE * (then[c] + (c % 4 == 0 ? left : 0));
            more[c] = allowed + pairs->change[9 * i + (size_t)c];
            less[c] = allowed - pairs->change[9 * i + (size_t)c];
        }
        alike = positive(more) && positive(less);
    }
    return alike;
}

static void find_diagonal(FactoredPairs *pairs, const FreeUnknowns *unknowns) {
    memset(pairs->diagonal, 0, 9 * (size_t)unknowns->count * sizeof *pairs->diagonal);
    pair_blocks_add_diagonal(&pairs->held, unknowns, 1, pairs->diagonal);
}

void factored_pairs_hold(FactoredPairs *pairs, const FreeUnknowns *unknowns) {
    PairBlocks held = pairs->given;
    pairs->given = pairs->held;
    pairs->held = held;
    find_diagonal(pairs, unknowns);
}

/* given = those saved. */
static bool load_given(FactoredPairs *pairs, const FreeUnknowns *unknowns, Archive *archive) {
    uint64_t count;
    bool ok = archive_piece(archive, &count, sizeof count);
    pair_blocks_clear(&pairs->given);
    for (uint64_t k = 0; ok && k < count; ++k) {
        PairBlock pair;
        ok = archive_piece(archive, &pair, sizeof pair) && pair.row < unknowns->vertex_count &&
             pair.column <= pair.row && unknowns->of_vertex[pair.row] != NOT_FREE &&
             unknowns->of_vertex[pair.column] != NOT_FREE &&
             pair_blocks_add(&pairs->given, pair.row, pair.column, pair.block);
    }
    return ok;
}

static bool same(const PairBlocks *a, const PairBlocks *b) {
    return a->count == b->count && (a->count == 0 || memcmp(a->blocks, b->blocks, a->count * sizeof *a->blocks) == 0);
}

bool factored_pairs_archive(FactoredPairs *pairs, const FreeUnknowns *unknowns, Archive *archive, bool *changed) {
    uint64_t count = pairs->held.count;
    *changed = false;
    if (!archive->loading)
        return archive_piece(archive, &count, sizeof count) &&
               archive_piece(archive, pairs->held.blocks, count * sizeof *pairs->held.blocks);
    bool ok = load_given(pairs, unknowns, archive);
    if (!ok)
        pair_blocks_clear(&pairs->given);
    *changed = !same(&pairs->given, &pairs->held);
    factored_pairs_hold(pairs, unknowns);
    return ok;
}
