#include "geometry/bcc_lattice.h"
#include "geometry/array.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct Making {
    const Octree *octree;
    BccLattice *lattice;
    size_t vertex_capacity, tet_capacity;
    uint32_t *slots;   /* [slot_count] vertex + 1; 0: free */
    size_t slot_count; /* a power of two */
    bool failed;       /* out of memory */
} Making;

static size_t slot_of(const Making *work, const int32_t place[3]) {
    uint64_t key =
        (uint64_t)(uint32_t)place[0] | (uint64_t)(uint32_t)place[1] << 21 | (uint64_t)(uint32_t)place[2] << 42;
    return (size_t)((key * 0x9E3779B97F4A7C15u) >> 20) & (work->slot_count - 1);
}

static bool grow_slots(Making *work) {
    size_t count = work->slot_count ? 2 * work->slot_count : 4096;
    uint32_t *slots = array_new(count, sizeof *slots);
    if (!slots)
        return false;
    free(work->slots);
    work->slots = slots;
    work->slot_count = count;
    for (uint32_t v = 0; v < work->lattice->vertex_count; ++v) {
        size_t slot = slot_of(work, &work->lattice->places[3 * (size_t)v]);
        while (slots[slot])
            slot = (slot + 1) & (count - 1);
        slots[slot] = v + 1;
    }
    return true;
}

/* The number of the vertex at `place`, which is added if it is new. */
static uint32_t vertex_at(Making *work, const int32_t place[3]) {
    BccLattice *lattice = work->lattice;
    if (work->failed || (2 * ((size_t)lattice->vertex_count + 1) > work->slot_count && !grow_slots(work))) {
        work->failed = true;
        return 0;
    }
    size_t slot = slot_of(work, place);
    for (; work->slots[slot]; slot = (slot + 1) & (work->slot_count - 1))
        if (memcmp(&lattice->places[3 * (size_t)(work->slots[slot] - 1)], place, 3 * sizeof *place) == 0)
            return work->slots[slot] - 1;
    int32_t *places =
        array_grow(lattice->places, &work->vertex_capacity, 3 * ((size_t)lattice->vertex_count + 1), sizeof *places);
    if (!places) {
        work->failed = true;
        return 0;
    }
    lattice->places = places;
    memcpy(&places[3 * (size_t)lattice->vertex_count], place, 3 * sizeof *place);
    work->slots[slot] = ++lattice->vertex_count;
    return lattice->vertex_count - 1;
}

/* Adds the tet of four places, positive whatever their order. */
static void add_tet(Making *work, const int32_t *const places[4]) {
    int64_t e[3][3];
    for (int i = 0; i < 3; ++i)
        for (int a = 0; a < 3; ++a)
            e[i][a] = (int64_t)places[i + 1][a] - places[0][a];
    int64_t det = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                  e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) + e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    BccLattice *lattice = work->lattice;
    uint32_t *tets = work->failed ? NULL
                                  : array_grow(lattice->tets, &work->tet_capacity, 4 * ((size_t)lattice->tet_count + 1),
                                               sizeof *tets);
    if (!tets) {
        work->failed = true;
        return;
    }
    lattice->tets = tets;
    uint32_t *tet = &tets[4 * (size_t)lattice->tet_count++];
    for (int i = 0; i < 4; ++i)
        tet[i] = vertex_at(work, places[i]);
    if (det < 0) {
        uint32_t swap = tet[2];
        tet[2] = tet[3];
        tet[3] = swap;
    }
}

/* Whether the cube of the leaf's size whose centre is `at` has been split further. */
static bool is_split(const Octree *octree, const int32_t at[3], int32_t size) {
    const OctreeNode *leaf = octree_leaf(octree, at);
    return leaf && leaf->size < size;
}

/* The four tets around the line between the centres of two leaves of the same size, each cut in two where the edge of
   their face has a vertex in its middle. */
static void join_equal(Making *work, const int32_t center[3], const int32_t other[3], int32_t corners[4][3],
                       int32_t size) {
    for (int i = 0; i < 4; ++i) {
        const int32_t *a = corners[i], *b = corners[(i + 1) % 4];
        int32_t middle[3], beside[3], beside_other[3];
        for (int k = 0; k < 3; ++k) {
            middle[k] = (a[k] + b[k]) / 2;
            // from the middle of the face across the edge, one leaf further
            int32_t out = 2 * middle[k] - (center[k] + other[k]);
            beside[k] = center[k] + out;
            beside_other[k] = other[k] + out;
        }
        if (is_split(work->octree, beside, size) || is_split(work->octree, beside_other, size)) {
            add_tet(work, (const int32_t *const[4]){center, other, a, middle});
            add_tet(work, (const int32_t *const[4]){center, other, middle, b});
        } else {
            add_tet(work, (const int32_t *const[4]){center, other, a, b});
        }
    }
}

/* The face of a leaf towards one of twice its size, cut along the diagonal that ends in the middle of the large face:
   two tets on each side. */
static void join_larger(Making *work, const int32_t center[3], const OctreeNode *large, int32_t corners[4][3]) {
    int32_t large_center[3];
    for (int k = 0; k < 3; ++k)
        large_center[k] = large->corner[k] + large->size / 2;
    int inner = 0;
    for (int i = 0; i < 4; ++i) {
        int equal = 0;
        for (int k = 0; k < 3; ++k)
            equal += corners[i][k] == large_center[k];
        if (equal >= 2)
            inner = i;
    }
    const int32_t *first = corners[inner], *across = corners[(inner + 2) % 4];
    for (int k = 1; k <= 3; k += 2) {
        const int32_t *side = corners[(inner + k) % 4];
        add_tet(work, (const int32_t *const[4]){center, first, side, across});
        add_tet(work, (const int32_t *const[4]){large_center, first, side, across});
    }
}

static void make_face(Making *work, const OctreeNode *leaf, int axis, int side) {
    int32_t half = leaf->size / 2, center[3], at[3], corners[4][3];
    for (int k = 0; k < 3; ++k)
        center[k] = at[k] = leaf->corner[k] + half;
    at[axis] += side * leaf->size;
    const OctreeNode *neighbour = octree_leaf(work->octree, at);
    if (!neighbour || neighbour->size < leaf->size || (neighbour->size == leaf->size && side < 0))
        return;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int i = 0; i < 4; ++i) {
        corners[i][axis] = center[axis] + side * half;
        corners[i][u] = center[u] + (i == 1 || i == 2 ? half : -half);
        corners[i][v] = center[v] + (i >= 2 ? half : -half);
    }
    if (neighbour->size == leaf->size)
        join_equal(work, center, at, corners, leaf->size);
    else
        join_larger(work, center, neighbour, corners);
}

JnStatus bcc_lattice_build(const Octree *octree, BccLattice *lattice, JnMessage *message) {
    *lattice = (BccLattice){0};
    Making work = {.octree = octree, .lattice = lattice};
    for (uint32_t i = 0; i < octree->node_count && !work.failed; ++i)
        for (int face = 0; face < 6 && !octree->nodes[i].children; ++face)
            make_face(&work, &octree->nodes[i], face / 2, face % 2 ? 1 : -1);
    free(work.slots);
    if (!work.failed)
        return JN_OK;
    bcc_lattice_free(lattice);
    return status_no_memory(message, "the cells of the simulation mesh");
}

void bcc_lattice_free(BccLattice *lattice) {
    free(lattice->places);
    free(lattice->tets);
    *lattice = (BccLattice){0};
}
