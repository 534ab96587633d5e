/* The lattice of an octree around a surface, with the winding number at each vertex: what stays the same however much
   of the surface is thickened. */
#ifndef JN_GEOMETRY_SOLID_LATTICE_H
#define JN_GEOMETRY_SOLID_LATTICE_H

#include "geometry/bcc_lattice.h"
#include "geometry/winding.h"
#include "base/pool.h"

typedef struct SolidLattice { /* owns its arrays */
    uint32_t vertex_count, tet_count;
    BccLattice bcc;
    double *positions; /* [vertex_count * 3] */
    double *numbers;   /* [vertex_count] winding numbers */
} SolidLattice;

/* On failure *lattice is all zero. */
JnStatus solid_lattice_build(const Octree *octree, const Winding *winding, Pool *pool, SolidLattice *lattice,
                             JnMessage *message);

void solid_lattice_free(SolidLattice *lattice); /* leaves it all zero */

#endif
