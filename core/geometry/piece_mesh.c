#include "geometry/piece_mesh.h"
#include "geometry/array.h"
#include "geometry/stuffing.h"
#include "geometry/surface_samples.h"
#include "geometry/surface_volume.h"
#include "geometry/tet_fit.h"
#include "geometry/tet_smooth.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* Two million leaves, ten times as many tets: more than current machines can simulate. */
#define MOST_LEAVES (1u << 21)
/* Cells are halved at most this often where a piece is thin, and doubled inside. */
enum { MOST_HALVINGS = 3, GAP_HALVINGS = 2, DOUBLINGS = 2, FITS = 8 };
/* Times as many leaves as that gaps may cost. */
#define GAP_GROWTH 1.5
/* Cells across a thin part, and across a gap. */
#define CELLS_ACROSS 1.5
/* In cells there: a part thinner than the first is thickened to the second. If parts of the tets then hang on nothing,
   more is thickened; if no tet is left, everything. */
typedef struct Thickening {
    double too_thin, thickened;
} Thickening;
static const Thickening thickenings[] = {{1.3, 1.3}, {1.8, 1.8}, {INFINITY, 1.4}};
/* A sheet has no thickness of its own. */
#define SHEET_THICKNESS 1.4
enum { THICKENINGS = sizeof thickenings / sizeof thickenings[0] };
/* Parts of the tets that hang on nothing are dropped below this part of the volume: their surface rides with the rest.
 */
#define SMALL_ISLAND 0.02
/* Cells are halved further, up to so many times as many, while thickening adds more than this part of the volume. */
#define MUCH_THICKENED 0.2
#define MOST_GROWTH 12.0
/* How far in cells thickness and gap are measured. */
#define REACH 2.0
/* Leaves that may come on top where the resolution is coarse, and at most how many times as many. */
#define FREE_LEAVES 1000.0
#define FREE_GROWTH 1.0
/* Sines of dihedral angles: what the fit keeps, what smoothing aims at. */
#define KEPT_SINE 0.2
#define WANTED_SINE 0.26

/* Everything of one piece. */
typedef struct Piece {
    const PieceGrid *grid;
    Interior interior;
    SurfaceSample *samples;
    uint32_t sample_count;
    OctreeShape shape;
    Octree octree;
} Piece;

/* How small cells may get: where the piece is thin, and in gaps. */
typedef struct Finest {
    double thin, gap;
} Finest;

/* The size of cell that a sample asks for. A gap that would stay closed even with the finest cells is not worth them.
 */
static double wanted_cell(const SurfaceSample *sample, double cell, Finest finest) {
    double size = cell;
    if (sample->kind != SAMPLE_SKIN)
        return size;
    while (size > sample->thickness / CELLS_ACROSS * 1.001 && size > finest.thin * 1.001)
        size *= 0.5;
    if (sample->gap / CELLS_ACROSS >= finest.gap)
        while (size > sample->gap / CELLS_ACROSS * 1.001 && size > finest.gap * 1.001)
            size *= 0.5;
    return size;
}

/* The samples for the octree: of those in the same small cube that ask for the same cell, one is enough. */
static JnStatus choose_samples(const Piece *piece, Finest finest, OctreeSample **chosen, uint32_t *count,
                               JnMessage *message) {
    size_t slot_count = 1024;
    while (slot_count < 2 * (size_t)piece->sample_count)
        slot_count *= 2;
    uint64_t *slots = array_new(slot_count, sizeof *slots);
    *chosen = array_new(piece->sample_count, sizeof **chosen);
    *count = 0;
    if (!slots || !*chosen) {
        free(slots);
        free(*chosen);
        *chosen = NULL;
        return status_no_memory(message, "the cells of the simulation mesh");
    }
    for (uint32_t i = 0; i < piece->sample_count; ++i) {
        const SurfaceSample *sample = &piece->samples[i];
        double size = wanted_cell(sample, piece->grid->cell, finest);
        uint64_t key = (uint64_t)lround(log2(piece->grid->cell / size)) + 1;
        for (int a = 0; a < 3; ++a) {
            double lower = piece->shape.center[a] - piece->shape.extent;
            key = key << 19 ^ (uint64_t)(3 * (sample->point[a] - lower) / size);
        }
        size_t slot = (size_t)(key * 0x9E3779B97F4A7C15u >> 24) & (slot_count - 1);
        while (slots[slot] && slots[slot] != key)
            slot = (slot + 1) & (slot_count - 1);
        if (slots[slot])
            continue;
        slots[slot] = key;
        OctreeSample *out = &(*chosen)[(*count)++];
        memcpy(out->point, sample->point, sizeof out->point);
        out->size = size;
    }
    free(slots);
    return JN_OK;
}

