/* Where two edges become parallel, the nearest points jump and the gradient of the distance with them. The energy of an
   edge-edge pair is therefore multiplied by a factor that goes smoothly to 0 there (Li et al. 2020, incremental
   potential contact, section 5): with c = |a x b|^2 of the edge vectors a and b and a scale e,
     m = (2 - c/e) c/e for c < e, else 1.
   Points against triangles hold such edges apart meanwhile. */
#ifndef JN_CONTACT_EDGE_MOLLIFIER_H
#define JN_CONTACT_EDGE_MOLLIFIER_H

#include <stdbool.h>

/* e from the positions a0 a1 b0 b1 at rest: a thousandth of |a|^2 |b|^2, in m4. Edges within 1.8 degrees of parallel
   are then mollified. */
double edge_mollifier_scale(const double rest[12]);

/* The factor and, where they are not NULL, its gradient [12] and Hessian [144] with respect to a0 a1 b0 b1. Returns
   false if it is 1 here, with derivatives 0; so it is for scale 0, and below 1e-120. */
bool edge_mollifier(const double x[12], double scale, double *factor, double *gradient, double *hessian);

#endif
