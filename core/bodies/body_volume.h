/* Which tets of the bodies are averaged in volume patches, and the remaining material of each tet. */
#ifndef JN_BODIES_BODY_VOLUME_H
#define JN_BODIES_BODY_VOLUME_H

#include "bodies/body.h"
#include "elastic/volume_patches.h"

typedef struct BodyVolume { /* owns its arrays */
    TetPatches patches;     /* none if no body needs them */
    size_t *starts;         /* [patch_count + 1], and */
    uint32_t *vertices;     /* the vertices of each patch; NULL: no patches */
    double *young_modulus;  /* [tet_count] of the tets without the patches */
    double *poisson_ratio;  /* [tet_count] */
} BodyVolume;

/* bodies: [body_count]. mesh: of all of them. young_modulus, poisson_ratio: [tet_count] of the material. On failure
 * *volume is all zero. */
JnStatus body_volume_build(const Body *bodies, uint32_t body_count, const JnTets *mesh, const double *young_modulus,
                           const double *poisson_ratio, BodyVolume *volume, JnMessage *message);

/* The patches' vertices, to be coupled in the matrix. */
VertexGroups body_volume_groups(const BodyVolume *volume);

void body_volume_free(BodyVolume *volume); /* leaves it all zero */

#endif