static void place_octree(Piece *piece, const double *positions, const uint32_t *triangles, uint32_t triangle_count) {
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, longest = 0;
    for (size_t c = 0; c < 3 * (size_t)triangle_count; ++c)
        for (size_t a = 0; a < 3; ++a) {
            lower[a] = fmin(lower[a], positions[3 * (size_t)triangles[c] + a]);
            upper[a] = fmax(upper[a], positions[3 * (size_t)triangles[c] + a]);
        }
    double cell = piece->grid->cell;
    piece->shape = (OctreeShape){.cell = cell, .doublings = DOUBLINGS, .most_leaves = MOST_LEAVES};
    for (int a = 0; a < 3; ++a) {
        longest = fmax(longest, upper[a] - lower[a]);
        piece->shape.center[a] =
            piece->grid->corner[a] + cell * round((0.5 * (lower[a] + upper[a]) - piece->grid->corner[a]) / cell);
    }
    piece->shape.extent = longest + 6 * cell;
}

static double sample_area(const SurfaceSample *sample) {
    double normal[3];
    triangle_normal(sample->corners, sample->corners + 3, sample->corners + 6, normal);
    return 0.5 * vec3_length(normal);
}

/* Whether thickening what is too thin for the cells adds much to the volume. */
static bool thickens_much(const Piece *piece) {
    double added = 0,
           volume = surface_signed_volume(piece->interior.winding.positions, piece->interior.winding.triangles,
                                          piece->interior.winding.triangle_count);
    for (uint32_t i = 0; i < piece->sample_count; ++i) {
        const SurfaceSample *sample = &piece->samples[i];
        double cell = octree_size_at(&piece->octree, sample->point);
        if (sample->kind == SAMPLE_SKIN && sample->thickness < thickenings[0].too_thin * cell)
            added += 0.5 * sample_area(sample) * (thickenings[0].thickened * cell - sample->thickness);
    }
    return added > MUCH_THICKENED * volume;
}

/* Builds the octree anew with cells that may be halved so often. An octree of
   too many leaves leaves the earlier one in place: JN_ERR_ARGUMENT. */
static JnStatus build_octree(Piece *piece, uint32_t thin_halvings, uint32_t gap_halvings, uint32_t most_leaves,
                             JnMessage *message) {
    OctreeSample *chosen;
    uint32_t count;
    double cell = piece->grid->cell;
    Finest finest = {cell / (1u << thin_halvings), cell / (1u << gap_halvings)};
    JnStatus status = choose_samples(piece, finest, &chosen, &count, message);
    if (status != JN_OK)
        return status;
    Octree octree;
    piece->shape.halvings = thin_halvings > gap_halvings ? thin_halvings : gap_halvings;
    piece->shape.most_leaves = most_leaves;
    status = octree_build(&piece->shape, chosen, count, &octree, message);
    free(chosen);
    if (status != JN_OK)
        return status;
    octree_free(&piece->octree);
    piece->octree = octree;
    return JN_OK;
}

/* The octree with cells halved as often as the thinnest parts ask for, then as the gaps do, and as the growth allows.
 */
static JnStatus grow_octree(Piece *piece, JnMessage *message) {
    uint32_t thin = 0, gap = 0, leaves = 0;
    JnStatus status = build_octree(piece, 0, 0, MOST_LEAVES, message);
    double first_leaves = status == JN_OK ? piece->octree.leaf_count : 0;
    while (status == JN_OK && thin < MOST_HALVINGS && piece->octree.leaf_count != leaves) {
        leaves = piece->octree.leaf_count;
        double growth = thickens_much(piece) ? MOST_GROWTH : piece->grid->growth;
        double most = fmin(MOST_LEAVES, growth * first_leaves + fmin(FREE_LEAVES, FREE_GROWTH * first_leaves));
        status = build_octree(piece, thin + 1, 0, (uint32_t)most, message);
        thin += status == JN_OK;
    }
    if (status == JN_ERR_ARGUMENT && first_leaves > 0)
        status = status_clear(message);
    first_leaves = status == JN_OK ? piece->octree.leaf_count : 0;
    while (status == JN_OK && gap < GAP_HALVINGS) {
        status = build_octree(piece, thin, gap + 1, (uint32_t)fmin(MOST_LEAVES, GAP_GROWTH * first_leaves), message);
        gap += status == JN_OK;
    }
    if (status == JN_ERR_ARGUMENT && first_leaves > 0)
        status = status_clear(message);
    return status;
}

