/* A closed block of triangles about the origin, for tests. */
#ifndef JN_TESTS_CLOSED_BLOCK_H
#define JN_TESTS_CLOSED_BLOCK_H

#include "jounce.h"

enum { BLOCK_VERTICES = 8, BLOCK_FACES = 12 };

typedef struct ClosedBlock {
    double positions[3 * BLOCK_VERTICES];
    uint32_t sizes[BLOCK_FACES], corners[3 * BLOCK_FACES];
} ClosedBlock;

/* Normals point outwards. The surface borrows the block. */
static inline JnSurface closed_block(double length, double height, double depth, ClosedBlock *block) {
    static const uint32_t faces[3 * BLOCK_FACES] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                                    2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    for (uint32_t v = 0; v < BLOCK_VERTICES; ++v) {
        block->positions[3 * v] = v & 1 ? 0.5 * length : -0.5 * length;
        block->positions[3 * v + 1] = v & 2 ? 0.5 * height : -0.5 * height;
        block->positions[3 * v + 2] = v & 4 ? 0.5 * depth : -0.5 * depth;
    }
    for (uint32_t f = 0; f < 3 * BLOCK_FACES; ++f)
        block->corners[f] = faces[f];
    for (uint32_t f = 0; f < BLOCK_FACES; ++f)
        block->sizes[f] = 3;
    return (JnSurface){.vertex_count = BLOCK_VERTICES,
                       .face_count = BLOCK_FACES,
                       .corner_count = 3 * BLOCK_FACES,
                       .positions = block->positions,
                       .face_sizes = block->sizes,
                       .face_vertices = block->corners};
}

#endif
