/* The answer of a fast region at its border: turned with the border it is the one that would be found anew, and the
   ends that are kept stand for a run. */
#include "harness.h"
#include "random.h"

#include "region/fast_region.h"

#include <math.h>
#include <string.h>

enum { VERTICES = 12, INSIDE = 8 };

/* A row of vertices, each coupled with the next three; the last ones are inside, the three before them the border. */
typedef struct Row {
    BlockMatrix stiffness, damping;
    double positions[3 * VERTICES], masses[VERTICES];
    FastSets sets;
    FastRegion *region;
} Row;

/* Adds to the block of a pair. */
static void fill_pair(BlockMatrix *matrix, uint32_t row, uint32_t column, const double block[9]) {
    for (uint32_t k = matrix->column_starts[column]; k < matrix->column_starts[column + 1]; ++k)
        if (matrix->rows[k] == row)
            for (int i = 0; i < 9; ++i)
                matrix->values[9 * (size_t)k + (size_t)i] += block[i];
}

static void row_open(Row *row) {
    uint32_t pairs[6 * VERTICES], ratios[VERTICES] = {0}, count = 0;
    uint8_t roles[VERTICES] = {0};
    uint64_t random = 5;
    memset(row, 0, sizeof *row);
    for (uint32_t v = 0; v < VERTICES; ++v)
        for (uint32_t w = v + 1; w <= v + 3 && w < VERTICES; ++w, ++count) {
            pairs[2 * count] = v;
            pairs[2 * count + 1] = w;
        }
    const VertexGroups groups = {count, 2, NULL, pairs};
    CHECK(block_matrix_build(VERTICES, &groups, 1, &row->stiffness, NULL) == JN_OK);
    CHECK(block_matrix_share_pattern(&row->stiffness, &row->damping, NULL) == JN_OK);
    for (uint32_t k = 0; k < count; ++k) {
        double a[3], block[9], minus[9];
        for (int i = 0; i < 3; ++i)
            a[i] = random_signed(&random);
        for (int i = 0; i < 9; ++i) {
            block[i] = 1000 * (a[i / 3] * a[i % 3] + (i % 4 == 0));
            minus[i] = -block[i];
        }
        fill_pair(&row->stiffness, pairs[2 * k], pairs[2 * k], block);
        fill_pair(&row->stiffness, pairs[2 * k + 1], pairs[2 * k + 1], block);
        fill_pair(&row->stiffness, pairs[2 * k + 1], pairs[2 * k], minus);
    }
    for (uint32_t v = 0; v < VERTICES; ++v) {
        row->masses[v] = 1.5 + 0.5 * random_signed(&random);
        ratios[v] = v >= VERTICES - INSIDE ? 7 : 0;
        for (size_t i = 0; i < 3; ++i)
            row->positions[3 * (size_t)v + i] = (i == 0) * (double)v + 0.4 * random_signed(&random);
    }
    CHECK(fast_sets_build(&row->stiffness, roles, ratios, &row->sets, NULL) == JN_OK && row->sets.count == 1);
    CHECK(fast_region_create(&row->sets.sets[0], &row->stiffness, row->masses, &row->region, NULL) == JN_OK);
}

static void row_close(Row *row) {
    fast_region_destroy(row->region);
    fast_sets_free(&row->sets);
    block_matrix_free(&row->stiffness);
    block_matrix_free(&row->damping);
}

/* Turns matrices and positions as a whole. */
static void row_turn(Row *row, const double R[9]) {
    for (size_t k = 0; k < row->stiffness.block_count; ++k) {
        double *block = row->stiffness.values + 9 * k, turned[9] = {0};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                for (int a = 0; a < 3; ++a)
                    for (int b = 0; b < 3; ++b)
                        turned[3 * i + j] += R[3 * i + a] * block[3 * a + b] * R[3 * j + b];
        memcpy(block, turned, sizeof turned);
    }
    for (size_t v = 0; v < VERTICES; ++v) {
        double *x = row->positions + 3 * v, turned[3] = {0};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                turned[i] += R[3 * i + j] * x[j];
        memcpy(x, turned, sizeof turned);
    }
}

