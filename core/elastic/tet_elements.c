/* Linear tets: F = sum over corners of x_a g_a', with g_a the gradient of corner a's shape function in the rest shape.
   Force on corner a: -V P g_a. Stiffness of corners a, b: V g_a . dP/dF . g_b. Since the gradients of a tet sum to
   zero, the fourth corner's force and stiffness are minus the sum of the others', exactly: no momentum is made.

   A rest shape that changes to C times its modelled edges has the gradients C^-T g_a and the volume V det C. */
#include "elastic/tet_elements.h"

#include "base/math3.h"
#include "base/status.h"
#include "base/symmetric.h"
#include "elastic/rest_shape.h"
#include "elastic/scatter.h"

#include <stdlib.h>
#include <string.h>

/* Parts that run at the same time: enough for many cores, few enough that little is shared between them. The number is
   fixed, because the order of the sums depends on it. */
enum { PARTS = 32, PAIRS = 10 };
/* local corners (row, column) of the ten blocks of an element: the lower triangle */
static const int pair_row[PAIRS] = {0, 1, 2, 3, 1, 2, 2, 3, 3, 3};
static const int pair_column[PAIRS] = {0, 1, 2, 3, 0, 0, 1, 0, 1, 2};

typedef struct Tet {
    const Material *law;
    double gradients[9]; /* g_0, g_1, g_2 in 1/m; g_3 is minus their sum */
    double volume;       /* m3 */
    double stiffness_damping;
    double c[MATERIAL_COEFFICIENTS];
    uint32_t group; /* whose stiffness factor counts */
    uint32_t vertices[4];
    uint32_t force_places[4];     /* in force_scatter, of each corner */
    uint32_t block_places[PAIRS]; /* in block_scatter, for pair_row, pair_column */
} Tet;

/* A tet whose rest shape follows an animated pose. */
typedef struct FollowingTet {
    uint32_t index;            /* in `tets` */
    uint32_t number;           /* in the desc */
    double amount;             /* above 0, to 1 */
    double model_gradients[9]; /* of the modelled shape, over which the pose is measured */
    double rest_gradients[9];  /* of the rest shape where the pose is the modelled one */
    double rest_volume;
} FollowingTet;

typedef struct TetElements {
    Tet *tets; /* along a curve, part after part */
    FollowingTet *following;
    uint32_t following_count;
    double *stiffness_factors; /* [group_count] */
    uint32_t part_starts[PARTS + 1];
    double part_energies[PARTS]; /* summed in order */
    Scatter force_scatter, block_scatter;
    double *damping_mass; /* [vertex_count] */
    uint32_t vertex_count;
} TetElements;

double tet_volume(const double *positions, const uint32_t tet[4]) {
    double edges[9];
    for (int a = 0; a < 3; ++a)
        vec3_sub(positions + 3 * (size_t)tet[a + 1], positions + 3 * (size_t)tet[0], edges + 3 * a);
    return mat3_det(edges) / 6;
}

bool tet_gradients(const double *positions, const uint32_t tet[4], double gradients[4][3], double *volume) {
    double edges[9], inverse[9];
    for (int a = 0; a < 3; ++a)
        vec3_sub(positions + 3 * (size_t)tet[a], positions + 3 * (size_t)tet[3], edges + 3 * a);
    *volume = fabs(mat3_det(edges)) / 6;
    if (!mat3_inverse(edges, inverse))
        return false;
    for (int j = 0; j < 3; ++j) {
        for (int a = 0; a < 3; ++a)
            gradients[a][j] = inverse[3 * j + a];
        gradients[3][j] = -(gradients[0][j] + gradients[1][j] + gradients[2][j]);
    }
    return true;
}

void tet_elements_lump_mass(const double *rest_positions, const uint32_t *tet_vertices, uint32_t tet_count,
                            const double *densities, double *masses) {
    for (size_t t = 0; t < tet_count; ++t) {
        double quarter = 0.25 * densities[t] * tet_volume(rest_positions, tet_vertices + 4 * t);
        for (size_t a = 0; a < 4; ++a)
            masses[tet_vertices[4 * t + a]] += quarter;
    }
}

