/* What the tets of thin parts stand for. Parts that are thinner than the cells are thickened, and squeezed back only as
   far as the angles allow: there the tets are larger than the solid. And a layer of linear tets bends too stiffly, the
   more so the flatter they are. Factors on density and stiffness make up for both, place by place: the mass of the tets
   is that of the solid that they cover, and thin parts bend as fast as by theory. */
#ifndef JN_GEOMETRY_THIN_PARTS_H
#define JN_GEOMETRY_THIN_PARTS_H

#include "geometry/octree.h"
#include "geometry/surface_samples.h"
#include "geometry/tetmesh.h"

typedef struct ThinSurface {
    const Interior *interior;
    const SurfaceSample *samples;
    const uint8_t *times_lost; /* [sample_count]: not 0 where a sample has been thickened as it would have been lost */
    uint32_t sample_count;
    const Octree *octree;
} ThinSurface;

/* Fills the factors of the mesh, which stay NULL if no part is thin. The result does not depend on the threads. */
JnStatus thin_parts_weigh(const ThinSurface *surface, Pool *pool, TetMesh *mesh, JnMessage *message);

#endif
