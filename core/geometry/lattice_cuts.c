#include "geometry/lattice_cuts.h"
#include "geometry/array.h"
#include "geometry/vec3.h"
#include "base/disjoint_sets.h"

#include <math.h>
#include <stdlib.h>

/* A vertex moves onto a cut that is nearer than this part of the edge: for edges along an axis, and for others. With
   these a uniform lattice has no dihedral angle below 10.7 degrees on a smooth surface. */
#define SNAP_LONG 0.24999
#define SNAP_SHORT 0.41189
enum { CHUNK = 16 };

static bool collect_cuts(const uint8_t *inside, const LatticeEdges *edges, LatticeCuts *cuts) {
    for (uint32_t e = 0; e < edges->count; ++e)
        cuts->count += edges->states[e] == EDGE_OUTWARDS ? 1 : edges->states[e] == EDGE_BROKEN ? 2 : 0;
    cuts->cuts = array_new(cuts->count, sizeof *cuts->cuts);
    LatticeCut *cut = cuts->cuts;
    for (uint32_t e = 0; cut && e < edges->count; ++e)
        for (int i = 0; i < 2; ++i) {
            uint32_t start = edges->ends[2 * (size_t)e + (size_t)i], end = edges->ends[2 * (size_t)e + (size_t)!i];
            if (edges->states[e] != EDGE_WHOLE && inside[start])
                *cut++ = (LatticeCut){start, end, 0};
        }
    return cuts->cuts != NULL;
}

typedef struct Cutting {
    const LatticeCuts *cuts;
    const SolidLattice *lattice;
    const Interior *interior;
} Cutting;

static void find_parts(void *context, uint32_t chunk) {
    const Cutting *work = context;
    for (uint32_t c = chunk * CHUNK; c < work->cuts->count && c < (chunk + 1) * CHUNK; ++c) {
        LatticeCut *cut = &work->cuts->cuts[c];
        const double *start = &work->lattice->positions[3 * (size_t)cut->inside];
        double way[3];
        vec3_sub(&work->lattice->positions[3 * (size_t)cut->end], start, way);
        cut->part =
            interior_leave(work->interior, start, way,
                           (const double[2]){work->lattice->numbers[cut->inside], work->lattice->numbers[cut->end]});
    }
}

static bool order_cuts(uint32_t vertex_count, LatticeCuts *cuts) {
    cuts->first_cuts = array_new((size_t)vertex_count + 2, sizeof *cuts->first_cuts);
    cuts->ordered = array_new(cuts->count, sizeof *cuts->ordered);
    if (!cuts->first_cuts || !cuts->ordered)
        return false;
    // counted two places further, so that filling leaves the starts in place
    for (uint32_t c = 0; c < cuts->count; ++c)
        ++cuts->first_cuts[cuts->cuts[c].inside + 2];
    for (size_t v = 2; v < (size_t)vertex_count + 2; ++v)
        cuts->first_cuts[v] += cuts->first_cuts[v - 1];
    for (uint32_t c = 0; c < cuts->count; ++c)
        cuts->ordered[cuts->first_cuts[cuts->cuts[c].inside + 1]++] = c;
    return true;
}

uint32_t lattice_cuts_find(const LatticeCuts *cuts, uint32_t inside, uint32_t end) {
    uint32_t i = cuts->first_cuts[inside];
    while (cuts->cuts[cuts->ordered[i]].end != end)
        ++i;
    return cuts->ordered[i];
}

static bool find_ghosts(const SolidLattice *lattice, const uint8_t *inside, const LatticeEdges *edges,
                        LatticeCuts *cuts) {
    cuts->ghosts = array_new(cuts->count, sizeof *cuts->ghosts);
    if (!cuts->ghosts)
        return false;
    disjoint_sets_init(cuts->ghosts, cuts->count);
    for (size_t t = 0; t < lattice->tet_count; ++t) {
        const uint32_t *tet = &lattice->bcc.tets[4 * t];
        if (!inside[tet[0]] && !inside[tet[1]] && !inside[tet[2]] && !inside[tet[3]])
            continue;
        uint8_t labels[4];
        lattice_edges_groups(edges, lattice, inside, t, labels);
        for (int end = 0; end < 4; ++end)
            for (int i = 0; i < 4; ++i) {
                // the first of a group is its label
                if (labels[i] == 4 || labels[i] == labels[end] || labels[i] == i)
                    continue;
                disjoint_sets_join(cuts->ghosts, lattice_cuts_find(cuts, tet[i], tet[end]),
                                   lattice_cuts_find(cuts, tet[labels[i]], tet[end]));
            }
    }
    for (uint32_t c = 0; c < cuts->count; ++c)
        cuts->ghosts[c] = disjoint_sets_root(cuts->ghosts, c);
    return true;
}

