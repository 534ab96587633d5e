/* Rotation-strain warping: the shape that displacements of the linear theory stand for.

   Linear elasticity takes every rotation for a small one: a tet that turns by the vector w is moved along w x X, and so
   swells. Its displacement gradient G still tells how far it was to turn and how much it is strained: the antisymmetric
   part W of G is the rotation w, the symmetric part e the strain. So each tet shall have the deformation gradient
   exp(W) (I + e), and the vertices are where all gradients fit best, weighted by volume (rotation-strain coordinates:
   Huang et al. 2011). That is a Poisson problem with one matrix for each coordinate, factored once. It is solved for
   the way from the linear positions, which is of second order in the displacements. */
#ifndef JN_ELASTIC_WARP_H
#define JN_ELASTIC_WARP_H

#include "base/pool.h"
#include "jounce.h"

typedef struct Warp Warp;

typedef struct WarpDesc {
    uint32_t vertex_count, tet_count;
    const double *rest_positions; /* [vertex_count * 3] m */
    const uint32_t *tet_vertices; /* [tet_count * 4] of tets with volume; fastest if neighbours follow each other */
    const uint8_t *fixed;         /* [vertex_count] nonzero: stays where it is */
} WarpDesc;

/* Factors the matrix; nothing of the desc is needed afterwards. JN_ERR_DIVERGED: tets are too flat for it. On failure
 *warp is NULL. */
JnStatus warp_create(const WarpDesc *desc, Warp **warp, JnMessage *message);

typedef struct WarpPose {
    const double *q; /* [vertex_count * 3] m, as linear elasticity has them */
    /* [tet_count * 9] 1/m: the gradients of the shape functions of each tet's first three corners in the rest shape
       that q was strained from, if that is not the one of the desc; else NULL. The tets may have turned with it. */
    const double *rest_gradients;
    double *warped; /* [vertex_count * 3] m, where they are seen; not q */
} WarpPose;

enum { WARP_POSES = 2 };

/* Warps up to WARP_POSES poses, which cost less together than one by one. A part of the mesh without a fixed vertex is
   placed so that the mean of its vertices with the weights `anchors`, [vertex_count], which are above 0, stays where it
   is. The result does not depend on the number of threads. */
JnStatus warp_apply(Warp *warp, const WarpPose *poses, uint32_t pose_count, const double *anchors, Pool *pool,
                    JnMessage *message);

void warp_destroy(Warp *warp); /* may be NULL */

#endif