static uint32_t find_block(const BlockMatrix *matrix, uint32_t i, uint32_t j) {
    return i >= j ? block_matrix_find(matrix, i, j) : block_matrix_find(matrix, j, i);
}

void tet_elements_consistent_mass(const double *rest_positions, const uint32_t *tet_vertices, uint32_t tet_count,
                                  const double *densities, const BlockMatrix *matrix, double *mass_blocks) {
    for (size_t t = 0; t < tet_count; ++t) {
        const uint32_t *corners = tet_vertices + 4 * t;
        double twentieth = densities[t] * tet_volume(rest_positions, corners) / 20;
        for (int p = 0; p < PAIRS; ++p) {
            uint32_t row = corners[pair_row[p]], column = corners[pair_column[p]];
            mass_blocks[find_block(matrix, row, column)] += row == column ? 2 * twentieth : twentieth;
        }
    }
}

/* ------------------------------------------------------------------------------------------------ one element */

/* F of the vertices at q over the shape with these gradients of its first three corners. */
static void deformation_gradient(const uint32_t vertices[4], const double gradients[9], const double *q, double F[9]) {
    const double *fourth = q + 3 * (size_t)vertices[3];
    for (int i = 0; i < 9; ++i)
        F[i] = 0;
    for (int a = 0; a < 3; ++a) {
        const double *corner = q + 3 * (size_t)vertices[a], *g = gradients + 3 * a;
        for (int i = 0; i < 3; ++i) {
            double edge = corner[i] - fourth[i];
            for (int j = 0; j < 3; ++j)
                F[3 * i + j] += edge * g[j];
        }
    }
}

/* force -= volume P g_a on the corners. */
static void add_force(const Tet *tet, double volume, const double P[9], const Scatter *scatter, double *force) {
    double sum[3] = {0, 0, 0}, *fourth = scatter_at(scatter, force, tet->force_places[3]);
    for (int a = 0; a < 3; ++a) {
        const double *g = tet->gradients + 3 * a;
        double *corner = scatter_at(scatter, force, tet->force_places[a]);
        for (int i = 0; i < 3; ++i) {
            double f = volume * (P[3 * i] * g[0] + P[3 * i + 1] * g[1] + P[3 * i + 2] * g[2]);
            corner[i] -= f;
            sum[i] += f;
        }
    }
    for (int i = 0; i < 3; ++i)
        fourth[i] += sum[i];
}

/* The block of corners a, b < 3: scale g_a . dPdF . g_b; half: [9][3], dPdF . g_b. */
static void contract_row(const double *ga, const double half[27], double scale, double block[9]) {
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            block[3 * i + k] =
                scale * (ga[0] * half[9 * i + k] + ga[1] * half[9 * i + 3 + k] + ga[2] * half[9 * i + 6 + k]);
}

/* The ten blocks of the element's stiffness for a volume of `scale`. */
static void element_blocks(const Tet *tet, const double dPdF[81], double scale, double blocks[PAIRS][9]) {
    enum { K00, K11, K22, K33, K10, K20, K21, K30, K31, K32 };
    double half[27];
    for (int b = 0; b < 3; ++b) {
        const double *gb = tet->gradients + 3 * b;
        for (int row = 0; row < 9; ++row)
            for (int k = 0; k < 3; ++k) {
                const double *d = dPdF + 9 * row + 3 * k;
                half[3 * row + k] = d[0] * gb[0] + d[1] * gb[1] + d[2] * gb[2];
            }
        static const int of_column[3][3] = {{K00, K10, K20}, {-1, K11, K21}, {-1, -1, K22}};
        for (int a = b; a < 3; ++a)
            contract_row(tet->gradients + 3 * a, half, scale, blocks[of_column[b][a]]);
    }
    /* the fourth corner balances the others */
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            int n = 3 * i + k, t = 3 * k + i;
            blocks[K30][n] = -(blocks[K00][n] + blocks[K10][n] + blocks[K20][n]);
            blocks[K31][n] = -(blocks[K10][t] + blocks[K11][n] + blocks[K21][n]);
            blocks[K32][n] = -(blocks[K20][t] + blocks[K21][t] + blocks[K22][n]);
        }
    for (int n = 0; n < 9; ++n)
        blocks[K33][n] = -(blocks[K30][n] + blocks[K31][n] + blocks[K32][n]);
}

