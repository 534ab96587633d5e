/* Bodies of springs for tests of the solver: boxes that nothing couples, as a matrix, and contacts as pairs. */
#ifndef JN_TESTS_SPRING_BODIES_H
#define JN_TESTS_SPRING_BODIES_H

#include "random.h"
#include "tet_box.h"

#include "linear/pair_blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct SpringBodies {
    uint32_t box_vertices, vertex_count;
    uint32_t *tets;
    double *positions; /* [vertex_count * 3] */
    BlockMatrix matrix;
} SpringBodies;

/* `count` boxes of nx x ny x nz cells of size 1 above each other, apart by 1. The matrix has no values yet. Returns 1
   if made. */
static inline int spring_bodies_open(SpringBodies *bodies, uint32_t nx, uint32_t ny, uint32_t nz, uint32_t count) {
    JnMessage message;
    TetBox box = tet_box_make(nx, ny, nz, 1);
    size_t numbers = 4 * (size_t)box.tet_count, coordinates = 3 * (size_t)box.vertex_count;
    *bodies = (SpringBodies){.box_vertices = box.vertex_count, .vertex_count = count * box.vertex_count};
    bodies->tets = malloc(count * numbers * sizeof(uint32_t));
    bodies->positions = malloc(count * coordinates * sizeof(double));
    for (size_t k = 0; k < count * numbers; ++k)
        bodies->tets[k] = box.tets[k % numbers] + (uint32_t)(k / numbers) * box.vertex_count;
    for (size_t k = 0; k < count * coordinates; ++k)
        bodies->positions[k] = box.positions[k % coordinates] + (k % 3 == 2 ? (double)(k / coordinates * (nz + 1)) : 0);
    VertexGroups groups = vertex_groups_of_tets(bodies->tets, count * box.tet_count);
    tet_box_free(&box);
    return block_matrix_build(bodies->vertex_count, &groups, 1, &bodies->matrix, &message) == JN_OK;
}

static inline void spring_bodies_close(SpringBodies *bodies) {
    block_matrix_free(&bodies->matrix);
    free(bodies->tets);
    free(bodies->positions);
}

/* A += the stiffness of a spring between two vertices in its own direction. positions: [vertex_count * 3]. */
static inline void spring_bodies_add(BlockMatrix *matrix, const double *positions, uint32_t row, uint32_t column,
                                     double stiffness) {
    double d[3], length = 0, block[9], opposite[9];
    for (uint32_t i = 0; i < 3; ++i) {
        d[i] = positions[3 * row + i] - positions[3 * column + i];
        length += d[i] * d[i];
    }
    for (int i = 0; i < 9; ++i) {
        block[i] = stiffness * d[i / 3] * d[i % 3] / length;
        opposite[i] = -block[i];
    }
    block_matrix_add(matrix, row, column, opposite);
    block_matrix_add(matrix, row, row, block);
    block_matrix_add(matrix, column, column, block);
}

/* Springs of stiffness 5 to 15 along the edges, and `mass` at every vertex: symmetric positive definite. */
static inline void spring_bodies_fill(SpringBodies *bodies, double mass) {
    BlockMatrix *matrix = &bodies->matrix;
    uint64_t seed = 11;
    block_matrix_set_zero(matrix);
    for (uint32_t column = 0; column < matrix->vertex_count; ++column)
        for (uint32_t k = matrix->column_starts[column] + 1; k < matrix->column_starts[column + 1]; ++k) {
            double stiffness = 10 + 5 * random_signed(&seed);
            spring_bodies_add(matrix, bodies->positions, matrix->rows[k], column, stiffness);
        }
    for (size_t v = 0; v < matrix->vertex_count; ++v)
        for (size_t i = 0; i < 3; ++i)
            matrix->values[9 * (size_t)matrix->column_starts[v] + 4 * i] += mass;
}

/* y = (A + C) x in the free unknowns, 0 elsewhere; x must be 0 there. fixed: [vertex_count] or NULL. */
static inline void spring_bodies_multiply(const SpringBodies *bodies, const PairBlocks *pairs, const uint8_t *fixed,
                                          const double *x, double *y) {
    block_matrix_multiply(&bodies->matrix, x, y);
    pair_blocks_multiply(pairs, x, y);
    for (uint32_t i = 0; i < 3 * bodies->vertex_count; ++i)
        if (fixed && fixed[i / 3])
            y[i] = 0;
}

/* A random normal, and the stiffness along it, with a tenth of it across: contact with friction. */
static inline void contact_block(uint64_t *seed, double stiffness, double block[9]) {
    double n[3], length = 0;
    for (int i = 0; i < 3; ++i) {
        n[i] = random_signed(seed);
        length += n[i] * n[i];
    }
    for (int i = 0; i < 9; ++i)
        block[i] = stiffness * (0.9 * n[i / 3] * n[i % 3] / length + (i % 4 == 0 ? 0.1 : 0));
}

/* Contact of a vertex with something that does not move. */
static inline int add_floor_contact(PairBlocks *pairs, uint32_t vertex, const double block[9]) {
    return pair_blocks_add(pairs, vertex, vertex, block);
}

/* Contact between two vertices. */
static inline int add_contact(PairBlocks *pairs, uint32_t a, uint32_t b, const double block[9]) {
    double opposite[9];
    for (int i = 0; i < 9; ++i)
        opposite[i] = -block[i];
    return pair_blocks_add(pairs, a, a, block) && pair_blocks_add(pairs, b, b, block) &&
           pair_blocks_add(pairs, a, b, opposite);
}

#endif
