#include "geometry/stuffing.h"
#include "geometry/array.h"
#include "geometry/lattice_cuts.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

#define UNUSED UINT32_MAX

/* Everything under construction. Its vertices are numbered later; until then they are those of the lattice, then the
   ghosts, then the cuts. */
typedef struct Stuffing {
    const SolidLattice *lattice;
    uint8_t *inside; /* [vertex_count] of the lattice */
    LatticeEdges edges;
    LatticeCuts cuts;
} Stuffing;

/* The tets so far. */
typedef struct Output {
    uint32_t *tets;
    size_t count, capacity; /* of numbers */
    bool failed;
} Output;

static void add_tet(Output *output, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    uint32_t *tets =
        output->failed ? NULL : array_grow(output->tets, &output->capacity, output->count + 4, sizeof *tets);
    if (!tets) {
        output->failed = true;
        return;
    }
    output->tets = tets;
    uint32_t *tet = &tets[output->count];
    output->count += 4;
    tet[0] = a, tet[1] = b, tet[2] = c, tet[3] = d;
}

static bool is_ghost(const Stuffing *work, uint32_t corner) {
    return corner >= work->lattice->vertex_count;
}

/* The cut from a vertex inside to a ghost. */
static uint32_t cut_of(const Stuffing *work, uint32_t inside, uint32_t ghost) {
    return lattice_cuts_find(&work->cuts, inside, work->cuts.cuts[ghost - work->lattice->vertex_count].end);
}

static uint32_t cut_number(const Stuffing *work, uint32_t inside, uint32_t ghost) {
    return work->lattice->vertex_count + work->cuts.count + cut_of(work, inside, ghost);
}

/* The length that an edge keeps: of two inside vertices of a face, the diagonal starts at the one that keeps more, so
   that it is the shorter one. Ties go to the lower number. The order is the same for all faces of a tet, so that their
   diagonals never run in a circle. */
static bool keeps_more(const Stuffing *work, uint32_t a, uint32_t b, uint32_t ghost) {
    double lengths[2];
    for (int i = 0; i < 2; ++i) {
        const LatticeCut *cut = &work->cuts.cuts[cut_of(work, i ? b : a, ghost)];
        lengths[i] = cut->part * cut->part *
                     vec3_distance_squared(&work->lattice->positions[3 * (size_t)cut->inside],
                                           &work->lattice->positions[3 * (size_t)cut->end]);
    }
    return lengths[0] != lengths[1] ? lengths[0] > lengths[1] : a < b;
}

/* Where a corner lies, in the order in which cut_tet sorts them. */
enum { INSIDE, ON_SURFACE, OUTSIDE, RANKS };

static int rank(const Stuffing *work, uint32_t corner) {
    const LatticeCuts *cuts = &work->cuts;
    bool ghost = is_ghost(work, corner);
    uint32_t snap = ghost ? cuts->ghost_snaps[corner - work->lattice->vertex_count] : cuts->vertex_snaps[corner];
    return snap != LATTICE_NO_CUT ? ON_SURFACE : ghost ? OUTSIDE : INSIDE;
}

/* One inside, the rest outside or on the surface: the corner that is left. */
static void cut_one(const Stuffing *work, uint32_t tet[4], Output *output) {
    for (int i = 1; i < 4; ++i)
        if (rank(work, tet[i]) == OUTSIDE)
            tet[i] = cut_number(work, tet[0], tet[i]);
    add_tet(output, tet[0], tet[1], tet[2], tet[3]);
}

/* a, b inside, c on the surface, d outside: a pyramid over a quadrangle. */
static void cut_pyramid(const Stuffing *work, uint32_t a, uint32_t b, uint32_t c, uint32_t d, Output *output) {
    uint32_t ad = cut_number(work, a, d), bd = cut_number(work, b, d);
    if (keeps_more(work, a, b, d)) {
        add_tet(output, a, b, c, bd);
        add_tet(output, a, bd, c, ad);
    } else {
        add_tet(output, a, b, c, ad);
        add_tet(output, ad, b, c, bd);
    }
}

/* a, b inside, c, d outside: a wedge between the triangles a ac ad and b bc bd. The quadrangle on the surface is free
   to be cut either way. */
