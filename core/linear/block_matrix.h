/* Sparse matrices of 3x3 blocks, one block row and column per vertex: symmetric ones, and unsymmetric ones of symmetric
   pattern. */
#ifndef JN_LINEAR_BLOCK_MATRIX_H
#define JN_LINEAR_BLOCK_MATRIX_H

#include "jounce.h"

#include <stdbool.h>

/* The lower triangle, block column by block column; rows ascend in a column, the diagonal block comes first. */
typedef struct BlockMatrix { /* owns its arrays, but for a borrowed pattern */
    uint32_t vertex_count;
    uint32_t block_count;
    uint32_t *column_starts; /* [vertex_count + 1] */
    uint32_t *rows;          /* [block_count] */
    double *values;          /* [block_count * 9], each block by rows */
    double *upper;        /* [block_count * 9]: the block opposite to k above the diagonal, by rows, if k is below it;
                             NULL: symmetric, so that is the transpose */
    bool borrows_pattern; /* column_starts and rows are another matrix\'s, which outlives this one */
} BlockMatrix;

/* Sets of vertices that are coupled: the corners of tets, the ends of springs, the vertices of a patch. */
typedef struct VertexGroups { /* borrowed arrays */
    uint32_t count;
    uint32_t size;            /* vertices in each group, if `starts` is NULL */
    const size_t *starts;     /* [count + 1]: group g is vertices[starts[g]] to vertices[starts[g + 1]]; or NULL */
    const uint32_t *vertices; /* no vertex twice in a group, unless it is to be coupled with itself only */
} VertexGroups;

static inline VertexGroups vertex_groups_of_tets(const uint32_t *tet_vertices, uint32_t tet_count) {
    return (VertexGroups){tet_count, 4, NULL, tet_vertices};
}

/* The pattern in which every group of every kind is fully coupled, and every diagonal block exists. kinds:
   [kind_count]. Values are 0. On failure *matrix is all zero. */
JnStatus block_matrix_build(uint32_t vertex_count, const VertexGroups *kinds, uint32_t kind_count, BlockMatrix *matrix,
                            JnMessage *message);

/* Another matrix of the same pattern, which it borrows. Values are 0. On failure *matrix is all zero. */
JnStatus block_matrix_share_pattern(const BlockMatrix *pattern, BlockMatrix *matrix, JnMessage *message);

/* Frees the values: what is left is a pattern. */
void block_matrix_drop_values(BlockMatrix *matrix);

/* Index of block (row, column) with row >= column. The block must be in the pattern. */
uint32_t block_matrix_find(const BlockMatrix *matrix, uint32_t row, uint32_t column);

/* Gives the matrix a separate upper triangle, 0 at first. */
JnStatus block_matrix_make_unsymmetric(BlockMatrix *matrix, JnMessage *message);

/* A_rc += block (by rows), which must be in the pattern. Symmetric matrices: off the diagonal this is A_cr too, so give
   each pair once. */
void block_matrix_add(BlockMatrix *matrix, uint32_t row, uint32_t column, const double block[9]);

void block_matrix_set_zero(BlockMatrix *matrix);

/* y = A x with both triangles; x, y: [vertex_count * 3], must not alias. */
void block_matrix_multiply(const BlockMatrix *matrix, const double *x, double *y);

/* The same for vectors that follow each other, [count][vertex_count * 3], and a symmetric matrix, which is read once
   for BLOCK_PRODUCTS of them. Every number is the same as by block_matrix_multiply.
   scratch: [2 BLOCK_PRODUCTS][vertex_count * 3]. */
enum { BLOCK_PRODUCTS = 4 };
void block_matrix_multiply_many(const BlockMatrix *matrix, const double *x, uint32_t count, double *scratch, double *y);

void block_matrix_free(BlockMatrix *matrix); /* leaves it all zero */

#endif
