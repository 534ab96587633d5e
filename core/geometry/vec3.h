/* Small vectors, inline: three doubles in a row, as positions are stored. */
#ifndef JN_GEOMETRY_VEC3_H
#define JN_GEOMETRY_VEC3_H

#include <math.h>

static inline void vec3_sub(const double *a, const double *b, double *out) {
    out[0] = a[0] - b[0];
    out[1] = a[1] - b[1];
    out[2] = a[2] - b[2];
}

static inline double vec3_dot(const double *a, const double *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* `out` may not be `a` or `b`. */
static inline void vec3_cross(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* det(a, b, c) = a . (b x c). */
static inline double vec3_det(const double *a, const double *b, const double *c) {
    double bc[3];
    vec3_cross(b, c, bc);
    return vec3_dot(a, bc);
}

static inline double vec3_distance_squared(const double *a, const double *b) {
    double d[3];
    vec3_sub(a, b, d);
    return vec3_dot(d, d);
}

/* Six times the volume of the tet a b c d: det(b-a, c-a, d-a). */
static inline double vec3_tet_det(const double *a, const double *b, const double *c, const double *d) {
    double ab[3], ac[3], ad[3];
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_sub(d, a, ad);
    return vec3_det(ab, ac, ad);
}

static inline int vec3_is_finite(const double *a) {
    return isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]);
}

#endif