static void add_blocks(const Tet *tet, double blocks[PAIRS][9], const Scatter *scatter, double *values) {
    for (int p = 0; p < PAIRS; ++p) {
        double *target = scatter_at(scatter, values, tet->block_places[p]);
        const double *block = blocks[p];
        if (tet->vertices[pair_row[p]] >= tet->vertices[pair_column[p]]) {
            for (int n = 0; n < 9; ++n)
                target[n] += block[n];
        } else {
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k)
                    target[3 * i + k] += block[3 * k + i];
        }
    }
}

/* P = dPdF : Fdot, the stress of stiffness damping per second of damping time. */
static void damping_stress(const double dPdF[81], const double Fdot[9], double P[9]) {
    for (int a = 0; a < 9; ++a) {
        P[a] = 0;
        for (int b = 0; b < 9; ++b)
            P[a] += dPdF[9 * a + b] * Fdot[b];
    }
}

/* Compressed elements have slightly negative directions, which inertia outweighs; projecting them would damp the
   motion. Worse ones, beyond this part of the largest stiffness, make one-Newton methods diverge. */
static const double HARMLESS_STIFFNESS = 0.05;

static void element_stiffness(const Tet *tet, const double F[9], StiffnessKind kind, double dPdF[81]) {
    if (kind != STIFFNESS_PROJECTED)
        tet->law->stiffness(tet->c, F, dPdF);
    if (kind == STIFFNESS_PROJECTED ||
        (kind == STIFFNESS_SAFE && !symmetric_is_semidefinite(dPdF, 9, HARMLESS_STIFFNESS)))
        material_projected_stiffness(tet->law, tet->c, F, dPdF);
}

/* The stiffness that damps: its positive part, so that damping never drives, or all of it if the raw one is asked for.
   What is harmless in a matrix is not so here: strong damping has nothing that outweighs its negative directions. Nor
   may damping jump, as the safe stiffness does: an implicit step could have no solution. */
static void damping_stiffness(const Tet *tet, const double F[9], StiffnessKind kind, double dPdF[81]) {
    tet->law->stiffness(tet->c, F, dPdF);
    if (kind != STIFFNESS_RAW && !symmetric_is_semidefinite(dPdF, 9, SYMMETRIC_ROUNDING))
        material_projected_stiffness(tet->law, tet->c, F, dPdF);
}

static void add_damping_force(const TetElements *elements, const Tet *tet, const Evaluation *e, double volume,
                              const double dPdF[81]) {
    double Fdot[9], P[9];
    deformation_gradient(tet->vertices, tet->gradients, e->v, Fdot);
    for (int i = 0; i < 9; ++i)
        Fdot[i] *= tet->stiffness_damping;
    damping_stress(dPdF, Fdot, P);
    add_force(tet, volume, P, &elements->force_scatter, e->force);
}

/* matrix += the element's stiffness and damping; damping is dPdF of the latter, or NULL. */
static void add_matrix(const TetElements *elements, const Tet *tet, const Evaluation *e, double volume,
                       const double F[9], const double *damping) {
    double dPdF[81], blocks[PAIRS][9];
    element_stiffness(tet, F, e->stiffness, dPdF);
    double damping_scale = e->damping_scale * tet->stiffness_damping;
    for (int i = 0; i < 81; ++i)
        dPdF[i] = e->stiffness_scale * dPdF[i] + (damping ? damping_scale * damping[i] : 0);
    element_blocks(tet, dPdF, volume, blocks);
    add_blocks(tet, blocks, &elements->block_scatter, e->matrix->values);
}

