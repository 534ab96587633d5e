#include "linear/schur_split.h"

#include <stdlib.h>
#include <string.h>

/* BLAS and LAPACK routines, with Fortran calling conventions. */
extern void spotrf_(const char *triangle, const int *n, float *a, const int *stride, int *info);
extern void strsm_(const char *side, const char *triangle, const char *transposed, const char *diagonal,
                   const int *rows, const int *columns, const float *scale, const float *a, const int *a_stride,
                   float *b, const int *b_stride);
extern void ssyrk_(const char *triangle, const char *transposed, const int *n, const int *depth, const float *scale,
                   const float *a, const int *a_stride, const float *c_scale, float *c, const int *c_stride);

/* Pairs may multiply a diagonal entry of S0 by this at most. */
static const double STIFFEST_SINGLE = 1e5;
/* The tail may have this many times the unknowns that are touched: those that were touched before may be so again. */
static const double TAIL_MOST = 1.5;

bool schur_split_prepare(SchurSplit *split, int count) {
    size_t n = (size_t)count;
    *split = (SchurSplit){.count = count,
                          .head = count,
                          .in_tail = calloc(2 * n, 1),
                          .order = malloc(2 * n * sizeof(int)),
                          .values = malloc(n * n * sizeof(float)),
                          .rest = malloc(n * n * sizeof(float))};
    if (!split->in_tail || !split->order || !split->values || !split->rest) {
        schur_split_free(split);
        return false;
    }
    split->positions = split->order + n;
    for (int i = 0; i < count; ++i)
        split->order[i] = split->positions[i] = i;
    return true;
}

double schur_split_bytes(const SchurSplit *split) {
    return 2.0 * split->count * split->count * sizeof(float);
}

void schur_split_free(SchurSplit *split) {
    free(split->in_tail);
    free(split->order);
    free(split->values);
    free(split->rest);
    memset(split, 0, sizeof *split);
}

/* ------------------------------------------------------------------------------------------------ the order */

/* From in_tail: the head in order, then the tail in order. */
static void set_order(SchurSplit *split) {
    int position = 0;
    for (uint8_t part = 0; part < 2; ++part) {
        split->head = part ? position : split->count;
        for (int i = 0; i < split->count; ++i)
            if (split->in_tail[i] == part)
                split->order[position++] = i;
    }
    for (int i = 0; i < split->count; ++i)
        split->positions[split->order[i]] = i;
    split->head_current = false;
}

/* touched: [count] set to 1 for unknowns that pairs join. Returns how many. */
static int find_touched(const SchurBlock *block, const FreeUnknowns *unknowns, const PairBlocks *pairs,
                        uint8_t *touched) {
    int count = 0;
    memset(touched, 0, (size_t)block->count);
    for (size_t k = 0; pairs && k < pairs->count; ++k) {
        uint32_t row = unknowns->of_vertex[pairs->blocks[k].row], column = unknowns->of_vertex[pairs->blocks[k].column];
        for (size_t i = 0; row != NOT_FREE && column != NOT_FREE && i < 3; ++i)
            touched[block->places[3 * (size_t)row + i]] = touched[block->places[3 * (size_t)column + i]] = 1;
    }
    for (int i = 0; i < block->count; ++i)
        count += touched[i];
    return count;
}

static void choose_tail(SchurSplit *split, const SchurBlock *block, const FreeUnknowns *unknowns,
                        const PairBlocks *pairs) {
    uint8_t *touched = split->in_tail + split->count;
    int count = find_touched(block, unknowns, pairs, touched), together = 0, tail = split->count - split->head;
    for (int i = 0; i < split->count; ++i)
        together += touched[i] | split->in_tail[i];
    bool keep = together <= TAIL_MOST * count;
    if (keep && together == tail)
        return;
    for (int i = 0; i < split->count; ++i)
        split->in_tail[i] = touched[i] | (keep ? split->in_tail[i] : 0);
    set_order(split);
}

