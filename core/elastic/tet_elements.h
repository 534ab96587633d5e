/* The elastic force of all linear tets of the system, with Rayleigh damping. */
#ifndef JN_ELASTIC_TET_ELEMENTS_H
#define JN_ELASTIC_TET_ELEMENTS_H

#include "elastic/force_term.h"
#include "elastic/material.h"

/* What the elements are made of, per tet and per vertex, so that painted maps and several bodies need nothing else. */
typedef struct TetElementsDesc {
    uint32_t vertex_count, tet_count;
    const double *rest_positions;    /* [vertex_count * 3] m */
    const uint32_t *tet_vertices;    /* [tet_count * 4] */
    const Material *const *laws;     /* [tet_count] */
    const double *young_modulus;     /* [tet_count] Pa */
    const double *poisson_ratio;     /* [tet_count] */
    const double *stiffness_damping; /* [tet_count] s */
    const double *damping_mass;      /* [vertex_count] kg/s: mass damping times mass */
    const uint32_t *groups;          /* [tet_count] below group_count: what tet_elements_set_stiffness changes together;
                                        NULL: all are group 0 */
    uint32_t group_count;
    const double *rest_follows; /* [tet_count] 0 to 1: how much tet_elements_follow changes the rest shape; NULL: 0 */
} TetElementsDesc;

/* Copies the desc. `matrix` is the system's: its pattern must couple the vertices of every tet. The term owns itself:
   free it by its destroy. */
JnStatus tet_elements_create(const TetElementsDesc *desc, const BlockMatrix *matrix, ForceTerm *term,
                             JnMessage *message);

/* What changes in time: never during an evaluation. `term` is one of tet_elements_create.

   Energy, force, stiffness and stiffness damping of a group are `factor` times what its materials say; at first 1. */
void tet_elements_set_stiffness(const ForceTerm *term, uint32_t group, double factor);

/* Multiplies the stiffness damping of a group. */
void tet_elements_scale_damping(const ForceTerm *term, uint32_t group, double factor);

/* The rest shape follows the pose [vertex_count * 3], each tet by its own amount (rest_shape.h); masses stay. Returns
   how many tets have a pose that no rest shape may have. */
uint32_t tet_elements_follow(const ForceTerm *term, const double *pose, Pool *pool);

/* How many tets have a rest shape that follows, and the rest shape that the k-th of them has now. */
uint32_t tet_elements_following_count(const ForceTerm *term);

typedef struct TetRest {
    uint32_t tet;        /* its number in the desc */
    double gradients[9]; /* of the shape functions of its first three corners in the desc, 1/m */
    double volume;       /* m3 */
} TetRest;

TetRest tet_elements_following_rest(const ForceTerm *term, uint32_t k);

/* The modelled rest shape becomes rest_positions, [vertex_count * 3] m; masses stay. What follows a pose must follow it
   anew. false: a tet would be inverted or without volume, and nothing has changed. */
bool tet_elements_set_rest(const ForceTerm *term, const double *rest_positions);

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
