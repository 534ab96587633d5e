/* Built from the top by splitting at the median of the centres along the longest side, so that the depth is at most the
   logarithm of the count and a small fixed stack is enough for every traversal. */
#include "geometry/bvh.h"
#include "geometry/array.h"
#include "base/status.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { STACK_SIZE = 72 };
#define NO_PARENT UINT32_MAX

/* A range of items that is still to become a node. */
typedef struct Range {
    uint32_t begin, end;
    uint32_t parent; /* whose right child it will be, or NO_PARENT */
} Range;

static double center(const double *boxes, uint32_t item, int axis) {
    return 0.5 * boxes[6 * (size_t)item + (size_t)axis] + 0.5 * boxes[6 * (size_t)item + 3 + (size_t)axis];
}

/* A total order, so that the tree does not depend on the initial order of items with equal centres. */
static bool comes_before(const double *boxes, int axis, uint32_t a, uint32_t b) {
    double ca = center(boxes, a, axis), cb = center(boxes, b, axis);
    return ca < cb || (ca == cb && a < b);
}

/* Reorders items[begin, end) so that items[middle] is where sorting would put it, with smaller ones before it. */
static void select_middle(const double *boxes, int axis, uint32_t *items, uint32_t begin, uint32_t end,
                          uint32_t middle) {
    uint64_t random = 88172645463325252u;
    while (end - begin > 1) {
        // a pseudo-random but deterministic pivot: no usual order of the input is slow
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        uint32_t pivot = items[begin + (uint32_t)(random % (end - begin))];
        uint32_t i = begin, j = end - 1;
        for (;;) {
            while (comes_before(boxes, axis, items[i], pivot))
                ++i;
            while (comes_before(boxes, axis, pivot, items[j]))
                --j;
            if (i >= j)
                break;
            uint32_t swap = items[i];
            items[i++] = items[j];
            items[j--] = swap;
        }
        // met at the pivot, which is then in place, or crossed
        if (i == j && middle == i)
            return;
        if (middle < i)
            end = i;
        else
            begin = i == j ? i + 1 : i;
    }
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* The box of the node's items, which are items[first .. first + count). */
static void bound_items(const double *boxes, const uint32_t *items, BvhNode *node) {
    for (int a = 0; a < 3; ++a) {
        node->lower[a] = INFINITY;
        node->upper[a] = -INFINITY;
    }
    for (uint32_t i = node->first; i < node->first + node->count; ++i) {
        const double *box = &boxes[6 * (size_t)items[i]];
        for (int a = 0; a < 3; ++a) {
            node->lower[a] = smaller(node->lower[a], box[a]);
            node->upper[a] = larger(node->upper[a], box[3 + a]);
        }
    }
}

static int longest_axis(const BvhNode *node) {
    int longest = 0;
    for (int a = 1; a < 3; ++a)
        if (node->upper[a] - node->lower[a] > node->upper[longest] - node->lower[longest])
            longest = a;
    return longest;
}

void bvh_rebuild(const double *boxes, uint32_t count, Bvh *bvh) {
    bvh->node_count = 0;
    for (uint32_t i = 0; i < count; ++i)
        bvh->items[i] = i;

    // split depth first, left before right: the left child is the next node made
    Range stack[STACK_SIZE] = {{0, count, NO_PARENT}};
    for (int top = count ? 1 : 0; top > 0;) {
        Range range = stack[--top];
        uint32_t index = bvh->node_count++;
        BvhNode *node = &bvh->nodes[index];
        if (range.parent != NO_PARENT)
            bvh->nodes[range.parent].right = index;
        *node = (BvhNode){.first = range.begin, .count = range.end - range.begin};
        bound_items(boxes, bvh->items, node);
        if (node->count <= BVH_LEAF_SIZE)
            continue;
        node->count = 0;
        uint32_t middle = range.begin + (range.end - range.begin) / 2;
        select_middle(boxes, longest_axis(node), bvh->items, range.begin, range.end, middle);
        stack[top++] = (Range){middle, range.end, index};
        stack[top++] = (Range){range.begin, middle, NO_PARENT};
    }
}

JnStatus bvh_build(const double *boxes, uint32_t count, Bvh *bvh, JnMessage *message) {
    *bvh = (Bvh){0};
    bvh->nodes = array_new((size_t)count, sizeof *bvh->nodes);
    bvh->items = array_new(count, sizeof *bvh->items);
    if (!bvh->nodes || !bvh->items) {
        bvh_free(bvh);
        return status_no_memory(message, "the search tree of a mesh");
    }
    bvh_rebuild(boxes, count, bvh);
    return JN_OK;
}

void bvh_refit(const double *boxes, Bvh *bvh) {
    /* children come after their parents */
    for (uint32_t index = bvh->node_count; index-- > 0;) {
        BvhNode *node = &bvh->nodes[index];
        if (node->count > 0) {
            bound_items(boxes, bvh->items, node);
            continue;
        }
        const BvhNode *left = node + 1, *right = &bvh->nodes[node->right];
        for (int a = 0; a < 3; ++a) {
            node->lower[a] = smaller(left->lower[a], right->lower[a]);
            node->upper[a] = larger(left->upper[a], right->upper[a]);
        }
    }
}

static double distance_squared(const BvhNode *node, const double point[3]) {
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
        double d = larger(larger(node->lower[a] - point[a], point[a] - node->upper[a]), 0);
        sum += d * d;
    }
    return sum;
}

