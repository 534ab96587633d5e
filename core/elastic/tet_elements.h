/* The elastic force of all linear tets of the system, with Rayleigh damping. */
#ifndef JN_ELASTIC_TET_ELEMENTS_H
#define JN_ELASTIC_TET_ELEMENTS_H

#include "elastic/force_term.h"
#include "elastic/material.h"

/* Material properties per tet and per vertex, which covers painted maps and several bodies. */
typedef struct TetElementsDesc {
    uint32_t vertex_count, tet_count;
    const double *rest_positions;    /* [vertex_count * 3] m */
    const uint32_t *tet_vertices;    /* [tet_count * 4] */
    const Material *const *laws;     /* [tet_count] */
    const double *young_modulus;     /* [tet_count] Pa */
    const double *poisson_ratio;     /* [tet_count] */
    const double *stiffness_damping; /* [tet_count] s */
    const double *damping_mass;      /* [vertex_count] kg/s: mass damping times mass */
    const uint32_t *groups; /* [tet_count] below group_count: index in Moment.stiffness_factors; NULL: all are group
                               0 */
    uint32_t group_count;
    const double *rest_follows; /* [tet_count] 0 to 1: how much the rest shape follows Moment.targets; NULL: 0 */
} TetElementsDesc;

/* Copies the desc. `matrix` is the system's: its pattern must couple the vertices of every tet. Free the term by its
   destroy. */
JnStatus tet_elements_create(const TetElementsDesc *desc, const BlockMatrix *matrix, ForceTerm *term,
                             JnMessage *message);

/* Updates the rest shapes of a term of tet_elements_create to the moment, if necessary: ForceTerm's set_moment, for
   other terms of the same tets. */
void tet_elements_set_moment(void *self, const Moment *moment, Pool *pool);

/* The number of tets whose rest shape follows the animation, and the current rest shape of the k-th of them. */
uint32_t tet_elements_following_count(const ForceTerm *term);

typedef struct TetRest {
    uint32_t tet;        /* its number in the desc */
    double gradients[9]; /* of the shape functions of its first three corners in the desc, 1/m */
    double volume;       /* m3 */
} TetRest;

TetRest tet_elements_following_rest(const ForceTerm *term, uint32_t k);

/* All tets in the order in which the term keeps them, along a curve through space, with their current rest shapes. */
typedef struct TetShape {
    const uint32_t *vertices; /* [4] ascending */
    const double *gradients;  /* [9] of the shape functions of the first three, 1/m */
} TetShape;

uint32_t tet_elements_count(const ForceTerm *term);
TetShape tet_elements_shape(const ForceTerm *term, uint32_t k);

/* masses[v] += the vertex's quarter of density times volume of its tets. densities: [tet_count] kg/m3. */
void tet_elements_lump_mass(const double *rest_positions, const uint32_t *tet_vertices, uint32_t tet_count,
                            const double *densities, double *masses);

/* The consistent mass of linear shape functions: mass_blocks[k] += the factor of the identity in block k of `matrix`,
   rho V / 10 between a corner and itself, rho V / 20 between two. mass_blocks: [matrix->block_count]. */
void tet_elements_consistent_mass(const double *rest_positions, const uint32_t *tet_vertices, uint32_t tet_count,
                                  const double *densities, const BlockMatrix *matrix, double *mass_blocks);

/* The gradients of a tet's four shape functions, 1/m, and its volume, m3. false for a tet without volume. */
bool tet_gradients(const double *positions, const uint32_t tet[4], double gradients[4][3], double *volume);

/* m3; positive for the orientation of TetMesh. */
double tet_volume(const double *positions, const uint32_t tet[4]);

#endif
