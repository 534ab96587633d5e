#include "elastic/point_set.h"

/* Blocks of the lower triangle of W_p' H W_p: the other half is the same. */
typedef bool (*AddBlock)(void *to, uint32_t row, uint32_t column, const double block[9]);

static bool add_blocks(const PointSet *points, uint32_t point, const double H[9], AddBlock add, void *to) {
    const uint32_t *vertices = points->embedding.vertices + 4 * (size_t)point;
    const double *weights = points->embedding.weights + 4 * (size_t)point;
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
            double scale = weights[a] * weights[b], block[9];
            if (scale == 0 || vertices[a] < vertices[b])
                continue;
            for (int i = 0; i < 9; ++i)
                block[i] = scale * H[i];
            if (!add(to, vertices[a], vertices[b], block))
                return false;
        }
    return true;
}

static bool add_to_matrix(void *matrix, uint32_t row, uint32_t column, const double block[9]) {
    block_matrix_add(matrix, row, column, block);
    return true;
}

static bool add_to_pairs(void *pairs, uint32_t row, uint32_t column, const double block[9]) {
    return pair_blocks_add(pairs, row, column, block);
}

void point_set_add_block(const PointSet *points, uint32_t point, const double H[9], BlockMatrix *matrix) {
    add_blocks(points, point, H, add_to_matrix, matrix);
}

bool point_set_add_pairs(const PointSet *points, uint32_t point, const double H[9], PairBlocks *pairs) {
    return add_blocks(points, point, H, add_to_pairs, pairs);
}

void point_set_mark(const PointSet *points, uint32_t point, uint8_t mark, uint8_t *marks) {
    for (size_t a = 4 * (size_t)point; a < 4 * (size_t)point + 4; ++a) {
        uint8_t *vertex = &marks[points->embedding.vertices[a]];
        if (points->embedding.weights[a] != 0 && *vertex < mark)
            *vertex = mark;
    }
}

void point_set_add_force(const PointSet *points, uint32_t point, const double f[3], double *force) {
    const uint32_t *vertices = points->embedding.vertices + 4 * (size_t)point;
    const double *weights = points->embedding.weights + 4 * (size_t)point;
    for (int a = 0; a < 4; ++a)
        for (size_t i = 0; i < 3; ++i)
            force[3 * (size_t)vertices[a] + i] += weights[a] * f[i];
}

void point_set_value(const PointSet *points, uint32_t point, const double *q, double x[3]) {
    const uint32_t *vertices = points->embedding.vertices + 4 * (size_t)point;
    const double *weights = points->embedding.weights + 4 * (size_t)point;
    x[0] = x[1] = x[2] = 0;
    for (int a = 0; a < 4; ++a)
        for (size_t i = 0; i < 3; ++i)
            x[i] += weights[a] * q[3 * (size_t)vertices[a] + i];
}

bool point_set_in_subset(const PointSet *points, uint32_t point, const ElementSubset *subset) {
    const uint32_t *vertices = points->embedding.vertices + 4 * (size_t)point;
    const double *weights = points->embedding.weights + 4 * (size_t)point;
    uint32_t carriers[4], count = 0;
    if (subset->rule == SUBSET_WHOLE)
        return true;
    for (int a = 0; a < 4; ++a)
        if (weights[a] != 0)
            carriers[count++] = vertices[a];
    return element_subset_has(subset, carriers, count);
}
