/* Triangles in space: distance, solid angle, crossing of a segment. */
#ifndef JN_GEOMETRY_TRIANGLE_H
#define JN_GEOMETRY_TRIANGLE_H

#include <stdbool.h>
#include <stdint.h>

/* The squared distance of `p` to the triangle a b c; `nearest` (may be NULL) receives its nearest point. */
double triangle_distance_squared(const double p[3], const double a[3], const double b[3], const double c[3],
                                 double nearest[3]);

/* (b - a) x (c - a): twice the area, along the normal. */
void triangle_normal(const double a[3], const double b[3], const double c[3], double normal[3]);

/* The angles at a, b and c. */
void triangle_angles(const double a[3], const double b[3], const double c[3], double angles[3]);

/* The solid angle under which `p` sees the triangle, -2 pi to 2 pi: positive where p lies on the side that the triangle
   faces away from (inside). 0 on the triangle's plane. */
double triangle_solid_angle(const double p[3], const double a[3], const double b[3], const double c[3]);
/* Half of that angle, as its sine and cosine times the same number. A point in the plane has a sine of 0. */
void triangle_half_angle(const double p[3], const double a[3], const double b[3], const double c[3], double *sine,
                         double *cosine);

/* Whether the line from `p` along `d` crosses the triangle, and at which multiple of d. */
bool triangle_crosses_line(const double p[3], const double d[3], const double a[3], const double b[3],
                           const double c[3], double *at);

/* Whether an edge of one triangle passes through the inside of the other; what only touches does not count. */
bool triangles_cross(const double *const first[3], const double *const second[3]);

/* The boxes of triangles [triangle_count * 3], as bvh_build takes them: [triangle_count * 6], freed by the caller; NULL
   if out of memory. */
double *triangle_boxes(const double *positions, const uint32_t *triangles, uint32_t triangle_count);

#endif
