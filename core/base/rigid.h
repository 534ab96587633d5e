/* Rigid motions: the best fit between two sets of points, and interpolation of transforms. */
#ifndef JN_BASE_RIGID_H
#define JN_BASE_RIGID_H

#include <stdbool.h>
#include <stdint.h>

/* The rigid motion (rows of a 3x4 matrix) that maps points `from` to points `to` in the least-squares sense (Horn
   1987). Unique for points in a plane, too; for collinear or coincident points, one of the solutions. */
void rigid_fit(const double *from, const double *to, uint32_t count, double motion[12]);

/* The same with a weight for each point, at least 0, which are not all 0. */
void rigid_fit_weighted(const double *from, const double *to, const double *weights, uint32_t count, double motion[12]);

/* A rigid motion: a turn about `centre`, then a shift. */
typedef struct RigidMove {
    double turn[3]; /* the axis times the angle, at most half a turn */
    double centre[3], shift[3];
} RigidMove;

/* The same motion as rows of a 3x4 matrix, its turn about `centre`. */
RigidMove rigid_move(const double motion[12], const double centre[3]);

/* What the motion does from one part of its way to another, 0 to 1 each, times `amount`: rows of a 3x4 matrix. */
void rigid_move_between(const RigidMove *move, double from, double to, double amount, double out[12]);

/* Moves points, and turns vectors, [count * 3], by a rigid motion. */
void rigid_carry_points(const double motion[12], uint32_t count, double *points);
void rigid_carry_vectors(const double motion[12], uint32_t count, double *vectors);

/* The transform at `fraction` of the way from `from` to `to`: rotation by spherical linear interpolation along the
   shorter arc, stretch and translation linear. Exact at 0 and 1. */
void affine_blend(const double from[12], const double to[12], double fraction, double out[12]);

/* Whether affine_blend is invertible for every fraction: both are, and their determinants have the same sign. */
bool affine_can_blend(const double from[12], const double to[12]);

#endif
