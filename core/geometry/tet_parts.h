/* The parts that the tets of a mesh fall into. */
#ifndef JN_GEOMETRY_TET_PARTS_H
#define JN_GEOMETRY_TET_PARTS_H

#include "geometry/tetmesh.h"

#include <stdbool.h>

/* Gives tets that hang together at a vertex or an edge only, not through faces, vertices of their own there, if they
   also hang together elsewhere: what has nothing else to hold it would be lost. Where that is so, they hang on a hinge:
 *hinges, freed by the caller, has the places [hinge_count * 3] of its vertices.
 *on_surface [vertex_count] is replaced. */
JnStatus tet_parts_split_pinches(TetMesh *mesh, uint8_t **on_surface, double **hinges, uint32_t *hinge_count,
                                 JnMessage *message);

/* Drops parts whose volume is below `least` times that of all; *parts is the number of those that are left, which keep
   their order. on_surface [vertex_count] goes with the vertices. False if out of memory. */
bool tet_parts_drop_small(TetMesh *mesh, uint8_t *on_surface, double least, uint32_t *parts);

/* Drops the vertices that no tet has; on_surface [vertex_count] is renumbered with them. False if out of memory. */
bool tet_parts_drop_unused(TetMesh *mesh, uint8_t *on_surface);

#endif
