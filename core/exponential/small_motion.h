/* The exact motion of a small linear system with dense matrices,

       z'' + D (z' - v) + T z = sum over k of t^k / k! g_k,   z(0) = 0,   z'(0) = v,

   which is what the phi functions of its first-order form J are: (z, z' - v) at t is the sum of t^(k+1) phi_(k+1)(t J)
   b_k with b_0 = (v, g_0) and b_k = (0, g_k). */
#ifndef JN_EXPONENTIAL_SMALL_MOTION_H
#define JN_EXPONENTIAL_SMALL_MOTION_H

#include "jounce.h"

#include <stddef.h>

/* Powers of time up to which forces are given. */
enum { FORCING_TERMS = 4 };

typedef struct SmallMotion { /* borrowed arrays */
    size_t n;
    const double *stiffness;              /* T, [n * n] symmetric */
    const double *damping;                /* D, [n * n] symmetric; NULL: none */
    const double *velocity;               /* v, [n]; NULL: 0 */
    const double *forcing[FORCING_TERMS]; /* g_k, [n]; NULL: 0 */
} SmallMotion;

/* moved = z and gained = z' - v at each of the times (s, above 0), [time_count][n]. Without damping in closed form,
   mode by mode, with T indefinite or singular too; else by the exponential of an augmented matrix. JN_ERR_DIVERGED
   where the result is not finite. */
JnStatus small_motion_solve(const SmallMotion *motion, const double *times, size_t time_count, double *moved,
                            double *gained, JnMessage *message);

/* psi[j] = the sum over i of (-w)^i / (2 i + j)!: the cosine of the root of w, its sine divided by it, and the
   functions that follow, for j up to FORCING_TERMS + 1. */
void oscillation_functions(double w, double psi[FORCING_TERMS + 2]);

#endif