/* Adds what is wanted of one tet; returns its energy, if that is wanted. */
static double evaluate_tet(const TetElements *elements, const Tet *tet, const Evaluation *e) {
    /* the law is per volume, so that a factor of its stiffness is one of the volume */
    double F[9], P[9], damping[81], energy = 0, volume = tet->volume * elements->stiffness_factors[tet->group];
    deformation_gradient(tet->vertices, tet->gradients, e->q, F);
    if (e->energy)
        energy = volume * tet->law->energy(tet->c, F);
    if (e->force) {
        tet->law->stress(tet->c, F, P);
        add_force(tet, volume, P, &elements->force_scatter, e->force);
    }
    bool damped_force = e->force && e->v && tet->stiffness_damping > 0;
    bool damped_matrix = e->matrix && e->damping_scale != 0 && tet->stiffness_damping > 0;
    if (damped_force || damped_matrix)
        damping_stiffness(tet, F, e->stiffness, damping);
    if (damped_force)
        add_damping_force(elements, tet, e, volume, damping);
    if (e->matrix)
        add_matrix(elements, tet, e, volume, F, damped_matrix ? damping : NULL);
    return energy;
}

/* ------------------------------------------------------------------------------------------------ all elements */

typedef struct PartWork {
    TetElements *elements;
    const Evaluation *evaluation;
} PartWork;

static void evaluate_part(void *context, uint32_t part) {
    const PartWork *work = context;
    TetElements *elements = work->elements;
    double energy = 0;
    for (uint32_t k = elements->part_starts[part]; k < elements->part_starts[part + 1]; ++k)
        energy += evaluate_tet(elements, &elements->tets[k], work->evaluation);
    elements->part_energies[part] = energy;
}

static void add_mass_damping(const TetElements *elements, const Evaluation *e) {
    for (uint32_t v = 0; v < elements->vertex_count; ++v) {
        double damping = elements->damping_mass[v];
        if (damping == 0)
            continue;
        if (e->force && e->v)
            for (size_t i = 0; i < 3; ++i)
                e->force[3 * (size_t)v + i] -= damping * e->v[3 * (size_t)v + i];
        if (e->matrix) {
            double *diagonal = e->matrix->values + 9 * (size_t)e->matrix->column_starts[v];
            for (int i = 0; i < 3; ++i)
                diagonal[4 * i] += e->damping_scale * damping;
        }
    }
}

static void evaluate(void *self, const Evaluation *e) {
    TetElements *elements = self;
    if (e->force)
        scatter_clear(&elements->force_scatter);
    if (e->matrix)
        scatter_clear(&elements->block_scatter);
    pool_run(e->pool, PARTS, evaluate_part, &(PartWork){elements, e});
    if (e->force)
        scatter_reduce(&elements->force_scatter, e->force);
    if (e->matrix)
        scatter_reduce(&elements->block_scatter, e->matrix->values);
    if (e->energy)
        for (int part = 0; part < PARTS; ++part)
            *e->energy += elements->part_energies[part];
    add_mass_damping(elements, e);
}

/* ------------------------------------------------------------------------------------------------ what changes in time
 */

void tet_elements_set_stiffness(const ForceTerm *term, uint32_t group, double factor) {
    TetElements *elements = term->self;
    elements->stiffness_factors[group] = factor;
}

void tet_elements_scale_damping(const ForceTerm *term, uint32_t group, double factor) {
    TetElements *elements = term->self;
    for (uint32_t k = 0; k < elements->part_starts[PARTS]; ++k)
        if (elements->tets[k].group == group)
            elements->tets[k].stiffness_damping *= factor;
}

typedef struct FollowWork {
    TetElements *elements;
    const double *pose;
    uint32_t limited[PARTS];
} FollowWork;

static void follow_tet(TetElements *elements, const FollowingTet *following, const double *pose, bool *limited) {
    Tet *tet = &elements->tets[following->index];
    double F[9];
    RestChange change;
    deformation_gradient(tet->vertices, following->model_gradients, pose, F);
    rest_shape_follow(F, following->amount, !(tet->law->traits & MATERIAL_ROTATES), &change);
    for (int a = 0; a < 9; a += 3)
        for (int j = 0; j < 3; ++j)
            tet->gradients[a + j] = following->rest_gradients[a] * change.inverse[j] +
                                    following->rest_gradients[a + 1] * change.inverse[3 + j] +
                                    following->rest_gradients[a + 2] * change.inverse[6 + j];
    tet->volume = following->rest_volume * change.volume;
    *limited = change.limited;
}

