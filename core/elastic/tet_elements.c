/* Linear tets: F = sum over corners of x_a g_a', with g_a the gradient of corner a's shape function in the rest shape.
   Force on corner a: -V P g_a. Stiffness of corners a, b: V g_a . dP/dF . g_b. Since the gradients of a tet sum to zero, the
   fourth corner's force and stiffness are minus the sum of the others', exactly: no momentum is made. */
#include "elastic/tet_elements.h"

#include "base/math3.h"
#include "base/parallel.h"
#include "base/status.h"
#include "elastic/chunks.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS = 10 };
/* local corners (row, column) of the ten blocks of an element: the lower triangle */
static const int pair_row[PAIRS] = {0, 1, 2, 3, 1, 2, 2, 3, 3, 3};
static const int pair_column[PAIRS] = {0, 1, 2, 3, 0, 0, 1, 0, 1, 2};

typedef struct Tet {
    const Material *law;
    double gradients[9]; /* g_0, g_1, g_2 in 1/m; g_3 is minus their sum */
    double volume;       /* m3 */
    double stiffness_damping;
    double c[MATERIAL_COEFFICIENTS];
    uint32_t vertices[4];
    uint32_t blocks[PAIRS]; /* of the system's matrix, for pair_row, pair_column */
} Tet;

typedef struct TetElements {
    Chunks chunks;
    Tet *tets;              /* in the order of the chunks */
    double *chunk_energies; /* [chunk_count], summed in order */
    double *damping_mass;   /* [vertex_count] */
    uint32_t vertex_count;
} TetElements;

double tet_volume(const double *positions, const uint32_t tet[4]) {
    double edges[9];
    for (int a = 0; a < 3; ++a)
        vec3_sub(positions + 3 * (size_t)tet[a + 1], positions + 3 * (size_t)tet[0], edges + 3 * a);
    return mat3_det(edges) / 6;
}

void tet_elements_lump_mass(const double *rest_positions, const uint32_t *tet_vertices, uint32_t tet_count,
                            const double *densities, double *masses) {
    for (size_t t = 0; t < tet_count; ++t) {
        double quarter = 0.25 * densities[t] * tet_volume(rest_positions, tet_vertices + 4 * t);
        for (size_t a = 0; a < 4; ++a)
            masses[tet_vertices[4 * t + a]] += quarter;
    }
}

/* ------------------------------------------------------------------------------------------------ one element */

static void deformation_gradient(const Tet *tet, const double *q, double F[9]) {
    const double *fourth = q + 3 * (size_t)tet->vertices[3];
    for (int i = 0; i < 9; ++i)
        F[i] = 0;
    for (int a = 0; a < 3; ++a) {
        const double *corner = q + 3 * (size_t)tet->vertices[a], *g = tet->gradients + 3 * a;
        for (int i = 0; i < 3; ++i) {
            double edge = corner[i] - fourth[i];
            for (int j = 0; j < 3; ++j)
                F[3 * i + j] += edge * g[j];
        }
    }
}

/* force -= V P g_a on the corners. */
static void add_force(const Tet *tet, const double P[9], double *force) {
    double sum[3] = {0, 0, 0}, *fourth = force + 3 * (size_t)tet->vertices[3];
    for (int a = 0; a < 3; ++a) {
        const double *g = tet->gradients + 3 * a;
        double *corner = force + 3 * (size_t)tet->vertices[a];
        for (int i = 0; i < 3; ++i) {
            double f = tet->volume * (P[3 * i] * g[0] + P[3 * i + 1] * g[1] + P[3 * i + 2] * g[2]);
            corner[i] -= f;
            sum[i] += f;
        }
    }
    for (int i = 0; i < 3; ++i)
        fourth[i] += sum[i];
}

/* The block of corners a, b < 3: scale V g_a . dPdF . g_b; half: [9][3], dPdF . g_b. */
static void contract_row(const double *ga, const double half[27], double scale, double block[9]) {
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            block[3 * i + k] = scale * (ga[0] * half[9 * i + k] + ga[1] * half[9 * i + 3 + k] +
                                        ga[2] * half[9 * i + 6 + k]);
}

