/* The points of all bodies, embedded in the simulated vertices: where contact, wind and the artist's forces act. */
#ifndef JN_ELASTIC_POINT_SET_H
#define JN_ELASTIC_POINT_SET_H

#include "elastic/force_term.h"
#include "geometry/embedding.h"

typedef struct PointSet {      /* borrowed arrays */
    Embedding embedding;       /* rows of all points in the system's vertices */
    const double *areas;       /* [point_count] m2: each point's share of the faces around it in the rest shape; 0 for
                                  points that are not on the surface */
    const uint32_t *triangles; /* [triangle_count * 3] points of the surface, outward */
    uint32_t triangle_count;
    const uint32_t *curve_neighbours; /* [point_count * 2] the points before and after on a fibre, itself where there is
                                         none, twice itself for points of no fibre; NULL: there are no fibres */
    double bounding_size;             /* m, of the largest body */
} PointSet;

/* matrix += W_p' H W_p for point p and a 3x3 block H (by rows, symmetric). */
void point_set_add_block(const PointSet *points, uint32_t point, const double H[9], BlockMatrix *matrix);

/* The same in pairs. false: out of memory. */
bool point_set_add_pairs(const PointSet *points, uint32_t point, const double H[9], PairBlocks *pairs);

/* Marks the vertices in which point p is embedded, as a CoupledMark, where the mark is higher than what is there. */
void point_set_mark(const PointSet *points, uint32_t point, uint8_t mark, uint8_t *marks);

/* force += W_p' f. */
void point_set_add_force(const PointSet *points, uint32_t point, const double f[3], double *force);

/* Whether the element that acts on point p is in the subset, decided by the vertices in which the point is embedded. */
bool point_set_in_subset(const PointSet *points, uint32_t point, const ElementSubset *subset);

/* x = W_p q. */
void point_set_value(const PointSet *points, uint32_t point, const double *q, double x[3]);

/* Whether the point is on a fibre. */
static inline bool point_set_on_fibre(const PointSet *points, uint32_t point) {
    const uint32_t *neighbours = points->curve_neighbours ? points->curve_neighbours + 2 * (size_t)point : NULL;
    return neighbours && neighbours[0] != neighbours[1];
}

#endif
