/* Every leaf of the tree of the first primitives, four of them, goes through the tree of the second ones. In a tree
   that is paired with itself it begins at its own place: the pairs with what comes before were found from there. */
#include "contact/broad_phase.h"

#include "base/status.h"
#include "contact/pair_list.h"
#include "geometry/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAVES_A_CALL = 64 };

typedef enum TreeKind { TREE_POINTS, TREE_EDGES, TREE_TRIANGLES, TREE_COUNT } TreeKind;

/* The trees of the first and the second primitives of a pair. */
static const TreeKind first_tree[PAIR_KIND_COUNT] = {TREE_POINTS, TREE_POINTS, TREE_POINTS, TREE_EDGES};
static const TreeKind second_tree[PAIR_KIND_COUNT] = {TREE_POINTS, TREE_EDGES, TREE_TRIANGLES, TREE_EDGES};

struct BroadPhase {
    BroadPhaseDesc desc;
    PrimitiveTree trees[TREE_COUNT];
    PairList lists[PAIR_KIND_COUNT];
    double *partner_boxes; /* [group_count * 6] around all that a group may touch; NULL without `touching` */
};

typedef struct Search {
    BroadPhase *broad;
    PairKind kind;
    const PrimitiveTree *from, *in;
    PairList *list;
} Search;

static bool boxes_overlap(const double a_lower[3], const double a_upper[3], const double b_lower[3],
                          const double b_upper[3]) {
    return a_lower[0] <= b_upper[0] && b_lower[0] <= a_upper[0] && a_lower[1] <= b_upper[1] &&
           b_lower[1] <= a_upper[1] && a_lower[2] <= b_upper[2] && b_lower[2] <= a_upper[2];
}

/* May be asked about mixed groups. */
static bool groups_touch(const BroadPhaseDesc *desc, uint32_t a, uint32_t b) {
    if (!desc->touching || a == PRIMITIVE_MIXED || b == PRIMITIVE_MIXED)
        return true;
    return desc->touching[(size_t)a * desc->group_count + b] != 0;
}

void broad_phase_vertices(const BroadPhase *broad, PairKind kind, const uint32_t pair[2], uint32_t vertices[4]) {
    const PrimitiveTree *from = &broad->trees[first_tree[kind]], *in = &broad->trees[second_tree[kind]];
    memcpy(vertices, &from->vertices[(size_t)from->corners * pair[0]], from->corners * sizeof *vertices);
    memcpy(&vertices[from->corners], &in->vertices[(size_t)in->corners * pair[1]], in->corners * sizeof *vertices);
}

/* Whether two primitives whose boxes overlap make a pair. */
static bool make_pair(const Search *search, const uint32_t pair[2]) {
    const BroadPhaseDesc *desc = &search->broad->desc;
    uint32_t vertices[4], first = search->from->corners, n = first + search->in->corners;
    broad_phase_vertices(search->broad, search->kind, pair, vertices);
    for (uint32_t i = 0; i < first; ++i)
        for (uint32_t j = first; j < n; ++j)
            if (vertices[i] == vertices[j])
                return false;
    return !desc->accept || desc->accept(desc->context, search->kind, vertices);
}

/* The pairs of the primitives of two leaves. */
static void pair_leaves(const Search *search, const BvhNode *a, const BvhNode *b, PairChunk *chunk) {
    const PrimitiveTree *from = search->from, *in = search->in;
    for (uint32_t s = a->first; s < a->first + a->count; ++s) {
        const double *box = &from->boxes[6 * (size_t)s];
        if (!boxes_overlap(box, box + 3, b->lower, b->upper))
            continue;
        for (uint32_t t = a == b ? s + 1 : b->first; t < b->first + b->count; ++t) {
            const double *other = &in->boxes[6 * (size_t)t];
            if (!boxes_overlap(box, box + 3, other, other + 3))
                continue;
            if (!groups_touch(&search->broad->desc, from->slot_groups[s], in->slot_groups[t]))
                continue;
            uint32_t pair[2] = {from->order[s], in->order[t]};
            if (from == in && pair[0] > pair[1])
                pair[0] = in->order[t], pair[1] = from->order[s];
            if (make_pair(search, pair))
                pair_chunk_add(chunk, pair[0], pair[1]);
        }
    }
}

static void search_leaf(const Search *search, uint32_t leaf, PairChunk *chunk) {
    const BroadPhase *broad = search->broad;
    const BvhNode *a = &search->from->bvh.nodes[leaf], *nodes = search->in->bvh.nodes;
    uint32_t group = search->from->node_groups[leaf], node_count = search->in->bvh.node_count;
    if (broad->partner_boxes && group != PRIMITIVE_MIXED) {
        const double *partners = &broad->partner_boxes[6 * (size_t)group];
        if (!boxes_overlap(a->lower, a->upper, partners, partners + 3))
            return;
    }
    for (uint32_t i = search->from == search->in ? leaf : 0; i < node_count;) {
        const BvhNode *b = &nodes[i];
        if (!boxes_overlap(a->lower, a->upper, b->lower, b->upper) ||
            !groups_touch(&broad->desc, group, search->in->node_groups[i])) {
            i = search->in->next[i];
            continue;
        }
        if (b->count > 0)
            pair_leaves(search, a, b, chunk);
        ++i;
    }
}

