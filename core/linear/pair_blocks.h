/* A symmetric matrix C of 3x3 blocks between any pairs of vertices, such as contact and friction: a short list that is
   rebuilt for every system, while a BlockMatrix has one pattern for all of them. */
#ifndef JN_LINEAR_PAIR_BLOCKS_H
#define JN_LINEAR_PAIR_BLOCKS_H

#include "linear/free_unknowns.h"

typedef struct PairBlock {
    uint32_t row, column; /* vertices, row >= column */
    double block[9];      /* by rows; symmetric if row == column, else C also has its transpose at (column, row) */
} PairBlock;

typedef struct PairBlocks { /* owns its array; all zero: C = 0 */
    PairBlock *blocks;      /* [count]; blocks of the same pair add up */
    size_t count, capacity;
} PairBlocks;

/* C_rc += block (by rows) and, off the diagonal, C_cr += its transpose, so give each pair once. On the diagonal the
   block must be symmetric. false: out of memory, and C is unchanged. */
bool pair_blocks_add(PairBlocks *pairs, uint32_t row, uint32_t column, const double block[9]);

/* C = 0; keeps the memory for the next blocks. */
void pair_blocks_clear(PairBlocks *pairs);
void pair_blocks_free(PairBlocks *pairs); /* leaves it all zero */

/* True for NULL and for a list without blocks. */
static inline bool pair_blocks_empty(const PairBlocks *pairs) {
    return !pairs || pairs->count == 0;
}

/* y += C x; x, y: [vertex_count * 3], must not alias. pairs may be NULL. */
void pair_blocks_multiply(const PairBlocks *pairs, const double *x, double *y);

/* As above for the free unknowns, x, y: [free count * 3]: rows and columns of fixed vertices are left out. */
void pair_blocks_multiply_free(const PairBlocks *pairs, const FreeUnknowns *unknowns, const double *x, double *y);

/* blocks += scale * the diagonal blocks of C, blocks: [free count * 9]. pairs may be NULL. */
void pair_blocks_add_diagonal(const PairBlocks *pairs, const FreeUnknowns *unknowns, double scale, double *blocks);

#endif