bool schur_split_archive(SchurSplit *split, Archive *archive, bool *changed) {
    size_t n = (size_t)split->count;
    *changed = false;
    if (n == 0)
        return true;
    uint8_t *loaded = split->in_tail + n;
    memcpy(loaded, split->in_tail, n);
    if (!archive_piece(archive, loaded, n))
        return false;
    for (size_t i = 0; i < n; ++i)
        loaded[i] = loaded[i] != 0;
    *changed = memcmp(loaded, split->in_tail, n) != 0;
    memcpy(split->in_tail, loaded, n);
    if (*changed)
        set_order(split);
    return true;
}

/* ------------------------------------------------------------------------------------------------ the factor */

static bool is_positive(const float *values, size_t n, size_t stride) {
    /* the BLAS may accept a NaN pivot as positive */
    for (size_t j = 0; j < n; ++j)
        if (!(values[j * stride + j] > 0))
            return false;
    return true;
}

/* The entry of S0 at two positions. */
static float entry(const SchurSplit *split, const SchurBlock *block, int row, int column) {
    int a = split->order[row], b = split->order[column];
    return (float)block->schur[(size_t)(a > b ? b : a) * (size_t)block->count + (size_t)(a > b ? a : b)];
}

static bool eliminate_head(SchurSplit *split, const SchurBlock *block) {
    static const float ONE = 1, MINUS_ONE = -1;
    int n = split->count, head = split->head, tail = n - head, info = 0;
    for (int j = 0; j < head; ++j)
        for (int i = j; i < n; ++i)
            split->values[(size_t)j * (size_t)n + (size_t)i] = entry(split, block, i, j);
    for (int j = 0; j < tail; ++j)
        for (int i = j; i < tail; ++i)
            split->rest[(size_t)j * (size_t)tail + (size_t)i] = entry(split, block, head + i, head + j);
    split->head_current = head == 0;
    if (head == 0)
        return true;
    spotrf_("L", &head, split->values, &n, &info);
    if (info != 0 || !is_positive(split->values, (size_t)head, (size_t)n))
        return false;
    if (tail > 0) {
        strsm_("R", "L", "T", "N", &tail, &head, &ONE, split->values, &n, split->values + head, &n);
        ssyrk_("L", "N", &tail, &head, &MINUS_ONE, split->values + head, &n, &ONE, split->rest, &tail);
    }
    split->head_current = true;
    return true;
}

/* Adds a block to the rows and columns of two free vertices. */
static void add_pair(const SchurSplit *split, const SchurBlock *block, const PairBlock *pair, uint32_t row,
                     uint32_t column) {
    const int *rows = block->places + 3 * (size_t)row, *columns = block->places + 3 * (size_t)column;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < (row == column ? i + 1 : 3); ++j) {
            int a = split->positions[rows[i]], b = split->positions[columns[j]];
            int low = a > b ? a : b, left = a > b ? b : a;
            split->values[(size_t)left * (size_t)split->count + (size_t)low] += (float)pair->block[3 * i + j];
        }
}

bool schur_split_factor(SchurSplit *split, const SchurBlock *block, const FreeUnknowns *unknowns,
                        const PairBlocks *pairs) {
    choose_tail(split, block, unknowns, pairs);
    if (!split->head_current && !eliminate_head(split, block))
        return false;
    size_t n = (size_t)split->count, head = (size_t)split->head, tail = n - head;
    float *last = split->values + head * n + head;
    for (size_t j = 0; j < tail; ++j)
        memcpy(last + j * n + j, split->rest + j * tail + j, (tail - j) * sizeof *last);
    for (size_t k = 0; pairs && k < pairs->count; ++k) {
        const PairBlock *pair = &pairs->blocks[k];
        uint32_t row = unknowns->of_vertex[pair->row], column = unknowns->of_vertex[pair->column];
        if (row != NOT_FREE && column != NOT_FREE)
            add_pair(split, block, pair, row, column);
    }
    for (size_t j = 0; j < tail; ++j) {
        size_t unknown = (size_t)split->order[head + j];
        if (!((double)last[j * n + j] <= STIFFEST_SINGLE * block->schur[unknown * n + unknown]))
            return false;
    }
    int tail_count = (int)tail, info = 0;
    if (tail > 0)
        spotrf_("L", &tail_count, last, &split->count, &info);
    return info == 0 && is_positive(last, tail, n);
}

LastBlock schur_split_last(const SchurSplit *split) {
    return (LastBlock){split->count, split->order, split->values};
}
