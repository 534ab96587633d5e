#include "geometry/lattice_edges.h"
#include "geometry/array.h"
#include "geometry/index_sort.h"
#include "geometry/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 };

const uint8_t tet_edges[TET_EDGES][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* Numbers the edges that have an end inside, each once. */
static bool number_edges(const SolidLattice *lattice, const uint8_t *inside, LatticeEdges *edges) {
    size_t all = TET_EDGES * (size_t)lattice->tet_count, count = 0;
    uint32_t *keys = array_new(2 * all, sizeof *keys), *places = array_new(all, sizeof *places);
    edges->of_tet = array_new(all, sizeof *edges->of_tet);
    bool ready = keys && places && edges->of_tet;
    for (size_t i = 0; ready && i < all; ++i) {
        const uint32_t *tet = &lattice->bcc.tets[4 * (i / TET_EDGES)];
        uint32_t a = tet[tet_edges[i % TET_EDGES][0]], b = tet[tet_edges[i % TET_EDGES][1]];
        edges->of_tet[i] = UINT32_MAX;
        if (!inside[a] && !inside[b])
            continue;
        keys[2 * count] = a < b ? a : b;
        keys[2 * count + 1] = a < b ? b : a;
        places[count++] = (uint32_t)i;
    }
    uint32_t *order = ready ? index_sort_tuples(keys, count, 2, lattice->vertex_count) : NULL;
    edges->ends = order ? array_new(2 * count, sizeof *edges->ends) : NULL;
    ready = edges->ends != NULL;
    for (size_t i = 0; ready && i < count; ++i) {
        const uint32_t *key = &keys[2 * (size_t)order[i]];
        if (i == 0 || memcmp(key, &keys[2 * (size_t)order[i - 1]], 2 * sizeof *key) != 0)
            memcpy(&edges->ends[2 * (size_t)edges->count++], key, 2 * sizeof *key);
        edges->of_tet[places[order[i]]] = edges->count - 1;
    }
    free(keys);
    free(places);
    free(order);
    return ready;
}

typedef struct Breaking {
    const LatticeEdges *edges;
    const SolidLattice *lattice;
    const uint8_t *inside;
    const Interior *interior;
} Breaking;

static void find_states(void *context, uint32_t chunk) {
    const Breaking *work = context;
    for (uint32_t e = chunk * CHUNK; e < work->edges->count && e < (chunk + 1) * CHUNK; ++e) {
        const uint32_t *ends = &work->edges->ends[2 * (size_t)e];
        const double *start = &work->lattice->positions[3 * (size_t)ends[0]];
        double way[3];
        vec3_sub(&work->lattice->positions[3 * (size_t)ends[1]], start, way);
        double numbers[2] = {work->lattice->numbers[ends[0]], work->lattice->numbers[ends[1]]};
        bool both = work->inside[ends[0]] && work->inside[ends[1]];
        work->edges->states[e] = !both                                                   ? EDGE_OUTWARDS
                                 : interior_has_gap(work->interior, start, way, numbers) ? EDGE_BROKEN
                                                                                         : EDGE_WHOLE;
    }
}

void lattice_edges_groups(const LatticeEdges *edges, const SolidLattice *lattice, const uint8_t *inside, size_t tet,
                          uint8_t labels[4]) {
    const uint32_t *of_tet = &edges->of_tet[TET_EDGES * tet];
    for (uint8_t i = 0; i < 4; ++i)
        labels[i] = inside[lattice->bcc.tets[4 * tet + i]] ? i : 4;
    // a chain through all four corners has three edges
    for (int pass = 0; pass < 3; ++pass)
        for (int e = 0; e < TET_EDGES; ++e) {
            uint8_t *a = &labels[tet_edges[e][0]], *b = &labels[tet_edges[e][1]];
            if (of_tet[e] != UINT32_MAX && edges->states[of_tet[e]] == EDGE_WHOLE)
                *a = *b = *a < *b ? *a : *b;
        }
}

bool lattice_edges_build(const SolidLattice *lattice, const uint8_t *inside, const Interior *interior, Pool *pool,
                         LatticeEdges *edges) {
    *edges = (LatticeEdges){0};
    bool ready = number_edges(lattice, inside, edges);
    edges->states = ready ? array_new(edges->count, sizeof *edges->states) : NULL;
    if (!edges->states) {
        lattice_edges_free(edges);
        return false;
    }
    Breaking work = {edges, lattice, inside, interior};
    pool_run(pool, (edges->count + CHUNK - 1) / CHUNK, find_states, &work);
    return true;
}

void lattice_edges_free(LatticeEdges *edges) {
    free(edges->ends);
    free(edges->states);
    free(edges->of_tet);
    *edges = (LatticeEdges){0};
}
