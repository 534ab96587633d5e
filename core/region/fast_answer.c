/* The matrix W with which a fast region answers at its border (fast_region.h): the impulses of unit velocities of the
   border, FAST_BATCH of them at once. Islands do not feel each other, so each run moves one border vertex of every
   island. */
#include "region/fast_region.h"

#include "base/status.h"
#include "linear/vertex_rotations.h"

#include <stdlib.h>
#include <string.h>

/* The border of each island. */
struct FastBorders {
    uint32_t *starts;                     /* [island_count + 1] */
    uint32_t *vertices;                   /* [border_count] of the set, island by island, ascending */
    uint32_t *places;                     /* [vertex_count] the place of a border vertex in its island's border */
    size_t *first;                        /* [island_count] where the island's W begins */
    size_t dense_size;                    /* of all of these; the borders may be too long to ever make them: */
    double *dense;                        /* the islands' W, by columns of three for each border vertex */
    double *velocities, *moved, *impulse; /* [FAST_BATCH][vector] */
    bool keeps_ends;
    double *ends;      /* [3 * longest_border][2][vector] velocities and displacements after a run of
                          each unit velocity; NULL: not kept, or not yet */
    double *parts;     /* scratch [island_count] */
    PairBlocks found;  /* W as it was found, */
    uint64_t matrices; /* with these, FastRegion.matrices, */
    double *then;      /* at these positions of the vertices, [vector] */
    double *now;       /* scratch [vector] */
    FreeUnknowns free; /* the border */
    double *rotations; /* [border_count * 9] from now to then */
    double *scratch;   /* of vertex_rotations.h */
};

void fast_borders_destroy(FastBorders *borders) {
    if (!borders)
        return;
    free(borders->starts);
    free(borders->vertices);
    free(borders->places);
    free(borders->first);
    free(borders->dense);
    free(borders->velocities);
    free(borders->then);
    free(borders->ends);
    free(borders->parts);
    pair_blocks_free(&borders->found);
    free_unknowns_free(&borders->free);
    free(borders);
}

static bool borders_list(const FastSet *set, FastBorders *borders) {
    size_t batch = FAST_BATCH * (size_t)set->vertex_count * 3 + 1, size = 0;
    *borders = (FastBorders){.starts = calloc((size_t)set->island_count + 2, sizeof(uint32_t)),
                             .vertices = malloc(((size_t)set->border_count + 1) * sizeof(uint32_t)),
                             .places = malloc(((size_t)set->vertex_count + 1) * sizeof(uint32_t)),
                             .first = malloc(((size_t)set->island_count + 1) * sizeof(size_t)),
                             .parts = malloc(((size_t)set->island_count + 1) * sizeof(double)),
                             .velocities = malloc(3 * batch * sizeof(double))};
    if (!borders->starts || !borders->vertices || !borders->places || !borders->first || !borders->parts ||
        !borders->velocities)
        return false;
    borders->moved = borders->velocities + batch;
    borders->impulse = borders->moved + batch;
    for (uint32_t i = 0; i < set->vertex_count; ++i)
        if (set->kinds[i] == FAST_BORDER)
            borders->places[i] = borders->starts[set->islands[i] + 1]++;
    for (uint32_t k = 0; k < set->island_count; ++k) {
        size_t count = borders->starts[k + 1];
        borders->first[k] = size;
        size += 9 * count * count;
        borders->starts[k + 1] += borders->starts[k];
    }
    for (uint32_t i = 0; i < set->vertex_count; ++i)
        if (set->kinds[i] == FAST_BORDER)
            borders->vertices[borders->starts[set->islands[i]] + borders->places[i]] = i;
    borders->dense_size = size;
    return true;
}

/* What W is turned with. */
static bool prepare_turning(const FastSet *set, const BlockMatrix *pattern, FastBorders *borders) {
    size_t n = (size_t)set->vertex_count * 3;
    uint8_t *fixed = malloc((size_t)set->vertex_count + 1);
    for (uint32_t i = 0; fixed && i < set->vertex_count; ++i)
        fixed[i] = set->kinds[i] != FAST_BORDER;
    bool ok = fixed && free_unknowns_build(pattern, fixed, &borders->free);
    free(fixed);
    borders->then =
        calloc(2 * n + 9 * (size_t)set->border_count + vertex_rotations_scratch(pattern) + 1, sizeof(double));
    if (!ok || !borders->then)
        return false;
    borders->now = borders->then + n;
    borders->rotations = borders->now + n;
    borders->scratch = borders->rotations + 9 * (size_t)set->border_count;
    return true;
}

FastBorders *fast_borders_create(const FastSet *set, const BlockMatrix *pattern) {
    FastBorders *borders = calloc(1, sizeof *borders);
    if (borders && borders_list(set, borders) && prepare_turning(set, pattern, borders))
        return borders;
    fast_borders_destroy(borders);
    return NULL;
}