/* Thickens what has no inside, and what is too thin for the cells there. */
static JnStatus thicken(Piece *piece, const Thickening *how, PieceFacts *facts, JnMessage *message) {
    double *corners = array_new(9 * (size_t)piece->sample_count, sizeof *corners);
    double *radii = array_new(piece->sample_count, sizeof *radii);
    uint32_t count = 0;
    facts->sheet_count = facts->thickened_count = 0;
    facts->thinnest = INFINITY;
    facts->sample_count = piece->sample_count;
    for (uint32_t i = 0; corners && radii && i < piece->sample_count; ++i) {
        const SurfaceSample *sample = &piece->samples[i];
        bool sheet = sample->kind == SAMPLE_SHEET;
        double cell = octree_size_at(&piece->octree, sample->point);
        double thickness = sheet ? 0 : sample->thickness;
        if (!sheet && thickness < facts->thinnest) {
            facts->thinnest = thickness;
            memcpy(facts->thinnest_place, sample->point, sizeof sample->point);
        }
        bool all = isinf(how->too_thin), thin = sample->kind == SAMPLE_SKIN && thickness < how->too_thin * cell;
        if (!all && !sheet && !thin)
            continue;
        if (sheet && facts->sheet_count++ == 0)
            memcpy(facts->sheet_place, sample->point, sizeof sample->point);
        if (!sheet && facts->thickened_count++ == 0)
            memcpy(facts->thickened_place, sample->point, sizeof sample->point);
        memcpy(&corners[9 * (size_t)count], sample->corners, sizeof sample->corners);
        radii[count++] = 0.5 * ((sheet ? SHEET_THICKNESS : how->thickened) * cell - (all ? 0 : thickness));
    }
    JnStatus status = corners && radii ? interior_thicken(&piece->interior, corners, radii, count, message)
                                       : status_no_memory(message, "the inside of a surface");
    free(corners);
    free(radii);
    return status;
}

static uint32_t root_of(uint32_t *parents, uint32_t v) {
    while (parents[v] != v)
        v = parents[v] = parents[parents[v]];
    return v;
}

/* Joins the vertices of each tet: parents [vertex_count]. Returns the number of parts that the tets fall into. */
static uint32_t find_parts(const TetMesh *mesh, uint32_t *parents) {
    uint32_t parts = mesh->vertex_count;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
        parents[v] = v;
    for (size_t c = 0; c < 4 * (size_t)mesh->tet_count; ++c) {
        uint32_t a = root_of(parents, mesh->tet_vertices[c]), b = root_of(parents, mesh->tet_vertices[c / 4 * 4]);
        if (a == b)
            continue;
        parents[a] = b;
        --parts;
    }
    return parts;
}

