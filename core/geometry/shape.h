/* The shapes of jn_shape_make: bodies for samples and tests, at any resolution. */
#ifndef JN_GEOMETRY_SHAPE_H
#define JN_GEOMETRY_SHAPE_H

#include "geometry/mesh.h"
#include "geometry/mesher.h"

typedef struct Shape {
    JnTableEntry entry;
    JnShape defaults; /* without struct_size and kind */
    int cell_count;   /* how many of JnShape.cells are used */
    /* Fills positions, fields, and tets, faces or curves. Sizes are finite and positive, the used cells at least 1. */
    JnStatus (*make)(const JnShape *shape, JnMesh *mesh, JnMessage *message);
} Shape;

/* A straight box from the origin along x, centred in y and z. */
JnStatus shape_make_box(const JnShape *shape, JnMesh *mesh, JnMessage *message);
/* The same with its pose: twisted about x by `turns` from start to end. */
JnStatus shape_make_cuboid(const JnShape *shape, JnMesh *mesh, JnMessage *message);
/* A ball, or an ellipsoid, round the origin. */
JnStatus shape_make_ball(const JnShape *shape, JnMesh *mesh, JnMessage *message);
/* A round rope from the origin along x; its pose is a helix that winds downwards round the y axis, bent but
   not twisted. */
JnStatus shape_make_coil(const JnShape *shape, JnMesh *mesh, JnMessage *message);
/* The same rope with the helix as its rest shape. */
JnStatus shape_make_helix(const JnShape *shape, JnMesh *mesh, JnMessage *message);

/* A flat grid of quads from the origin along x, centred in y. */
JnStatus shape_make_cloth(const JnShape *shape, JnMesh *mesh, JnMessage *message);
/* Straight curves along x from a field across it. */
JnStatus shape_make_fibres(const JnShape *shape, JnMesh *mesh, JnMessage *message);

/* Allocates a shape with this many vertices and tets; JN_ERR_ARGUMENT if that is more than can be simulated. */
JnStatus shape_reserve(JnMesh *mesh, double vertex_count, double tet_count, JnMessage *message);

/* The coordinate of grid point `index` of `cells` along a side: exact at both ends. */
double shape_grid_place(double low, double high, uint32_t index, uint32_t cells);

/* Adds the fields "start" and "end": 1 for the first and the last `end_count` vertices. */
JnStatus shape_mark_ends(JnMesh *mesh, uint32_t end_count, JnMessage *message);

/* Adds a tet, reordered so that it is positive. Its space must be allocated. */
void shape_add_tet(JnMesh *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d);

#endif
