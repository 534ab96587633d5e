/* What is inside of a surface: where its winding number says so, and what lies near faces that are thickened
   because they have no inside, or too little for the cells there. */
#ifndef JN_GEOMETRY_INTERIOR_H
#define JN_GEOMETRY_INTERIOR_H

#include "geometry/winding.h"
#include "base/pool.h"

#include <stdbool.h>

typedef struct Interior { /* owns its arrays; positions and triangles are borrowed */
    Winding winding;
    Bvh thick;        /* of the thickened pieces, as thick as they are; empty: none */
    double *corners;  /* [pieces * 9] of each */
    double *radii;    /* [pieces] the distance from each up to which is inside */
    double least_gap; /* parts nearer to each other touch */
} Interior;

/* A solid without thickened faces. On failure *interior is all zero. */
JnStatus interior_build(const double *positions, const uint32_t *triangles, uint32_t triangle_count, Interior *interior,
                        JnMessage *message);

/* Makes what lies within radii[i] of the triangle corners[9 i ..) inside, for `count` of them, in place of earlier
   ones. Both arrays are copied. */
JnStatus interior_thicken(Interior *interior, const double *corners, const double *radii, uint32_t count,
                          JnMessage *message);

/* Whether the segment from `start` to `start + way`, both inside, crosses a gap of more than least_gap. `numbers`: the
   winding numbers at its ends. */
bool interior_has_gap(const Interior *interior, const double start[3], const double way[3], const double numbers[2]);

/* Where the segment from `start`, which is inside, to `start + way`, which is not or lies beyond a gap, leaves the
   solid: a part of the way. `numbers`: the winding numbers at its ends. */
double interior_leave(const Interior *interior, const double start[3], const double way[3], const double numbers[2]);

/* The part of the segment from `start` to `start + way` that is inside of the surface itself, without thickened faces.
   `first`: only what begins at the start and ends within the segment. *calm: the winding number of a place with no
   surface between it and here unless the segment crosses one, NaN if it is not known yet, which it is afterwards if the
   segment crosses none. */
double interior_solid_part(const Interior *interior, const double start[3], const double way[3], bool first,
                           double *calm);

/* inside [count]: whether each of the points [count * 3] is inside of the surface itself; marks those in thickened
   pieces too. In parallel; the result does not depend on the threads. */
void interior_add_thickened(const Interior *interior, Pool *pool, const double *points, uint32_t count,
                            uint8_t *inside);

void interior_free(Interior *interior); /* leaves it all zero */

#endif
