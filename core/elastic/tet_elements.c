/* Construction of linear tets. tet_evaluate.c evaluates them, tet_rest.c changes their rest shapes. */
#include "base/status.h"
#include "elastic/tet_elements_internal.h"

#include <stdlib.h>
#include <string.h>

static void destroy(void *self) {
    TetElements *elements = self;
    if (!elements)
        return;
    free(elements->tets);
    free(elements->following);
    free(elements->stiffness_factors);
    scatter_free(&elements->force_scatter);
    scatter_free(&elements->block_scatter);
    free(elements->damping_mass);
    free(elements->rest_positions);
    free(elements->bundle_starts);
    free(elements->bundle_vertices);
    free(elements);
}

/* sorted = the corners in ascending order; -1 if that is an odd permutation, else 1. */
static int sort_corners(const uint32_t corners[4], uint32_t sorted[4]) {
    int orientation = 1;
    for (int a = 0; a < 4; ++a) {
        int place = a;
        for (; place > 0 && sorted[place - 1] > corners[a]; --place, orientation = -orientation)
            sorted[place] = sorted[place - 1];
        sorted[place] = corners[a];
    }
    return orientation;
}

/* Whether the stiffness of the tet's law does not depend on the deformation, and is positive semidefinite. */
static bool is_always_positive(const Tet *tet) {
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    StiffnessForm stiffness;
    stiffness_raw(tet->law, tet->c, identity, &stiffness);
    return !(tet->law->traits & MATERIAL_ROTATES) && stiffness_is_above(&stiffness, TET_NOTICEABLE * tet->harmless);
}

/* Fills tets[k] with tet order[k] of the desc, for all k. */
static JnStatus fill_tets(TetElements *elements, const TetElementsDesc *desc, const uint32_t *order,
                          JnMessage *message) {
    for (uint32_t k = 0; k < desc->tet_count; ++k) {
        uint32_t t = order[k];
        Tet *tet = &elements->tets[k];
        tet->orientation = sort_corners(desc->tet_vertices + 4 * (size_t)t, tet->vertices);
        tet->law = desc->laws[t];
        tet->law->coefficients(desc->young_modulus[t], desc->poisson_ratio[t], tet->c);
        tet->harmless = HARMLESS_STIFFNESS * desc->young_modulus[t];
        tet->positive = is_always_positive(tet);
        tet->stiffness_damping = desc->stiffness_damping[t];
        elements->damped |= tet->stiffness_damping > 0;
        tet->group = desc->groups ? desc->groups[t] : 0;
        double gradients[4][3];
        if (!tet_gradients(desc->rest_positions, tet->vertices, gradients, &tet->volume))
            return status_fail(message, JN_ERR_MESH, "tet %u has no volume: remove it or remesh", t);
        memcpy(tet->gradients, gradients, sizeof tet->gradients);
    }
    return JN_OK;
}

/* Cuts the tets into parts and finds where each adds its forces and blocks. */
static JnStatus plan_scatter(TetElements *elements, uint32_t tet_count, const BlockMatrix *matrix, JnMessage *message) {
    size_t force_starts[TET_PARTS + 1], block_starts[TET_PARTS + 1];
    for (uint64_t part = 0; part <= TET_PARTS; ++part) {
        elements->part_starts[part] = (uint32_t)(tet_count * part / TET_PARTS);
        force_starts[part] = 4 * (size_t)elements->part_starts[part];
        block_starts[part] = TET_PAIRS * (size_t)elements->part_starts[part];
    }
    uint32_t *places = malloc((TET_PAIRS * (size_t)tet_count + 1) * sizeof *places);
    if (!places)
        return status_no_memory(message, "the assembly");
    for (size_t k = 0; k < tet_count; ++k)
        memcpy(places + 4 * k, elements->tets[k].vertices, sizeof elements->tets[k].vertices);
    JnStatus status =
        scatter_build(elements->vertex_count, 3, TET_PARTS, force_starts, places, &elements->force_scatter, message);
    for (size_t k = 0; status == JN_OK && k < tet_count; ++k)
        memcpy(elements->tets[k].force_places, places + 4 * k, sizeof elements->tets[k].force_places);
    for (size_t k = 0; status == JN_OK && k < tet_count; ++k)
        for (int p = 0; p < TET_PAIRS; ++p)
            places[TET_PAIRS * k + (size_t)p] = tet_find_block(matrix, elements->tets[k].vertices[tet_pair_row[p]],
                                                               elements->tets[k].vertices[tet_pair_column[p]]);
    if (status == JN_OK)
        status =
            scatter_build(matrix->block_count, 9, TET_PARTS, block_starts, places, &elements->block_scatter, message);
    for (size_t k = 0; status == JN_OK && k < tet_count; ++k)
        memcpy(elements->tets[k].block_places, places + TET_PAIRS * k, sizeof elements->tets[k].block_places);
    free(places);
    return status;
}