static bool along_axis(const SolidLattice *lattice, uint32_t a, uint32_t b) {
    int same = 0;
    for (size_t k = 0; k < 3; ++k)
        same += lattice->bcc.places[3 * (size_t)a + k] == lattice->bcc.places[3 * (size_t)b + k];
    return same == 2;
}

/* The distance of an end of a cut from it if that is near enough to move there; else INFINITY. */
static double snap_distance(const SolidLattice *lattice, const LatticeCut *cut, double part) {
    if (part >= (along_axis(lattice, cut->inside, cut->end) ? SNAP_LONG : SNAP_SHORT))
        return INFINITY;
    return part * part *
           vec3_distance_squared(&lattice->positions[3 * (size_t)cut->inside],
                                 &lattice->positions[3 * (size_t)cut->end]);
}

/* Moves ghosts and vertices onto their nearest cuts if those are too near, which also settles their other cuts. Ghosts
   move first, so that as many vertices inside as possible stay inside where the solid is thin. */
static bool snap(const SolidLattice *lattice, LatticeCuts *cuts) {
    double *nearest = array_new(cuts->count, sizeof *nearest);
    cuts->vertex_snaps = array_new(lattice->vertex_count, sizeof *cuts->vertex_snaps);
    cuts->ghost_snaps = array_new(cuts->count, sizeof *cuts->ghost_snaps);
    bool ready = nearest && cuts->vertex_snaps && cuts->ghost_snaps;
    for (uint32_t c = 0; ready && c < cuts->count; ++c) {
        nearest[c] = INFINITY;
        cuts->ghost_snaps[c] = LATTICE_NO_CUT;
    }
    for (uint32_t c = 0; ready && c < cuts->count; ++c) {
        double distance = snap_distance(lattice, &cuts->cuts[c], 1 - cuts->cuts[c].part);
        uint32_t ghost = cuts->ghosts[c];
        if (distance < nearest[ghost]) {
            nearest[ghost] = distance;
            cuts->ghost_snaps[ghost] = c;
        }
    }
    for (uint32_t v = 0; ready && v < lattice->vertex_count; ++v) {
        double least = INFINITY;
        cuts->vertex_snaps[v] = LATTICE_NO_CUT;
        for (uint32_t i = cuts->first_cuts[v]; i < cuts->first_cuts[v + 1]; ++i) {
            uint32_t c = cuts->ordered[i];
            double distance = cuts->ghost_snaps[cuts->ghosts[c]] != LATTICE_NO_CUT
                                  ? INFINITY
                                  : snap_distance(lattice, &cuts->cuts[c], cuts->cuts[c].part);
            if (distance < least) {
                least = distance;
                cuts->vertex_snaps[v] = c;
            }
        }
    }
    free(nearest);
    return ready;
}

bool lattice_cuts_build(const SolidLattice *lattice, const uint8_t *inside, const LatticeEdges *edges,
                        const Interior *interior, Pool *pool, LatticeCuts *cuts) {
    *cuts = (LatticeCuts){0};
    bool done = collect_cuts(inside, edges, cuts);
    Cutting work = {cuts, lattice, interior};
    if (done)
        pool_run(pool, (cuts->count + CHUNK - 1) / CHUNK, find_parts, &work);
    done = done && order_cuts(lattice->vertex_count, cuts) && find_ghosts(lattice, inside, edges, cuts) &&
           snap(lattice, cuts);
    if (!done)
        lattice_cuts_free(cuts);
    return done;
}

void lattice_cuts_free(LatticeCuts *cuts) {
    free(cuts->cuts);
    free(cuts->first_cuts);
    free(cuts->ordered);
    free(cuts->ghosts);
    free(cuts->vertex_snaps);
    free(cuts->ghost_snaps);
    *cuts = (LatticeCuts){0};
}
