/* The volume inside a surface, by its winding number. */
#ifndef JN_GEOMETRY_SURFACE_VOLUME_H
#define JN_GEOMETRY_SURFACE_VOLUME_H

#include "geometry/winding.h"
#include "base/pool.h"

#include <stdbool.h>

/* The volume of what is inside by the winding number, along lines through the surface; exact to about a thousandth for
   solid shapes. `closed`: the winding number changes at the triangles only. *volume is not written on failure. */
JnStatus surface_volume(const Winding *winding, bool closed, Pool *pool, double *volume, JnMessage *message);

/* The volume that closed triangles enclose by their orientation: exact if they do not overlap. */
double surface_signed_volume(const double *positions, const uint32_t *triangles, uint32_t triangle_count);

#endif
