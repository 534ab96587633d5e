/* First the vertices with few tets: all the tets around one make a patch. A patch couples all its vertices, but the
   centre vertex belongs to this patch only, so that a sparse factorization eliminates it first and the patch adds
   little fill. In cubes that are split into five tets every second vertex is of this kind, and stars of eight take up
   most of the mesh.

   Then patches grow one by one from a seed, over shared faces, always by the tet that keeps them most compact, and are
   then reduced to their most compact size. The next seed is the free tet with the fewest free neighbours, so that few
   tets are left over; these join the smallest neighbouring patches. */
#include "elastic/tet_patches.h"

#include "base/math3.h"
#include "base/status.h"
#include "elastic/scatter.h"
#include "elastic/tet_elements.h"
#include "geometry/index_sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 4, USUAL_LARGEST = 8, SIDES = 4 };
#define NONE UINT32_MAX    /* no neighbour */
#define FREE UINT32_MAX    /* a tet without a patch so far */
#define OUTSIDE (FREE - 1) /* a tet that belongs to no patch */

typedef struct Shape { /* of a patch or a tet */
    double volume, surface;
} Shape;

/* Candidate seeds, first in first out among those with the same number of free neighbours. */
typedef struct Front {
    uint32_t *next; /* [SIDES + 1][tet_count]: lists through the tets */
    uint32_t first[SIDES + 1], last[SIDES + 1];
    bool *listed; /* [SIDES + 1][tet_count]: was in the list once */
} Front;

typedef struct Partition {
    uint32_t tet_count;
    uint32_t *neighbours; /* [tet_count * 4], across the face opposite each corner; NONE: none of the same group */
    double *areas;        /* [tet_count * 4] of those faces */
    double *volumes;      /* [tet_count] */
    uint32_t *owner;      /* [tet_count] the tet's patch, or FREE or OUTSIDE */
    Shape *shapes;        /* [tet_count] of the patches; there may be as many as tets */
    uint32_t *sizes;      /* [tet_count] of the patches */
    uint32_t patch_count;
    uint32_t *order; /* [tet_count] along a curve */
    Front front;
} Partition;

static double roundness(Shape shape) {
    return shape.volume * shape.volume / (shape.surface * shape.surface * shape.surface);
}

/* Whether one shape is rounder than another by more than rounding, so that of equally round ones the first is taken,
   whatever the unit of length and the place of the mesh. */
static bool is_rounder(double roundness, double than) {
    return roundness > than * (1 + 1e-9);
}

/* `shape` with tet t added; `patch` owns what is in it already. */
static Shape grown(const Partition *partition, Shape shape, uint32_t t, uint32_t patch) {
    shape.volume += partition->volumes[t];
    for (size_t side = SIDES * (size_t)t; side < SIDES * (size_t)t + SIDES; ++side) {
        uint32_t neighbour = partition->neighbours[side];
        bool inside = neighbour != NONE && partition->owner[neighbour] == patch;
        shape.surface += inside ? -partition->areas[side] : partition->areas[side];
    }
    return shape;
}

/* ------------------------------------------------------------------------------------------------ mesh */

/* Corners of the face opposite each corner. */
static const int face_corners[SIDES][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};

static void measure(const JnTets *mesh, Partition *partition) {
    for (size_t side = 0; side < SIDES * (size_t)mesh->tet_count; ++side) {
        const uint32_t *tet = mesh->tet_vertices + side / SIDES * 4;
        const int *face = face_corners[side % SIDES];
        double ab[3], ac[3], cross[3];
        vec3_sub(mesh->positions + 3 * (size_t)tet[face[1]], mesh->positions + 3 * (size_t)tet[face[0]], ab);
        vec3_sub(mesh->positions + 3 * (size_t)tet[face[2]], mesh->positions + 3 * (size_t)tet[face[0]], ac);
        vec3_cross(ab, ac, cross);
        partition->areas[side] = 0.5 * vec3_length(cross);
    }
    for (size_t t = 0; t < mesh->tet_count; ++t)
        partition->volumes[t] = tet_volume(mesh->positions, mesh->tet_vertices + 4 * t);
}