static void follow_part(void *context, uint32_t part) {
    FollowWork *work = context;
    const TetElements *elements = work->elements;
    uint64_t count = elements->following_count;
    for (uint64_t k = count * part / PARTS; k < count * (part + 1) / PARTS; ++k) {
        bool limited;
        follow_tet(work->elements, &elements->following[k], work->pose, &limited);
        work->limited[part] += limited;
    }
}

uint32_t tet_elements_follow(const ForceTerm *term, const double *pose, Pool *pool) {
    TetElements *elements = term->self;
    FollowWork work = {.elements = elements, .pose = pose};
    if (elements->following_count)
        pool_run(pool, PARTS, follow_part, &work);
    uint32_t limited = 0;
    for (int part = 0; part < PARTS; ++part)
        limited += work.limited[part];
    return limited;
}

uint32_t tet_elements_following_count(const ForceTerm *term) {
    const TetElements *elements = term->self;
    return elements->following_count;
}

TetRest tet_elements_following_rest(const ForceTerm *term, uint32_t k) {
    const TetElements *elements = term->self;
    const Tet *tet = &elements->tets[elements->following[k].index];
    return (TetRest){elements->following[k].number, tet->gradients, tet->volume};
}

/* ------------------------------------------------------------------------------------------------ create, destroy */

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
    free(elements);
}

/* Fills tets[k] with tet order[k] of the desc, for all k. */
static JnStatus fill_tets(TetElements *elements, const TetElementsDesc *desc, const uint32_t *order,
                          JnMessage *message) {
    for (uint32_t k = 0; k < desc->tet_count; ++k) {
        uint32_t t = order[k];
        Tet *tet = &elements->tets[k];
        memcpy(tet->vertices, desc->tet_vertices + 4 * (size_t)t, sizeof tet->vertices);
        tet->law = desc->laws[t];
        tet->law->coefficients(desc->young_modulus[t], desc->poisson_ratio[t], tet->c);
        tet->stiffness_damping = desc->stiffness_damping[t];
        tet->group = desc->groups ? desc->groups[t] : 0;
        double gradients[4][3];
        if (!tet_gradients(desc->rest_positions, tet->vertices, gradients, &tet->volume))
            return status_fail(message, JN_ERR_MESH, "tet %u has no volume: remove it or mesh anew", t);
        memcpy(tet->gradients, gradients, sizeof tet->gradients);
    }
    return JN_OK;
}

/* Lists the tets whose rest shape follows a pose. */
static JnStatus list_following(TetElements *elements, const TetElementsDesc *desc, const uint32_t *order,
                               JnMessage *message) {
    uint32_t count = 0;
    for (uint32_t t = 0; desc->rest_follows && t < desc->tet_count; ++t)
        count += desc->rest_follows[t] > 0;
    if (count == 0)
        return JN_OK;
    elements->following = calloc(count, sizeof *elements->following);
    if (!elements->following)
        return status_no_memory(message, "the rest shape");
    for (uint32_t k = 0; k < desc->tet_count; ++k) {
        const Tet *tet = &elements->tets[k];
        double amount = desc->rest_follows[order[k]];
        if (!(amount > 0))
            continue;
        FollowingTet *following = &elements->following[elements->following_count++];
        following->index = k;
        following->number = order[k];
        following->amount = amount;
        following->rest_volume = tet->volume;
        memcpy(following->model_gradients, tet->gradients, sizeof tet->gradients);
        memcpy(following->rest_gradients, tet->gradients, sizeof tet->gradients);
    }
    return JN_OK;
}

bool tet_elements_set_rest(const ForceTerm *term, const double *rest_positions) {
    TetElements *elements = term->self;
    double gradients[4][3], volume;
    uint32_t count = elements->part_starts[PARTS];
    for (uint32_t k = 0; k < count; ++k)
        if (!(tet_volume(rest_positions, elements->tets[k].vertices) > 0) ||
            !tet_gradients(rest_positions, elements->tets[k].vertices, gradients, &volume))
            return false;
    for (uint32_t k = 0; k < count; ++k) {
        Tet *tet = &elements->tets[k];
        tet_gradients(rest_positions, tet->vertices, gradients, &tet->volume);
        memcpy(tet->gradients, gradients, sizeof tet->gradients);
    }
    for (uint32_t f = 0; f < elements->following_count; ++f) {
        FollowingTet *following = &elements->following[f];
        const Tet *tet = &elements->tets[following->index];
        following->rest_volume = tet->volume;
        memcpy(following->rest_gradients, tet->gradients, sizeof tet->gradients);
    }
    return true;
}

