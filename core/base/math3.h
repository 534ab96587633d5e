/* Small dense algebra: vectors of three, 3x3 matrices stored by rows. */
#ifndef JN_BASE_MATH3_H
#define JN_BASE_MATH3_H

#include <math.h>
#include <stdbool.h>

static inline double vec3_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double vec3_length(const double a[3]) {
    return sqrt(vec3_dot(a, a));
}

static inline void vec3_cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void vec3_sub(const double a[3], const double b[3], double out[3]) {
    out[0] = a[0] - b[0];
    out[1] = a[1] - b[1];
    out[2] = a[2] - b[2];
}

/* The longest way from the origin at which meshes lie: floats, which caches and textures hold, have room above it. */
#define VEC3_FARTHEST 1e18

/* Whether a point of a mesh may lie there: finite, and no coordinate beyond VEC3_FARTHEST. */
static inline bool vec3_in_reach(const double a[3]) {
    return fabs(a[0]) <= VEC3_FARTHEST && fabs(a[1]) <= VEC3_FARTHEST && fabs(a[2]) <= VEC3_FARTHEST;
}

static inline bool vec3_finite(const double a[3]) {
    return isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]);
}

/* The cofactor matrix: d det(A) / dA. */
static inline void mat3_cofactor(const double a[9], double out[9]) {
    out[0] = a[4] * a[8] - a[5] * a[7];
    out[1] = a[5] * a[6] - a[3] * a[8];
    out[2] = a[3] * a[7] - a[4] * a[6];
    out[3] = a[2] * a[7] - a[1] * a[8];
    out[4] = a[0] * a[8] - a[2] * a[6];
    out[5] = a[1] * a[6] - a[0] * a[7];
    out[6] = a[1] * a[5] - a[2] * a[4];
    out[7] = a[2] * a[3] - a[0] * a[5];
    out[8] = a[0] * a[4] - a[1] * a[3];
}

static inline double mat3_det(const double a[9]) {
    return a[0] * (a[4] * a[8] - a[5] * a[7]) + a[1] * (a[5] * a[6] - a[3] * a[8]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
}

/* The inverse; false (and `out` unchanged) if the matrix is singular or not finite. */
static inline bool mat3_inverse(const double a[9], double out[9]) {
    double cofactor[9], det = mat3_det(a);
    if (!(fabs(det) > 0) || !isfinite(1 / det))
        return false;
    mat3_cofactor(a, cofactor);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = cofactor[3 * j + i] / det;
    return true;
}

static inline void mat3_mul_vec(const double a[9], const double x[3], double out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = a[3 * i] * x[0] + a[3 * i + 1] * x[1] + a[3 * i + 2] * x[2];
}

/* out = a b, which applies b first; `out` must not alias a or b. */
static inline void affine_multiply(const double a[12], const double b[12], double out[12]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j)
            out[4 * i + j] =
                (j == 3 ? a[4 * i + 3] : 0) + a[4 * i] * b[j] + a[4 * i + 1] * b[4 + j] + a[4 * i + 2] * b[8 + j];
}

/* y = A x + b for the first three rows of a 4x4 matrix. `out` may alias `x`. */
static inline void affine_apply(const double m[12], const double x[3], double out[3]) {
    double p[3] = {x[0], x[1], x[2]};
    for (int i = 0; i < 3; ++i)
        out[i] = m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3];
}

/* The inverse transform; false if there is none. */
static inline bool affine_inverse(const double m[12], double out[12]) {
    double linear[9], inverse[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            linear[3 * i + j] = m[4 * i + j];
    if (!mat3_inverse(linear, inverse))
        return false;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            out[4 * i + j] = inverse[3 * i + j];
        out[4 * i + 3] = -(inverse[3 * i] * m[3] + inverse[3 * i + 1] * m[7] + inverse[3 * i + 2] * m[11]);
    }
    return true;
}

#endif