static void search_some_leaves(void *context, uint32_t index) {
    const Search *search = context;
    uint32_t begin = index * LEAVES_A_CALL, left = search->from->leaf_count - begin;
    for (uint32_t k = 0; k < (left < LEAVES_A_CALL ? left : LEAVES_A_CALL); ++k)
        search_leaf(search, search->from->leaves[begin + k], &search->list->chunks[index]);
}

static bool search_pairs(BroadPhase *broad, PairKind kind, Pool *pool) {
    Search search = {broad, kind, &broad->trees[first_tree[kind]], &broad->trees[second_tree[kind]],
                     &broad->lists[kind]};
    uint32_t chunk_count = search.from->leaf_count / LEAVES_A_CALL + (search.from->leaf_count % LEAVES_A_CALL > 0);
    if (!pair_list_begin(search.list, chunk_count))
        return false;
    pool_run(pool, chunk_count, search_some_leaves, &search);
    return pair_list_end(search.list, chunk_count, search.from->count, pool);
}

static void add_box(const double *box, double *sum) {
    for (int a = 0; a < 3; ++a) {
        sum[a] = fmin(sum[a], box[a]);
        sum[3 + a] = fmax(sum[3 + a], box[3 + a]);
    }
}

/* Around all that each group may touch, from the boxes around the groups in the second half of the array. */
static void fit_partner_boxes(BroadPhase *broad) {
    const BroadPhaseDesc *desc = &broad->desc;
    if (!broad->partner_boxes)
        return;
    double *group_boxes = broad->partner_boxes + 6 * (size_t)desc->group_count;
    for (size_t i = 0; i < 12 * (size_t)desc->group_count; ++i)
        broad->partner_boxes[i] = i % 6 < 3 ? INFINITY : -INFINITY;
    for (int k = 0; k < TREE_COUNT; ++k)
        for (uint32_t s = 0; s < broad->trees[k].count; ++s)
            add_box(&broad->trees[k].boxes[6 * (size_t)s], &group_boxes[6 * (size_t)broad->trees[k].slot_groups[s]]);
    for (uint32_t g = 0; g < desc->group_count; ++g)
        for (uint32_t h = 0; h < desc->group_count; ++h)
            if (groups_touch(desc, g, h))
                add_box(&group_boxes[6 * (size_t)h], &broad->partner_boxes[6 * (size_t)g]);
}

JnStatus broad_phase_search(BroadPhase *broad, const PrimitiveMotion *motion, Pool *pool, JnMessage *message) {
    bool ok = true;
    for (int k = 0; k < TREE_COUNT; ++k)
        primitive_tree_move(&broad->trees[k], motion, pool);
    fit_partner_boxes(broad);
    for (PairKind kind = 0; ok && kind < PAIR_KIND_COUNT; ++kind)
        if (broad->desc.kinds >> kind & 1)
            ok = search_pairs(broad, kind, pool);
    for (PairKind kind = 0; !ok && kind < PAIR_KIND_COUNT; ++kind)
        broad->lists[kind].count = 0;
    return ok ? JN_OK : status_no_memory(message, "the search for contacts");
}

JnStatus broad_phase_create(const BroadPhaseDesc *desc, const PrimitiveMotion *motion, BroadPhase **made,
                            JnMessage *message) {
    const uint32_t *vertices[TREE_COUNT] = {desc->points, desc->edges, desc->triangles};
    const uint32_t counts[TREE_COUNT] = {desc->point_count, desc->edge_count, desc->triangle_count};
    *made = NULL;
    BroadPhase *broad = array_new(1, sizeof *broad);
    if (!broad)
        return status_no_memory(message, "the search for contacts");
    broad->desc = *desc;
    JnStatus status = JN_OK;
    for (uint32_t k = 0; status == JN_OK && k < TREE_COUNT; ++k)
        status = primitive_tree_create(vertices[k], counts[k], k + 1, desc->groups, motion, &broad->trees[k], message);
    if (status == JN_OK && desc->touching) {
        broad->partner_boxes = array_new(12 * (size_t)desc->group_count, sizeof *broad->partner_boxes);
        if (!broad->partner_boxes)
            status = status_no_memory(message, "the search for contacts");
    }
    if (status == JN_OK)
        *made = broad;
    else
        broad_phase_destroy(broad);
    return status;
}

PairCandidates broad_phase_candidates(const BroadPhase *broad, PairKind kind) {
    const PairList *list = &broad->lists[kind];
    return (PairCandidates){(const uint32_t(*)[2])list->pairs, list->count};
}

void broad_phase_destroy(BroadPhase *broad) {
    if (!broad)
        return;
    for (int k = 0; k < TREE_COUNT; ++k)
        primitive_tree_free(&broad->trees[k]);
    for (int k = 0; k < PAIR_KIND_COUNT; ++k)
        pair_list_free(&broad->lists[k]);
    free(broad->partner_boxes);
    free(broad);
}
