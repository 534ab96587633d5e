/* Which vertices take small time steps, and how many in each large one. Painted vertices that share an element are one
   fast region: where regions of different ratios touch, all of it takes the largest. Regions of one ratio that do not
   touch are the islands of one set: they share a factor, and answer separately. */
#ifndef JN_REGION_FAST_SETS_H
#define JN_REGION_FAST_SETS_H

#include "linear/block_matrix.h"

/* What a vertex near a fast region is to it. */
typedef enum FastKind {
    FAST_INSIDE, /* takes small steps; 0, as for all that is solved for */
    FAST_BORDER, /* takes large steps, and shares an element with one inside */
    FAST_HELD    /* prescribed, and shares an element with one inside: it belongs to no region */
} FastKind;

typedef struct FastSet { /* owns its arrays */
    uint32_t ratio;      /* small steps in a large one, above 1 */
    uint32_t vertex_count;
    uint32_t inside_count, border_count;
    uint32_t *vertices; /* [vertex_count] in the system, ascending */
    uint8_t *kinds;     /* [vertex_count] FastKind */
    uint32_t island_count;
    uint32_t *islands;       /* [vertex_count] the island of each vertex inside and on the border: islands that share a
                                border vertex count as one; UINT32_MAX for held ones */
    uint32_t longest_border; /* vertices on the border of the island that has most */
    uint8_t *marked;         /* [vertices of the system] 1: inside */
} FastSet;

typedef struct FastSets { /* owns its arrays; all zero: everything takes large steps */
    uint32_t count;
    FastSet *sets;            /* [count] by ascending ratios */
    uint8_t *marked;          /* [vertices of the system] 1: inside a set; NULL if there are none */
    uint32_t slow_count;      /* vertices that take large steps */
    uint32_t hastened_vertex; /* one that takes more small steps than it asks for, because its region touches a faster
                                 one; UINT32_MAX: none does */
} FastSets;

/* roles: [vertex_count] VertexRole (system/view.h). ratios: [vertex_count], small steps in a large one; 0 and 1: it
   takes large ones. On failure *sets is all zero. */
JnStatus fast_sets_build(const BlockMatrix *pattern, const uint8_t *roles, const uint32_t *ratios, FastSets *sets,
                         JnMessage *message);
void fast_sets_free(FastSets *sets); /* leaves it all zero */

#endif
