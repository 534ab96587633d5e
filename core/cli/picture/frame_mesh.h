/* The meshes of a cache at one time, as triangles in world space, ready to be drawn. */
#ifndef JN_CLI_PICTURE_FRAME_MESH_H
#define JN_CLI_PICTURE_FRAME_MESH_H

#include "alembic_io.h"
#include "vec3.h"

#include <stdint.h>

typedef struct FrameMesh {
    uint32_t vertex_count, triangle_count;
    Vec3 *positions;     /* [vertex_count] */
    uint32_t *triangles; /* [triangle_count * 3] vertices, counter-clockwise seen from outside */
    Vec3 *normals;       /* [triangle_count * 3] unit, per corner: smooth, but broken at sharp edges */
    uint32_t *objects;   /* [triangle_count] 0, 1, ... in the order of the cache */
    uint8_t *edges;      /* [triangle_count] bit i: the side across from corner i is an edge of the polygon */
    uint32_t object_count;
} FrameMesh;

/* Reads all visible meshes, and curves as thin tubes, at `time` (seconds). The reader must give counter-clockwise
   faces. *mesh is overwritten, and empty after an error. */
AbcStatus frame_mesh_read(AbcReader *reader, double time, FrameMesh *mesh, AbcError *error);

void frame_mesh_free(FrameMesh *mesh);

#endif
