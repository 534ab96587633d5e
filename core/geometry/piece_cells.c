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
/* Cells are halved up to so many leaves while what cannot be squeezed back adds more than this part of the volume. */
#define MUCH_THICKENED 0.008
#define MOST_THIN_LEAVES 75000.0
/* In cells: thickened parts are squeezed back to the first with ease, and to the second if they are sheets, not to
   less. */
static const double squeezable[] = {0.6, 0.33};
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

/* How small cells may get: where the piece is too thin for them, where it is thin, and in gaps. */
typedef struct Finest {
    double too_thin[2], thin, gap;
} Finest;

/* The size of cell that a sample asks for. A gap that would stay closed even with the finest cells is not worth them.
 */
static double wanted_cell(const SurfaceSample *sample, double cell, Finest finest) {
    double size = cell;
    if (sample->kind != SAMPLE_SKIN)
        return size;
    for (int i = 0; i < 2; ++i)
        while (size > sample->thickness / squeezable[i] * 1.001 && size > finest.too_thin[i] * 1.001)
            size *= 0.5;
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

/* Whether what is too thin for the cells adds much to the volume. */
static bool thickens_much(const Cells *cells, double least) {
    double added = 0,
           volume = surface_signed_volume(cells->interior->winding.positions, cells->interior->winding.triangles,
                                          cells->interior->winding.triangle_count);
    for (uint32_t i = 0; i < cells->sample_count; ++i) {
        const SurfaceSample *sample = &cells->samples[i];
        double cell = octree_size_at(&cells->octree, sample->point);
        if (sample->kind == SAMPLE_SKIN && sample->thickness < least * cell)
            added += 0.5 * sample_area(sample) * (least * cell - sample->thickness);
    }
    return added > MUCH_THICKENED * fmax(volume, cells->grid->share);
}

/* How often cells may be halved, of each kind in Finest. */
typedef struct Halvings {
    uint32_t too_thin[2], thin, gap;
} Halvings;

/* Builds the octree anew. One of too many leaves leaves the earlier one in place: JN_ERR_ARGUMENT. */
static JnStatus build_octree(Cells *cells, Halvings halvings, double most_leaves, JnMessage *message) {
    OctreeSample *chosen;
    uint32_t count, most = halvings.thin > halvings.gap ? halvings.thin : halvings.gap;
    double cell = cells->grid->cell;
    Finest finest = {.thin = cell / (1u << halvings.thin), .gap = cell / (1u << halvings.gap)};
    for (int i = 0; i < 2; ++i) {
        finest.too_thin[i] = cell / (1u << halvings.too_thin[i]);
        most = halvings.too_thin[i] > most ? halvings.too_thin[i] : most;
    }
    JnStatus status = choose_samples(cells, finest, &chosen, &count, message);
    if (status != JN_OK)
        return status;
    Octree octree;
    cells->shape.halvings = most;
    cells->shape.most_leaves = (uint32_t)fmin(MOST_LEAVES, most_leaves);
    status = octree_build(&cells->shape, chosen, count, &octree, message);
    free(chosen);
    if (status != JN_OK)
        return status;
    octree_free(&cells->octree);
    cells->octree = octree;
    return JN_OK;
}

/* Raises one of the halvings up to `most` times, while the leaves allow it and their number changes. */
static JnStatus halve(Cells *cells, Halvings *halvings, uint32_t *which, uint32_t most, double most_leaves,
                      JnMessage *message) {
    JnStatus status = JN_OK;
    for (uint32_t leaves = 0; status == JN_OK && *which < most && cells->octree.leaf_count != leaves;) {
        bool first = which == &halvings->too_thin[0], second = which == &halvings->too_thin[1];
        if ((first || second) && !thickens_much(cells, squeezable[second]))
            break;
        leaves = cells->octree.leaf_count;
        ++*which;
        status = build_octree(cells, *halvings, most_leaves, message);
        *which -= status != JN_OK;
    }
    return status == JN_ERR_ARGUMENT ? status_clear(message) : status;
}

/* The octree with cells halved as often as the thinnest parts ask for, then the thin ones, then the gaps, and as the
   growth allows. */
static JnStatus grow_octree(Cells *cells, JnMessage *message) {
    Halvings halvings = {0};
    JnStatus status = build_octree(cells, halvings, MOST_LEAVES, message);
    double leaves = cells->octree.leaf_count;
    for (int i = 0; status == JN_OK && i < 2; ++i)
        status = halve(cells, &halvings, &halvings.too_thin[i], MOST_HALVINGS, fmax(leaves, MOST_THIN_LEAVES), message);
    if (status == JN_OK)
        status = halve(
            cells, &halvings, &halvings.thin, MOST_HALVINGS,
            fmax(cells->octree.leaf_count, cells->grid->growth * leaves + fmin(FREE_LEAVES, FREE_GROWTH * leaves)),
            message);
    if (status == JN_OK)
        status = halve(cells, &halvings, &halvings.gap, GAP_HALVINGS, GAP_GROWTH * cells->octree.leaf_count, message);
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
