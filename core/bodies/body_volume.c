#include "bodies/body_volume.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* The body's number for tets that need a patch, so that no patch crosses bodies or materials; returns whether any does.
 */
static bool group_tets(const Body *bodies, uint32_t body_count, int32_t *groups) {
    bool any = false;
    size_t t = 0;
    for (uint32_t b = 0; b < body_count; ++b) {
        const Body *body = &bodies[b];
        bool needed = body->element_count > 0 && body->material.locking_cure &&
                      volume_patches_needed(body->law, body->material.poisson_ratio);
        any |= needed;
        for (uint32_t k = 0; k < body->element_count; ++k)
            groups[t++] = needed ? (int32_t)b : TET_PATCHES_NO_GROUP;
    }
    return any;
}

JnStatus body_volume_build(const Body *bodies, uint32_t body_count, const JnTets *mesh, const double *young_modulus,
                           const double *poisson_ratio, BodyVolume *volume, JnMessage *message) {
    size_t bytes = (size_t)mesh->tet_count * sizeof(double);
    int32_t *groups = malloc(((size_t)mesh->tet_count + 1) * sizeof *groups);
    memset(volume, 0, sizeof *volume);
    volume->young_modulus = malloc(bytes + 1);
    volume->poisson_ratio = malloc(bytes + 1);
    JnStatus status = JN_OK;
    if (!groups || !volume->young_modulus || !volume->poisson_ratio) {
        status = status_no_memory(message, "the volume of the bodies");
    } else {
        memcpy(volume->young_modulus, young_modulus, bytes);
        memcpy(volume->poisson_ratio, poisson_ratio, bytes);
        if (group_tets(bodies, body_count, groups)) {
            status = tet_patches_build(mesh, groups, &volume->patches, message);
            if (status == JN_OK)
                status = volume_patches_vertices(&volume->patches, mesh->tet_vertices, &volume->starts,
                                                 &volume->vertices, message);
            for (size_t t = 0; status == JN_OK && t < mesh->tet_count; ++t)
                if (groups[t] != TET_PATCHES_NO_GROUP)
                    volume_patches_soften(&volume->young_modulus[t], &volume->poisson_ratio[t]);
        }
    }
    free(groups);
    if (status != JN_OK)
        body_volume_free(volume);
    return status;
}

VertexGroups body_volume_groups(const BodyVolume *volume) {
    return (VertexGroups){volume->patches.patch_count, 0, volume->starts, volume->vertices};
}

void body_volume_free(BodyVolume *volume) {
    tet_patches_free(&volume->patches);
    free(volume->starts);
    free(volume->vertices);
    free(volume->young_modulus);
    free(volume->poisson_ratio);
    memset(volume, 0, sizeof *volume);
}