void bvh_visit_near(const Bvh *bvh, const double point[3], double bound, BvhVisit visit, void *context) {
    struct {
        uint32_t node;
        double squared; /* its distance */
    } stack[STACK_SIZE];
    int top = 0;
    if (bvh->node_count) {
        stack[top].node = 0;
        stack[top++].squared = distance_squared(&bvh->nodes[0], point);
    }
    while (top > 0 && bound >= 0) {
        if (stack[--top].squared > bound)
            continue;
        const BvhNode *node = &bvh->nodes[stack[top].node];
        for (uint32_t i = 0; i < node->count && bound >= 0; ++i)
            bound = visit(context, bvh->items[node->first + i], bound);
        if (node->count)
            continue;

        // the nearer child goes on top, to shrink the bound early
        uint32_t left = (uint32_t)(node - bvh->nodes) + 1, right = node->right;
        double to_left = distance_squared(&bvh->nodes[left], point);
        double to_right = distance_squared(&bvh->nodes[right], point);
        bool right_first = to_right < to_left;
        for (int i = 0; i < 2; ++i) {
            bool take_right = (i == 1) == right_first;
            stack[top].node = take_right ? right : left;
            stack[top].squared = take_right ? to_right : to_left;
            top += stack[top].squared <= bound;
        }
    }
}

void bvh_visit_box(const Bvh *bvh, const double box[6], BvhVisitItem visit, void *context) {
    uint32_t stack[STACK_SIZE] = {0};
    for (int top = bvh->node_count ? 1 : 0; top > 0;) {
        const BvhNode *node = &bvh->nodes[stack[--top]];
        bool apart = false;
        for (int a = 0; a < 3; ++a)
            apart = apart || node->lower[a] > box[3 + a] || node->upper[a] < box[a];
        if (apart)
            continue;
        for (uint32_t i = 0; i < node->count; ++i)
            visit(context, bvh->items[node->first + i]);
        if (node->count)
            continue;
        stack[top++] = node->right;
        stack[top++] = (uint32_t)(node - bvh->nodes) + 1;
    }
}

/* The part of the segment within each pair of planes, cut down axis by axis. */
static bool segment_touches(const BvhNode *node, const double start[3], const double way[3]) {
    double enter = 0, leave = 1;
    for (int a = 0; a < 3; ++a) {
        double low = node->lower[a] - start[a], high = node->upper[a] - start[a];
        if (way[a] == 0) {
            if (low > 0 || high < 0)
                return false;
            continue;
        }
        double first = low / way[a], second = high / way[a];
        enter = larger(enter, smaller(first, second));
        leave = smaller(leave, larger(first, second));
    }
    return enter <= leave;
}

void bvh_visit_segment(const Bvh *bvh, const double start[3], const double way[3], BvhVisitItem visit, void *context) {
    uint32_t stack[STACK_SIZE] = {0};
    for (int top = bvh->node_count ? 1 : 0; top > 0;) {
        const BvhNode *node = &bvh->nodes[stack[--top]];
        if (!segment_touches(node, start, way))
            continue;
        for (uint32_t i = 0; i < node->count; ++i)
            visit(context, bvh->items[node->first + i]);
        if (node->count)
            continue;
        stack[top++] = node->right;
        stack[top++] = (uint32_t)(node - bvh->nodes) + 1;
    }
}

void bvh_free(Bvh *bvh) {
    free(bvh->nodes);
    free(bvh->items);
    *bvh = (Bvh){0};
}