/* Drops small parts that hang on nothing; *parts is the number of those that are left. */
static bool drop_islands(TetMesh *mesh, uint8_t *on_surface, uint32_t *parts) {
    uint32_t *parents = array_new(mesh->vertex_count, sizeof *parents);
    double *volumes = array_new(mesh->vertex_count, sizeof *volumes), total = 0;
    bool ready = parents && volumes;
    *parts = ready ? find_parts(mesh, parents) : 0;
    for (size_t t = 0; ready && *parts > 1 && t < mesh->tet_count; ++t) {
        const uint32_t *v = &mesh->tet_vertices[4 * t];
        double volume = vec3_tet_det(&mesh->positions[3 * (size_t)v[0]], &mesh->positions[3 * (size_t)v[1]],
                                     &mesh->positions[3 * (size_t)v[2]], &mesh->positions[3 * (size_t)v[3]]);
        volumes[root_of(parents, v[0])] += volume;
        total += volume;
    }
    uint32_t tet_count = 0, vertex_count = 0;
    for (uint32_t t = 0; ready && *parts > 1 && t < mesh->tet_count; ++t) {
        const uint32_t *v = &mesh->tet_vertices[4 * (size_t)t];
        if (volumes[root_of(parents, v[0])] >= SMALL_ISLAND * total)
            memmove(&mesh->tet_vertices[4 * (size_t)tet_count++], v, 4 * sizeof *v);
    }
    if (ready && *parts > 1) {
        *parts = 0;
        for (uint32_t v = 0; v < mesh->vertex_count; ++v)
            *parts += volumes[v] >= SMALL_ISLAND * total;
        // number the vertices of the tets that are left
        for (uint32_t v = 0; v < mesh->vertex_count; ++v)
            parents[v] = 0;
        for (size_t c = 0; c < 4 * (size_t)tet_count; ++c)
            parents[mesh->tet_vertices[c]] = 1;
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            if (!parents[v])
                continue;
            memmove(&mesh->positions[3 * (size_t)vertex_count], &mesh->positions[3 * (size_t)v],
                    3 * sizeof *mesh->positions);
            on_surface[vertex_count] = on_surface[v];
            parents[v] = vertex_count++;
        }
        for (size_t c = 0; c < 4 * (size_t)tet_count; ++c)
            mesh->tet_vertices[c] = parents[mesh->tet_vertices[c]];
        mesh->tet_count = tet_count;
        mesh->vertex_count = vertex_count;
    }
    free(parents);
    free(volumes);
    return ready;
}

static JnStatus stuff(Piece *piece, Pool *pool, TetMesh *mesh, PieceFacts *facts, JnMessage *message) {
    uint8_t *on_surface = NULL;
    FitTarget target = {0};
    JnStatus status = JN_OK;
    uint32_t parts = 0;
    for (int i = 0; status == JN_OK && parts != 1 && i < THICKENINGS && (i < 2 || mesh->tet_count == 0); ++i) {
        free(on_surface);
        tetmesh_free(mesh);
        status = thicken(piece, &thickenings[i], facts, message);
        if (status == JN_OK)
            status = stuffing_build(&piece->octree, &piece->interior, pool, mesh, &on_surface, message);
        if (status == JN_OK && !drop_islands(mesh, on_surface, &parts))
            status = status_no_memory(message, "the tets of the simulation mesh");
    }
    if (status == JN_OK && mesh->tet_count == 0)
        status = status_fail(
            message, JN_ERR_MESH, "no cell of %g fits into the piece near (%g, %g, %g): raise the resolution",
            piece->grid->cell, piece->samples[0].point[0], piece->samples[0].point[1], piece->samples[0].point[2]);
    if (status == JN_OK)
        status = tet_smooth(mesh, on_surface, WANTED_SINE, message);
    if (status == JN_OK)
        status = fit_target_build(piece->samples, piece->sample_count, &target, message);
    for (int fit = 0; status == JN_OK && fit < FITS; ++fit)
        status = tet_fit(mesh, on_surface, &target, KEPT_SINE, pool, message);
    if (status == JN_OK)
        status = tet_smooth(mesh, on_surface, WANTED_SINE, message);
    facts->island_count = parts > 0 ? parts - 1 : 0;
    fit_target_free(&target);
    free(on_surface);
    return status;
}

JnStatus piece_mesh_build(const double *positions, const uint32_t *triangles, uint32_t triangle_count,
                          const PieceGrid *grid, Pool *pool, TetMesh *mesh, PieceFacts *facts, JnMessage *message) {
    *mesh = (TetMesh){0};
    *facts = (PieceFacts){0};
    Piece piece = {.grid = grid};
    place_octree(&piece, positions, triangles, triangle_count);
    JnStatus status = interior_build(positions, triangles, triangle_count, &piece.interior, message);
    if (status == JN_OK)
        status = surface_samples_build(&piece.interior, grid->cell, REACH * grid->cell, pool, &piece.samples,
                                       &piece.sample_count, message);
    if (status == JN_OK)
        status = grow_octree(&piece, message);
    if (status == JN_OK) {
        facts->smallest_cell = 2 * piece.octree.unit;
        status = stuff(&piece, pool, mesh, facts, message);
    }
    interior_free(&piece.interior);
    free(piece.samples);
    octree_free(&piece.octree);
    if (status != JN_OK)
        tetmesh_free(mesh);
    return status;
}