/* Where column `axis` of border vertex `place` of the island is in its W. */
static double *dense_column(const FastBorders *borders, uint32_t island, uint32_t place, int axis) {
    size_t count = borders->starts[island + 1] - borders->starts[island];
    return borders->dense + borders->first[island] + (3 * (size_t)place + (size_t)axis) * 3 * count;
}

/* The columns of W of the border vertices first, first + 1, ... of every island. */
static JnStatus find_columns(FastRegion *region, const FastBorders *borders, uint32_t first, JnMessage *message) {
    const FastSet *set = region->set;
    size_t n = (size_t)set->vertex_count * 3;
    memset(borders->velocities, 0, FAST_BATCH * n * sizeof(double));
    for (uint32_t i = 0; i < set->vertex_count; ++i)
        if (set->kinds[i] == FAST_BORDER && borders->places[i] >= first && borders->places[i] < first + FAST_BATCH / 3)
            for (size_t axis = 0; axis < 3; ++axis)
                borders->velocities[(3 * (borders->places[i] - first) + axis) * n + 3 * i + axis] = 1;
    uint32_t left = 3 * (set->longest_border - first);
    const FastRun run = {.columns = left < FAST_BATCH ? left : FAST_BATCH,
                         .velocities = borders->velocities,
                         .moved = borders->moved,
                         .impulse = borders->impulse};
    JnStatus status = fast_region_run(region, &run, message);
    if (status != JN_OK)
        return status;
    for (size_t c = 0; borders->ends && c < run.columns; ++c) {
        double *end = borders->ends + 2 * n * (3 * (size_t)first + c);
        memcpy(end, run.velocities + c * n, n * sizeof *end);
        memcpy(end + n, run.moved + c * n, n * sizeof *end);
    }
    for (uint32_t i = 0; i < set->vertex_count; ++i)
        for (uint32_t c = 0; set->kinds[i] == FAST_BORDER && c < run.columns; ++c) {
            uint32_t place = first + c / 3, island = set->islands[i];
            if (place < borders->starts[island + 1] - borders->starts[island])
                for (size_t axis = 0; axis < 3; ++axis)
                    dense_column(borders, island, place, (int)(c % 3))[3 * (size_t)borders->places[i] + axis] =
                        -borders->impulse[c * n + 3 * i + axis];
        }
    return JN_OK;
}

/* Pairs of the mean of W and its transpose, which differ by rounding. */
static bool write_pairs(const FastRegion *region, const FastBorders *borders, PairBlocks *answer) {
    const FastSet *set = region->set;
    pair_blocks_clear(answer);
    for (uint32_t island = 0; island < set->island_count; ++island) {
        const uint32_t *vertices = borders->vertices + borders->starts[island];
        uint32_t count = borders->starts[island + 1] - borders->starts[island];
        for (uint32_t column = 0; column < count; ++column)
            for (uint32_t row = column; row < count; ++row) {
                double block[9];
                for (int i = 0; i < 3; ++i)
                    for (int j = 0; j < 3; ++j)
                        block[3 * i + j] =
                            0.5 * (dense_column(borders, island, column, j)[3 * (size_t)row + (size_t)i] +
                                   dense_column(borders, island, row, i)[3 * (size_t)column + (size_t)j]);
                if (!pair_blocks_add(answer, set->vertices[vertices[row]], set->vertices[vertices[column]], block))
                    return false;
            }
    }
    return true;
}

double fast_region_run_flops(const FastRegion *region) {
    SolverReport report;
    solver_report(region->solver, &report);
    /* two for every entry of the factor, forwards and backwards */
    return 4 * report.factor_entries * region->set->ratio;
}

double fast_region_answer_flops(const FastRegion *region) {
    return 3.0 * region->set->longest_border * fast_region_run_flops(region);
}

/* How many pairs W has. */
static size_t count_pairs(const FastSet *set) {
    size_t *borders = calloc((size_t)set->island_count + 1, sizeof *borders), count = 0;
    for (uint32_t i = 0; borders && i < set->vertex_count; ++i)
        if (set->kinds[i] == FAST_BORDER)
            count += ++borders[set->islands[i]];
    free(borders);
    return count;
}

/* Room for so many pairs. */
static bool make_room(PairBlocks *pairs, size_t count) {
    static const double zero[9];
    while (pairs->count < count)
        if (!pair_blocks_add(pairs, 0, 0, zero))
            return false;
    pairs->count = count;
    return true;
}

bool fast_region_archive(FastRegion *region, Archive *archive) {
    FastBorders *borders = region->borders;
    PairBlocks *found = &borders->found;
    uint64_t count = found->count;
    if (!archive_piece(archive, &count, sizeof count) || (count > 0 && count != count_pairs(region->set)) ||
        !make_room(found, count) || !make_room(&region->answer, count))
        return false;
    return count == 0 ||
           (archive_piece(archive, found->blocks, count * sizeof *found->blocks) &&
            archive_piece(archive, &borders->matrices, sizeof borders->matrices) &&
            archive_piece(archive, borders->then, 3 * (size_t)region->set->vertex_count * sizeof(double)));
}

