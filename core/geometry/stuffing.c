#include "geometry/stuffing.h"
#include "geometry/array.h"
#include "geometry/index_sort.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* A vertex moves onto a cut that is nearer than this part of the edge: for edges along an axis, and for others. With
   these a uniform lattice has no dihedral angle below 10.7 degrees on a smooth surface. */
#define SNAP_LONG 0.24999
#define SNAP_SHORT 0.41189
enum { TET_EDGES = 6 };
#define UNUSED UINT32_MAX

static const uint8_t tet_edges[TET_EDGES][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

typedef struct Cut {
    uint32_t inside, outside; /* vertices of the lattice */
    double part;              /* of the way from inside to outside */
} Cut;

typedef struct Stuffing {
    const Octree *octree;
    const Interior *interior;
    BccLattice lattice;
    double *positions; /* [vertex_count * 3], moved later */
    uint8_t *inside;   /* [vertex_count] */
    uint8_t *snapped;  /* [vertex_count]: lies on the surface now */
    uint32_t cut_count;
    Cut *cuts;            /* sorted by their lower, then their higher vertex */
    uint32_t *first_cuts; /* [vertex_count + 1]: incident[first_cuts[v] ..) are the cuts of v */
    uint32_t *incident;   /* [cut_count * 2] */
    uint32_t *numbers;    /* [vertex_count + cut_count] in the mesh */
} Stuffing;

static bool place_vertices(Stuffing *work, Pool *pool) {
    uint32_t count = work->lattice.vertex_count;
    work->positions = array_new(3 * (size_t)count, sizeof *work->positions);
    work->inside = array_new(count, 1);
    work->snapped = array_new(count, 1);
    if (!work->positions || !work->inside || !work->snapped)
        return false;
    for (size_t i = 0; i < 3 * (size_t)count; ++i)
        work->positions[i] = work->octree->origin[i % 3] + work->octree->unit * work->lattice.places[i];
    interior_contains_all(work->interior, pool, work->positions, count, work->inside);
    return true;
}

/* The edges from inside to outside, each once, sorted. */
static bool collect_cuts(Stuffing *work) {
    const BccLattice *lattice = &work->lattice;
    uint32_t *keys = NULL, *order = NULL;
    size_t count = 0, capacity = 0;
    for (size_t t = 0; t < lattice->tet_count; ++t)
        for (int e = 0; e < TET_EDGES; ++e) {
            uint32_t a = lattice->tets[4 * t + tet_edges[e][0]], b = lattice->tets[4 * t + tet_edges[e][1]];
            if (work->inside[a] == work->inside[b])
                continue;
            uint32_t *grown = array_grow(keys, &capacity, 2 * (count + 1), sizeof *keys);
            if (!grown) {
                free(keys);
                return false;
            }
            keys = grown;
            keys[2 * count] = a < b ? a : b;
            keys[2 * count++ + 1] = a < b ? b : a;
        }
    order = index_sort_tuples(keys, count, 2, lattice->vertex_count);
    work->cuts = array_new(count, sizeof *work->cuts);
    for (size_t i = 0; order && work->cuts && i < count; ++i) {
        const uint32_t *key = &keys[2 * (size_t)order[i]];
        if (i > 0 && memcmp(key, &keys[2 * (size_t)order[i - 1]], 2 * sizeof *key) == 0)
            continue;
        bool first = work->inside[key[0]];
        work->cuts[work->cut_count++] = (Cut){key[!first], key[first], 0};
    }
    bool done = order && work->cuts;
    free(keys);
    free(order);
    return done;
}

static void cut_point(const Stuffing *work, const Cut *cut, double point[3]) {
    const double *p = &work->positions[3 * (size_t)cut->inside], *q = &work->positions[3 * (size_t)cut->outside];
    for (int a = 0; a < 3; ++a)
        point[a] = p[a] + cut->part * (q[a] - p[a]);
}

/* Finds where the edge leaves the solid. */
static void find_cut(void *context, uint32_t index) {
    const Stuffing *work = context;
    Cut *cut = &work->cuts[index];
    const double *start = &work->positions[3 * (size_t)cut->inside];
    double way[3];
    vec3_sub(&work->positions[3 * (size_t)cut->outside], start, way);
    cut->part = interior_leave(work->interior, start, way);
}

/* The cuts of each vertex. */
static bool list_incident(Stuffing *work) {
    uint32_t count = work->lattice.vertex_count;
    work->first_cuts = array_new((size_t)count + 2, sizeof *work->first_cuts);
    work->incident = array_new(2 * (size_t)work->cut_count, sizeof *work->incident);
    if (!work->first_cuts || !work->incident)
        return false;
    // counted two places further, so that filling leaves the starts in place
    for (uint32_t i = 0; i < work->cut_count; ++i) {
        ++work->first_cuts[work->cuts[i].inside + 2];
        ++work->first_cuts[work->cuts[i].outside + 2];
    }
    for (size_t v = 2; v < (size_t)count + 2; ++v)
        work->first_cuts[v] += work->first_cuts[v - 1];
    for (uint32_t i = 0; i < work->cut_count; ++i) {
        work->incident[work->first_cuts[work->cuts[i].inside + 1]++] = i;
        work->incident[work->first_cuts[work->cuts[i].outside + 1]++] = i;
    }
    return true;
}

static bool along_axis(const BccLattice *lattice, uint32_t a, uint32_t b) {
    int same = 0;
    for (size_t k = 0; k < 3; ++k)
        same += lattice->places[3 * (size_t)a + k] == lattice->places[3 * (size_t)b + k];
    return same == 2;
}

/* Moves a vertex onto its nearest cut if that is too near, which also settles its other cuts. */
static void snap(Stuffing *work, uint32_t vertex) {
    double nearest = INFINITY;
    uint32_t chosen = UNUSED;
    for (uint32_t i = work->first_cuts[vertex]; i < work->first_cuts[vertex + 1]; ++i) {
        const Cut *cut = &work->cuts[work->incident[i]];
        uint32_t other = cut->inside == vertex ? cut->outside : cut->inside;
        if (work->snapped[other])
            continue;
        double part = cut->inside == vertex ? cut->part : 1 - cut->part;
        if (part >= (along_axis(&work->lattice, vertex, other) ? SNAP_LONG : SNAP_SHORT))
            continue;
        double distance =
            part * part *
            vec3_distance_squared(&work->positions[3 * (size_t)vertex], &work->positions[3 * (size_t)other]);
        if (distance < nearest) {
            nearest = distance;
            chosen = work->incident[i];
        }
    }
    if (chosen != UNUSED)
        work->snapped[vertex] = 1, work->numbers[vertex] = chosen;
}

/* Vertices outside move first, so that as many as possible inside stay inside where the solid is thin. */
static bool snap_vertices(Stuffing *work) {
    uint32_t count = work->lattice.vertex_count;
    work->numbers = array_new((size_t)count + work->cut_count, sizeof *work->numbers);
    if (!work->numbers)
        return false;
    for (int inside = 0; inside < 2; ++inside)
        for (uint32_t v = 0; v < count; ++v)
            if (work->inside[v] == inside)
                snap(work, v);
    // positions move only now: all cuts were given on the lattice
    double *moved = array_new(3 * (size_t)count, sizeof *moved);
    if (!moved)
        return false;
    memcpy(moved, work->positions, 3 * (size_t)count * sizeof *moved);
    for (uint32_t v = 0; v < count; ++v)
        if (work->snapped[v])
            cut_point(work, &work->cuts[work->numbers[v]], &moved[3 * (size_t)v]);
    // cuts between two vertices that did not move stay where they are
    free(work->positions);
    work->positions = moved;
    return true;
}

/* The tets of the mesh under construction; vertices are numbered later: those of the lattice first, then the cuts. */
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

/* The number of the cut of an edge, after those of the lattice's vertices. */
static uint32_t cut_number(const Stuffing *work, uint32_t inside, uint32_t outside) {
    for (uint32_t i = work->first_cuts[inside]; i < work->first_cuts[inside + 1]; ++i)
        if (work->cuts[work->incident[i]].outside == outside)
            return work->lattice.vertex_count + work->incident[i];
    return UNUSED;
}

/* The length that an edge keeps: of two inside vertices of a face, the diagonal starts at the one that keeps more, so
   that it is the shorter one. Ties go to the lower number. The order is the same for all faces of a tet, so that their
   diagonals never run in a circle. */
static bool keeps_more(const Stuffing *work, uint32_t a, uint32_t b, uint32_t outside) {
    double lengths[2];
    for (int i = 0; i < 2; ++i) {
        const Cut *cut = &work->cuts[cut_number(work, i ? b : a, outside) - work->lattice.vertex_count];
        lengths[i] =
            cut->part * cut->part *
            vec3_distance_squared(&work->positions[3 * (size_t)cut->inside], &work->positions[3 * (size_t)outside]);
    }
    return lengths[0] != lengths[1] ? lengths[0] > lengths[1] : a < b;
}

/* One inside, the rest outside or on the surface: the corner that is left. */
static void cut_one(const Stuffing *work, uint32_t tet[4], Output *output) {
    for (int i = 1; i < 4; ++i)
        if (!work->snapped[tet[i]])
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

/* Rank of a corner: inside, on the surface, outside. */
static int rank(const Stuffing *work, uint32_t vertex) {
    return work->snapped[vertex] ? 1 : work->inside[vertex] ? 0 : 2;
}

static void cut_tet(const Stuffing *work, const uint32_t given[4], Output *output) {
    uint32_t tet[4];
    memcpy(tet, given, sizeof tet);
    int counts[3] = {0};
    for (int i = 0; i < 4; ++i)
        ++counts[rank(work, tet[i])];
    if (counts[0] == 0)
        return;
    if (counts[2] == 0) {
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
    if (counts[0] == 1) {
        if (odd)
            swap_corners(&tet[2], &tet[3]);
        cut_one(work, tet, output);
    } else if (counts[0] == 2) {
        if (odd)
            swap_corners(&tet[0], &tet[1]);
        if (counts[1])
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

/* Numbers the vertices in use and stores their positions. */
static bool finish(Stuffing *work, Output *output, TetMesh *mesh, uint8_t **on_surface) {
    size_t total = (size_t)work->lattice.vertex_count + work->cut_count;
    for (size_t i = 0; i < total; ++i)
        work->numbers[i] = UNUSED;
    for (size_t i = 0; i < output->count; ++i)
        work->numbers[output->tets[i]] = 0;
    for (size_t i = 0; i < total; ++i)
        if (work->numbers[i] != UNUSED)
            work->numbers[i] = mesh->vertex_count++;
    mesh->positions = array_new(3 * (size_t)mesh->vertex_count, sizeof *mesh->positions);
    *on_surface = array_new(mesh->vertex_count, 1);
    if (!mesh->positions || !*on_surface)
        return false;
    for (size_t i = 0; i < total; ++i) {
        if (work->numbers[i] == UNUSED)
            continue;
        double *p = &mesh->positions[3 * (size_t)work->numbers[i]];
        bool is_cut = i >= work->lattice.vertex_count;
        if (is_cut)
            cut_point(work, &work->cuts[i - work->lattice.vertex_count], p);
        else
            memcpy(p, &work->positions[3 * i], 3 * sizeof *p);
        (*on_surface)[work->numbers[i]] = is_cut || work->snapped[i];
    }
    for (size_t i = 0; i < output->count; ++i)
        output->tets[i] = work->numbers[output->tets[i]];
    mesh->tet_vertices = output->tets ? output->tets : array_new(1, sizeof *output->tets);
    mesh->tet_count = (uint32_t)(output->count / 4);
    output->tets = NULL;
    return mesh->tet_vertices != NULL;
}

JnStatus stuffing_build(const Octree *octree, const Interior *interior, Pool *pool, TetMesh *mesh, uint8_t **on_surface,
                        JnMessage *message) {
    *mesh = (TetMesh){0};
    *on_surface = NULL;
    Stuffing work = {.octree = octree, .interior = interior};
    Output output = {0};
    JnStatus status = bcc_lattice_build(octree, &work.lattice, message);
    bool done = status == JN_OK && place_vertices(&work, pool) && collect_cuts(&work);
    if (done)
        pool_run(pool, work.cut_count, find_cut, &work);
    done = done && list_incident(&work) && snap_vertices(&work);
    for (size_t t = 0; done && t < work.lattice.tet_count; ++t)
        cut_tet(&work, &work.lattice.tets[4 * t], &output);
    done = done && !output.failed && finish(&work, &output, mesh, on_surface);
    if (status == JN_OK && !done)
        status = status_no_memory(message, "the tets of the simulation mesh");
    bcc_lattice_free(&work.lattice);
    free(work.positions);
    free(work.inside);
    free(work.snapped);
    free(work.cuts);
    free(work.first_cuts);
    free(work.incident);
    free(work.numbers);
    free(output.tets);
    if (status != JN_OK) {
        tetmesh_free(mesh);
        free(*on_surface);
        *on_surface = NULL;
    }
    return status;
}
