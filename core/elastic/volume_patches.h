/* The cure for volumetric locking: nearly incompressible bodies of linear tets that still bend.

   A linear tet has one volume, and a mesh has several times more tets than vertices: if each tet keeps its own volume,
   hardly any degrees of freedom are left, and the body is far too stiff. So of a material with a high Poisson ratio the
   tets carry only as much resistance to volume change as a lower ratio gives; the rest of Lame's lambda acts on the
   mean volume change of small patches of tets (tet_patches.h):

       E = k/2 V0 (V / V0 - 1)^2,   k = lambda(E, nu) - lambda of the tets,

   with V the patch's deformed volume, V0 its rest volume, k averaged by volume. Under a uniform small strain this and
   the tets together are Hooke's law with the given E and nu. It is the F-bar patch of De Souza Neto, Andrade Pires and
   Owen 2005, in variational form and for part of the pressure only, which keeps single tets from collapsing.

   Stiffness: k / V0 g g' + p H, with g and H the first and second derivative of V and p = k (V / V0 - 1) the patch's
   pressure. The first part is positive semidefinite and couples all vertices of the patch; H is indefinite.

   For a law that is not invariant under rotation (linear elasticity) V is linear, too: V0 times the mean of tr F -
   2. */
#ifndef JN_ELASTIC_VOLUME_PATCHES_H
#define JN_ELASTIC_VOLUME_PATCHES_H

#include "elastic/force_term.h"
#include "elastic/material.h"
#include "elastic/tet_patches.h"

/* Up to this Poisson ratio there are no patches: locking is slight there, and usual materials do not pay their cost. */
#define VOLUME_PATCHES_ABOVE 0.4

/* Whether tets of this law and Poisson ratio need patches. */
bool volume_patches_needed(const Material *law, double poisson_ratio);

/* Replaces a tet's Young modulus and Poisson ratio by those that leave the rest to the patch: the shear modulus stays,
   and the ratio falls from 0.4 at 0.4 to 0.3 at 0.45 and above, so that it is continuous. */
void volume_patches_soften(double *young_modulus, double *poisson_ratio);

typedef struct VolumePatchesDesc {
    uint32_t vertex_count, tet_count;
    const double *rest_positions;    /* [vertex_count * 3] m */
    const uint32_t *tet_vertices;    /* [tet_count * 4] */
    const Material *const *laws;     /* [tet_count] */
    const double *young_modulus;     /* [tet_count] Pa: of the whole material, not of its tets only */
    const double *poisson_ratio;     /* [tet_count] */
    const double *stiffness_damping; /* [tet_count] s */
    const uint32_t *groups;          /* [tet_count] below group_count: index in Moment.stiffness_factors, the same in
                                        all of a patch; NULL: all are group 0 */
    uint32_t group_count;
    const TetPatches *patches; /* of tets of one law each */
    const ForceTerm *elements; /* the same tets, whose rest shapes the patches copy; borrowed for the term's life; NULL:
                                  no rest shape follows the animation */
} VolumePatchesDesc;

/* The vertices that each patch couples, ascending. starts: [patch_count + 1], vertices: [starts[patch_count]]; the
   caller frees both. */
JnStatus volume_patches_vertices(const TetPatches *patches, const uint32_t *tet_vertices, size_t **starts,
                                 uint32_t **vertices, JnMessage *message);

/* Copies the desc. The pattern of `matrix` must couple the vertices of every patch. Free the term by its destroy. */
JnStatus volume_patches_create(const VolumePatchesDesc *desc, const BlockMatrix *matrix, ForceTerm *term,
                               JnMessage *message);

#endif
