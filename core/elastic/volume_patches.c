#include "elastic/volume_patches_internal.h"

#include "base/math3.h"
#include "elastic/tet_elements.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ volumes */

/* dV/dx of a tet's corners; returns V. corners: its four positions. */
static double tet_volume_gradient(const double *const corners[4], double gradient[4][3]) {
    double edges[9];
    for (int a = 0; a < 3; ++a)
        vec3_sub(corners[a + 1], corners[0], edges + 3 * a);
    vec3_cross(edges + 3, edges + 6, gradient[1]);
    vec3_cross(edges + 6, edges, gradient[2]);
    vec3_cross(edges, edges + 3, gradient[3]);
    double volume = vec3_dot(edges, gradient[1]) / 6;
    for (int i = 0; i < 3; ++i) {
        for (int a = 1; a < 4; ++a)
            gradient[a][i] /= 6;
        gradient[0][i] = -(gradient[1][i] + gradient[2][i] + gradient[3][i]);
    }
    return volume;
}

/* Where the corners of a tet of the patch are in an array of three numbers a vertex. */
static void find_corners(const uint32_t *vertices, const PatchTet *tet, const double *q, const double *corners[4]) {
    for (int a = 0; a < 4; ++a)
        corners[a] = q + 3 * (size_t)vertices[tet->corner[a]];
}

/* The volume V of a patch and g = dV/dx of its vertices. */
static double patch_volume(const VolumePatches *self, const Patch *patch, const double *q, double *g) {
    const uint32_t *vertices = self->vertices + patch->first_vertex;
    double volume = 0;
    if (patch->linear) {
        memcpy(g, self->rest_gradients + 3 * (size_t)patch->first_vertex, 3 * patch->vertex_count * sizeof *g);
        for (uint32_t i = 0; i < patch->vertex_count; ++i)
            volume += vec3_dot(g + 3 * (size_t)i, q + 3 * (size_t)vertices[i]);
        return volume - 2 * patch->volume; /* the sum is V0 times the mean of tr F */
    }
    memset(g, 0, 3 * patch->vertex_count * sizeof *g);
    for (uint32_t k = 0; k < patch->tet_count; ++k) {
        const PatchTet *tet = &self->tets[patch->first_tet + k];
        const double *corners[4];
        double gradient[4][3];
        find_corners(vertices, tet, q, corners);
        volume += tet_volume_gradient(corners, gradient);
        for (int a = 0; a < 4; ++a)
            for (int i = 0; i < 3; ++i)
                g[3 * tet->corner[a] + i] += gradient[a][i];
    }
    return volume;
}

/* Pairs a, b of corners and the other two, c and d, each an even permutation: d2V / dx_a dx_b is the cross-product
   matrix of (x_c - x_d) / 6. */
static const int pairs[6][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 2, 0, 3}, {1, 3, 2, 0}, {2, 3, 0, 1}};

/* blocks += scale H; blocks: the lower triangle of the patch's vertices, row by row. */
static void add_curvature(const VolumePatches *self, const Patch *patch, const double *q, double scale,
                          double (*blocks)[9]) {
    for (uint32_t k = 0; k < patch->tet_count; ++k) {
        const PatchTet *tet = &self->tets[patch->first_tet + k];
        const double *corners[4];
        find_corners(self->vertices + patch->first_vertex, tet, q, corners);
        for (int p = 0; p < 6; ++p) {
            int row = tet->corner[pairs[p][0]], column = tet->corner[pairs[p][1]];
            double w[3], sixth = row > column ? scale / 6 : -scale / 6; /* skew: the transpose is the negative */
            vec3_sub(corners[pairs[p][2]], corners[pairs[p][3]], w);
            double *block =
                row > column ? blocks[row * (row + 1) / 2 + column] : blocks[column * (column + 1) / 2 + row];
            block[1] -= sixth * w[2], block[2] += sixth * w[1];
            block[3] += sixth * w[2], block[5] -= sixth * w[0];
            block[6] -= sixth * w[1], block[7] += sixth * w[0];
        }
    }
}

