/* Distances between the small pieces of surfaces and fibres that may touch, with derivatives.

   A pair is two simplices, first and second, given by their points one after the other:
     PAIR_POINT_POINT      p | q
     PAIR_POINT_EDGE       p | e0 e1
     PAIR_POINT_TRIANGLE   p | t0 t1 t2
     PAIR_EDGE_EDGE        a0 a1 | b0 b1
   Positions x are [3 n] for the n = pair_point_count(kind) points, gradients [3 n], Hessians [3 n * 3 n] by rows;
   arrays of 12 and 144 are large enough for all kinds.

   For finite positions within VEC3_FARTHEST nothing here returns NaN or infinity. Edges shorter than 1e-30 count as
   points, triangles whose height is below 1e-12 of their sides as their edges, and edges within 1e-12 of parallel are
   nearest at one of their ends: the distance changes by less than 1e-12 of the pair's size. */
#ifndef JN_CONTACT_PAIR_DISTANCE_H
#define JN_CONTACT_PAIR_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum PairKind {
    PAIR_POINT_POINT,
    PAIR_POINT_EDGE,
    PAIR_POINT_TRIANGLE,
    PAIR_EDGE_EDGE,
    PAIR_KIND_COUNT
} PairKind;

/* Where two simplices are nearest. */
typedef struct PairDistance {
    PairKind kind;
    uint32_t region;   /* bit i: point i carries one of the two nearest points. Point 0 and the triangle's edge t1 t2:
                          bits 0, 2 and 3 */
    double squared;    /* distance^2 */
    double offset[3];  /* from the nearest point of the second to that of the first: sum of weights[i] x[i] */
    double weights[4]; /* barycentric coordinates of the two nearest points: those of the first sum to 1, those of the
                          second, negative, to -1. 0 outside the region. A force f on the contact is weights[i] f on
                          point i, the relative velocity is the sum of weights[i] v[i] */
} PairDistance;

uint32_t pair_point_count(PairKind kind);
uint32_t pair_first_count(PairKind kind); /* how many of the points are those of the first simplex */

void pair_distance(PairKind kind, const double *x, PairDistance *distance);

/* The directions in which the weights vary while the nearest points move over the region: directions[k] sums to 0 over
   each simplex. Returns their number: 0 (two points), 1 (point and line) or 2 (point and plane, two lines). */
int pair_distance_directions(const PairDistance *distance, double directions[2][4]);

/* Derivatives of distance^2. The gradient is continuous but where edges become parallel; the Hessian is that of the
   region. */
void pair_distance_gradient(const PairDistance *distance, double *gradient);
void pair_distance_hessian(const PairDistance *distance, const double *x, double *hessian);

#endif
