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

/* Embeds each point in the tet that contains it, or by extrapolation in the nearest one. Where that would need a weight
   below -1, tets around it are tried, so that a weight is below -3 only where points lie farther from the tets than
   these are large. Near-linear in points + tets
   (a uniform grid or BVH over the tets). On failure *embedding is all zero. */
JnStatus embedding_build(const TetMesh *mesh, const double *points, uint32_t point_count, Embedding *embedding,
                         JnMessage *message);

/* Points on the surface of a solid in parts. A point is embedded in the tet that contains its anchor, which lies a
   little inside of the surface there, or in the nearest one: so it goes with its own side of a narrow gap. */
typedef struct EmbeddingParts {
    uint32_t count;
    const uint32_t
        *first_tets;        /* [count + 1]: the tets of part g are first_tets[g] .. first_tets[g + 1]), at least one */
    const uint32_t *groups; /* [point_count] the part of each point, EMBEDDING_ANY: the nearest */
    const double *anchors;  /* [point_count * 3] */
} EmbeddingParts;

#define EMBEDDING_ANY UINT32_MAX
JnStatus embedding_build_in_parts(const TetMesh *mesh, const EmbeddingParts *parts, const double *points,
                                  uint32_t point_count, Embedding *embedding, JnMessage *message);

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