static void cut_wedge(const Stuffing *work, uint32_t a, uint32_t b, uint32_t c, uint32_t d, Output *output) {
    uint32_t ac = cut_number(work, a, c), ad = cut_number(work, a, d);
    uint32_t bc = cut_number(work, b, c), bd = cut_number(work, b, d);
    bool c_from_a = keeps_more(work, a, b, c), d_from_a = keeps_more(work, a, b, d);
    if (c_from_a && d_from_a) { // diagonals a-bc and a-bd
        add_tet(output, a, b, bc, bd);
        add_tet(output, a, bc, ac, ad);
        add_tet(output, a, bc, ad, bd);
    } else if (!c_from_a && !d_from_a) { // b-ac and b-ad
        add_tet(output, a, b, ac, ad);
        add_tet(output, b, bc, ac, bd);
        add_tet(output, b, ac, ad, bd);
    } else if (c_from_a) { // a-bc and b-ad: the third is bc-ad
        add_tet(output, a, b, bc, ad);
        add_tet(output, a, bc, ac, ad);
        add_tet(output, b, bd, bc, ad);
    } else { // b-ac and a-bd: the third is ac-bd
        add_tet(output, a, b, ac, bd);
        add_tet(output, b, bc, ac, bd);
        add_tet(output, a, ac, ad, bd);
    }
}

/* a, b, c inside, d outside: a prism between the triangles a b c and ad bd cd. a keeps most, then b. */
static void cut_prism(const Stuffing *work, uint32_t a, uint32_t b, uint32_t c, uint32_t d, Output *output) {
    uint32_t ad = cut_number(work, a, d), bd = cut_number(work, b, d), cd = cut_number(work, c, d);
    add_tet(output, a, b, c, cd);
    add_tet(output, a, b, cd, bd);
    add_tet(output, a, bd, cd, ad);
}

static void swap_corners(uint32_t *a, uint32_t *b) {
    uint32_t swap = *a;
    *a = *b;
    *b = swap;
}

static void cut_tet(const Stuffing *work, const uint32_t given[4], Output *output) {
    uint32_t tet[4];
    memcpy(tet, given, sizeof tet);
    int counts[RANKS] = {0};
    for (int i = 0; i < 4; ++i)
        ++counts[rank(work, tet[i])];
    if (counts[INSIDE] == 0)
        return;
    if (counts[OUTSIDE] == 0) {
        add_tet(output, tet[0], tet[1], tet[2], tet[3]);
        return;
    }

    // sort by rank, counting exchanges: an odd number turns the tet over
    bool odd = false;
    for (int i = 0; i < 3; ++i)
        for (int j = 3; j > i; --j)
            if (rank(work, tet[j]) < rank(work, tet[j - 1])) {
                swap_corners(&tet[j], &tet[j - 1]);
                odd = !odd;
            }
    if (counts[INSIDE] == 1) {
        if (odd)
            swap_corners(&tet[2], &tet[3]);
        cut_one(work, tet, output);
    } else if (counts[INSIDE] == 2) {
        if (odd)
            swap_corners(&tet[0], &tet[1]);
        if (counts[ON_SURFACE])
            cut_pyramid(work, tet[0], tet[1], tet[2], tet[3], output);
        else
            cut_wedge(work, tet[0], tet[1], tet[2], tet[3], output);
    } else {
        // order the inside corners by what they keep
        for (int i = 0; i < 2; ++i)
            for (int j = 2; j > i; --j)
                if (keeps_more(work, tet[j], tet[j - 1], tet[3])) {
                    swap_corners(&tet[j], &tet[j - 1]);
                    odd = !odd;
                }
        size_t first = output->count;
        cut_prism(work, tet[0], tet[1], tet[2], tet[3], output);
        for (size_t i = first; odd && i < output->count; i += 4)
            swap_corners(&output->tets[i + 2], &output->tets[i + 3]);
    }
}

/* A tet as each group of its inside corners sees it, with ghosts at the other corners. */
static void cut_copies(const Stuffing *work, size_t tet, Output *output) {
    const uint32_t *corners = &work->lattice->bcc.tets[4 * tet];
    if (!work->inside[corners[0]] && !work->inside[corners[1]] && !work->inside[corners[2]] &&
        !work->inside[corners[3]])
        return;
    uint8_t labels[4];
    lattice_edges_groups(&work->edges, work->lattice, work->inside, tet, labels);
    for (uint8_t group = 0; group < 4; ++group) {
        uint32_t copy[4];
        for (int i = 0; labels[group] == group && i < 4; ++i)
            copy[i] = labels[i] == group
                          ? corners[i]
                          : work->lattice->vertex_count +
                                work->cuts.ghosts[lattice_cuts_find(&work->cuts, corners[group], corners[i])];
        if (labels[group] == group)
            cut_tet(work, copy, output);
    }
}

