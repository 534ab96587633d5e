/* Volumes, gradients and masses of linear tets. */
#include "base/math3.h"
#include "elastic/tet_elements_internal.h"

double tet_volume(const double *positions, const uint32_t tet[4]) {
    double edges[9];
    for (int a = 0; a < 3; ++a)
        vec3_sub(positions + 3 * (size_t)tet[a + 1], positions + 3 * (size_t)tet[0], edges + 3 * a);
    return mat3_det(edges) / 6;
}

bool tet_gradients(const double *positions, const uint32_t tet[4], double gradients[4][3], double *volume) {
    double edges[9], inverse[9];
    for (int a = 0; a < 3; ++a)
        vec3_sub(positions + 3 * (size_t)tet[a], positions + 3 * (size_t)tet[3], edges + 3 * a);
    *volume = fabs(mat3_det(edges)) / 6;
    if (!mat3_inverse(edges, inverse))
        return false;
    for (int j = 0; j < 3; ++j) {
        for (int a = 0; a < 3; ++a)
            gradients[a][j] = inverse[3 * j + a];
        gradients[3][j] = -(gradients[0][j] + gradients[1][j] + gradients[2][j]);
    }
    return true;
}

void tet_elements_lump_mass(const double *rest_positions, const uint32_t *tet_vertices, uint32_t tet_count,
                            const double *densities, double *masses) {
    for (size_t t = 0; t < tet_count; ++t) {
        double quarter = 0.25 * densities[t] * tet_volume(rest_positions, tet_vertices + 4 * t);
        for (size_t a = 0; a < 4; ++a)
            masses[tet_vertices[4 * t + a]] += quarter;
    }
}

uint32_t tet_find_block(const BlockMatrix *matrix, uint32_t i, uint32_t j) {
    return i >= j ? block_matrix_find(matrix, i, j) : block_matrix_find(matrix, j, i);
}

void tet_elements_consistent_mass(const double *rest_positions, const uint32_t *tet_vertices, uint32_t tet_count,
                                  const double *densities, const BlockMatrix *matrix, double *mass_blocks) {
    for (size_t t = 0; t < tet_count; ++t) {
        const uint32_t *corners = tet_vertices + 4 * t;
        double twentieth = densities[t] * tet_volume(rest_positions, corners) / 20;
        for (int p = 0; p < TET_PAIRS; ++p) {
            uint32_t row = corners[tet_pair_row[p]], column = corners[tet_pair_column[p]];
            mass_blocks[tet_find_block(matrix, row, column)] += row == column ? 2 * twentieth : twentieth;
        }
    }
}
