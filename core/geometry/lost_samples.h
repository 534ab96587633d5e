/* The parts of a surface that the tets have left uncovered. */
#ifndef JN_GEOMETRY_LOST_SAMPLES_H
#define JN_GEOMETRY_LOST_SAMPLES_H

#include "geometry/octree.h"
#include "geometry/surface_samples.h"
#include "geometry/tetmesh.h"

/* Adds 1 to times_lost [sample_count] of each sample that lies more than a cell from every vertex of the tets.
 *lost: how many there are. Walls within another part are never lost. */
JnStatus lost_samples_count(const SurfaceSample *samples, uint32_t sample_count, const Octree *octree,
                            const TetMesh *mesh, uint8_t *times_lost, uint32_t *lost, JnMessage *message);

/* The same for thin samples within a cell of a hinge: places [hinge_count * 3] where the tets of a thin part hang on an
   edge or a vertex alone. Thin is what is thinner than so many cells. Adds to *lost. */
JnStatus lost_samples_add_hinges(const SurfaceSample *samples, uint32_t sample_count, const Octree *octree,
                                 const double *hinges, uint32_t hinge_count, double thin, uint8_t *times_lost,
                                 uint32_t *lost, JnMessage *message);

#endif
