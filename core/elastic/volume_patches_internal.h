/* The data behind volume_patches.h: built by volume_patches_build.c, evaluated by volume_patches.c. */
#ifndef JN_ELASTIC_VOLUME_PATCHES_INTERNAL_H
#define JN_ELASTIC_VOLUME_PATCHES_INTERNAL_H

#include "elastic/scatter.h"
#include "elastic/stiffness_form.h"
#include "elastic/volume_patches.h"

/* Parts that run in parallel; fixed, because the order of the sums depends on it. A patch of n tets connected by faces
   has at most n + 3 vertices. */
enum { VOLUME_PARTS = 32, VOLUME_MOST_VERTICES = TET_PATCH_LARGEST + 3 };

#define VOLUME_NO_PATCH UINT32_MAX

typedef struct PatchTet {
    uint8_t corner[4]; /* its vertices, as numbers in the patch */
    uint32_t patch;
    double share;         /* Pa: the part of lambda that is left to the patch */
    double young_modulus; /* Pa, of the whole material */
    double stiffness_damping;
    double gradients[9]; /* of its first three shape functions in the rest shape, 1/m */
    double volume;       /* m3 at rest */
} PatchTet;

typedef struct Patch {
    uint32_t first_tet, tet_count, first_vertex, vertex_count;
    size_t first_block;
    uint32_t group;       /* index of its stiffness factor */
    bool follows;         /* its rest shape changes */
    bool linear;          /* V is linear in q, with rest_gradients */
    double stiffness;     /* k, Pa */
    double young_modulus; /* Pa */
    double stiffness_damping;
    double volume; /* V0, m3 */
} Patch;

typedef struct VolumePatches {
    Patch *patches;
    uint32_t part_starts[VOLUME_PARTS + 1];
    PatchTet *tets;         /* patch after patch */
    uint32_t *vertices;     /* patch after patch, ascending in each */
    double *rest_gradients; /* [3] per entry of `vertices`: dV/dx in the rest shape, m2 */
    uint32_t *force_places; /* in force_scatter, of each entry of `vertices` */
    uint32_t *block_places; /* in block_scatter: the lower triangle of each patch, row by row */
    uint32_t patch_count;
    uint32_t *place_of_tet;    /* [tet_count] of the desc: its place in `tets`, or VOLUME_NO_PATCH */
    double *stiffness_factors; /* [group_count], of the moment */
    uint32_t group_count;
    ForceTerm elements;                 /* borrowed; operations NULL: none */
    double part_energies[VOLUME_PARTS]; /* summed in order */
    uint64_t part_projected[VOLUME_PARTS];
    Scatter force_scatter, block_scatter;
} VolumePatches;

/* Fills what a patch has from its tets: k, Young's modulus, damping, V0 and the rest gradients. */
void volume_patch_average(VolumePatches *self, Patch *patch);

extern const TermOperations volume_patches_operations;
void volume_patches_destroy(void *self); /* may be partly built, or NULL */

#endif
