/* The generalized winding number of triangles (Jacobson, Kavan, Sorkine-Hornung 2013): the solid angle under which a
   point sees them all, divided by 4 pi. 1 inside and 0 outside of a closed surface; for one with holes it varies
   smoothly between, and a half separates inside from outside. Far parts of the surface are evaluated together, as a
   dipole and its first derivative (Barill, Dickson, Schmidt, Levin, Jacobson 2018). */
#ifndef JN_GEOMETRY_WINDING_H
#define JN_GEOMETRY_WINDING_H

#include "geometry/bvh.h"
#include "base/pool.h"

#include <stdbool.h>

typedef struct WindingPart WindingPart;

typedef struct Winding { /* borrows positions and triangles */
    const double *positions;
    const uint32_t *triangles;
    uint32_t triangle_count;
    Bvh bvh;            /* of the triangles */
    WindingPart *parts; /* [bvh.node_count] */
} Winding;

/* On failure *winding is all zero. `triangles` [triangle_count * 3]; both arrays are borrowed. */
JnStatus winding_build(const double *positions, const uint32_t *triangles, uint32_t triangle_count, Winding *winding,
                       JnMessage *message);

/* The winding number at `point`, to about 0.01; exact sums near the surface. 0 without triangles. */
double winding_number(const Winding *winding, const double point[3]);

/* Those of `count` points [count * 3], in parallel; the result does not depend on the threads. */
void winding_numbers(const Winding *winding, Pool *pool, const double *points, uint32_t count, double *numbers);

/* Whether such a number is that of a point inside: above a half, or that of a part that is turned inside out as a
   whole, which an open surface does not reach. */
static inline bool winding_is_inside(double number) {
    return number > 0.5 || number < -0.75;
}

/* The exact sum over all triangles. */
double winding_number_exact(const double *positions, const uint32_t *triangles, uint32_t triangle_count,
                            const double point[3]);

void winding_free(Winding *winding); /* leaves it all zero */

#endif
