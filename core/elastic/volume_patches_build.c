#include "elastic/volume_patches_internal.h"

#include "base/status.h"
#include "elastic/tet_elements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool volume_patches_needed(const Material *law, double poisson_ratio) {
    return (law->traits & MATERIAL_POISSON) && poisson_ratio > VOLUME_PATCHES_ABOVE;
}

void volume_patches_soften(double *young_modulus, double *poisson_ratio) {
    double beyond = fmax(*poisson_ratio - VOLUME_PATCHES_ABOVE, 0), given = *poisson_ratio;
    *poisson_ratio = fmin(given, fmax(VOLUME_PATCHES_ABOVE - 2 * beyond, 0.3));
    *young_modulus *= (1 + *poisson_ratio) / (1 + given);
}

void volume_patch_average(VolumePatches *self, Patch *patch) {
    double volume = 0, share = 0, young_modulus = 0, damping = 0;
    double *g = self->rest_gradients + 3 * (size_t)patch->first_vertex;
    memset(g, 0, 3 * patch->vertex_count * sizeof *g);
    for (uint32_t k = 0; k < patch->tet_count; ++k) {
        const PatchTet *tet = &self->tets[patch->first_tet + k];
        const double *h = tet->gradients;
        volume += tet->volume;
        share += tet->volume * tet->share;
        young_modulus += tet->volume * tet->young_modulus;
        damping += tet->volume * tet->share * tet->stiffness_damping;
        for (int i = 0; i < 3; ++i) {
            for (int a = 0; a < 3; ++a)
                g[3 * tet->corner[a] + i] += tet->volume * h[3 * a + i];
            g[3 * tet->corner[3] + i] -= tet->volume * (h[i] + h[3 + i] + h[6 + i]);
        }
    }
    patch->volume = volume;
    patch->stiffness = share / volume;
    patch->young_modulus = young_modulus / volume;
    patch->stiffness_damping = share > 0 ? damping / share : 0;
}

