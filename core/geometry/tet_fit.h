/* Fits the boundary of a tet mesh to a surface in the mean. Vertices that all lie on a convex surface enclose less than
   it does: each is moved along its normal by the mean distance between the boundary and the surface around it, so that
   the volume is right at every place. */
#ifndef JN_GEOMETRY_TET_FIT_H
#define JN_GEOMETRY_TET_FIT_H

#include "geometry/surface_samples.h"
#include "geometry/tetmesh.h"

/* The skins among the samples are the surface: `target` is built of them. */
typedef struct FitTarget { /* borrows the samples */
    const SurfaceSample *samples;
    uint32_t count;
    uint32_t *chosen; /* [count] samples in the tree */
    Bvh bvh;
} FitTarget;

JnStatus fit_target_build(const SurfaceSample *samples, uint32_t sample_count, FitTarget *target, JnMessage *message);
void fit_target_free(FitTarget *target); /* leaves it all zero */

/* Moves the vertices marked in `on_surface` once, and those inside with them. No tet gets a sine of a dihedral angle
   below `least` that had a larger one. *excess: the volume by which the tets were larger than the target before. */
JnStatus tet_fit(TetMesh *mesh, const uint8_t *on_surface, const FitTarget *target, double least, Pool *pool,
                 double *excess, JnMessage *message);

#endif
