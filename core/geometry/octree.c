#include "geometry/octree.h"
#include "geometry/array.h"
#include "base/status.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* In sizes of a leaf: how far around itself it heeds samples that ask for the usual cell, and for smaller ones. */
#define CELL_MARGIN 0.5
#define SMALL_MARGIN 0.25
#define LONGEST_SIDE (1 << 20)

/* A stack of sample numbers: the lists of the nodes from the root to the current one. */
typedef struct Building {
    Octree *octree;
    const OctreeSample *samples;
    double cell;
    int32_t largest; /* leaf */
    uint32_t most_leaves;
    uint32_t *list;
    size_t list_size, list_capacity;
} Building;

static bool split(Octree *octree, uint32_t index) {
    OctreeNode *nodes = array_grow(octree->nodes, &octree->capacity, (size_t)octree->node_count + 8, sizeof *nodes);
    if (!nodes)
        return false;
    octree->nodes = nodes;
    OctreeNode *node = &nodes[index];
    node->children = octree->node_count;
    octree->leaf_count += 7;
    for (int c = 0; c < 8; ++c) {
        OctreeNode *child = &nodes[octree->node_count++];
        child->size = node->size / 2;
        child->children = 0;
        for (int a = 0; a < 3; ++a)
            child->corner[a] = node->corner[a] + (c >> a & 1) * child->size;
    }
    return true;
}

/* The distance of a sample from the box of the node along the farthest axis. */
static double distance_to(const Octree *octree, const OctreeNode *node, const double point[3]) {
    double distance = 0;
    for (int a = 0; a < 3; ++a) {
        double lower = octree->origin[a] + octree->unit * node->corner[a];
        distance = fmax(distance, fmax(lower - point[a], point[a] - lower - octree->unit * node->size));
    }
    return distance;
}

/* Splits the node until its leaves are as small as the samples in list[begin, end) ask for. */
static bool refine(Building *work, uint32_t index, size_t begin, size_t end) {
    const Octree *octree = work->octree;
    OctreeNode node = octree->nodes[index];
    double size = octree->unit * node.size;
    bool wanted = node.size > work->largest;
    // the samples near this node, at the top of the stack
    uint32_t *list = array_grow(work->list, &work->list_capacity, work->list_size + (end - begin), sizeof *list);
    if (!list)
        return false;
    work->list = list;
    size_t first = work->list_size;
    for (size_t i = begin; i < end; ++i) {
        const OctreeSample *sample = &work->samples[list[i]];
        double distance = distance_to(octree, &node, sample->point);
        if (distance > CELL_MARGIN * size)
            continue;
        list[work->list_size++] = list[i];
        wanted = wanted || size > work->cell * 1.001 || (size > sample->size * 1.001 && distance < SMALL_MARGIN * size);
    }
    bool done = true;
    if (wanted && node.size > 2 && octree->leaf_count <= work->most_leaves) {
        done = split(work->octree, index);
        uint32_t children = done ? work->octree->nodes[index].children : 0;
        size_t last = work->list_size;
        for (uint32_t c = 0; done && c < 8; ++c)
            done = refine(work, children + c, first, last);
    }
    work->list_size = first;
    return done;
}

const OctreeNode *octree_leaf(const Octree *octree, const int32_t at[3]) {
    const OctreeNode *node = octree->nodes;
    for (int a = 0; a < 3; ++a)
        if (at[a] < 0 || at[a] >= node->size)
            return NULL;
    while (node->children) {
        uint32_t child = 0;
        for (int a = 0; a < 3; ++a)
            child |= (uint32_t)(at[a] >= node->corner[a] + node->size / 2) << a;
        node = &octree->nodes[node->children + child];
    }
    return node;
}

