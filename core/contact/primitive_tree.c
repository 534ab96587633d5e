#include "contact/primitive_tree.h"

#include "base/status.h"
#include "geometry/array.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOXES_A_CALL = 2048 };

/* Searches in a tree this many times as costly as when it was built make it worth building again. */
#define WORN 1.5

typedef struct BoxWork {
    PrimitiveTree *tree;
    const PrimitiveMotion *motion;
} BoxWork;

static void fit_box(const PrimitiveTree *tree, const PrimitiveMotion *motion, uint32_t slot) {
    const uint32_t *vertices = &tree->vertices[(size_t)tree->corners * tree->order[slot]];
    double *box = &tree->boxes[6 * (size_t)slot], radius = 0;
    for (int a = 0; a < 3; ++a) {
        box[a] = INFINITY;
        box[3 + a] = -INFINITY;
    }
    for (uint32_t c = 0; c < tree->corners; ++c) {
        const double *from = &motion->start[3 * (size_t)vertices[c]], *to = &motion->end[3 * (size_t)vertices[c]];
        for (int a = 0; a < 3; ++a) {
            double low = from[a] < to[a] ? from[a] : to[a], high = from[a] < to[a] ? to[a] : from[a];
            box[a] = box[a] < low ? box[a] : low;
            box[3 + a] = box[3 + a] > high ? box[3 + a] : high;
        }
        if (motion->radii && motion->radii[vertices[c]] > radius)
            radius = motion->radii[vertices[c]];
    }
    /* outwards by more than the sums round */
    double margin = motion->margin + radius;
    for (int a = 0; a < 3; ++a) {
        box[a] -= margin + 2 * DBL_EPSILON * (fabs(box[a]) + margin);
        box[3 + a] += margin + 2 * DBL_EPSILON * (fabs(box[3 + a]) + margin);
    }
}

static void fit_some_boxes(void *context, uint32_t index) {
    BoxWork *work = context;
    uint32_t begin = index * BOXES_A_CALL, left = work->tree->count - begin;
    for (uint32_t k = 0; k < (left < BOXES_A_CALL ? left : BOXES_A_CALL); ++k)
        fit_box(work->tree, work->motion, begin + k);
}

static void fit_boxes(PrimitiveTree *tree, const PrimitiveMotion *motion, Pool *pool) {
    BoxWork work = {tree, motion};
    pool_run(pool, (uint32_t)(((uint64_t)tree->count + BOXES_A_CALL - 1) / BOXES_A_CALL), fit_some_boxes, &work);
}

/* The sides of all nodes relative to those of the leaves. */
static double search_cost(const PrimitiveTree *tree) {
    double all = 0, leaves = 0;
    for (uint32_t i = 0; i < tree->bvh.node_count; ++i) {
        const BvhNode *node = &tree->bvh.nodes[i];
        double sides = 0;
        for (int a = 0; a < 3; ++a)
            sides += node->upper[a] - node->lower[a];
        all += sides;
        leaves += node->count > 0 ? sides : 0;
    }
    return leaves > 0 ? all / leaves : 1;
}

/* What is known of the nodes apart from their boxes. */
static void describe_nodes(PrimitiveTree *tree) {
    tree->leaf_count = 0;
    for (uint32_t i = 0; i < tree->bvh.node_count; ++i)
        if (tree->bvh.nodes[i].count > 0)
            tree->leaves[tree->leaf_count++] = i;
    for (uint32_t i = tree->bvh.node_count; i-- > 0;) {
        const BvhNode *node = &tree->bvh.nodes[i];
        uint32_t group = node->count > 0 ? tree->slot_groups[node->first] : tree->node_groups[i + 1];
        for (uint32_t k = 1; k < node->count; ++k)
            if (tree->slot_groups[node->first + k] != group)
                group = PRIMITIVE_MIXED;
        if (node->count == 0 && tree->node_groups[node->right] != group)
            group = PRIMITIVE_MIXED;
        tree->node_groups[i] = group;
        tree->next[i] = node->count > 0 ? i + 1 : tree->next[node->right];
    }
    tree->built_cost = search_cost(tree);
}

/* Builds the tree from boxes in any order of slots; then puts the slots in the order of the leaves. */
static void build(PrimitiveTree *tree, const PrimitiveMotion *motion, Pool *pool) {
    bvh_rebuild(tree->boxes, tree->count, &tree->bvh);
    for (uint32_t s = 0; s < tree->count; ++s)
        tree->bvh.items[s] = tree->order[tree->bvh.items[s]];
    for (uint32_t s = 0; s < tree->count; ++s) {
        tree->order[s] = tree->bvh.items[s];
        tree->bvh.items[s] = s;
        uint32_t vertex = tree->vertices[(size_t)tree->corners * tree->order[s]];
        tree->slot_groups[s] = tree->groups ? tree->groups[vertex] : 0;
    }
    fit_boxes(tree, motion, pool);
    describe_nodes(tree);
}

JnStatus primitive_tree_create(const uint32_t *vertices, uint32_t count, uint32_t corners, const uint32_t *groups,
                               const PrimitiveMotion *motion, PrimitiveTree *tree, JnMessage *message) {
    *tree = (PrimitiveTree){.count = count, .corners = corners, .vertices = vertices, .groups = groups};
    tree->order = array_new(count, sizeof *tree->order);
    tree->boxes = array_new(6 * (size_t)count, sizeof *tree->boxes);
    tree->slot_groups = array_new(count, sizeof *tree->slot_groups);
    tree->next = array_new(count, sizeof *tree->next);
    tree->node_groups = array_new(count, sizeof *tree->node_groups);
    tree->leaves = array_new(count, sizeof *tree->leaves);
    if (!tree->order || !tree->boxes || !tree->slot_groups || !tree->next || !tree->node_groups || !tree->leaves) {
        primitive_tree_free(tree);
        return status_no_memory(message, "the search for contacts");
    }
    for (uint32_t s = 0; s < count; ++s)
        tree->order[s] = s;
    fit_boxes(tree, motion, NULL);
    JnStatus status = bvh_build(tree->boxes, count, &tree->bvh, message);
    if (status == JN_OK)
        build(tree, motion, NULL);
    else
        primitive_tree_free(tree);
    return status;
}

void primitive_tree_move(PrimitiveTree *tree, const PrimitiveMotion *motion, Pool *pool) {
    fit_boxes(tree, motion, pool);
    bvh_refit(tree->boxes, &tree->bvh);
    if (search_cost(tree) > WORN * tree->built_cost)
        build(tree, motion, pool);
}

void primitive_tree_free(PrimitiveTree *tree) {
    free(tree->order);
    free(tree->boxes);
    free(tree->slot_groups);
    free(tree->next);
    free(tree->node_groups);
    free(tree->leaves);
    bvh_free(&tree->bvh);
    *tree = (PrimitiveTree){0};
}
