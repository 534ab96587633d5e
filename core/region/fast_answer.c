/* The matrix W with which a fast region answers at its border (fast_region.h): the impulses of unit velocities of the
   border, FAST_BATCH of them at once. Islands do not feel each other, so each run moves one border vertex of every
   island. */
#include "region/fast_region.h"

#include "base/status.h"

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
    free(borders);
}

static bool borders_list(const FastSet *set, FastBorders *borders) {
    size_t batch = FAST_BATCH * (size_t)set->vertex_count * 3 + 1, size = 0;
    *borders = (FastBorders){.starts = calloc((size_t)set->island_count + 2, sizeof(uint32_t)),
                             .vertices = malloc(((size_t)set->border_count + 1) * sizeof(uint32_t)),
                             .places = malloc(((size_t)set->vertex_count + 1) * sizeof(uint32_t)),
                             .first = malloc(((size_t)set->island_count + 1) * sizeof(size_t)),
                             .velocities = malloc(3 * batch * sizeof(double))};
    if (!borders->starts || !borders->vertices || !borders->places || !borders->first || !borders->velocities)
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

FastBorders *fast_borders_create(const FastSet *set) {
    FastBorders *borders = calloc(1, sizeof *borders);
    if (borders && borders_list(set, borders))
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

bool fast_region_archive(FastRegion *region, Archive *archive) {
    static const double zero[9];
    PairBlocks *answer = &region->answer;
    uint64_t count = answer->count;
    if (!archive_piece(archive, &count, sizeof count) || (count > 0 && count != count_pairs(region->set)))
        return false;
    while (answer->count < count)
        if (!pair_blocks_add(answer, 0, 0, zero))
            return false;
    answer->count = count;
    return count == 0 || archive_piece(archive, answer->blocks, count * sizeof *answer->blocks);
}

JnStatus fast_region_find_answer(FastRegion *region, JnMessage *message) {
    FastBorders *borders = region->borders;
    if (!borders->dense)
        borders->dense = malloc((borders->dense_size + 1) * sizeof(double));
    JnStatus status = borders->dense ? JN_OK : status_no_memory(message, "the border of a fast region");
    for (uint32_t first = 0; status == JN_OK && first < region->set->longest_border; first += FAST_BATCH / 3)
        status = find_columns(region, borders, first, message);
    if (status == JN_OK && !write_pairs(region, borders, &region->answer))
        status = status_no_memory(message, "the border of a fast region");
    return status;
}
