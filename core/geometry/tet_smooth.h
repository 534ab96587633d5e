/* Moves the vertices of a tet mesh: onto the mean of a curved surface, and out of badly shaped tets. */
#ifndef JN_GEOMETRY_TET_SMOOTH_H
#define JN_GEOMETRY_TET_SMOOTH_H

#include "geometry/tetmesh.h"

/* Which tets meet at each vertex: tets[starts[v] .. starts[v + 1]). */
typedef struct TetStars { /* owns its arrays */
    uint32_t *starts;     /* [vertex_count + 1] */
    uint32_t *tets;
} TetStars;

JnStatus tet_stars_build(const TetMesh *mesh, TetStars *stars, JnMessage *message);
void tet_stars_free(TetStars *stars); /* leaves it all zero */

/* Raises the smallest sine of the dihedral angles where it is below `target`, by moving vertices of the tets concerned,
   those marked in `on_surface` [vertex_count] by no more than a part of their edges, in up to `sweeps` rounds. No tet
   gets worse than the worst of its neighbours was. */
JnStatus tet_smooth(TetMesh *mesh, const uint8_t *on_surface, double target, int sweeps, JnMessage *message);

#endif
