#include "contact/pair_energy.h"

#include "base/math3.h"
#include "base/symmetric.h"
#include "contact/edge_mollifier.h"

#include <string.h>

#define COINCIDENT 1e-30

/* Replaces H, which vanishes outside of the span of the orthonormal vectors basis[m][12], by its positive part. */
static void positive_part_in(const double (*basis)[12], int m, int size, double *H) {
    double small[SYMMETRIC_LARGEST * SYMMETRIC_LARGEST], image[SYMMETRIC_LARGEST][12];
    for (int k = 0; k < m; ++k)
        for (int i = 0; i < size; ++i) {
            image[k][i] = 0;
            for (int j = 0; j < size; ++j)
                image[k][i] += H[size * i + j] * basis[k][j];
        }
    for (int k = 0; k < m; ++k)
        for (int l = 0; l <= k; ++l) {
            double sum = 0;
            for (int i = 0; i < size; ++i)
                sum += basis[l][i] * image[k][i];
            small[m * k + l] = small[m * l + k] = sum;
        }
    symmetric_positive_part(small, m);
    for (int k = 0; k < m; ++k)
        for (int i = 0; i < size; ++i) {
            image[k][i] = 0;
            for (int l = 0; l < m; ++l)
                image[k][i] += small[m * k + l] * basis[l][i];
        }
    for (int i = 0; i < size; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = 0;
            for (int k = 0; k < m; ++k)
                sum += basis[k][i] * image[k][j];
            H[size * i + j] = H[size * j + i] = sum;
        }
}

/* A function of the distance alone: its Hessian lives in the space of w (x) any vector and of c (x) offset for the
   directions c in which the weights w vary, five dimensions at most. */
static void make_convex_of_distance(const PairDistance *distance, double length, double *hessian) {
    double basis[5][12], orthonormal[3][4], directions[2][4];
    int count = 1 + pair_distance_directions(distance, directions), n = (int)pair_point_count(distance->kind);
    memcpy(orthonormal[0], distance->weights, sizeof orthonormal[0]);
    memcpy(orthonormal[1], directions, (size_t)(count - 1) * sizeof directions[0]);
    for (int k = 0; k < count; ++k) {
        for (int l = 0; l < k; ++l) {
            double along = 0;
            for (int i = 0; i < n; ++i)
                along += orthonormal[k][i] * orthonormal[l][i];
            for (int i = 0; i < n; ++i)
                orthonormal[k][i] -= along * orthonormal[l][i];
        }
        double squared = 0;
        for (int i = 0; i < n; ++i)
            squared += orthonormal[k][i] * orthonormal[k][i];
        for (int i = 0; i < n; ++i)
            orthonormal[k][i] /= sqrt(squared);
    }
    for (int i = 0; i < n; ++i)
        for (int a = 0; a < 3; ++a) {
            for (int k = 0; k < 3; ++k)
                basis[k][3 * i + a] = orthonormal[0][i] * (a == k);
            for (int k = 1; k < count; ++k)
                basis[2 + k][3 * i + a] = orthonormal[k][i] * distance->offset[a] / length;
        }
    positive_part_in(basis, 2 + count, 3 * n, hessian);
}

/* Any function of four points that no translation changes: nine dimensions. */
static void make_convex_of_four(double *hessian) {
    static const double differences[3][4] = {{0.5, 0.5, -0.5, -0.5}, {0.5, -0.5, 0.5, -0.5}, {0.5, -0.5, -0.5, 0.5}};
    double basis[9][12];
    for (int k = 0; k < 9; ++k)
        for (int i = 0; i < 12; ++i)
            basis[k][i] = differences[k / 3][i / 3] * (i % 3 == k % 3);
    positive_part_in(basis, 9, 12, hessian);
}

/* b' / (2 d) times the Hessian of d^2, and (b'' - b' / d) times the square of the unit normal on every point. */
static void law_hessian(const PairDistance *distance, const double *x, const PairLawValue *law, double length,
                        double *hessian) {
    uint32_t n = pair_point_count(distance->kind);
    double normals[12];
    pair_distance_hessian(distance, x, hessian);
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t a = 0; a < 3; ++a)
            normals[3 * i + a] = distance->weights[i] * distance->offset[a] / length;
    double outer = law->curvature - law->slope / length;
    for (uint32_t i = 0; i < 3 * n; ++i)
        for (uint32_t j = 0; j < 3 * n; ++j)
            hessian[3 * n * i + j] =
                law->slope / (2 * length) * hessian[3 * n * i + j] + outer * normals[i] * normals[j];
}

/* The derivatives of m b from those of b in gradient and hessian, which may be NULL. */
static void mollify(double energy, double factor, const double *m_gradient, const double *m_hessian,
                    const double *b_gradient, double *gradient, double *hessian) {
    for (int i = 0; hessian && i < 12; ++i)
        for (int j = 0; j < 12; ++j)
            hessian[12 * i + j] = factor * hessian[12 * i + j] + energy * m_hessian[12 * i + j] +
                                  m_gradient[i] * b_gradient[j] + b_gradient[i] * m_gradient[j];
    for (int i = 0; gradient && i < 12; ++i)
        gradient[i] = factor * b_gradient[i] + energy * m_gradient[i];
}

bool pair_energy(PairKind kind, const double *x, const PairLaw *law, double mollifier_scale, bool convex,
                 PairEnergy *result, double *gradient, double *hessian) {
    uint32_t size = 3 * pair_point_count(kind);
    PairLawValue value;
    if (gradient)
        memset(gradient, 0, size * sizeof *gradient);
    if (hessian)
        memset(hessian, 0, (size_t)size * size * sizeof *hessian);
    *result = (PairEnergy){0};
    pair_distance(kind, x, &result->distance);
    double length = sqrt(result->distance.squared);
    if (!pair_law(law, length - law->thickness, &value)) {
        result->energy = INFINITY;
        return false;
    }
    double factor = 1, m_gradient[12], m_hessian[144], b_gradient[12];
    bool mollified =
        kind == PAIR_EDGE_EDGE && edge_mollifier(x, mollifier_scale, &factor, m_gradient, hessian ? m_hessian : NULL);
    result->energy = factor * value.energy;
    result->normal_force = -factor * value.slope;
    bool acts = length - law->thickness < law->reach && length > COINCIDENT;
    if (!acts || (!gradient && !hessian))
        return true;

    for (uint32_t i = 0; i < size; ++i)
        b_gradient[i] = value.slope * result->distance.weights[i / 3] * result->distance.offset[i % 3] / length;
    if (gradient)
        memcpy(gradient, b_gradient, size * sizeof *gradient);
    if (hessian)
        law_hessian(&result->distance, x, &value, length, hessian);
    if (mollified)
        mollify(value.energy, factor, m_gradient, m_hessian, b_gradient, gradient, hessian);
    if (hessian && convex && mollified)
        make_convex_of_four(hessian);
    else if (hessian && convex)
        make_convex_of_distance(&result->distance, length, hessian);
    return true;
}