static const double h = 0.01;

static JnStatus take(Row *row) {
    return fast_region_take(row->region, &row->stiffness, &row->damping, h, NULL);
}

TEST(answer_turned_with_its_border_is_the_one_found_anew) {
    Row row;
    PairBlock turned[100];
    double before = 0, off = 0, size = 0;
    /* a large angle about no axis in particular */
    const double R[9] = {2. / 3, -1. / 3, 2. / 3, 2. / 3, 2. / 3, -1. / 3, -1. / 3, 2. / 3, 2. / 3};
    row_open(&row);
    CHECK(take(&row) == JN_OK && fast_region_find_answer(row.region, row.positions, NULL) == JN_OK);
    CHECK(fast_region_answer_is_exact(row.region));
    const PairBlocks *answer = &row.region->answer;
    CHECK(answer->count > 0 && answer->count <= 100);
    double first = answer->blocks[0].block[1];
    row_turn(&row, R);
    CHECK(take(&row) == JN_OK && !fast_region_answer_is_exact(row.region));
    fast_region_turn_answer(row.region, row.positions);
    memcpy(turned, answer->blocks, answer->count * sizeof *turned);
    before = fabs(turned[0].block[1] - first);
    CHECK(fast_region_find_answer(row.region, row.positions, NULL) == JN_OK);
    for (size_t k = 0; k < answer->count; ++k)
        for (int i = 0; i < 9; ++i) {
            off = fmax(off, fabs(turned[k].block[i] - answer->blocks[k].block[i]));
            size = fmax(size, fabs(answer->blocks[k].block[i]));
        }
    CHECK(before > 1e-3 * size);
    CHECK(off < 1e-10 * size);
    row_close(&row);
}

TEST(ends_of_unit_runs_stand_for_a_run_with_other_velocities_of_the_border) {
    Row row;
    uint64_t random = 9;
    enum { N = 3 * VERTICES };
    double velocities[2][N], moved[2][N], impulse[N], start[N], change[N] = {0}, off = 0, way = 0;
    row_open(&row);
    fast_region_keep_ends(row.region, true);
    CHECK(take(&row) == JN_OK);
    CHECK(fast_region_lacks_ends(row.region) && !fast_region_keeps_ends(row.region));
    CHECK(fast_region_find_answer(row.region, row.positions, NULL) == JN_OK);
    CHECK(fast_region_keeps_ends(row.region) && !fast_region_lacks_ends(row.region));
    const FastSet *set = row.region->set;
    size_t n = 3 * (size_t)set->vertex_count;
    for (size_t i = 0; i < n; ++i)
        start[i] = random_signed(&random);
    for (int way_there = 0; way_there < 2; ++way_there) {
        memcpy(velocities[way_there], start, n * sizeof(double));
        const FastRun run = {
            .columns = 1, .velocities = velocities[way_there], .moved = moved[way_there], .impulse = impulse};
        CHECK(fast_region_run(row.region, &run, NULL) == JN_OK);
        for (size_t i = 0; way_there == 0 && i < n; ++i)
            if (set->kinds[i / 3] == FAST_BORDER) {
                change[3 * (size_t)set->vertices[i / 3] + i % 3] = random_signed(&random);
                start[i] += change[3 * (size_t)set->vertices[i / 3] + i % 3];
            }
    }
    for (size_t i = 0; i < n; ++i)
        way = fmax(way, set->kinds[i / 3] == FAST_INSIDE ? fabs(velocities[1][i] - velocities[0][i]) : 0);
    fast_region_move_end(row.region, change, velocities[0], moved[0]);
    for (size_t i = 0; i < n; ++i)
        if (set->kinds[i / 3] == FAST_INSIDE)
            off = fmax(off, fabs(velocities[1][i] - velocities[0][i]) + fabs(moved[1][i] - moved[0][i]));
    CHECK(way > 0.1);
    CHECK(off < 1e-12);
    row_close(&row);
}
