/* Isosurface stuffing (Labelle and Shewchuk 2007): the tets of a lattice that lie inside a solid, with vertices near
   its surface moved onto it and the tets across it cut at it. */
#ifndef JN_GEOMETRY_STUFFING_H
#define JN_GEOMETRY_STUFFING_H

#include "geometry/bcc_lattice.h"
#include "geometry/interior.h"
#include "geometry/tetmesh.h"

/* The lattice of an octree beside a surface, which serves however much of the surface is thickened. */
typedef struct StuffingLattice { /* owns its arrays */
    BccLattice lattice;
    double *positions; /* [vertex_count * 3] */
    uint8_t *solid;    /* [vertex_count] whether it lies inside of the surface itself */
} StuffingLattice;

/* `interior`: nothing thickened yet. On failure *lattice is all zero. */
JnStatus stuffing_lattice_build(const Octree *octree, const Interior *interior, Pool *pool, StuffingLattice *lattice,
                                JnMessage *message);
void stuffing_lattice_free(StuffingLattice *lattice); /* leaves it all zero */

/* Fills *mesh, which may have no tets if the solid contains no vertex of the lattice, and *on_surface [vertex_count],
   freed by the caller: whether a vertex lies on the surface. On failure both are zero. */
JnStatus stuffing_build(const StuffingLattice *lattice, const Interior *interior, Pool *pool, TetMesh *mesh,
                        uint8_t **on_surface, JnMessage *message);

#endif
