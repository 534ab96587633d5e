/* Takes out vertices inside of flattened tets, so that thin parts are one layer of tets that can be as thin as they
   are. */
#ifndef JN_GEOMETRY_TET_THIN_H
#define JN_GEOMETRY_TET_THIN_H

#include "geometry/tetmesh.h"
#include "base/pool.h"

/* Where a tet at a vertex inside has a sine of a dihedral angle below `flat`, joins the vertex to the neighbour that
   raises the smallest sine there the most, if one does. The boundary stays as it is. `on_surface` [vertex_count] is
   renumbered with the vertices. */
JnStatus tet_thin_out(TetMesh *mesh, uint8_t *on_surface, double flat, Pool *pool, JnMessage *message);

#endif
