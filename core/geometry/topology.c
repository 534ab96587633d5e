#include "geometry/topology.h"
#include "geometry/array.h"
#include "geometry/index_sort.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

typedef struct Placed {
    double position[3];
    uint32_t vertex;
} Placed;

static int compare_places(const void *left, const void *right) {
    const Placed *a = left, *b = right;
    for (int i = 0; i < 3; ++i)
        if (a->position[i] != b->position[i])
            return a->position[i] < b->position[i] ? -1 : 1;
    return a->vertex < b->vertex ? -1 : a->vertex > b->vertex;
}

uint32_t *topology_weld(const double *positions, uint32_t vertex_count) {
    uint32_t *representative = array_new(vertex_count, sizeof *representative);
    Placed *placed = array_new(vertex_count, sizeof *placed);
    if (!representative || !placed) {
        free(representative);
        free(placed);
        return NULL;
    }
    for (uint32_t v = 0; v < vertex_count; ++v) {
        memcpy(placed[v].position, &positions[3 * (size_t)v], sizeof placed[v].position);
        placed[v].vertex = v;
    }
    qsort(placed, vertex_count, sizeof *placed, compare_places);

    // coincident vertices are now adjacent, the lowest first
    for (uint32_t i = 0; i < vertex_count; ++i) {
        bool same = i > 0;
        for (int a = 0; same && a < 3; ++a)
            same = placed[i].position[a] == placed[i - 1].position[a];
        representative[placed[i].vertex] = same ? representative[placed[i - 1].vertex] : placed[i].vertex;
    }
    free(placed);
    return representative;
}

/* The sorted vertices of every edge with two different ends, and in `forward` whether it was traversed from the lower
   to the higher. Returns their number. */
static size_t collect_edges(const uint32_t *triangles, uint32_t triangle_count, const uint32_t *representative,
                            uint32_t *keys, bool *forward) {
    size_t count = 0;
    for (size_t corner = 0; corner < 3 * (size_t)triangle_count; ++corner) {
        size_t next = corner % 3 == 2 ? corner - 2 : corner + 1;
        uint32_t a = representative[triangles[corner]], b = representative[triangles[next]];
        if (a == b)
            continue;
        keys[2 * count] = a < b ? a : b;
        keys[2 * count + 1] = a < b ? b : a;
        forward[count++] = a < b;
    }
    return count;
}

JnStatus topology_edges(const uint32_t *triangles, uint32_t triangle_count, const uint32_t *representative,
                        uint32_t vertex_count, TopologyEdges *edges, JnMessage *message) {
    *edges = (TopologyEdges){.oriented = true};
    if (triangle_count > UINT32_MAX / 3)
        return status_fail(message, JN_ERR_MESH, "the surface has %u triangles: at most %u can be counted",
                           triangle_count, UINT32_MAX / 3);
    uint32_t *keys = array_new(6 * (size_t)triangle_count, sizeof *keys);
    bool *forward = array_new(3 * (size_t)triangle_count, sizeof *forward);
    uint32_t *order = NULL;
    size_t count = 0;
    if (keys && forward) {
        count = collect_edges(triangles, triangle_count, representative, keys, forward);
        order = index_sort_tuples(keys, count, 2, vertex_count);
    }

    // every run of equal keys is one edge with all its triangles
    for (size_t first = 0, end; order && first < count; first = end) {
        const uint32_t *key = &keys[2 * (size_t)order[first]];
        int64_t balance = 0;
        for (end = first; end < count && memcmp(key, &keys[2 * (size_t)order[end]], 2 * sizeof *key) == 0; ++end)
            balance += forward[order[end]] ? 1 : -1;
        edges->oriented = edges->oriented && balance == 0;
        if ((end - first) % 2 == 0)
            continue;
        bool is_open = end - first == 1;
        if (is_open ? edges->open_count == 0 : edges->open_count + edges->odd_count == 0)
            memcpy(edges->first_open, key, sizeof edges->first_open);
        edges->open_count += is_open;
        edges->odd_count += !is_open;
    }
    bool done = order != NULL;
    free(keys);
    free(forward);
    free(order);
    return done ? JN_OK : status_no_memory(message, "the edges of a surface");
}
