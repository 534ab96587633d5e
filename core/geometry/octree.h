/* A graded octree over a surface: small leaves where small ones are asked for, large ones away from the surface, and
   leaves that share a face, an edge or a corner differ at most by a factor of two. Coordinates are whole numbers: the
   smallest leaf has size 2, so that its centre is a whole number too. */
#ifndef JN_GEOMETRY_OCTREE_H
#define JN_GEOMETRY_OCTREE_H

#include "jounce.h"

typedef struct OctreeNode {
    int32_t corner[3]; /* the lower one */
    int32_t size;
    uint32_t children; /* the first of eight, ordered as bits x y z; 0: a leaf */
} OctreeNode;

typedef struct Octree { /* owns `nodes` */
    double origin[3];   /* of coordinate (0, 0, 0) */
    double unit;        /* length of 1 */
    uint32_t node_count, leaf_count;
    size_t capacity;
    OctreeNode *nodes;
} Octree;

/* A place that asks for leaves of at most `size`. */
typedef struct OctreeSample {
    double point[3];
    double size;
} OctreeSample;

typedef struct OctreeShape {
    double center[3];     /* of the root */
    double extent;        /* the root is at least this long */
    double cell;          /* leaves near samples are at most this long */
    uint32_t halvings;    /* the smallest leaf is cell / 2^halvings */
    uint32_t doublings;   /* the largest leaf is cell * 2^doublings */
    uint32_t most_leaves; /* gives up above */
} OctreeShape;

/* JN_ERR_ARGUMENT if more than shape->most_leaves leaves are needed. On failure *octree is all zero. */
JnStatus octree_build(const OctreeShape *shape, const OctreeSample *samples, uint32_t sample_count, Octree *octree,
                      JnMessage *message);

/* The leaf that contains the half-open unit cube at `at`; NULL outside of the root. */
const OctreeNode *octree_leaf(const Octree *octree, const int32_t at[3]);

/* The size of the leaf at a point in space; that of the root outside of it. */
double octree_size_at(const Octree *octree, const double point[3]);

/* The size of the smallest leaf. */
double octree_smallest(const Octree *octree);

void octree_free(Octree *octree); /* leaves it all zero */

#endif
