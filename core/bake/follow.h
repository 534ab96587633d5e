/* From what the artist paints and animates, on points, to what is simulated, on vertices: the way back through x = W q.
 */
#ifndef JN_BAKE_FOLLOW_H
#define JN_BAKE_FOLLOW_H

#include "geometry/embedding.h"

typedef struct Follow Follow;

/* The mesh is borrowed for the life of the Follow, all else copied. vertex_of_point: for points that are vertices,
 * their vertex (every vertex has one); else NULL. */
JnStatus follow_create(const TetMesh *mesh, const Embedding *embedding, const uint32_t *vertex_of_point,
                       Follow **follow, JnMessage *message);

/* For points that ride in the middle of four vertices each, as those of fibres do: vertices 4 p .. 4 p + 3 are point
   p's. neighbours: as for sections_create. Copies. */
JnStatus follow_create_sections(const TetMesh *mesh, const uint32_t *neighbours, Follow **follow, JnMessage *message);

/* weights [point_count] to vertex_weights [vertex_count]: smooth inside, within the range of the painted ones. */
JnStatus follow_weights(Follow *follow, const float *weights, double *vertex_weights, JnMessage *message);

/* The vertices whose embedded points lie nearest to points [point_count * 3], varying as smoothly as possible where no
   point speaks; exact for rigid and affine motions. positions: [vertex_count * 3]. */
JnStatus follow_positions(Follow *follow, const double *points, double *positions, JnMessage *message);

void follow_destroy(Follow *follow); /* may be NULL */

#endif