/* Cuts the tets into parts and finds where each adds its forces and blocks. */
static JnStatus plan_scatter(TetElements *elements, uint32_t tet_count, const BlockMatrix *matrix, JnMessage *message) {
    size_t force_starts[PARTS + 1], block_starts[PARTS + 1];
    for (uint64_t part = 0; part <= PARTS; ++part) {
        elements->part_starts[part] = (uint32_t)(tet_count * part / PARTS);
        force_starts[part] = 4 * (size_t)elements->part_starts[part];
        block_starts[part] = PAIRS * (size_t)elements->part_starts[part];
    }
    uint32_t *places = malloc((PAIRS * (size_t)tet_count + 1) * sizeof *places);
    if (!places)
        return status_no_memory(message, "the assembly");
    for (size_t k = 0; k < tet_count; ++k)
        memcpy(places + 4 * k, elements->tets[k].vertices, sizeof elements->tets[k].vertices);
    JnStatus status =
        scatter_build(elements->vertex_count, 3, PARTS, force_starts, places, &elements->force_scatter, message);
    for (size_t k = 0; status == JN_OK && k < tet_count; ++k)
        memcpy(elements->tets[k].force_places, places + 4 * k, sizeof elements->tets[k].force_places);
    for (size_t k = 0; status == JN_OK && k < tet_count; ++k)
        for (int p = 0; p < PAIRS; ++p)
            places[PAIRS * k + (size_t)p] =
                find_block(matrix, elements->tets[k].vertices[pair_row[p]], elements->tets[k].vertices[pair_column[p]]);
    if (status == JN_OK)
        status = scatter_build(matrix->block_count, 9, PARTS, block_starts, places, &elements->block_scatter, message);
    for (size_t k = 0; status == JN_OK && k < tet_count; ++k)
        memcpy(elements->tets[k].block_places, places + PAIRS * k, sizeof elements->tets[k].block_places);
    free(places);
    return status;
}

JnStatus tet_elements_create(const TetElementsDesc *desc, const BlockMatrix *matrix, ForceTerm *term,
                             JnMessage *message) {
    TetElements *elements = calloc(1, sizeof *elements);
    uint32_t *order = malloc(((size_t)desc->tet_count + 1) * sizeof *order);
    JnStatus status = JN_OK;
    uint32_t group_count = desc->groups ? desc->group_count : 1;
    if (elements) {
        elements->vertex_count = desc->vertex_count;
        elements->stiffness_factors = malloc(((size_t)group_count + 1) * sizeof(double));
        elements->tets = calloc((size_t)desc->tet_count + 1, sizeof *elements->tets);
        elements->damping_mass = malloc(((size_t)desc->vertex_count + 1) * sizeof(double));
    }
    if (!elements || !order || !elements->tets || !elements->damping_mass || !elements->stiffness_factors)
        status = status_no_memory(message, "the elements");
    if (status == JN_OK)
        status = scatter_curve_order(desc->rest_positions, desc->vertex_count, desc->tet_vertices, desc->tet_count,
                                     order, message);
    if (status == JN_OK)
        status = fill_tets(elements, desc, order, message);
    if (status == JN_OK)
        status = list_following(elements, desc, order, message);
    if (status == JN_OK)
        status = plan_scatter(elements, desc->tet_count, matrix, message);
    free(order);
    if (status != JN_OK) {
        destroy(elements);
        return status;
    }
    for (uint32_t g = 0; g < group_count; ++g)
        elements->stiffness_factors[g] = 1;
    memcpy(elements->damping_mass, desc->damping_mass, (size_t)desc->vertex_count * sizeof(double));
    *term = (ForceTerm){"elasticity", true, elements, NULL, evaluate, NULL, destroy};
    return JN_OK;
}
