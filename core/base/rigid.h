/* Rotations: the best one between two sets of points, and transforms between two others. */
#ifndef JN_BASE_RIGID_H
#define JN_BASE_RIGID_H

#include <stdbool.h>
#include <stdint.h>

/* The rigid motion (rows of a 3x4 matrix) that carries points `from` nearest to points `to`, least squares (Horn 1987).
   Well defined also for points in a plane; for points on a line or in one place, one of the motions that serve. */
void rigid_fit(const double *from, const double *to, uint32_t count, double motion[12]);

/* The transform at `fraction` of the way from `from` to `to`: the rotation turns at a steady rate the short way round,
   stretch and translation go straight. Exact at 0 and 1. */
void affine_blend(const double from[12], const double to[12], double fraction, double out[12]);

/* Whether affine_blend has an inverse all the way: both do, and neither mirrors the other. */
bool affine_can_blend(const double from[12], const double to[12]);

#endif