/* Joins the two sides of every face between tets of the same group. */
static JnStatus find_neighbours(const JnTets *mesh, const int32_t *groups, uint32_t *neighbours, JnMessage *message) {
    size_t count = SIDES * (size_t)mesh->tet_count;
    uint32_t *keys = malloc((3 * count + 1) * sizeof *keys), *sorted = NULL;
    for (size_t side = 0; keys && side < count; ++side) {
        neighbours[side] = NONE;
        for (size_t i = 0; i < 3; ++i)
            keys[3 * side + i] = mesh->tet_vertices[side / SIDES * 4 + (size_t)face_corners[side % SIDES][i]];
        index_sort_three(keys + 3 * side);
    }
    if (keys)
        sorted = index_sort_tuples(keys, count, 3, mesh->vertex_count);
    for (size_t k = 0; sorted && k + 1 < count; ++k) {
        size_t a = sorted[k], b = sorted[k + 1];
        uint32_t tet_a = (uint32_t)(a / SIDES), tet_b = (uint32_t)(b / SIDES);
        if (memcmp(keys + 3 * a, keys + 3 * b, 3 * sizeof *keys) == 0 && neighbours[a] == NONE &&
            groups[tet_a] == groups[tet_b]) {
            neighbours[a] = tet_b;
            neighbours[b] = tet_a;
        }
    }
    bool ok = sorted != NULL;
    free(keys);
    free(sorted);
    return ok ? JN_OK : status_no_memory(message, "the patches of tets");
}

/* ------------------------------------------------------------------------------------------------ front */

static void front_push(Partition *partition, uint32_t t) {
    Front *front = &partition->front;
    size_t room = 0, n = partition->tet_count;
    for (size_t side = SIDES * (size_t)t; side < SIDES * (size_t)t + SIDES; ++side)
        room += partition->neighbours[side] != NONE && partition->owner[partition->neighbours[side]] == FREE;
    if (front->listed[room * n + t])
        return;
    front->listed[room * n + t] = true;
    front->next[room * n + t] = NONE;
    if (front->first[room] == NONE)
        front->first[room] = t;
    else
        front->next[room * n + front->last[room]] = t;
    front->last[room] = t;
}

/* The free tet with the fewest free neighbours; NONE: there is no front. */
static uint32_t front_pop(Partition *partition) {
    Front *front = &partition->front;
    for (size_t room = 0; room <= SIDES; ++room)
        while (front->first[room] != NONE) {
            uint32_t t = front->first[room];
            front->first[room] = front->next[room * partition->tet_count + t];
            if (partition->owner[t] == FREE)
                return t;
        }
    return NONE;
}

/* ------------------------------------------------------------------------------------------------ growing */

/* The free neighbour of members[0..size) that makes the most compact patch; NONE: there is none. */
static uint32_t best_neighbour(const Partition *partition, const uint32_t *members, uint32_t size, Shape shape,
                               uint32_t patch) {
    uint32_t best = NONE;
    double best_roundness = -1;
    for (uint32_t m = 0; m < size; ++m)
        for (size_t side = 0; side < SIDES; ++side) {
            uint32_t t = partition->neighbours[SIDES * (size_t)members[m] + side];
            if (t == NONE || partition->owner[t] != FREE)
                continue;
            double candidate = roundness(grown(partition, shape, t, patch));
            if (is_rounder(candidate, best_roundness)) {
                best_roundness = candidate;
                best = t;
            }
        }
    return best;
}

/* Whether tets[0..size), all owned by `patch`, are connected by faces. size: at most USUAL_LARGEST. */
static bool hangs_together(const Partition *partition, const uint32_t *tets, uint32_t size, uint32_t patch) {
    uint32_t reached[USUAL_LARGEST] = {tets[0]}, count = 1;
    for (uint32_t m = 0; m < count; ++m)
        for (size_t side = 0; side < SIDES; ++side) {
            uint32_t t = partition->neighbours[SIDES * (size_t)reached[m] + side];
            bool known = t == NONE || partition->owner[t] != patch;
            for (uint32_t k = 0; k < count && !known; ++k)
                known = reached[k] == t;
            if (!known)
                reached[count++] = t;
        }
    return count == size;
}

/* How many vertices the tets have. count: at most USUAL_LARGEST. */
static uint32_t count_vertices(const JnTets *mesh, const uint32_t *tets, uint32_t count) {
    uint32_t found[4 * USUAL_LARGEST], vertices = 0;
    for (uint32_t c = 0; c < 4 * count; ++c) {
        uint32_t k = 0, vertex = mesh->tet_vertices[4 * (size_t)tets[c / 4] + c % 4];
        while (k < vertices && found[k] != vertex)
            ++k;
        found[k] = vertex;
        vertices += k == vertices;
    }
    return vertices;
}

/* The star of one vertex becomes a patch, if its tets are all free and connected. An inner vertex with n tets has n / 2
   + 2 neighbours; one more is allowed, as for a vertex on a flat side of split cubes. A star with more of them would
   add too much fill. */