static int compare_vertices(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* The vertices of patch p, ascending, each once; returns how many. */
static uint32_t list_vertices(const TetPatches *patches, uint32_t p, const uint32_t *tet_vertices,
                              uint32_t vertices[4 * TET_PATCH_LARGEST]) {
    uint32_t count = 0, kept = 0;
    for (uint32_t k = patches->starts[p]; k < patches->starts[p + 1]; ++k)
        for (size_t a = 0; a < 4; ++a)
            vertices[count++] = tet_vertices[4 * (size_t)patches->tets[k] + a];
    qsort(vertices, count, sizeof *vertices, compare_vertices);
    for (uint32_t i = 0; i < count; ++i)
        if (kept == 0 || vertices[i] != vertices[kept - 1])
            vertices[kept++] = vertices[i];
    return kept;
}

JnStatus volume_patches_vertices(const TetPatches *patches, const uint32_t *tet_vertices, size_t **starts,
                                 uint32_t **vertices, JnMessage *message) {
    uint32_t found[4 * TET_PATCH_LARGEST];
    *starts = malloc(((size_t)patches->patch_count + 1) * sizeof **starts);
    *vertices = NULL;
    if (*starts) {
        (*starts)[0] = 0;
        for (uint32_t p = 0; p < patches->patch_count; ++p)
            (*starts)[p + 1] = (*starts)[p] + list_vertices(patches, p, tet_vertices, found);
        *vertices = malloc(((*starts)[patches->patch_count] + 1) * sizeof **vertices);
    }
    if (!*vertices) {
        free(*starts);
        *starts = NULL;
        return status_no_memory(message, "the patches of tets");
    }
    for (uint32_t p = 0; p < patches->patch_count; ++p) {
        uint32_t count = list_vertices(patches, p, tet_vertices, found);
        memcpy(*vertices + (*starts)[p], found, count * sizeof *found);
    }
    return JN_OK;
}

static uint8_t local_vertex(const uint32_t *vertices, uint32_t count, uint32_t vertex) {
    uint8_t i = 0;
    while (i + 1u < count && vertices[i] != vertex)
        ++i;
    return i;
}

static JnStatus fill_tet(VolumePatches *self, const VolumePatchesDesc *desc, const Patch *patch, uint32_t t,
                         PatchTet *tet, JnMessage *message) {
    double lambda, mu, soft_lambda, young = desc->young_modulus[t], poisson = desc->poisson_ratio[t];
    material_lame(young, poisson, &lambda, &mu);
    tet->young_modulus = young;
    volume_patches_soften(&young, &poisson);
    material_lame(young, poisson, &soft_lambda, &mu);
    tet->patch = (uint32_t)(patch - self->patches);
    tet->share = fmax(lambda - soft_lambda, 0);
    tet->stiffness_damping = desc->stiffness_damping[t];
    for (size_t a = 0; a < 4; ++a)
        tet->corner[a] = local_vertex(self->vertices + patch->first_vertex, patch->vertex_count,
                                      desc->tet_vertices[4 * (size_t)t + a]);
    double gradients[4][3];
    if (!tet_gradients(desc->rest_positions, desc->tet_vertices + 4 * (size_t)t, gradients, &tet->volume))
        return status_fail(message, JN_ERR_MESH, "tet %u has no volume: remove it or remesh", t);
    memcpy(tet->gradients, gradients, sizeof tet->gradients);
    return JN_OK;
}

static bool allocate(VolumePatches *self, const VolumePatchesDesc *desc, const size_t *vertex_starts) {
    size_t patch_count = self->patch_count, vertices = vertex_starts[patch_count], blocks = 0;
    size_t group_count = desc->groups ? desc->group_count : 1;
    for (size_t p = 0; p < patch_count; ++p) {
        size_t count = vertex_starts[p + 1] - vertex_starts[p];
        blocks += count * (count + 1) / 2;
    }
    self->patches = calloc(patch_count + 1, sizeof *self->patches);
    self->tets = calloc((size_t)desc->patches->starts[patch_count] + 1, sizeof *self->tets);
    self->rest_gradients = calloc(3 * vertices + 1, sizeof *self->rest_gradients);
    self->force_places = malloc((vertices + 1) * sizeof *self->force_places);
    self->block_places = malloc((blocks + 1) * sizeof *self->block_places);
    self->place_of_tet = malloc(((size_t)desc->tet_count + 1) * sizeof *self->place_of_tet);
    self->stiffness_factors = malloc((group_count + 1) * sizeof *self->stiffness_factors);
    if (!self->patches || !self->tets || !self->rest_gradients || !self->force_places || !self->block_places ||
        !self->place_of_tet || !self->stiffness_factors)
        return false;
    memcpy(self->force_places, self->vertices, vertices * sizeof *self->vertices);
    for (uint32_t t = 0; t < desc->tet_count; ++t)
        self->place_of_tet[t] = VOLUME_NO_PATCH;
    self->group_count = (uint32_t)group_count;
    for (size_t g = 0; g < group_count; ++g)
        self->stiffness_factors[g] = 1;
    if (desc->elements)
        self->elements = *desc->elements;
    return true;
}

static JnStatus fill_patches(VolumePatches *self, const VolumePatchesDesc *desc, const size_t *vertex_starts,
                             JnMessage *message) {
    JnStatus status = JN_OK;
    size_t blocks = 0;
    for (uint32_t p = 0; status == JN_OK && p < self->patch_count; ++p) {
        Patch *patch = &self->patches[p];
        patch->first_tet = desc->patches->starts[p];
        patch->tet_count = desc->patches->starts[p + 1] - patch->first_tet;
        patch->first_vertex = (uint32_t)vertex_starts[p];
        patch->vertex_count = (uint32_t)(vertex_starts[p + 1] - vertex_starts[p]);
        patch->first_block = blocks;
        blocks += patch->vertex_count * (size_t)(patch->vertex_count + 1) / 2;
        patch->linear = !(desc->laws[desc->patches->tets[patch->first_tet]]->traits & MATERIAL_ROTATES);
        patch->group = desc->groups ? desc->groups[desc->patches->tets[patch->first_tet]] : 0;
        for (uint32_t k = patch->first_tet; status == JN_OK && k < desc->patches->starts[p + 1]; ++k) {
            status = fill_tet(self, desc, patch, desc->patches->tets[k], &self->tets[k], message);
            self->place_of_tet[desc->patches->tets[k]] = k;
        }
        if (status == JN_OK)
            volume_patch_average(self, patch);
    }
    self->patches[self->patch_count] = (Patch){.first_tet = desc->patches->starts[self->patch_count],
                                               .first_vertex = (uint32_t)vertex_starts[self->patch_count],
                                               .first_block = blocks};
    return status;
}

/* Cuts the patches into parts and finds where each adds its forces and blocks. */
static JnStatus plan_scatter(VolumePatches *self, uint32_t vertex_count, const BlockMatrix *matrix,
                             JnMessage *message) {
    size_t force_starts[VOLUME_PARTS + 1], block_starts[VOLUME_PARTS + 1];
    for (uint64_t part = 0; part <= VOLUME_PARTS; ++part) {
        self->part_starts[part] = (uint32_t)(self->patch_count * part / VOLUME_PARTS);
        force_starts[part] = self->patches[self->part_starts[part]].first_vertex;
        block_starts[part] = self->patches[self->part_starts[part]].first_block;
    }
    for (uint32_t p = 0; p < self->patch_count; ++p) {
        const Patch *patch = &self->patches[p];
        const uint32_t *vertices = self->vertices + patch->first_vertex;
        uint32_t *place = self->block_places + patch->first_block;
        for (uint32_t row = 0; row < patch->vertex_count; ++row)
            for (uint32_t column = 0; column <= row; ++column)
                *place++ = block_matrix_find(matrix, vertices[row], vertices[column]);
    }
    JnStatus status =
        scatter_build(vertex_count, 3, VOLUME_PARTS, force_starts, self->force_places, &self->force_scatter, message);
    if (status == JN_OK)
        status = scatter_build(matrix->block_count, 9, VOLUME_PARTS, block_starts, self->block_places,
                               &self->block_scatter, message);
    return status;
}

JnStatus volume_patches_create(const VolumePatchesDesc *desc, const BlockMatrix *matrix, ForceTerm *term,
                               JnMessage *message) {
    VolumePatches *self = calloc(1, sizeof *self);
    size_t *vertex_starts = NULL;
    if (!self)
        return status_no_memory(message, "the volume of the body");
    self->patch_count = desc->patches->patch_count;
    JnStatus status =
        volume_patches_vertices(desc->patches, desc->tet_vertices, &vertex_starts, &self->vertices, message);
    if (status == JN_OK && !allocate(self, desc, vertex_starts))
        status = status_no_memory(message, "the volume of the body");
    if (status == JN_OK)
        status = fill_patches(self, desc, vertex_starts, message);
    if (status == JN_OK)
        status = plan_scatter(self, desc->vertex_count, matrix, message);
    free(vertex_starts);
    if (status != JN_OK) {
        volume_patches_destroy(self);
        return status;
    }
    *term = (ForceTerm){&volume_patches_operations, self};
    return JN_OK;
}

void volume_patches_destroy(void *context) {
    VolumePatches *self = context;
    if (!self)
        return;
    void *arrays[] = {self->patches,      self->tets,         self->vertices,     self->rest_gradients,
                      self->force_places, self->block_places, self->place_of_tet, self->stiffness_factors};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
    scatter_free(&self->force_scatter);
    scatter_free(&self->block_scatter);
    free(self);
}
