/* A triangle mesh as a collider: at rest, moved, or deforming. */
#ifndef JN_CONTACT_MESH_COLLIDER_H
#define JN_CONTACT_MESH_COLLIDER_H

#include "contact/collider.h"
#include "contact/surface_tree.h"

COLLIDER_SURFACE(mesh);

typedef struct Mesh {
    uint32_t vertex_count, triangle_count;
    double *positions;   /* [vertex_count * 3] m */
    uint32_t *triangles; /* [triangle_count * 3] */
    bool is_closed;      /* and its triangles are consistently oriented */
    bool is_inside_out;  /* closed, with normals that point inwards */
} Mesh;

typedef struct MeshPlaced {
    SurfaceTree tree;
    double *start, *end, *velocities; /* [vertex_count * 3] m, m/s: in a step */
    double fastest;                   /* m/s */
    double resting_at[12];            /* if it rests, not deformed */
    bool rests, is_mirrored;
} MeshPlaced;

#endif