static void claim_star(Partition *partition, const JnTets *mesh, const uint32_t *star, uint32_t size) {
    uint32_t patch = partition->patch_count;
    Shape shape = {0, 0};
    bool taken = size >= SMALLEST && size <= USUAL_LARGEST && 2 * count_vertices(mesh, star, size) <= size + 8;
    for (uint32_t k = 0; taken && k < size; ++k)
        taken = partition->owner[star[k]] == FREE;
    if (!taken)
        return;
    for (uint32_t k = 0; k < size; ++k) {
        shape = grown(partition, shape, star[k], patch);
        partition->owner[star[k]] = patch;
    }
    if (hangs_together(partition, star, size, patch)) {
        partition->shapes[patch] = shape;
        partition->sizes[patch] = size;
        ++partition->patch_count;
    } else {
        for (uint32_t k = 0; k < size; ++k)
            partition->owner[star[k]] = FREE;
    }
}

static JnStatus claim_stars(Partition *partition, const JnTets *mesh, JnMessage *message) {
    size_t count = 4 * (size_t)mesh->tet_count;
    uint32_t *starts = calloc((size_t)mesh->vertex_count + 2, sizeof *starts);
    uint32_t *tets = malloc((count + 1) * sizeof *tets);
    if (!starts || !tets) {
        free(starts);
        free(tets);
        return status_no_memory(message, "the patches of tets");
    }
    /* starts[v + 1] is where the tets of v are filled next; they end where those of v + 1 begin */
    for (size_t i = 0; i < count; ++i)
        ++starts[mesh->tet_vertices[i] + 2];
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        starts[v + 2] += starts[v + 1];
    for (size_t i = 0; i < count; ++i)
        tets[starts[mesh->tet_vertices[i] + 1]++] = (uint32_t)(i / 4);
    for (size_t v = 0; v < mesh->vertex_count; ++v)
        claim_star(partition, mesh, tets + starts[v], starts[v + 1] - starts[v]);
    free(starts);
    free(tets);
    return JN_OK;
}

/* A patch around a free seed. One with fewer than `smallest` tets is not kept: its tets get the owner `left`,
   which no patch has, and join others later. */
static void grow_patch(Partition *partition, uint32_t seed, uint32_t smallest, uint32_t left) {
    uint32_t members[USUAL_LARGEST], size = 0, kept = 0, patch = partition->patch_count;
    Shape shape = {0, 0}, kept_shape = {0, 0};
    for (uint32_t t = seed; t != NONE;
         t = size < USUAL_LARGEST ? best_neighbour(partition, members, size, shape, patch) : NONE) {
        shape = grown(partition, shape, t, patch);
        partition->owner[t] = patch;
        members[size++] = t;
        if (size <= SMALLEST || is_rounder(roundness(shape), roundness(kept_shape))) {
            kept = size;
            kept_shape = shape;
        }
    }
    bool enough = kept >= smallest;
    for (uint32_t m = 0; m < size; ++m)
        partition->owner[members[m]] = m >= kept ? FREE : enough ? patch : left;
    if (!enough)
        return;
    partition->shapes[patch] = kept_shape;
    partition->sizes[patch] = kept;
    ++partition->patch_count;
    for (uint32_t m = 0; m < kept; ++m)
        for (size_t side = 0; side < SIDES; ++side) {
            uint32_t t = partition->neighbours[SIDES * (size_t)members[m] + side];
            if (t != NONE && partition->owner[t] == FREE)
                front_push(partition, t);
        }
}

/* Tet t joins the smallest neighbouring patch, if one has room; of several, the one that stays most compact. */
static bool join_neighbour(Partition *partition, uint32_t t) {
    uint32_t best = NONE, best_size = TET_PATCH_LARGEST;
    double best_roundness = -1;
    for (size_t side = SIDES * (size_t)t; side < SIDES * (size_t)t + SIDES; ++side) {
        uint32_t patch = partition->neighbours[side] == NONE ? NONE : partition->owner[partition->neighbours[side]];
        if (patch >= partition->patch_count || partition->sizes[patch] == TET_PATCH_LARGEST)
            continue;
        uint32_t size = partition->sizes[patch];
        double candidate = roundness(grown(partition, partition->shapes[patch], t, patch));
        if (size < best_size || (size == best_size && is_rounder(candidate, best_roundness))) {
            best_roundness = candidate;
            best_size = size;
            best = patch;
        }
    }
    if (best == NONE)
        return false;
    partition->shapes[best] = grown(partition, partition->shapes[best], t, best);
    partition->owner[t] = best;
    ++partition->sizes[best];
    return true;
}