/* The ten blocks of the element's stiffness, times scale. */
static void element_blocks(const Tet *tet, const double dPdF[81], double scale, double blocks[PAIRS][9]) {
    enum { K00, K11, K22, K33, K10, K20, K21, K30, K31, K32 };
    double half[27], volume_scale = scale * tet->volume;
    for (int b = 0; b < 3; ++b) {
        const double *gb = tet->gradients + 3 * b;
        for (int row = 0; row < 9; ++row)
            for (int k = 0; k < 3; ++k) {
                const double *d = dPdF + 9 * row + 3 * k;
                half[3 * row + k] = d[0] * gb[0] + d[1] * gb[1] + d[2] * gb[2];
            }
        static const int of_column[3][3] = {{K00, K10, K20}, {-1, K11, K21}, {-1, -1, K22}};
        for (int a = b; a < 3; ++a)
            contract_row(tet->gradients + 3 * a, half, volume_scale, blocks[of_column[b][a]]);
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

static void add_blocks(const Tet *tet, double blocks[PAIRS][9], double *values) {
    for (int p = 0; p < PAIRS; ++p) {
        double *target = values + 9 * (size_t)tet->blocks[p];
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

static double evaluate_tet(const Tet *tet, const Evaluation *e) {
    double F[9], P[9], energy = 0;
    deformation_gradient(tet, e->q, F);
    if (e->energy)
        energy = tet->volume * tet->law->energy(tet->c, F);
    if (e->force) {
        tet->law->stress(tet->c, F, P);
        add_force(tet, P, e->force);
    }
    bool damped_force = e->force && e->v && tet->stiffness_damping > 0;
    if (!e->matrix && !damped_force)
        return energy;

    double dPdF[81];
    tet->law->stiffness(tet->c, F, dPdF);
    if (e->projected)
        material_project(dPdF);
    if (damped_force) {
        double Fdot[9];
        deformation_gradient(tet, e->v, Fdot);
        for (int i = 0; i < 9; ++i)
            Fdot[i] *= tet->stiffness_damping;
        damping_stress(dPdF, Fdot, P);
        add_force(tet, P, e->force);
    }
    if (e->matrix) {
        double blocks[PAIRS][9];
        element_blocks(tet, dPdF, e->stiffness_scale + e->damping_scale * tet->stiffness_damping, blocks);
        add_blocks(tet, blocks, e->matrix->values);
    }
    return energy;
}

/* ------------------------------------------------------------------------------------------------ all elements */

typedef struct ChunkWork {
    const TetElements *elements;
    const Evaluation *evaluation;
    uint32_t first_chunk;
} ChunkWork;

static void evaluate_chunk(void *context, uint32_t index) {
    const ChunkWork *work = context;
    const TetElements *elements = work->elements;
    uint32_t chunk = work->first_chunk + index;
    double energy = 0;
    for (uint32_t k = elements->chunks.chunk_starts[chunk]; k < elements->chunks.chunk_starts[chunk + 1]; ++k)
        energy += evaluate_tet(&elements->tets[k], work->evaluation);
    elements->chunk_energies[chunk] = energy;
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
    for (uint32_t colour = 0; colour < elements->chunks.colour_count; ++colour) {
        uint32_t first = elements->chunks.colour_starts[colour];
        ChunkWork work = {elements, e, first};
        parallel_for(e->thread_count, elements->chunks.colour_starts[colour + 1] - first, evaluate_chunk, &work);
    }
    if (e->energy)
        for (uint32_t c = 0; c < elements->chunks.chunk_count; ++c)
            *e->energy += elements->chunk_energies[c];
    add_mass_damping(elements, e);
}

static void destroy(void *self) {
    TetElements *elements = self;
    if (!elements)
        return;
    chunks_free(&elements->chunks);
    free(elements->tets);
    free(elements->chunk_energies);
    free(elements->damping_mass);
    free(elements);
}

/* The rest gradients and volume; false for a tet without volume. */
static bool shape_tet(const double *rest, Tet *tet) {
    double edges[9], inverse[9];
    for (int a = 0; a < 3; ++a)
        vec3_sub(rest + 3 * (size_t)tet->vertices[a], rest + 3 * (size_t)tet->vertices[3], edges + 3 * a);
    tet->volume = fabs(mat3_det(edges)) / 6;
    if (!mat3_inverse(edges, inverse))
        return false;
    for (int a = 0; a < 3; ++a)
        for (int j = 0; j < 3; ++j)
            tet->gradients[3 * a + j] = inverse[3 * j + a];
    return true;
}

JnStatus tet_elements_create(const TetElementsDesc *desc, const BlockMatrix *matrix, ForceTerm *term,
                             JnMessage *message) {
    TetElements *elements = calloc(1, sizeof *elements);
    if (!elements)
        return status_no_memory(message, "the elements");
    JnStatus status = chunks_build(desc->rest_positions, desc->vertex_count, desc->tet_vertices, desc->tet_count,
                                   &elements->chunks, message);
    elements->vertex_count = desc->vertex_count;
    elements->tets = calloc((size_t)desc->tet_count + 1, sizeof *elements->tets);
    elements->chunk_energies = calloc((size_t)elements->chunks.chunk_count + 1, sizeof(double));
    elements->damping_mass = malloc(((size_t)desc->vertex_count + 1) * sizeof(double));
    if (status == JN_OK && (!elements->tets || !elements->chunk_energies || !elements->damping_mass))
        status = status_no_memory(message, "the elements");
    for (uint32_t k = 0; status == JN_OK && k < desc->tet_count; ++k) {
        uint32_t t = elements->chunks.order[k];
        Tet *tet = &elements->tets[k];
        memcpy(tet->vertices, desc->tet_vertices + 4 * (size_t)t, sizeof tet->vertices);
        tet->law = desc->laws[t];
        tet->law->coefficients(desc->young_modulus[t], desc->poisson_ratio[t], tet->c);
        tet->stiffness_damping = desc->stiffness_damping[t];
        if (!shape_tet(desc->rest_positions, tet))
            status = status_fail(message, JN_ERR_MESH, "tet %u has no volume: remove it or mesh anew", t);
        for (int p = 0; p < PAIRS; ++p) {
            uint32_t row = tet->vertices[pair_row[p]], column = tet->vertices[pair_column[p]];
            tet->blocks[p] = row >= column ? block_matrix_find(matrix, row, column)
                                           : block_matrix_find(matrix, column, row);
        }
    }
    if (status != JN_OK) {
        destroy(elements);
        return status;
    }
    memcpy(elements->damping_mass, desc->damping_mass, (size_t)desc->vertex_count * sizeof(double));
    *term = (ForceTerm){"elasticity", true, elements, NULL, evaluate, destroy};
    return JN_OK;
}
