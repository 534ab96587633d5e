/* Polygon surfaces: what is rendered, painted and collided with. */
#ifndef JN_GEOMETRY_SURFACE_H
#define JN_GEOMETRY_SURFACE_H

#include "jounce.h"

/* Refuses an empty surface, NULL arrays, a position that is not finite or beyond VEC3_FARTHEST, a face of fewer than
   three corners, face_sizes that do not add up to corner_count, an index out of range. Open, non-manifold and duplicate
   faces are not refused here. `place` opens the message: "bodies[0].surface". JN_ERR_ARGUMENT or JN_ERR_MESH. */
JnStatus surface_check(const JnSurface *surface, const char *place, JnMessage *message);

/* Splits every polygon into triangles, two fewer than it has corners, in the order of the faces. The caller frees
 *triangles. */
JnStatus surface_triangulate(const JnSurface *surface, uint32_t **triangles, uint32_t *triangle_count,
                             JnMessage *message);

#endif