double octree_size_at(const Octree *octree, const double point[3]) {
    int32_t at[3];
    for (int a = 0; a < 3; ++a) {
        double x = floor((point[a] - octree->origin[a]) / octree->unit);
        at[a] = (int32_t)fmin(fmax(x, -1), (double)octree->nodes->size);
    }
    const OctreeNode *leaf = octree_leaf(octree, at);
    return octree->unit * (leaf ? leaf : octree->nodes)->size;
}

double octree_smallest(const Octree *octree) {
    int32_t smallest = octree->nodes->size;
    for (uint32_t i = 0; i < octree->node_count; ++i)
        if (octree->nodes[i].size < smallest)
            smallest = octree->nodes[i].size;
    return octree->unit * smallest;
}

/* Splits leaves that are more than twice as long as a neighbour. New leaves come last and are seen in their turn, and a
   leaf that has been seen minds nothing that happens later: its neighbours only become smaller. */
static bool balance(Octree *octree, uint32_t most_leaves) {
    for (uint32_t i = 0; i < octree->node_count; ++i) {
        OctreeNode node = octree->nodes[i];
        for (int side = 0; !node.children && side < 27; ++side) {
            int32_t at[3];
            bool sibling = true;
            for (int a = 0, power = 1; a < 3; ++a, power *= 3) {
                int step = side / power % 3 - 1;
                at[a] = node.corner[a] + node.size / 2 + step * node.size;
                // within the parent, a step leads up from an even place and down from an odd one
                sibling = sibling && (step == 0 || (step > 0) == (node.corner[a] / node.size % 2 == 0));
            }
            if (sibling)
                continue;
            const OctreeNode *neighbour = octree_leaf(octree, at);
            while (neighbour && neighbour->size > 2 * node.size) {
                if (octree->leaf_count > most_leaves)
                    return true;
                if (!split(octree, (uint32_t)(neighbour - octree->nodes)))
                    return false;
                neighbour = octree_leaf(octree, at);
            }
        }
    }
    return true;
}

JnStatus octree_build(const OctreeShape *shape, const OctreeSample *samples, uint32_t sample_count, Octree *octree,
                      JnMessage *message) {
    int32_t cell = 2 << shape->halvings, side = cell << shape->doublings;
    *octree = (Octree){.unit = shape->cell / cell, .leaf_count = 1};
    while (side < LONGEST_SIDE && side * octree->unit < shape->extent)
        side *= 2;
    if (side * octree->unit < shape->extent)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "the surface is %g long, more than %d of its smallest cells of %g: lower the resolution",
                           shape->extent, LONGEST_SIDE / 2, 2 * octree->unit);
    Building work = {.octree = octree,
                     .samples = samples,
                     .cell = shape->cell,
                     .largest = cell << shape->doublings,
                     .most_leaves = shape->most_leaves};
    for (int a = 0; a < 3; ++a)
        octree->origin[a] = shape->center[a] - octree->unit * (side / 2);
    octree->nodes = array_grow(NULL, &octree->capacity, 1, sizeof *octree->nodes);
    work.list = array_grow(NULL, &work.list_capacity, sample_count, sizeof *work.list);
    bool done = octree->nodes && work.list;
    if (done) {
        octree->nodes[0] = (OctreeNode){.size = side};
        octree->node_count = 1;
        for (uint32_t i = 0; i < sample_count; ++i)
            work.list[i] = i;
        work.list_size = sample_count;
        done = refine(&work, 0, 0, sample_count) && balance(octree, shape->most_leaves);
    }
    free(work.list);
    JnStatus status = done ? JN_OK : status_no_memory(message, "the cells of the simulation mesh");
    if (status == JN_OK && octree->leaf_count > shape->most_leaves)
        status = status_fail(message, JN_ERR_ARGUMENT, "the resolution needs more than %u cells: lower the resolution",
                             shape->most_leaves);
    if (status != JN_OK)
        octree_free(octree);
    return status;
}

void octree_free(Octree *octree) {
    free(octree->nodes);
    *octree = (Octree){0};
}
