/* The tets of one piece: triangles that belong together, of any quality. */
#ifndef JN_GEOMETRY_PIECE_MESH_H
#define JN_GEOMETRY_PIECE_MESH_H

#include "geometry/tetmesh.h"
#include "base/pool.h"

#include <stdbool.h>

typedef struct PieceGrid {
    double cell;      /* the usual size of leaves at the surface */
    double corner[3]; /* a place where cells of the usual size meet */
    double least_gap; /* parts nearer to each other touch */
    double share;     /* of the volume of the whole body: what is small against it does not matter */
    double growth;    /* cells may be halved where the piece is thin while there are at most this many times as many */
} PieceGrid;

typedef struct PieceFacts {
    double smallest_cell;
    double thinnest, thinnest_place[3]; /* INFINITY: not thin against the cells */
    uint32_t thinnest_triangle;
    uint32_t sheet_count; /* samples with no inside, which are thickened; of */
    uint32_t sample_count;
    double sheet_place[3];
    uint32_t thickened_count; /* samples of parts thinner than the smallest cells, which are thickened too */
    double thickened_place[3];
    uint32_t island_count; /* parts of the tets that hang on nothing */
} PieceFacts;

/* What is said of a triangle. */
typedef struct PieceTriangle {
    double thickness; /* of the solid behind it, at the least; 0: a sheet; INFINITY: not thin against the cells */
    bool sheet, thickened;
} PieceTriangle;

/* Triangles [triangle_count * 3] on positions, at least one, none flat. Fills *mesh (positive tets, every vertex used),
 *facts and about [triangle_count]. On failure *mesh is all zero. */
JnStatus piece_mesh_build(const double *positions, const uint32_t *triangles, uint32_t triangle_count,
                          const PieceGrid *grid, Pool *pool, TetMesh *mesh, PieceFacts *facts, PieceTriangle *about,
                          JnMessage *message);

#endif
