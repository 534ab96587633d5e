/* Everything of one frame as triangles in the picture's space (y up), ready to be drawn. */
#ifndef JN_CLI_PICTURE_FRAME_MESH_H
#define JN_CLI_PICTURE_FRAME_MESH_H

#include "vec3.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Among the objects of a FrameMesh: an obstacle, which has no colour of its own. */
enum { OBJECT_COLLIDER = -3 };

typedef struct FrameMesh { /* all zero: empty */
    uint32_t vertex_count, triangle_count;
    Vec3 *positions;     /* [vertex_count] */
    float *weights;      /* [vertex_count] painted, 0 to 1; NAN: not painted. NULL: nothing is */
    uint32_t *triangles; /* [triangle_count * 3] vertices, counter-clockwise seen from outside */
    Vec3 *normals;       /* [triangle_count * 3] unit, per corner: smooth, but broken at sharp edges */
    int32_t *objects;    /* [triangle_count] 0, 1, ... in the order in which bodies were added, or OBJECT_COLLIDER */
    uint8_t *edges;      /* [triangle_count] bit i: the side across from corner i is an edge of the polygon */
    uint32_t object_count;
    uint32_t caster_vertex_count, caster_triangle_count; /* the first ones cast shadows; flat colliders cast none */
} FrameMesh;

/* Polygons or curves to be added, in a space of their own. */
typedef struct Polygons {
    size_t vertex_count, face_count, index_count;
    double *positions;     /* [vertex_count * 3] */
    int32_t *face_counts;  /* [face_count] corners of each face, or points of each curve, which sum to index_count */
    int32_t *face_indices; /* [index_count] */
    const float *weights;  /* [vertex_count], borrowed; NULL: not painted */
} Polygons;

void polygons_free(Polygons *polygons); /* leaves it all zero */

/* Adds faces, or curves as thin tubes; matrix: rows, acting on row vectors, as in Alembic. False if memory runs out.
   Colliders come last, and those that are flat after the others. */
bool frame_mesh_add_faces(FrameMesh *mesh, const Polygons *faces, const double matrix[16], int32_t object);
bool frame_mesh_add_curves(FrameMesh *mesh, const Polygons *curves, const double matrix[16], int32_t object);

/* What has been added so far casts shadows, what comes later does not. Without it, everything does. */
void frame_mesh_end_casters(FrameMesh *mesh);

/* Completes the mesh after the last addition. False if memory runs out. */
bool frame_mesh_finish(FrameMesh *mesh);

void frame_mesh_free(FrameMesh *mesh); /* leaves it empty */

#endif
