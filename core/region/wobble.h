/* Wobbles, the modes of bodies, as far as small time steps matter to them: how much of each is where.

   A backward Euler step of h takes 1/2 |dv|_M^2 + 1/2 |dq|_K^2 of the energy of a linear motion, dv and dq its change:
   vertex by vertex, and element by element, in proportion to h and to the energy that is there. So where a part S of
   the body takes steps of h/m, the damping of a wobble of angular frequency w is approximately

       d = s d(h w / m) + (1 - s) d(h w),   s = (kinetic share of S + elastic share of the elements with a vertex in S)
   / 2

   with d(h w) that of the method. So all that bends must be in S, not only all that moves. */
#ifndef JN_REGION_WOBBLE_H
#define JN_REGION_WOBBLE_H

#include "linear/block_matrix.h"

#include <stdbool.h>

typedef struct WobbleElement { /* of any kind: only its share of the energy counts */
    uint32_t vertices[4];      /* fewer are repeated */
} WobbleElement;

typedef struct Wobble { /* owns its arrays */
    double omega;       /* rad/s */
    double material;    /* d / omega of the material alone: the amplitude decays as exp(-d t / 2) */
    double *kinetic;    /* [vertex_count] shares, which sum to 1 */
    double *elastic;    /* [element_count] likewise */
    uint32_t *order;    /* [vertex_count] by descending density of both, smoothed; those that are not free last */
    uint32_t extent;    /* how many of these have most of its energy */
} Wobble;

typedef struct Wobbles { /* owns the wobbles; the rest is borrowed */
    const BlockMatrix *pattern;
    const double *masses; /* [vertex_count] kg */
    const uint8_t *roles; /* [vertex_count] VertexRole (system/view.h) */
    uint32_t element_count, free_count;
    const WobbleElement *elements; /* [element_count] */
    uint8_t *scratch;              /* [vertex_count] */
    uint32_t count;
    Wobble *items; /* [count] by ascending extent after wobbles_sort */
} Wobbles;

/* shape: [vertex_count * 3]; energies: [element_count] of that shape, in any unit. false: out of memory. */
bool wobbles_add(Wobbles *wobbles, double omega, double material, const double *shape, const double *energies);
void wobbles_sort(Wobbles *wobbles);
void wobbles_free(Wobbles *wobbles); /* frees the items alone */

/* s, of a wobble in what is marked, [vertex_count] not 0. */
double wobble_share(const Wobbles *wobbles, const Wobble *wobble, const uint8_t *marked);

/* Marks in `marked`, [vertex_count], the vertices that have the part `most` of this wobble, densest first; what is
   marked already stays so. */
void wobble_mark(const Wobbles *wobbles, const Wobble *wobble, double most, uint8_t *marked);

#endif
