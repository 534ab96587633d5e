#include "elastic/point_set.h"

void point_set_add_block(const PointSet *points, uint32_t point, const double H[9], BlockMatrix *matrix) {
    const uint32_t *vertices = points->embedding.vertices + 4 * (size_t)point;
    const double *weights = points->embedding.weights + 4 * (size_t)point;
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b) {
            double scale = weights[a] * weights[b], block[9];
            /* the lower triangle only: the other half is the same entry */
            if (scale == 0 || vertices[a] < vertices[b])
                continue;
            for (int i = 0; i < 9; ++i)
                block[i] = scale * H[i];
            block_matrix_add(matrix, vertices[a], vertices[b], block);
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
