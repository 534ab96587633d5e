/* Blocks between pairs of vertices against dense arithmetic. */
#include "harness.h"
#include "random.h"

#include "linear/pair_blocks.h"

enum { VERTICES = 7, UNKNOWNS = 3 * VERTICES, BLOCKS = 200 };

/* Random blocks, most pairs several times and in both orders, and the same dense. */
static int fill(PairBlocks *pairs, double dense[UNKNOWNS][UNKNOWNS]) {
    uint64_t seed = 3;
    memset(dense, 0, UNKNOWNS * sizeof dense[0]);
    for (int n = 0; n < BLOCKS; ++n) {
        uint32_t row = (uint32_t)n % VERTICES, column = (uint32_t)(n / VERTICES) % VERTICES;
        double block[9];
        for (int i = 0; i < 9; ++i)
            block[i] = random_signed(&seed);
        for (int i = 0; row == column && i < 9; ++i)
            block[i] = block[3 * (i % 3) + i / 3];
        if (!pair_blocks_add(pairs, row, column, block))
            return 0;
        for (uint32_t i = 0; i < 3; ++i)
            for (uint32_t j = 0; j < 3; ++j) {
                dense[3 * row + i][3 * column + j] += block[3 * i + j];
                if (row != column)
                    dense[3 * column + j][3 * row + i] += block[3 * i + j];
            }
    }
    return 1;
}

TEST(pair_blocks_product_equals_dense_product) {
    static double dense[UNKNOWNS][UNKNOWNS];
    PairBlocks pairs = {.blocks = NULL};
    double x[UNKNOWNS], y[UNKNOWNS];
    uint64_t seed = 8;
    CHECK(fill(&pairs, dense) && pairs.count == BLOCKS);
    for (size_t k = 0; k < pairs.count; ++k)
        CHECK(pairs.blocks[k].row >= pairs.blocks[k].column);
    for (int i = 0; i < UNKNOWNS; ++i) {
        x[i] = random_signed(&seed);
        y[i] = i;
    }
    pair_blocks_multiply(&pairs, x, y);
    for (int i = 0; i < UNKNOWNS; ++i) {
        double sum = i;
        for (int j = 0; j < UNKNOWNS; ++j)
            sum += dense[i][j] * x[j];
        CHECK_NEAR(y[i], sum, 1e-12);
    }
    CHECK(fabs(y[0]) > 1e-3);
    pair_blocks_free(&pairs);
    CHECK(!pairs.blocks && pair_blocks_empty(&pairs));
}

TEST(pair_blocks_product_leaves_fixed_vertices_out) {
    static double dense[UNKNOWNS][UNKNOWNS];
    const uint8_t fixed[VERTICES] = {[1] = 1, [4] = 1};
    PairBlocks pairs = {.blocks = NULL};
    BlockMatrix matrix;
    FreeUnknowns unknowns;
    JnMessage message;
    double x[UNKNOWNS] = {0}, y[UNKNOWNS] = {0};
    uint64_t seed = 9;
    CHECK(fill(&pairs, dense));
    CHECK(block_matrix_build(VERTICES, NULL, 0, &matrix, &message) == JN_OK);
    CHECK(free_unknowns_build(&matrix, fixed, &unknowns) && unknowns.count == VERTICES - 2);
    for (uint32_t i = 0; i < 3 * unknowns.count; ++i)
        x[i] = random_signed(&seed);
    pair_blocks_multiply_free(&pairs, &unknowns, x, y);
    for (uint32_t i = 0; i < 3 * unknowns.count; ++i) {
        double sum = 0;
        for (uint32_t j = 0; j < 3 * unknowns.count; ++j)
            sum += dense[3 * unknowns.vertices[i / 3] + i % 3][3 * unknowns.vertices[j / 3] + j % 3] * x[j];
        CHECK_NEAR(y[i], sum, 1e-12);
    }
    CHECK(fabs(y[0]) > 1e-3);
    free_unknowns_free(&unknowns);
    block_matrix_free(&matrix);
    pair_blocks_free(&pairs);
}

TEST(pair_blocks_cleared_are_zero_and_keep_their_memory) {
    static double dense[UNKNOWNS][UNKNOWNS];
    PairBlocks pairs = {.blocks = NULL};
    double x[UNKNOWNS], y[UNKNOWNS] = {0};
    for (int i = 0; i < UNKNOWNS; ++i)
        x[i] = 1;
    CHECK(pair_blocks_empty(NULL) && pair_blocks_empty(&pairs));
    CHECK(fill(&pairs, dense) && !pair_blocks_empty(&pairs));
    const PairBlock *kept = pairs.blocks;
    pair_blocks_clear(&pairs);
    CHECK(pair_blocks_empty(&pairs));
    pair_blocks_multiply(&pairs, x, y);
    pair_blocks_multiply(NULL, x, y);
    for (int i = 0; i < UNKNOWNS; ++i)
        CHECK(y[i] == 0);
    CHECK(fill(&pairs, dense) && pairs.blocks == kept);
    pair_blocks_free(&pairs);
}
