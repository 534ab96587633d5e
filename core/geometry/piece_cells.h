/* The octree of a piece: how small its cells are, and where. */
#ifndef JN_GEOMETRY_PIECE_CELLS_H
#define JN_GEOMETRY_PIECE_CELLS_H

#include "geometry/octree.h"
#include "geometry/piece_mesh.h"
#include "geometry/surface_samples.h"

/* A part that is thinner than so many cells is thickened to as many. */
#define PIECE_LEAST_CELLS 1.3

/* Builds the octree around the triangles of the interior, with cells halved where the samples are thin and in gaps, as
   far as the growth allows. JN_ERR_ARGUMENT if the usual cells are too many. On failure *octree is all zero. */
JnStatus piece_cells_build(const Interior *interior, const PieceGrid *grid, const SurfaceSample *samples,
                           uint32_t sample_count, Octree *octree, JnMessage *message);

#endif