static void scale_damping(void *self, uint32_t group, double factor) {
    TetElements *elements = self;
    for (uint32_t k = 0; k < elements->part_starts[TET_PARTS]; ++k)
        if (elements->tets[k].group == group)
            elements->tets[k].stiffness_damping *= factor;
}

static uint32_t limited_rest_count(const void *self) {
    return ((const TetElements *)self)->limited_count;
}

/* A law that is not invariant under rotation has a constant stiffness, unless its rest shape turns. */
static bool stiffness_turns(const void *self) {
    const TetElements *elements = self;
    bool turns = elements->following_count > 0;
    for (uint32_t k = 0; k < elements->part_starts[TET_PARTS] && !turns; ++k)
        turns = elements->tets[k].law->traits & MATERIAL_ROTATES;
    return turns;
}

static void write_unturned(const void *self, double *positions) {
    const TetElements *elements = self;
    uint32_t f = 0; /* the next of those that follow, which are in order */
    for (uint32_t k = 0; k < elements->part_starts[TET_PARTS]; ++k) {
        bool follows = f < elements->following_count && elements->following[f].index == k;
        f += follows;
        for (int a = 0; a < 4 && !follows && !(elements->tets[k].law->traits & MATERIAL_ROTATES); ++a) {
            size_t first = 3 * (size_t)elements->tets[k].vertices[a];
            memcpy(positions + first, elements->rest_positions + first, 3 * sizeof *positions);
        }
    }
}

static const TermOperations operations = {.name = "elasticity",
                                          .role = TERM_ELASTIC,
                                          .has_potential = true,
                                          .evaluate = tet_elements_evaluate,
                                          .destroy = destroy,
                                          .set_moment = tet_elements_set_moment,
                                          .limited_rest_count = limited_rest_count,
                                          .accepts_rest = tet_elements_accepts_rest,
                                          .set_rest = tet_elements_set_rest,
                                          .stiffness_turns = stiffness_turns,
                                          .write_unturned = write_unturned,
                                          .scale_damping = scale_damping};

JnStatus tet_elements_create(const TetElementsDesc *desc, const BlockMatrix *matrix, ForceTerm *term,
                             JnMessage *message) {
    TetElements *elements = calloc(1, sizeof *elements);
    uint32_t *order = malloc(((size_t)desc->tet_count + 1) * sizeof *order);
    JnStatus status = JN_OK;
    uint32_t group_count = desc->groups ? desc->group_count : 1;
    if (elements) {
        elements->vertex_count = desc->vertex_count;
        elements->group_count = group_count;
        elements->kernels = lane_kernels_best();
        elements->stiffness_factors = malloc(((size_t)group_count + 1) * sizeof(double));
        elements->tets = calloc((size_t)desc->tet_count + 1, sizeof *elements->tets);
        elements->damping_mass = malloc(((size_t)desc->vertex_count + 1) * sizeof(double));
        elements->rest_positions = malloc(((size_t)desc->vertex_count * 3 + 1) * sizeof(double));
    }
    if (!elements || !order || !elements->tets || !elements->damping_mass || !elements->rest_positions ||
        !elements->stiffness_factors)
        status = status_no_memory(message, "the elements");
    if (status == JN_OK)
        status = scatter_curve_order(desc->rest_positions, desc->vertex_count, desc->tet_vertices, desc->tet_count,
                                     order, message);
    if (status == JN_OK)
        status = fill_tets(elements, desc, order, message);
    if (status == JN_OK)
        status = tet_rest_list(elements, desc, order, message);
    if (status == JN_OK)
        status = plan_scatter(elements, desc->tet_count, matrix, message);
    if (status == JN_OK)
        status = tet_bundles_build(elements, message);
    free(order);
    if (status != JN_OK) {
        destroy(elements);
        return status;
    }
    for (uint32_t g = 0; g < group_count; ++g)
        elements->stiffness_factors[g] = 1;
    memcpy(elements->damping_mass, desc->damping_mass, (size_t)desc->vertex_count * sizeof(double));
    memcpy(elements->rest_positions, desc->rest_positions, (size_t)desc->vertex_count * 3 * sizeof(double));
    *term = (ForceTerm){&operations, elements};
    return JN_OK;
}
