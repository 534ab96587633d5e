#include "geometry/piece_cells.h"
#include "geometry/array.h"
#include "geometry/surface_volume.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* Two million leaves, ten times as many tets: more than current machines can simulate. */
#define MOST_LEAVES (1u << 21)
/* Cells are halved at most this often where a piece is thin, and doubled inside. */
enum { MOST_HALVINGS = 3, GAP_HALVINGS = 2, DOUBLINGS = 2 };
/* Times as many leaves as that gaps may cost. */
#define GAP_GROWTH 1.5
/* Cells across a thin part, and across a gap. */
#define CELLS_ACROSS 1.5
/* Cells are halved further, up to so many times as many, while thickening adds more than this part of the volume. */
#define MUCH_THICKENED 0.2
#define MOST_GROWTH 12.0
/* Leaves that may come on top where the resolution is coarse, and at most how many times as many. */
#define FREE_LEAVES 1000.0
#define FREE_GROWTH 1.0

typedef struct Cells {
    const Interior *interior;
    const PieceGrid *grid;
    const SurfaceSample *samples;
    uint32_t sample_count;
    OctreeShape shape;
    Octree octree;
} Cells;

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
static JnStatus choose_samples(const Cells *cells, Finest finest, OctreeSample **chosen, uint32_t *count,
                               JnMessage *message) {
    size_t slot_count = 1024;
    while (slot_count < 2 * (size_t)cells->sample_count)
        slot_count *= 2;
    uint64_t *slots = array_new(slot_count, sizeof *slots);
    *chosen = array_new(cells->sample_count, sizeof **chosen);
    *count = 0;
    if (!slots || !*chosen) {
        free(slots);
        free(*chosen);
        *chosen = NULL;
        return status_no_memory(message, "the cells of the simulation mesh");
    }
    for (uint32_t i = 0; i < cells->sample_count; ++i) {
        const SurfaceSample *sample = &cells->samples[i];
        double size = wanted_cell(sample, cells->grid->cell, finest);
        uint64_t key = (uint64_t)lround(log2(cells->grid->cell / size)) + 1;
        for (int a = 0; a < 3; ++a) {
            double lower = cells->shape.center[a] - cells->shape.extent;
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

static void place_octree(Cells *cells) {
    const Winding *winding = &cells->interior->winding;
    double lower[3] = {INFINITY, INFINITY, INFINITY}, upper[3] = {-INFINITY, -INFINITY, -INFINITY}, longest = 0;
    for (size_t c = 0; c < 3 * (size_t)winding->triangle_count; ++c)
        for (size_t a = 0; a < 3; ++a) {
            double x = winding->positions[3 * (size_t)winding->triangles[c] + a];
            lower[a] = fmin(lower[a], x);
            upper[a] = fmax(upper[a], x);
        }
    double cell = cells->grid->cell;
    cells->shape = (OctreeShape){.cell = cell, .doublings = DOUBLINGS, .most_leaves = MOST_LEAVES};
    for (int a = 0; a < 3; ++a) {
        longest = fmax(longest, upper[a] - lower[a]);
        cells->shape.center[a] =
            cells->grid->corner[a] + cell * round((0.5 * (lower[a] + upper[a]) - cells->grid->corner[a]) / cell);
    }
    cells->shape.extent = longest + 6 * cell;
}

static double sample_area(const SurfaceSample *sample) {
    double normal[3];
    triangle_normal(sample->corners, sample->corners + 3, sample->corners + 6, normal);
    return 0.5 * vec3_length(normal);
}

/* Whether thickening what is too thin for the cells adds much to the volume. */
static bool thickens_much(const Cells *cells) {
    double added = 0,
           volume = surface_signed_volume(cells->interior->winding.positions, cells->interior->winding.triangles,
                                          cells->interior->winding.triangle_count);
    for (uint32_t i = 0; i < cells->sample_count; ++i) {
        const SurfaceSample *sample = &cells->samples[i];
        double cell = octree_size_at(&cells->octree, sample->point);
        if (sample->kind == SAMPLE_SKIN && sample->thickness < PIECE_LEAST_CELLS * cell)
            added += 0.5 * sample_area(sample) * (PIECE_LEAST_CELLS * cell - sample->thickness);
    }
    return added > MUCH_THICKENED * volume;
}

/* Builds the octree anew with cells that may be halved so often. An octree of
   too many leaves leaves the earlier one in place: JN_ERR_ARGUMENT. */
static JnStatus build_octree(Cells *cells, uint32_t thin_halvings, uint32_t gap_halvings, uint32_t most_leaves,
                             JnMessage *message) {
    OctreeSample *chosen;
    uint32_t count;
    double cell = cells->grid->cell;
    Finest finest = {cell / (1u << thin_halvings), cell / (1u << gap_halvings)};
    JnStatus status = choose_samples(cells, finest, &chosen, &count, message);
    if (status != JN_OK)
        return status;
    Octree octree;
    cells->shape.halvings = thin_halvings > gap_halvings ? thin_halvings : gap_halvings;
    cells->shape.most_leaves = most_leaves;
    status = octree_build(&cells->shape, chosen, count, &octree, message);
    free(chosen);
    if (status != JN_OK)
        return status;
    octree_free(&cells->octree);
    cells->octree = octree;
    return JN_OK;
}

/* The octree with cells halved as often as the thinnest parts ask for, then as the gaps do, and as the growth allows.
 */
static JnStatus grow_octree(Cells *cells, JnMessage *message) {
    uint32_t thin = 0, gap = 0, leaves = 0;
    JnStatus status = build_octree(cells, 0, 0, MOST_LEAVES, message);
    double first_leaves = status == JN_OK ? cells->octree.leaf_count : 0;
    while (status == JN_OK && thin < MOST_HALVINGS && cells->octree.leaf_count != leaves) {
        leaves = cells->octree.leaf_count;
        double growth = thickens_much(cells) ? MOST_GROWTH : cells->grid->growth;
        double most = fmin(MOST_LEAVES, growth * first_leaves + fmin(FREE_LEAVES, FREE_GROWTH * first_leaves));
        status = build_octree(cells, thin + 1, 0, (uint32_t)most, message);
        thin += status == JN_OK;
    }
    if (status == JN_ERR_ARGUMENT && first_leaves > 0)
        status = status_clear(message);
    first_leaves = status == JN_OK ? cells->octree.leaf_count : 0;
    while (status == JN_OK && gap < GAP_HALVINGS) {
        status = build_octree(cells, thin, gap + 1, (uint32_t)fmin(MOST_LEAVES, GAP_GROWTH * first_leaves), message);
        gap += status == JN_OK;
    }
    if (status == JN_ERR_ARGUMENT && first_leaves > 0)
        status = status_clear(message);
    return status;
}

JnStatus piece_cells_build(const Interior *interior, const PieceGrid *grid, const SurfaceSample *samples,
                           uint32_t sample_count, Octree *octree, JnMessage *message) {
    Cells cells = {.interior = interior, .grid = grid, .samples = samples, .sample_count = sample_count};
    place_octree(&cells);
    JnStatus status = grow_octree(&cells, message);
    if (status != JN_OK)
        octree_free(&cells.octree);
    *octree = cells.octree;
    return status;
}
