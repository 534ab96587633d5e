/* The dense last block in single precision: its factor is that of S0 + C in the order that it says, and only what pairs
   touch is factored anew. */
#include "harness.h"
#include "random.h"

#include "linear/schur_split.h"

#include <math.h>
#include <string.h>

enum { VERTICES = 6, N = 3 * VERTICES };

typedef struct Setup {
    uint32_t of_vertex[VERTICES];
    FreeUnknowns unknowns;
    int places[N];
    double schur[N * N], whole[N][N]; /* S0; S0 + C */
    SchurBlock block;
    SchurSplit split;
    PairBlocks pairs;
} Setup;

/* The block's unknowns in reverse order of the vertices. */
static bool setup_open(Setup *setup) {
    uint64_t seed = 7;
    memset(setup, 0, sizeof *setup);
    for (int i = 0; i < N; ++i)
        setup->places[i] = N - 1 - i;
    for (uint32_t v = 0; v < VERTICES; ++v)
        setup->of_vertex[v] = v;
    for (int j = 0; j < N; ++j)
        for (int i = j; i < N; ++i)
            setup->schur[j * N + i] = i == j ? N : random_signed(&seed);
    setup->unknowns = (FreeUnknowns){.vertex_count = VERTICES, .count = VERTICES, .of_vertex = setup->of_vertex};
    setup->block = (SchurBlock){.count = N, .places = setup->places, .schur = setup->schur};
    return schur_split_prepare(&setup->split, N);
}

static void setup_close(Setup *setup) {
    schur_split_free(&setup->split);
    pair_blocks_free(&setup->pairs);
}

static bool add(Setup *setup, uint32_t row, uint32_t column, double stiffness) {
    const double block[9] = {2 * stiffness, 0, 0, 0, stiffness, 0, 0, 0, stiffness};
    return pair_blocks_add(&setup->pairs, row, column, block);
}

/* Each of `count` vertices from `first` on is held, and joined with the next one of them. */
static bool touch(Setup *setup, uint32_t first, uint32_t count, double stiffness) {
    bool ok = true;
    pair_blocks_clear(&setup->pairs);
    for (uint32_t v = first; ok && v < first + count; ++v)
        ok = add(setup, v, v, stiffness) && (v + 1 == first + count || add(setup, v + 1, v, -0.3 * stiffness));
    return ok;
}

static bool factor(Setup *setup) {
    return schur_split_factor(&setup->split, &setup->block, &setup->unknowns, &setup->pairs);
}

/* The largest entry of L L' - P (S0 + C) P'. */
static double off(Setup *setup) {
    double largest = 0;
    for (int j = 0; j < N; ++j)
        for (int i = j; i < N; ++i)
            setup->whole[i][j] = setup->whole[j][i] = setup->schur[j * N + i];
    for (size_t k = 0; k < setup->pairs.count; ++k) {
        const PairBlock *pair = &setup->pairs.blocks[k];
        for (int c = 0; c < 9; ++c) {
            int i = setup->places[3 * pair->row + (uint32_t)c / 3],
                j = setup->places[3 * pair->column + (uint32_t)c % 3];
            setup->whole[i][j] += pair->block[c];
            if (pair->row != pair->column)
                setup->whole[j][i] += pair->block[c];
        }
    }
    LastBlock last = schur_split_last(&setup->split);
    for (int i = 0; i < N; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = -setup->whole[last.order[i]][last.order[j]];
            for (int k = 0; k <= j; ++k)
                sum += (double)last.values[k * N + i] * (double)last.values[k * N + j];
            largest = fmax(largest, fabs(sum));
        }
    return largest;
}

TEST(split_block_is_factored_with_any_pairs) {
    Setup setup;
    CHECK(setup_open(&setup));
    for (uint32_t count = 0; count <= VERTICES; ++count)
        for (uint32_t first = 0; first + count <= VERTICES; ++first) {
            CHECK(touch(&setup, first, count, 5) && factor(&setup));
            CHECK(off(&setup) < 1e-4);
            CHECK(setup.split.head <= N - 3 * (int)count && setup.split.head >= N - 5 * (int)count);
        }
    setup_close(&setup);
}

TEST(split_block_eliminates_its_head_once) {
    Setup setup;
    CHECK(setup_open(&setup));
    CHECK(touch(&setup, 1, 3, 5) && factor(&setup) && setup.split.head == N - 9);
    float *head = setup.split.values, before = head[N - 1];
    head[N - 1] = before + 1; /* would be undone if it were eliminated again */
    CHECK(touch(&setup, 2, 2, 9) && factor(&setup) && setup.split.head == N - 9);
    CHECK(head[N - 1] == before + 1);
    CHECK(touch(&setup, 4, 2, 9) && factor(&setup) && setup.split.head == N - 6);
    CHECK(off(&setup) < 1e-4);
    setup_close(&setup);
}

TEST(split_block_refuses_pairs_that_are_too_stiff_or_not_finite) {
    Setup setup;
    CHECK(setup_open(&setup));
    CHECK(touch(&setup, 1, 3, 1e9) && !factor(&setup));
    CHECK(touch(&setup, 1, 3, NAN) && !factor(&setup));
    CHECK(touch(&setup, 1, 3, -100) && !factor(&setup));
    CHECK(touch(&setup, 1, 3, 5) && factor(&setup) && off(&setup) < 1e-4);
    setup_close(&setup);
}

TEST(split_block_after_a_load_is_the_same_to_the_bit) {
    Setup setup, other;
    MemoryArchive memory = {0};
    bool changed;
    CHECK(setup_open(&setup) && setup_open(&other));
    CHECK(touch(&setup, 1, 3, 5) && factor(&setup) && touch(&setup, 2, 2, 7) && factor(&setup));
    CHECK(schur_split_archive(&setup.split, memory_archive_save(&memory), &changed) && !changed);
    CHECK(schur_split_archive(&other.split, memory_archive_load(&memory), &changed) && changed);
    CHECK(touch(&other, 2, 2, 7) && factor(&other) && other.split.head == setup.split.head);
    for (size_t j = 0; j < N; ++j)
        CHECK(memcmp(setup.split.values + j * N + j, other.split.values + j * N + j, (N - j) * sizeof(float)) == 0);
    memory_archive_free(&memory);
    setup_close(&setup);
    setup_close(&other);
}
