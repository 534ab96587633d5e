/* Symmetric sparse matrices of 3x3 blocks, one block row and column per vertex. */
#ifndef JN_LINEAR_BLOCK_MATRIX_H
#define JN_LINEAR_BLOCK_MATRIX_H

#include "jounce.h"

/* The lower triangle, block column by block column; rows ascend in a column, the diagonal block comes first. */
typedef struct BlockMatrix { /* owns its arrays */
    uint32_t vertex_count;
    uint32_t block_count;
    uint32_t *column_starts; /* [vertex_count + 1] */
    uint32_t *rows;          /* [block_count] */
    double *values;          /* [block_count * 9], each block by rows */
} BlockMatrix;

/* The pattern in which every group of four vertices (a tet, a contact point's stencil) is fully coupled, and every
   diagonal block exists. tets: [tet_count * 4]. Values are 0. On failure *matrix is all zero. */
JnStatus block_matrix_from_tets(uint32_t vertex_count, const uint32_t *tets, uint32_t tet_count, BlockMatrix *matrix,
                                JnMessage *message);

/* Index of block (row, column) with row >= column. The block must be in the pattern. */
uint32_t block_matrix_find(const BlockMatrix *matrix, uint32_t row, uint32_t column);

/* A_rc += block (by rows). Row below column: the transpose goes to A_cr. The block must be in the pattern. */
void block_matrix_add(BlockMatrix *matrix, uint32_t row, uint32_t column, const double block[9]);

void block_matrix_set_zero(BlockMatrix *matrix);

/* y = A x with both triangles; x, y [vertex_count * 3], not the same array. */
void block_matrix_multiply(const BlockMatrix *matrix, const double *x, double *y);

void block_matrix_free(BlockMatrix *matrix); /* leaves it all zero */

#endif
