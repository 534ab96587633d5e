#include "linear/vertex_rotations.h"

#include "base/math3.h"
#include "base/polar3.h"

#include <string.h>

size_t vertex_rotations_scratch(const BlockMatrix *matrix) {
    return (size_t)matrix->vertex_count * 15;
}

/* products += now then' (9 numbers by rows) and then then' (6 numbers: the lower triangle). An edge counts the same
   from both of its ends. */
static void add_edge(const double then[3], const double now[3], double products[15]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            products[3 * i + j] += now[i] * then[j];
    for (int i = 0, k = 9; i < 3; ++i)
        for (int j = 0; j <= i; ++j)
            products[k++] += then[i] * then[j];
}

/* The rotation of A C^-1, A and C being the sums of products. Edges in a plane or on a line do not determine the other
   directions: a small multiple of the identity regularizes them. */
static void find_rotation(const double products[15], double rotation[9]) {
    const double *s = products + 9, trace = s[0] + s[2] + s[5];
    double C[9] = {s[0], s[1], s[3], s[1], s[2], s[4], s[3], s[4], s[5]}, inverse[9], F[9];
    double little = mat3_det(C) > 1e-6 * trace * trace * trace ? 0 : 1e-3 * trace;
    for (int i = 0; i < 3; ++i)
        C[4 * i] += little;
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(rotation, identity, sizeof identity);
    if (!(trace > 0) || !mat3_inverse(C, inverse))
        return;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            F[3 * i + j] = vec3_dot(products + 3 * i, inverse + 3 * j) + little * inverse[3 * i + j];
    for (int i = 0; i < 3; ++i)
        if (!vec3_finite(F + 3 * i))
            return;
    polar3(F, rotation);
}

void vertex_rotations_find(const BlockMatrix *matrix, const FreeUnknowns *unknowns, const double *then,
                           const double *now, double *scratch, double *rotations) {
    memset(scratch, 0, vertex_rotations_scratch(matrix) * sizeof *scratch);
    for (size_t column = 0; column < matrix->vertex_count; ++column)
        for (uint32_t k = matrix->column_starts[column] + 1; k < matrix->column_starts[column + 1]; ++k) {
            size_t row = matrix->rows[k];
            double edge_then[3], edge_now[3];
            vec3_sub(then + 3 * row, then + 3 * column, edge_then);
            vec3_sub(now + 3 * row, now + 3 * column, edge_now);
            add_edge(edge_then, edge_now, scratch + 15 * column);
            add_edge(edge_then, edge_now, scratch + 15 * row);
        }
    for (size_t i = 0; i < unknowns->count; ++i)
        find_rotation(scratch + 15 * (size_t)unknowns->vertices[i], rotations + 9 * i);
}

void vertex_rotations_turn_block(const double *rotations, uint32_t row, uint32_t column, const double block[9],
                                 double out[9]) {
    const double *left = rotations + 9 * (size_t)row, *right = rotations + 9 * (size_t)column;
    double product[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            product[3 * i + j] =
                block[3 * i] * right[j] + block[3 * i + 1] * right[3 + j] + block[3 * i + 2] * right[6 + j];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = left[i] * product[j] + left[3 + i] * product[3 + j] + left[6 + i] * product[6 + j];
}

void vertex_rotations_apply(const double *rotations, uint32_t count, const double *x, double *out) {
    for (size_t i = 0; i < count; ++i) {
        const double *R = rotations + 9 * i;
        double a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
        out[3 * i] = R[0] * a + R[1] * b + R[2] * c;
        out[3 * i + 1] = R[3] * a + R[4] * b + R[5] * c;
        out[3 * i + 2] = R[6] * a + R[7] * b + R[8] * c;
    }
}

void vertex_rotations_apply_transposed(const double *rotations, uint32_t count, const double *x, double *out) {
    for (size_t i = 0; i < count; ++i) {
        const double *R = rotations + 9 * i;
        double a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
        out[3 * i] = R[0] * a + R[3] * b + R[6] * c;
        out[3 * i + 1] = R[1] * a + R[4] * b + R[7] * c;
        out[3 * i + 2] = R[2] * a + R[5] * b + R[8] * c;
    }
}
