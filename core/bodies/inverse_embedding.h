/* Maps what the artist paints and animates, on points, to the simulated vertices: the inverse of x = W q.
 */
#ifndef JN_BODIES_INVERSE_EMBEDDING_H
#define JN_BODIES_INVERSE_EMBEDDING_H

#include "geometry/embedding.h"

typedef struct InverseEmbedding InverseEmbedding;

/* The mesh is borrowed for the life of the InverseEmbedding, all else copied. vertex_of_point: for points that are
 * vertices, their vertex (every vertex has one); else NULL. */
JnStatus inverse_embedding_create(const TetMesh *mesh, const Embedding *embedding, const uint32_t *vertex_of_point,
                                  InverseEmbedding **follow, JnMessage *message);

/* For points that are the mean of four vertices each, as those of fibres: vertices 4 p .. 4 p + 3 are point p's.
   neighbours: as for sections_create. Copies. */
JnStatus inverse_embedding_create_sections(const TetMesh *mesh, const uint32_t *neighbours, InverseEmbedding **follow,
                                           JnMessage *message);

/* weights [point_count] to vertex_weights [vertex_count]: smooth inside, within the range of the painted ones. */
JnStatus inverse_embedding_weights(InverseEmbedding *follow, const float *weights, double *vertex_weights,
                                   JnMessage *message);

/* The vertices whose embedded points lie nearest to points [point_count * 3], varying as smoothly as possible where
   there are no points; exact for rigid and affine motions. positions: [vertex_count * 3]. */
JnStatus inverse_embedding_positions(InverseEmbedding *follow, const double *points, double *positions,
                                     JnMessage *message);

void inverse_embedding_destroy(InverseEmbedding *follow); /* may be NULL */

#endif
