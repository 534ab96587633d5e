/* A Krylov space for the linear motion M x'' + D (x' - v) + K x = M (forces) within a step, and the motion in it.

   Two-level orthogonal Arnoldi (Lu, Su and Bai 2016) of the first-order form J: (x, y) -> (y, -M^-1 (K x + D y)): the
   pairs (x, y) of the Krylov space of J, or of (1 - s J)^-1 for the rational one, are stored as coefficients in one
   basis V of positions, with V'MV = 1. In V the motion is that of the matrices V'KV and V'DV, which are as symmetric
   and as definite as K and D: so the motion in V keeps its energy, or loses it to damping, whatever V is. No square
   root of a matrix and no energy norm is needed, so K may be semidefinite or indefinite, and rigid modes need no care.
   Nothing but the number of vectors depends on how V was made: the solve with the shifted matrix may be approximate. */
#ifndef JN_EXPONENTIAL_MOTION_SPACE_H
#define JN_EXPONENTIAL_MOTION_SPACE_H

#include "exponential/small_motion.h"
#include "linear/operator.h"

#include <stdbool.h>

/* The largest basis. */
enum { SPACE_MOST = 72 };

/* A linear system in n unknowns, symmetric matrices. Products with K, D and M may be anything in unknowns that are not
   free; the two inverses are 0 there, as are all vectors. */
typedef struct MotionMatrices {
    size_t n;
    Operator stiffness, damping, mass; /* damping.apply NULL: none */
    Operator inverse_mass;
    Operator shifted_inverse; /* (M + s D + s^2 K)^-1, or near it; apply NULL: the space is a polynomial one */
    double shift;             /* s, in seconds */
} MotionMatrices;

typedef struct MotionSpace MotionSpace;

JnStatus motion_space_create(MotionSpace **space, JnMessage *message);
void motion_space_destroy(MotionSpace *space); /* may be NULL */

/* An empty space. matrices: borrowed until the next begin; `duration` (s) is the unit of time. */
void motion_space_begin(MotionSpace *space, const MotionMatrices *matrices, double duration);

/* Adds what the motion starts with: its velocity (only with power 0) and the acceleration that grows with t^power /
   power!, [n], either may be NULL. */
JnStatus motion_space_start(MotionSpace *space, int power, const double *velocity, const double *acceleration,
                            JnMessage *message);

/* Adds up to `count` vectors. *whole: there are no more, so that the motion in the space is the exact one. */
JnStatus motion_space_grow(MotionSpace *space, size_t count, bool *whole, JnMessage *message);
size_t motion_space_size(const MotionSpace *space);

/* The motion in the space at each of the times, as in small_motion_solve, [time_count][motion_space_size]. */
JnStatus motion_space_solve(const MotionSpace *space, const double *times, size_t time_count, double *moved,
                            double *gained, JnMessage *message);

/* An estimate of the error of the motion at t that has these coefficients, from what is left of the equation and the
   response to it, in lengths times roots of masses. In a polynomial space it is the root of x'Mx + t^2 y'My for the
   error (x, y). In a rational one it is that of x'Mx: stiff modes that are hardly in motion need not be resolved there,
   and their velocities are their positions times their frequency, however small they are. */
JnStatus motion_space_error(MotionSpace *space, double t, const double *moved, const double *gained, double *error,
                            JnMessage *message);
/* The norm, in the same sense, of a motion with these coefficients. */
double motion_space_norm(const MotionSpace *space, double t, const double *moved, const double *gained);

/* x = V z, [n]. */
void motion_space_expand(const MotionSpace *space, const double *coefficients, double *x);

#endif
