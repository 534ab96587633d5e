/* Moves the surface of a tet mesh and lets the vertices inside follow, so that layers of tets can be squeezed as a
 * whole.
 */
#ifndef JN_GEOMETRY_TET_CARRY_H
#define JN_GEOMETRY_TET_CARRY_H

#include "geometry/tetmesh.h"
#include "base/pool.h"

/* moves [vertex_count * 3]: of the vertices marked in `on_surface`; those of the others are filled. Each vertex goes as
   much of its way as keeps the sines of the dihedral angles around it at `least`, or at what they were if that was
   less. The result does not depend on the threads of the pool. */
JnStatus tet_carry(TetMesh *mesh, const uint8_t *on_surface, double *moves, double least, Pool *pool,
                   JnMessage *message);

#endif
