/* Isosurface stuffing (Labelle and Shewchuk 2007): the tets of a lattice that lie inside a solid, with vertices near
   its surface moved onto it and the tets across it cut at it. */
#ifndef JN_GEOMETRY_STUFFING_H
#define JN_GEOMETRY_STUFFING_H

#include "geometry/interior.h"
#include "geometry/solid_lattice.h"
#include "geometry/tetmesh.h"

/* Fills *mesh, which may have no tets if the solid contains no vertex of the lattice, and *on_surface [vertex_count],
   freed by the caller: whether a vertex lies on the surface. On failure both are zero. */
JnStatus stuffing_build(const SolidLattice *lattice, const Interior *interior, Pool *pool, TetMesh *mesh,
                        uint8_t **on_surface, JnMessage *message);

#endif
