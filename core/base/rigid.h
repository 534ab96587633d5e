/* Rigid motions: the best fit between two sets of points, and interpolation of transforms. */
#ifndef JN_BASE_RIGID_H
#define JN_BASE_RIGID_H

#include <stdbool.h>
#include <stdint.h>

/* The rigid motion (rows of a 3x4 matrix) that maps points `from` to points `to` in the least-squares sense (Horn
   1987). Unique for points in a plane, too; for collinear or coincident points, one of the solutions. */
void rigid_fit(const double *from, const double *to, uint32_t count, double motion[12]);

/* The transform at `fraction` of the way from `from` to `to`: rotation by spherical linear interpolation along the
   shorter arc, stretch and translation linear. Exact at 0 and 1. */
void affine_blend(const double from[12], const double to[12], double fraction, double out[12]);

/* Whether affine_blend is invertible for every fraction: both are, and their determinants have the same sign. */
bool affine_can_blend(const double from[12], const double to[12]);

#endif
