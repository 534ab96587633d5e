/* A bounding volume hierarchy over items (tets, triangles): finds items near a point in logarithmic time, also for
   items of very different sizes. */
#ifndef JN_GEOMETRY_BVH_H
#define JN_GEOMETRY_BVH_H

#include "jounce.h"

enum { BVH_LEAF_SIZE = 4 }; /* the most items of a leaf */

typedef struct BvhNode {
    double lower[3], upper[3];
    uint32_t first; /* leaf: its items are items[first .. first + count) */
    uint32_t count; /* 0: inner node */
    uint32_t right; /* inner node: the right child; the left one is the next node */
} BvhNode;

typedef struct Bvh { /* owns its arrays */
    uint32_t node_count;
    BvhNode *nodes;
    uint32_t *items;
} Bvh;

/* Called for an item whose box may be within sqrt(bound) of the point; returns the new bound, negative to stop. */
typedef double (*BvhVisit)(void *context, uint32_t item, double bound);

/* `boxes` [count * 6]: lower corner, upper corner; finite. On failure *bvh is all zero. */
JnStatus bvh_build(const double *boxes, uint32_t count, Bvh *bvh, JnMessage *message);

/* Builds it again for other boxes of the same count, in the same memory. */
void bvh_rebuild(const double *boxes, uint32_t count, Bvh *bvh);

/* Fits the nodes to other boxes of the same items and leaves the tree as it is: much faster than building, and as good
   until the items have moved far among each other. */
void bvh_refit(const double *boxes, Bvh *bvh);

/* Visits every item whose leaf is within sqrt(bound) of the point, nearer nodes first. `bound` is a squared distance
   and may shrink during the search. The order of visits depends on the tree alone. */
void bvh_visit_near(const Bvh *bvh, const double point[3], double bound, BvhVisit visit, void *context);

/* Visits every item whose leaf touches `box`: lower corner, upper corner. */
typedef void (*BvhVisitItem)(void *context, uint32_t item);
void bvh_visit_box(const Bvh *bvh, const double box[6], BvhVisitItem visit, void *context);

/* Visits every item whose leaf the segment from `start` to `start + way` touches. */
void bvh_visit_segment(const Bvh *bvh, const double start[3], const double way[3], BvhVisitItem visit, void *context);

void bvh_free(Bvh *bvh); /* leaves it all zero */

#endif
