/* Shared by the files of the tets: the data of the elements. Linear tets: F = sum over corners of x_a g_a', with g_a
   the gradient of corner a's shape function in the rest shape. */
#ifndef JN_ELASTIC_TET_ELEMENTS_INTERNAL_H
#define JN_ELASTIC_TET_ELEMENTS_INTERNAL_H

#include "elastic/balance_blocks.h"
#include "elastic/lane_kernels.h"
#include "elastic/scatter.h"
#include "elastic/stiffness_form.h"
#include "elastic/tet_elements.h"

/* Parts that run in parallel: enough for many cores, few enough that little is shared between them. The number is
   fixed, because the order of the sums depends on it. */
enum { TET_PARTS = 32 };
/* local corners (row, column) of the ten blocks of an element: the lower triangle */
static const int tet_pair_row[TET_PAIRS] = {0, 1, 2, 1, 2, 2, 3, 3, 3, 3};
static const int tet_pair_column[TET_PAIRS] = {0, 1, 2, 0, 0, 1, 0, 1, 2, 3};

/* Corners are kept with their vertices in ascending order, so that the lower triangle of an element is in the lower
   triangle of the matrix, and no block is transposed on the way. */
typedef struct Tet {
    uint32_t vertices[4];
    double gradients[9]; /* g_0, g_1, g_2 in 1/m; g_3 is minus their sum */
    double volume;       /* m3 */
    const Material *law;
    double c[MATERIAL_COEFFICIENTS];
    double harmless; /* Pa: the safe stiffness keeps eigenvalues down to minus this */
    bool positive; /* its stiffness is the same everywhere and has no negative eigenvalue: there is none to look for */
    double stiffness_damping;
    uint32_t group;                   /* index of its stiffness factor */
    int32_t orientation;              /* -1: the corners are an odd permutation of the desc's, else 1 */
    uint32_t force_places[4];         /* in force_scatter, of each corner */
    uint32_t block_places[TET_PAIRS]; /* in block_scatter, for tet_pair_row, tet_pair_column */
} Tet;

/* A tet whose rest shape follows an animated pose. */
typedef struct FollowingTet {
    uint32_t index;            /* in `tets` */
    uint32_t number;           /* in the desc */
    double amount;             /* above 0, to 1 */
    double model_gradients[9]; /* of the modelled shape, relative to which the pose is measured */
    double rest_gradients[9];  /* of the rest shape where the pose is the modelled one */
    double rest_volume;
    uint32_t corners[4]; /* where the desc's corners are in Tet.vertices */
} FollowingTet;

typedef struct TetElements {
    Tet *tets; /* along a curve, part after part */
    FollowingTet *following;
    uint32_t following_count;
    double *stiffness_factors; /* [group_count], of the moment */
    uint32_t group_count;
    bool damped;            /* some tets have a stiffness_damping */
    uint64_t moment;        /* that the rest shapes follow; 0: none */
    uint32_t limited_count; /* rest shapes that were limited: the largest number at one time */
    uint32_t part_starts[TET_PARTS + 1];
    double part_energies[TET_PARTS]; /* summed in order */
    uint64_t part_projected[TET_PARTS];
    Scatter force_scatter, block_scatter;
    uint32_t *bundle_starts, *bundle_vertices; /* of tet_bundles.c */
    double *damping_mass;                      /* [vertex_count] */
    double *rest_positions;                    /* [vertex_count * 3] m: as modelled */
    uint32_t vertex_count;
    LaneKernels kernels; /* of this processor */
} TetElements;

/* F of the vertices at q, relative to the shape whose first three corners have these gradients. */
static inline void tet_deformation_gradient(const uint32_t vertices[4], const double gradients[9], const double *q,
                                            double F[9]) {
    const double *x0 = q + 3 * (size_t)vertices[0], *x1 = q + 3 * (size_t)vertices[1];
    const double *x2 = q + 3 * (size_t)vertices[2], *x3 = q + 3 * (size_t)vertices[3], *g = gradients;
    for (int i = 0; i < 3; ++i) {
        double e0 = x0[i] - x3[i], e1 = x1[i] - x3[i], e2 = x2[i] - x3[i];
        F[3 * i] = e0 * g[0] + e1 * g[3] + e2 * g[6];
        F[3 * i + 1] = e0 * g[1] + e1 * g[4] + e2 * g[7];
        F[3 * i + 2] = e0 * g[2] + e1 * g[5] + e2 * g[8];
    }
}

/* tet_bundles.c: lists the vertices of every bundle of TET_BUNDLE tets. */
enum { TET_BUNDLE = 64 };
JnStatus tet_bundles_build(TetElements *elements, JnMessage *message);
/* Whether no tet of the bundle is in the subset; false if that would have to be looked up. */
bool tet_bundle_is_idle(const TetElements *elements, uint32_t bundle, const ElementSubset *subset);

/* The block of vertices i and j in the pattern's lower triangle. */
uint32_t tet_find_block(const BlockMatrix *matrix, uint32_t i, uint32_t j);

/* Lists the tets whose rest shape follows a pose. order[k]: the number in the desc of tets[k]. */
JnStatus tet_rest_list(TetElements *elements, const TetElementsDesc *desc, const uint32_t *order, JnMessage *message);

/* Operations of the term. */
JnStatus tet_elements_evaluate(void *self, const void *lag, Evaluation *evaluation, JnMessage *message);
bool tet_elements_accepts_rest(const void *self, const double *rest_positions);
void tet_elements_set_rest(void *self, const double *rest_positions);

/* ------------------------------------------------------------------------------------------------ evaluation */

/* Smaller negative eigenvalues than this fraction of the harmless ones are rounding: removing them is not counted. */
#define TET_NOTICEABLE 1e-6

/* Force and matrix of one tet of any law. Returns the number of stiffnesses projected in the matrix: 0 or 1. */
uint32_t tet_evaluate_one(TetElements *elements, const Tet *tet, Evaluation *e);

/* Of tets[0] to tets[LANES - 1], whose laws are all isotropic. The same up to rounding. */
bool tet_can_evaluate_four(const Tet *tets);
uint32_t tet_evaluate_four(TetElements *elements, const Tet *tets, Evaluation *e);

/* force -= scale P g_a on the corners. */
void tet_add_force(TetElements *elements, const Tet *tet, double scale, const double P[9], double *force);

/* matrix += scale times a stiffness, over all corners. */
void tet_add_stiffness(TetElements *elements, const Tet *tet, double scale, const StiffnessForm *stiffness,
                       BlockMatrix *matrix);

#endif
