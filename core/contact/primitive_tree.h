/* A search tree over the points, edges or triangles of moving surfaces, for the broad phase: refitted to every motion,
   rebuilt in the same memory when the primitives have moved far among each other. */
#ifndef JN_CONTACT_PRIMITIVE_TREE_H
#define JN_CONTACT_PRIMITIVE_TREE_H

#include "base/pool.h"
#include "geometry/bvh.h"

#include <stdbool.h>
#include <stddef.h>

#define PRIMITIVE_MIXED UINT32_MAX /* in place of a group: several */

/* Primitives are in slots, in the order of the leaves. Borrows vertices and groups. */
typedef struct PrimitiveTree {
    uint32_t count;
    uint32_t corners;         /* vertices of a primitive */
    const uint32_t *vertices; /* [count * corners] by primitive */
    const uint32_t *groups;   /* [vertices of the mesh], or NULL: all 0 */
    uint32_t *order;          /* [count] the primitive in each slot */
    double *boxes;            /* [count * 6] by slot: lower corner, upper corner */
    uint32_t *slot_groups;    /* [count] the group of a primitive is that of its first vertex */
    Bvh bvh;                  /* of slots: a leaf's items are its slots first .. first + count */
    uint32_t *next;           /* [node_count] the first node after those below a node: a search that goes on there
                                 skips them, one that goes on at the next index enters */
    uint32_t *node_groups;    /* [node_count] of all primitives below, or PRIMITIVE_MIXED */
    uint32_t *leaves;         /* [leaf_count] the nodes that are leaves, ascending */
    uint32_t leaf_count;
    double built_cost; /* measure of how long searches take, when it was built */
} PrimitiveTree;

/* How the vertices move: every primitive's box holds it on the straight way from start to end, and `margin` more on all
   sides. Finite. */
typedef struct PrimitiveMotion {
    const double *start, *end; /* [vertices of the mesh * 3] */
    double margin;             /* m */
    const double *radii;       /* [vertices of the mesh] m, added to the margin: the largest of a primitive; may be
                                  NULL */
} PrimitiveMotion;

/* On failure *tree is all zero. */
JnStatus primitive_tree_create(const uint32_t *vertices, uint32_t count, uint32_t corners, const uint32_t *groups,
                               const PrimitiveMotion *motion, PrimitiveTree *tree, JnMessage *message);
void primitive_tree_move(PrimitiveTree *tree, const PrimitiveMotion *motion, Pool *pool);
void primitive_tree_free(PrimitiveTree *tree); /* leaves it all zero */

#endif