/* Hv = H v of the patch's vertices. */
static void multiply_curvature(const VolumePatches *self, const Patch *patch, const double *q, const double *v,
                               double *Hv) {
    const uint32_t *vertices = self->vertices + patch->first_vertex;
    memset(Hv, 0, 3 * patch->vertex_count * sizeof *Hv);
    for (uint32_t k = 0; k < patch->tet_count; ++k) {
        const PatchTet *tet = &self->tets[patch->first_tet + k];
        const double *corners[4], *velocities[4];
        find_corners(vertices, tet, q, corners);
        find_corners(vertices, tet, v, velocities);
        for (int p = 0; p < 6; ++p) {
            int a = pairs[p][0], b = pairs[p][1];
            double w[3], on_a[3], on_b[3];
            vec3_sub(corners[pairs[p][2]], corners[pairs[p][3]], w);
            vec3_cross(w, velocities[b], on_a);
            vec3_cross(velocities[a], w, on_b);
            for (int i = 0; i < 3; ++i) {
                Hv[3 * tet->corner[a] + i] += on_a[i] / 6;
                Hv[3 * tet->corner[b] + i] += on_b[i] / 6;
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------------ one patch */

/* The current state of a patch. */
typedef struct PatchState {
    double g[3 * VOLUME_MOST_VERTICES]; /* dV/dx, m2 */
    double pressure;                    /* p, Pa */
    double stiffness;                   /* k / V0, Pa/m3 */
    bool curved;                        /* p H counts in the stiffness, */
    bool damping_curved;                /* and in the damping: only with the raw stiffness, because it is indefinite */
} PatchState;

/* The eigenvalues of p H are about +-p per volume, so the limit of STIFFNESS_SAFE is that of tets. */
static bool is_harmless(const Patch *patch, double change) {
    return fabs(patch->stiffness * change) <= HARMLESS_STIFFNESS * patch->young_modulus;
}
/* p H is counted as dropped where it is more than the inverse of this times what is harmless: else it is rounding. */
static const double NOTICEABLE = 1e6;

static bool keeps_curvature(const Patch *patch, double change, StiffnessKind kind) {
    if (patch->linear || kind == STIFFNESS_PROJECTED)
        return false;
    return kind == STIFFNESS_RAW || is_harmless(patch, change);
}

/* force -= scale g on the patch's vertices. */
static void add_force(VolumePatches *self, const Patch *patch, const double *g, double scale, double *force) {
    for (uint32_t i = 0; i < patch->vertex_count; ++i) {
        double *target = scatter_at(&self->force_scatter, force, self->force_places[patch->first_vertex + i]);
        for (size_t c = 0; c < 3; ++c)
            target[c] -= scale * g[3 * (size_t)i + c];
    }
}

static void add_damping_force(VolumePatches *self, const Patch *patch, Evaluation *e, const PatchState *now) {
    const uint32_t *vertices = self->vertices + patch->first_vertex;
    double rate = 0; /* dV/dt */
    for (uint32_t i = 0; i < patch->vertex_count; ++i)
        rate += vec3_dot(now->g + 3 * (size_t)i, e->v + 3 * (size_t)vertices[i]);
    add_force(self, patch, now->g, patch->stiffness_damping * now->stiffness * rate, e->force);
    if (now->damping_curved) {
        double Hv[3 * VOLUME_MOST_VERTICES];
        multiply_curvature(self, patch, e->q, e->v, Hv);
        add_force(self, patch, Hv, patch->stiffness_damping * now->pressure, e->force);
    }
}

static void add_stiffness(VolumePatches *self, const Patch *patch, Evaluation *e, const PatchState *now) {
    double blocks[VOLUME_MOST_VERTICES * (VOLUME_MOST_VERTICES + 1) / 2][9];
    double damping_scale = e->damping_scale * patch->stiffness_damping;
    double scale = e->stiffness_scale + damping_scale;
    double curvature = (now->curved ? e->stiffness_scale : 0) + (now->damping_curved ? damping_scale : 0);
    size_t count = 0;
    for (size_t row = 0; row < patch->vertex_count; ++row) {
        double left[3];
        for (size_t i = 0; i < 3; ++i)
            left[i] = scale * now->stiffness * now->g[3 * row + i];
        for (size_t column = 0; column <= row; ++column, ++count)
            for (size_t i = 0; i < 9; ++i)
                blocks[count][i] = left[i / 3] * now->g[3 * column + i % 3];
    }
    if (curvature != 0)
        add_curvature(self, patch, e->q, curvature * now->pressure, blocks);
    for (size_t b = 0; b < count; ++b) {
        double *target =
            scatter_at(&self->block_scatter, e->matrix->values, self->block_places[patch->first_block + b]);
        for (int i = 0; i < 9; ++i)
            target[i] += blocks[b][i];
    }
}

/* Adds the wanted results of one patch; returns its energy. *projected += 1 if its matrix lacks a noticeable p H. */
static double evaluate_patch(VolumePatches *self, const Patch *patch, Evaluation *e, uint64_t *projected) {
    PatchState now;
    double change = patch_volume(self, patch, e->q, now.g) / patch->volume - 1;
    double k = self->stiffness_factors[patch->group] * patch->stiffness;
    now.pressure = k * change;
    now.stiffness = k / patch->volume;
    now.curved = keeps_curvature(patch, change, e->stiffness);
    now.damping_curved = !patch->linear && e->stiffness == STIFFNESS_RAW;
    if (e->force)
        add_force(self, patch, now.g, now.pressure, e->force);
    if (e->force && e->v && patch->stiffness_damping > 0)
        add_damping_force(self, patch, e, &now);
    if (e->matrix) {
        add_stiffness(self, patch, e, &now);
        *projected += !now.curved && !patch->linear && !is_harmless(patch, NOTICEABLE * change);
    }
    return 0.5 * k * change * change * patch->volume;
}

/* ------------------------------------------------------------------------------------------------ all patches */

typedef struct PartWork {
    VolumePatches *self;
    Evaluation *evaluation;
} PartWork;

static bool is_in_subset(const VolumePatches *self, const Patch *patch, Evaluation *e) {
    return element_subset_has(&e->subset, self->vertices + patch->first_vertex, patch->vertex_count);
}

static void evaluate_part(void *context, uint32_t part) {
    const PartWork *work = context;
    VolumePatches *self = work->self;
    uint64_t projected = 0;
    double energy = 0;
    for (uint32_t p = self->part_starts[part]; p < self->part_starts[part + 1]; ++p)
        if (is_in_subset(self, &self->patches[p], work->evaluation))
            energy += evaluate_patch(self, &self->patches[p], work->evaluation, &projected);
    self->part_energies[part] = energy;
    self->part_projected[part] = projected;
}

static JnStatus evaluate(void *context, const void *lag, Evaluation *e, JnMessage *message) {
    (void)lag, (void)message;
    VolumePatches *self = context;
    if (e->force)
        scatter_clear(&self->force_scatter);
    if (e->matrix)
        scatter_clear(&self->block_scatter);
    pool_run(e->pool, VOLUME_PARTS, evaluate_part, &(PartWork){self, e});
    if (e->force)
        scatter_reduce(&self->force_scatter, e->force);
    if (e->matrix)
        scatter_reduce(&self->block_scatter, e->matrix->values);
    if (e->energy)
        for (int part = 0; part < VOLUME_PARTS; ++part)
            *e->energy += self->part_energies[part];
    if (e->projected)
        for (int part = 0; part < VOLUME_PARTS; ++part)
            *e->projected += self->part_projected[part];
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ what changes in time
 */

static void scale_damping(void *context, uint32_t group, double factor) {
    VolumePatches *self = context;
    for (uint32_t k = 0; k < self->patch_count; ++k) {
        Patch *patch = &self->patches[k];
        if (patch->group != group)
            continue;
        patch->stiffness_damping *= factor;
        for (uint32_t t = patch->first_tet; t < patch->first_tet + patch->tet_count; ++t)
            self->tets[t].stiffness_damping *= factor;
    }
}

/* Copies the rest shapes of the elements that follow the animation. */
static void copy_following_rest(VolumePatches *self) {
    uint32_t count = tet_elements_following_count(&self->elements);
    for (uint32_t k = 0; k < count; ++k) {
        TetRest rest = tet_elements_following_rest(&self->elements, k);
        if (self->place_of_tet[rest.tet] == VOLUME_NO_PATCH)
            continue;
        PatchTet *tet = &self->tets[self->place_of_tet[rest.tet]];
        memcpy(tet->gradients, rest.gradients, sizeof tet->gradients);
        tet->volume = rest.volume;
        self->patches[tet->patch].follows = true;
    }
    for (uint32_t p = 0; count && p < self->patch_count; ++p)
        if (self->patches[p].follows)
            volume_patch_average(self, &self->patches[p]);
}

static void set_moment(void *context, const Moment *moment, Pool *pool) {
    VolumePatches *self = context;
    memcpy(self->stiffness_factors, moment->stiffness_factors, self->group_count * sizeof(double));
    if (!self->elements.operations)
        return;
    tet_elements_set_moment(self->elements.self, moment, pool);
    copy_following_rest(self);
}

static void find_vertices(const VolumePatches *self, const Patch *patch, const PatchTet *tet, uint32_t vertices[4]) {
    for (int a = 0; a < 4; ++a)
        vertices[a] = self->vertices[patch->first_vertex + tet->corner[a]];
}

static bool accepts_rest(const void *context, const double *rest_positions) {
    const VolumePatches *self = context;
    for (uint32_t p = 0; p < self->patch_count; ++p)
        for (uint32_t t = 0; t < self->patches[p].tet_count; ++t) {
            uint32_t vertices[4];
            find_vertices(self, &self->patches[p], &self->tets[self->patches[p].first_tet + t], vertices);
            if (!(tet_volume(rest_positions, vertices) > 0))
                return false;
        }
    return true;
}

static void set_rest(void *context, const double *rest_positions) {
    VolumePatches *self = context;
    for (uint32_t p = 0; p < self->patch_count; ++p) {
        Patch *patch = &self->patches[p];
        for (uint32_t t = 0; t < patch->tet_count; ++t) {
            PatchTet *tet = &self->tets[patch->first_tet + t];
            uint32_t vertices[4];
            double gradients[4][3];
            find_vertices(self, patch, tet, vertices);
            if (tet_gradients(rest_positions, vertices, gradients, &tet->volume))
                memcpy(tet->gradients, gradients, sizeof tet->gradients);
        }
        volume_patch_average(self, patch);
    }
}

const TermOperations volume_patches_operations = {.name = "volume",
                                                  .role = TERM_ELASTIC,
                                                  .has_potential = true,
                                                  .evaluate = evaluate,
                                                  .destroy = volume_patches_destroy,
                                                  .set_moment = set_moment,
                                                  .accepts_rest = accepts_rest,
                                                  .set_rest = set_rest,
                                                  .scale_damping = scale_damping};