/* Patches of all free tets. */
static void grow_patches(Partition *partition) {
    const uint32_t left = OUTSIDE - 1;
    for (uint32_t k = 0; k < partition->tet_count; ++k) {
        uint32_t seed = partition->order[k];
        if (partition->owner[seed] == FREE)
            grow_patch(partition, seed, SMALLEST, left);
        while ((seed = front_pop(partition)) != NONE)
            grow_patch(partition, seed, SMALLEST, left);
    }
    /* tets left over join neighbouring patches, from the outside in */
    for (bool joined = true; joined;) {
        joined = false;
        for (uint32_t k = 0; k < partition->tet_count; ++k)
            if (partition->owner[partition->order[k]] == left)
                joined |= join_neighbour(partition, partition->order[k]);
    }
    /* those that no neighbour has room for make patches below the smallest size */
    for (uint32_t t = 0; t < partition->tet_count; ++t)
        if (partition->owner[t] == left)
            partition->owner[t] = FREE;
    for (uint32_t k = 0; k < partition->tet_count; ++k)
        if (partition->owner[partition->order[k]] == FREE)
            grow_patch(partition, partition->order[k], 1, left);
}

/* ------------------------------------------------------------------------------------------------ all of it */

/* Lists the tets patch by patch, the patches in the order in which the curve meets them. */
static JnStatus list_patches(const Partition *partition, TetPatches *patches, JnMessage *message) {
    uint32_t *number = malloc(((size_t)partition->patch_count + 1) * sizeof *number), count = 0;
    patches->starts = calloc((size_t)partition->patch_count + 2, sizeof *patches->starts);
    patches->tets = malloc(((size_t)partition->tet_count + 1) * sizeof *patches->tets);
    if (!number || !patches->starts || !patches->tets) {
        free(number);
        tet_patches_free(patches);
        return status_no_memory(message, "the patches of tets");
    }
    memset(number, 0xff, ((size_t)partition->patch_count + 1) * sizeof *number);
    for (uint32_t k = 0; k < partition->tet_count; ++k) {
        uint32_t patch = partition->owner[partition->order[k]];
        if (patch < partition->patch_count && number[patch] == NONE) {
            number[patch] = count++;
            patches->starts[count + 1] = patches->starts[count] + partition->sizes[patch];
        }
    }
    /* starts[p + 1] is where patch p is filled next; it ends where patch p + 1 begins */
    for (uint32_t k = 0; k < partition->tet_count; ++k) {
        uint32_t t = partition->order[k], patch = partition->owner[t];
        if (patch < partition->patch_count)
            patches->tets[patches->starts[number[patch] + 1]++] = t;
    }
    patches->patch_count = count;
    free(number);
    return JN_OK;
}

static bool partition_allocate(Partition *partition, size_t n) {
    partition->tet_count = (uint32_t)n;
    partition->neighbours = malloc((SIDES * n + 1) * sizeof *partition->neighbours);
    partition->areas = malloc((SIDES * n + 1) * sizeof *partition->areas);
    partition->volumes = malloc((n + 1) * sizeof *partition->volumes);
    partition->owner = malloc((n + 1) * sizeof *partition->owner);
    partition->shapes = malloc((n + 1) * sizeof *partition->shapes);
    partition->sizes = malloc((n + 1) * sizeof *partition->sizes);
    partition->order = malloc((n + 1) * sizeof *partition->order);
    partition->front.next = malloc(((SIDES + 1) * n + 1) * sizeof *partition->front.next);
    partition->front.listed = calloc((SIDES + 1) * n + 1, sizeof *partition->front.listed);
    memset(partition->front.first, 0xff, sizeof partition->front.first);
    return partition->neighbours && partition->areas && partition->volumes && partition->owner && partition->shapes &&
           partition->sizes && partition->order && partition->front.next && partition->front.listed;
}

static void partition_free(Partition *partition) {
    void *arrays[] = {partition->neighbours, partition->areas,      partition->volumes,
                      partition->owner,      partition->shapes,     partition->sizes,
                      partition->order,      partition->front.next, partition->front.listed};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
}

JnStatus tet_patches_build(const JnTets *mesh, const int32_t *groups, TetPatches *patches, JnMessage *message) {
    Partition partition = {0};
    memset(patches, 0, sizeof *patches);
    JnStatus status =
        partition_allocate(&partition, mesh->tet_count) ? JN_OK : status_no_memory(message, "the patches of tets");
    if (status == JN_OK)
        status = scatter_curve_order(mesh->positions, mesh->vertex_count, mesh->tet_vertices, mesh->tet_count,
                                     partition.order, message);
    if (status == JN_OK)
        status = find_neighbours(mesh, groups, partition.neighbours, message);
    if (status == JN_OK) {
        measure(mesh, &partition);
        for (uint32_t t = 0; t < mesh->tet_count; ++t)
            partition.owner[t] = groups[t] == TET_PATCHES_NO_GROUP ? OUTSIDE : FREE;
        status = claim_stars(&partition, mesh, message);
    }
    if (status == JN_OK) {
        grow_patches(&partition);
        status = list_patches(&partition, patches, message);
    }
    partition_free(&partition);
    return status;
}

void tet_patches_free(TetPatches *patches) {
    free(patches->starts);
    free(patches->tets);
    memset(patches, 0, sizeof *patches);
}
