/* The embedding x = W q of points in a tet mesh: used for output, pins, painted weights and contact. */
#ifndef JN_GEOMETRY_EMBEDDING_H
#define JN_GEOMETRY_EMBEDDING_H

#include "geometry/tetmesh.h"

/* Each row of W: four vertices that the system couples, such as those of one tet, and their weights, which sum to 1. */
typedef struct Embedding { /* owns its arrays */
    uint32_t point_count;
    uint32_t *vertices; /* [point_count * 4] */
    double *weights;    /* [point_count * 4] */
} Embedding;

/* Embeds each point in the tet that contains it, or by extrapolation in the nearest one. Near-linear in points + tets
   (a uniform grid or BVH over the tets). On failure *embedding is all zero. */
JnStatus embedding_build(const TetMesh *mesh, const double *points, uint32_t point_count, Embedding *embedding,
                         JnMessage *message);

/* As embedding_build, for a mesh in parts that must not carry each other's points: the tets of part g are
   first_tets[g] .. first_tets[g + 1]), each at least one; groups[p] is the part of point p, EMBEDDING_ANY the nearest.
 */
#define EMBEDDING_ANY UINT32_MAX
JnStatus embedding_build_grouped(const TetMesh *mesh, const uint32_t *first_tets, uint32_t group_count,
                                 const double *points, const uint32_t *groups, uint32_t point_count,
                                 Embedding *embedding, JnMessage *message);

/* Points that are vertices of the mesh: point i is vertex vertex_of_point[i], weight 1. */
JnStatus embedding_identity(const TetMesh *mesh, const uint32_t *vertex_of_point, uint32_t point_count,
                            Embedding *embedding, JnMessage *message);

/* Points that are the vertices, of a mesh that may have no tets: point i is vertex i, which its row names four times.
 */
JnStatus embedding_of_vertices(uint32_t vertex_count, Embedding *embedding, JnMessage *message);

/* x = W q; q [vertex_count * 3], x [point_count * 3]. */
void embedding_apply(const Embedding *embedding, const double *q, double *x);

/* f += W' g; g [point_count * 3], f [vertex_count * 3]. In point order: the sum does not depend on threads. */
void embedding_apply_transpose(const Embedding *embedding, const double *g, double *f);

void embedding_free(Embedding *embedding); /* leaves it all zero */

#endif
