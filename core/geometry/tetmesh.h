/* Tetrahedral meshes: what is simulated. */
#ifndef JN_GEOMETRY_TETMESH_H
#define JN_GEOMETRY_TETMESH_H

#include "jounce.h"

typedef struct TetMesh { /* owns its arrays */
    uint32_t vertex_count;
    uint32_t tet_count;
    double *positions;                           /* [vertex_count * 3] */
    uint32_t *tet_vertices;                      /* [tet_count * 4], det(b-a, c-a, d-a) > 0 */
    double *density_factors, *stiffness_factors; /* [vertex_count] of thin parts, see thin_parts.h; NULL: all are 1 */
} TetMesh;

/* Refuses an empty mesh, NULL arrays, a position that is not finite or beyond VEC3_FARTHEST, an index out of range, an
   inverted or flat tet (volume at most 1e-14 of the cube of its longest edge), a vertex that no tet uses, a tet listed
   twice, two tets on the same side of the face that they share. `place` opens the message: "bodies[0].tets".
   JN_ERR_ARGUMENT or JN_ERR_MESH. */
JnStatus tetmesh_check(const JnTets *tets, const char *place, JnMessage *message);

/* Deep copy. On failure *mesh is all zero. */
JnStatus tetmesh_copy(const JnTets *tets, TetMesh *mesh, JnMessage *message);
void tetmesh_free(TetMesh *mesh); /* leaves it all zero */

/* The faces that belong to one tet only, facing outwards, in a fixed order. The caller frees *triangles. */
JnStatus tetmesh_boundary(const JnTets *tets, uint32_t **triangles, uint32_t *triangle_count, JnMessage *message);

#endif