/* Where a vertex lies; true if that is on the surface. */
static bool place_vertex(const Stuffing *work, size_t vertex, double place[3]) {
    const LatticeCuts *cuts = &work->cuts;
    size_t lattice = work->lattice->vertex_count;
    uint32_t at = vertex < lattice                 ? cuts->vertex_snaps[vertex]
                  : vertex < lattice + cuts->count ? cuts->ghost_snaps[vertex - lattice]
                                                   : (uint32_t)(vertex - lattice - cuts->count);
    if (at == LATTICE_NO_CUT) {
        memcpy(place, &work->lattice->positions[3 * vertex], 3 * sizeof *place);
        return false;
    }
    const LatticeCut *cut = &cuts->cuts[at];
    const double *p = &work->lattice->positions[3 * (size_t)cut->inside],
                 *q = &work->lattice->positions[3 * (size_t)cut->end];
    for (int a = 0; a < 3; ++a)
        place[a] = p[a] + cut->part * (q[a] - p[a]);
    return true;
}

/* Numbers the vertices in use and stores their positions. */
static bool finish(const Stuffing *work, Output *output, TetMesh *mesh, uint8_t **on_surface) {
    size_t total = (size_t)work->lattice->vertex_count + 2 * (size_t)work->cuts.count;
    uint32_t *numbers = array_new(total, sizeof *numbers);
    for (size_t i = 0; numbers && i < output->count; ++i)
        numbers[output->tets[i]] = 1;
    for (size_t i = 0; numbers && i < total; ++i)
        numbers[i] = numbers[i] ? mesh->vertex_count++ : UNUSED;
    mesh->positions = array_new(3 * (size_t)mesh->vertex_count, sizeof *mesh->positions);
    *on_surface = array_new(mesh->vertex_count, 1);
    bool ready = numbers && mesh->positions && *on_surface;
    for (size_t i = 0; ready && i < total; ++i)
        if (numbers[i] != UNUSED)
            (*on_surface)[numbers[i]] = place_vertex(work, i, &mesh->positions[3 * (size_t)numbers[i]]);
    for (size_t i = 0; ready && i < output->count; ++i)
        output->tets[i] = numbers[output->tets[i]];
    free(numbers);
    mesh->tet_vertices = output->tets ? output->tets : array_new(1, sizeof *output->tets);
    mesh->tet_count = (uint32_t)(output->count / 4);
    output->tets = NULL;
    return ready && mesh->tet_vertices;
}

JnStatus stuffing_build(const SolidLattice *lattice, const Interior *interior, Pool *pool, TetMesh *mesh,
                        uint8_t **on_surface, JnMessage *message) {
    *mesh = (TetMesh){0};
    *on_surface = NULL;
    uint32_t count = lattice->vertex_count;
    Stuffing work = {lattice, array_new(count, 1), {0}, {0}};
    Output output = {0};
    for (uint32_t v = 0; work.inside && v < count; ++v)
        work.inside[v] = winding_is_inside(lattice->numbers[v]);
    if (work.inside)
        interior_add_thickened(interior, pool, lattice->positions, count, work.inside);
    bool done = work.inside && lattice_edges_build(lattice, work.inside, interior, pool, &work.edges) &&
                lattice_cuts_build(lattice, work.inside, &work.edges, interior, pool, &work.cuts);
    for (size_t t = 0; done && t < lattice->tet_count; ++t)
        cut_copies(&work, t, &output);
    done = done && !output.failed && finish(&work, &output, mesh, on_surface);
    lattice_edges_free(&work.edges);
    lattice_cuts_free(&work.cuts);
    free(work.inside);
    free(output.tets);
    if (done)
        return JN_OK;
    tetmesh_free(mesh);
    free(*on_surface);
    *on_surface = NULL;
    return status_no_memory(message, "the tets of the simulation mesh");
}
