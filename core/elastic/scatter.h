/* Parallel sums without races whose result does not depend on the number of threads.

   Elements are split into a fixed number of parts, and a part is worked on by one thread at a time, in order. A target
   (a matrix block, a vertex's force) that only one part adds to is added to in place; one that several parts add to has
   a separate slot in each of them, and the slots are summed at the end, in order. */
#ifndef JN_ELASTIC_SCATTER_H
#define JN_ELASTIC_SCATTER_H

#include "jounce.h"

typedef struct Scatter { /* owns its arrays */
    uint32_t target_count;
    uint32_t width; /* doubles in a target */
    uint32_t slot_count;
    uint32_t *slot_targets; /* [slot_count], part after part */
    double *slots;          /* [slot_count * width] */
} Scatter;

/* entries: the targets of all parts, part p's from part_starts[p] to part_starts[p + 1]. Each is replaced by the place
   to add at: the target itself, or target_count + slot. */
JnStatus scatter_build(uint32_t target_count, uint32_t width, uint32_t part_count, const size_t *part_starts,
                       uint32_t *entries, Scatter *scatter, JnMessage *message);

/* Before the parts run: sets the slots to 0. */
void scatter_clear(Scatter *scatter);

/* Where to add for a place in entries; targets: [target_count * width]. */
static inline double *scatter_at(Scatter *scatter, double *targets, uint32_t place) {
    return place < scatter->target_count ? targets + (size_t)place * scatter->width
                                         : scatter->slots + (size_t)(place - scatter->target_count) * scatter->width;
}

/* After all parts have run: adds the slots to their targets. */
void scatter_reduce(const Scatter *scatter, double *targets);

void scatter_free(Scatter *scatter); /* leaves it all zero */

/* order: [tet_count], the tets along a space-filling curve through their centres, so that parts are compact. */
JnStatus scatter_curve_order(const double *positions, uint32_t vertex_count, const uint32_t *tet_vertices,
                             uint32_t tet_count, uint32_t *order, JnMessage *message);

#endif