/* The part of a vector of the system that the set has. */
static void gather(const FastSet *set, const double *from, double *to) {
    for (size_t i = 0; i < 3 * (size_t)set->vertex_count; ++i)
        to[i] = from[3 * (size_t)set->vertices[i / 3] + i % 3];
}

bool fast_region_answer_is_exact(const FastRegion *region) {
    return region->borders->matrices == region->matrices;
}

void fast_region_turn_answer(FastRegion *region, const double *positions) {
    const FastBorders *borders = region->borders;
    const FastSet *set = region->set;
    const PairBlock *found = borders->found.blocks;
    PairBlock *turned = region->answer.blocks;
    if (borders->found.count == 0)
        return; /* it covers everything */
    if (fast_region_answer_is_exact(region)) {
        memcpy(turned, found, borders->found.count * sizeof *found);
        return;
    }
    gather(set, positions, borders->now);
    vertex_rotations_find(&region->stiffness, &borders->free, borders->now, borders->then, borders->scratch,
                          borders->rotations);
    for (uint32_t island = 0; island < set->island_count; ++island) {
        const uint32_t *vertices = borders->vertices + borders->starts[island];
        uint32_t count = borders->starts[island + 1] - borders->starts[island];
        for (uint32_t column = 0; column < count; ++column)
            for (uint32_t row = column; row < count; ++row, ++found, ++turned) {
                *turned = *found;
                vertex_rotations_turn_block(borders->rotations, borders->free.of_vertex[vertices[row]],
                                            borders->free.of_vertex[vertices[column]], found->block, turned->block);
            }
    }
}

/* Doubles in FastBorders.ends. */
static size_t ends_size(const FastSet *set) {
    return 6 * (size_t)set->longest_border * 3 * set->vertex_count;
}

void fast_region_keep_ends(FastRegion *region, bool stay) {
    SolverReport report;
    solver_report(region->solver, &report);
    /* at least twice as fast as a run, and of at most six times the memory of the factor */
    double size = (double)ends_size(region->set);
    region->borders->keeps_ends =
        stay && 4 * size <= fast_region_run_flops(region) && size <= 6 * report.factor_entries;
}

bool fast_region_lacks_ends(const FastRegion *region) {
    return region->borders->keeps_ends && !region->borders->ends;
}

bool fast_region_keeps_ends(const FastRegion *region) {
    return region->borders->ends && fast_region_answer_is_exact(region);
}

void fast_region_move_end(const FastRegion *region, const double *change, double *velocities, double *moved) {
    const FastBorders *borders = region->borders;
    const FastSet *set = region->set;
    size_t n = 3 * (size_t)set->vertex_count;
    for (uint32_t c = 0; c < 3 * set->longest_border; ++c) {
        const double *end = borders->ends + 2 * n * (size_t)c;
        for (uint32_t island = 0; island < set->island_count; ++island) {
            uint32_t at = borders->starts[island] + c / 3;
            bool has = at < borders->starts[island + 1];
            borders->parts[island] = has ? change[3 * (size_t)set->vertices[borders->vertices[at]] + c % 3] : 0;
        }
        for (size_t v = 0; v < set->vertex_count; ++v) {
            if (set->kinds[v] != FAST_INSIDE)
                continue;
            double part = borders->parts[set->islands[v]];
            for (size_t i = 3 * v; i < 3 * v + 3; ++i) {
                velocities[i] += part * end[i];
                moved[i] += part * end[n + i];
            }
        }
    }
}

JnStatus fast_region_find_answer(FastRegion *region, const double *positions, JnMessage *message) {
    FastBorders *borders = region->borders;
    if (!borders->dense)
        borders->dense = malloc((borders->dense_size + 1) * sizeof(double));
    if (borders->keeps_ends && !borders->ends)
        borders->ends = malloc((ends_size(region->set) + 1) * sizeof(double));
    bool ok = borders->dense && (borders->ends || !borders->keeps_ends);
    JnStatus status = ok ? JN_OK : status_no_memory(message, "the border of a fast region");
    for (uint32_t first = 0; status == JN_OK && first < region->set->longest_border; first += FAST_BATCH / 3)
        status = find_columns(region, borders, first, message);
    if (status == JN_OK &&
        !(write_pairs(region, borders, &borders->found) && make_room(&region->answer, borders->found.count)))
        status = status_no_memory(message, "the border of a fast region");
    if (status != JN_OK)
        return status;
    borders->matrices = region->matrices;
    gather(region->set, positions, borders->then);
    fast_region_turn_answer(region, positions);
    return JN_OK;
}
