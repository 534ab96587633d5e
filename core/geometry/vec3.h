/* Vector functions for meshes, in addition to base/math3.h. */
#ifndef JN_GEOMETRY_VEC3_H
#define JN_GEOMETRY_VEC3_H

#include "base/math3.h"

/* det(a, b, c) = a . (b x c). */
static inline double vec3_det(const double a[3], const double b[3], const double c[3]) {
    double bc[3];
    vec3_cross(b, c, bc);
    return vec3_dot(a, bc);
}

static inline double vec3_distance_squared(const double a[3], const double b[3]) {
    double d[3];
    vec3_sub(a, b, d);
    return vec3_dot(d, d);
}

/* Six times the volume of the tet a b c d: det(b-a, c-a, d-a). */
static inline double vec3_tet_det(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double ab[3], ac[3], ad[3];
    vec3_sub(b, a, ab);
    vec3_sub(c, a, ac);
    vec3_sub(d, a, ad);
    return vec3_det(ab, ac, ad);
}

#endif
