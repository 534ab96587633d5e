/* Block matrices and the solver against dense arithmetic. */
#include "harness.h"
#include "random.h"

#include "base/vectors.h"
#include "linear/scalar_system.h"
#include "linear/solver.h"
#include "linear/vector_blocks.h"

/* A strip of tets: tet t has vertices t .. t + 3. */
enum { VERTICES = 40, TETS = VERTICES - 3 };
static uint32_t strip[TETS * 4];

/* A symmetric, diagonally dominant matrix on the strip's pattern, and the same dense. */
static int make_matrix(BlockMatrix *matrix, double *dense) {
    uint64_t seed = 3;
    JnMessage message;
    for (uint32_t t = 0; t < TETS; ++t)
        for (uint32_t a = 0; a < 4; ++a)
            strip[4 * t + a] = t + (a + t) % 4; /* corners in varying order */
    if (block_matrix_build(VERTICES, &(VertexGroups){TETS, 4, NULL, strip}, 1, matrix, &message) != JN_OK)
        return 0;
    for (uint32_t column = 0; column < VERTICES; ++column)
        for (uint32_t row = column; row < VERTICES && row < column + 4; ++row) {
            double block[9];
            for (int i = 0; i < 9; ++i)
                block[i] = random_signed(&seed);
            if (row == column) {
                block[1] = block[3], block[2] = block[6], block[5] = block[7];
                for (int i = 0; i < 3; ++i)
                    block[4 * i] = 25 + block[4 * i];
            }
            /* half of them through the upper triangle */
            if ((row + column) % 2) {
                double transposed[9];
                for (int i = 0; i < 9; ++i)
                    transposed[i] = block[3 * (i % 3) + i / 3];
                block_matrix_add(matrix, column, row, transposed);
            } else {
                block_matrix_add(matrix, row, column, block);
            }
            for (uint32_t i = 0; i < 3; ++i)
                for (uint32_t j = 0; j < 3; ++j) {
                    dense[(3 * row + i) * 3 * VERTICES + 3 * column + j] = block[3 * i + j];
                    dense[(3 * column + j) * 3 * VERTICES + 3 * row + i] = block[3 * i + j];
                }
        }
    return 1;
}

static double dense_matrix[9 * VERTICES * VERTICES];

TEST(block_matrix_multiply_equals_dense_product) {
    BlockMatrix matrix;
    double x[3 * VERTICES], y[3 * VERTICES];
    uint64_t seed = 5;
    CHECK(make_matrix(&matrix, dense_matrix));
    for (int i = 0; i < 3 * VERTICES; ++i)
        x[i] = random_signed(&seed);
    block_matrix_multiply(&matrix, x, y);
    for (int i = 0; i < 3 * VERTICES; ++i) {
        double sum = 0;
        for (int j = 0; j < 3 * VERTICES; ++j)
            sum += dense_matrix[3 * VERTICES * i + j] * x[j];
        CHECK_NEAR(y[i], sum, 1e-12);
    }
    CHECK(fabs(y[0]) > 1e-3);
    block_matrix_free(&matrix);
}

TEST(block_matrix_products_of_many_vectors_are_those_of_each_to_the_bit) {
    enum { MOST = 2 * BLOCK_PRODUCTS + 1, N = 3 * VERTICES };
    static double x[MOST * N], y[MOST * N], scratch[2 * BLOCK_PRODUCTS * N];
    BlockMatrix matrix;
    double product[N];
    uint64_t seed = 6;
    CHECK(make_matrix(&matrix, dense_matrix));
    for (int i = 0; i < MOST * N; ++i)
        x[i] = random_signed(&seed);
    for (uint32_t count = 0; count <= MOST; ++count) {
        memset(y, 0, sizeof y);
        block_matrix_multiply_many(&matrix, x, count, scratch, y);
        for (uint32_t k = 0; k < MOST; ++k) {
            block_matrix_multiply(&matrix, x + k * N, product);
            CHECK(fabs(product[0]) > 1e-3);
            memset(product, 0, k < count ? 0 : sizeof product); /* what is not asked for stays as it was */
            CHECK(memcmp(y + k * N, product, sizeof product) == 0);
        }
    }
    block_matrix_free(&matrix);
}

TEST(vector_blocks_have_the_products_and_sums_of_their_vectors) {
    enum { N = 1201, A = 5, B = 3 };
    static double a[A * N], b[B * N], sums[B * N];
    double products[A * B], weights[B * A];
    uint64_t seed = 7;
    for (int i = 0; i < A * N; ++i)
        a[i] = random_signed(&seed);
    for (int i = 0; i < B * N; ++i)
        b[i] = random_signed(&seed);
    for (int i = 0; i < B * A; ++i)
        weights[i] = random_signed(&seed);
    CHECK(vector_blocks_multiply(N, a, A, b, B, products, NULL) == JN_OK);
    for (int k = 0; k < A; ++k)
        for (int l = 0; l < B; ++l)
            CHECK_NEAR(products[A * l + k], vector_dot(a + k * N, b + l * N, N), 1e-11);
    CHECK(vector_blocks_sum(N, a, A, weights, B, sums, NULL) == JN_OK);
    for (int l = 0; l < B; ++l)
        for (int i = 0; i < N; ++i) {
            double sum = 0;
            for (int k = 0; k < A; ++k)
                sum += weights[A * l + k] * a[k * N + i];
            CHECK_NEAR(sums[l * N + i], sum, 1e-13);
        }
    memcpy(b, a + B * N, (A - B) * N * sizeof *a);
    CHECK(vector_blocks_combine(N, a, A, weights, B, NULL) == JN_OK);
    for (int i = 0; i < B * N; ++i)
        CHECK_NEAR(a[i], sums[i], 1e-13);
    CHECK(memcmp(a + B * N, b, (A - B) * N * sizeof *a) == 0);
}

TEST(solver_with_fixed_vertices_solves_the_free_part) {
    BlockMatrix matrix;
    Solver *solver;
    JnMessage message;
    bool positive_definite;
    uint8_t fixed[VERTICES] = {[0] = 1, [7] = 1, [8] = 1, [VERTICES - 1] = 1};
    double b[2 * 3 * VERTICES], x[2 * 3 * VERTICES];
    uint64_t seed = 9;
    CHECK(make_matrix(&matrix, dense_matrix));
    CHECK(solver_create(&(SolverDesc){.pattern = &matrix, .fixed = fixed}, &solver, &message) == JN_OK);
    CHECK(solver_unknown_count(solver) == 3 * (VERTICES - 4));
    CHECK(solver_factor(solver, &matrix, NULL, &positive_definite, &message) == JN_OK);
    CHECK(positive_definite);
    for (int i = 0; i < 6 * VERTICES; ++i)
        b[i] = random_signed(&seed);
    CHECK(solver_solve(solver, b, x, 2, &message) == JN_OK);
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < 3 * VERTICES; ++i) {
            const double *xs = x + side * 3 * VERTICES;
            double sum = 0;
            for (int j = 0; j < 3 * VERTICES; ++j)
                sum += dense_matrix[3 * VERTICES * i + j] * xs[j];
            if (fixed[i / 3])
                CHECK(xs[i] == 0);
            else
                CHECK_NEAR(sum, b[side * 3 * VERTICES + i], 1e-11);
        }
    SolverReport report;
    solver_report(solver, &report);
    CHECK(report.factor_flops > 0 && report.factor_bytes > 0);
    solver_destroy(solver);
    block_matrix_free(&matrix);
}

TEST(solver_indefinite_matrix_is_reported_and_recovers) {
    BlockMatrix matrix;
    Solver *solver;
    JnMessage message;
    bool positive_definite;
    double x[3 * VERTICES] = {1};
    CHECK(make_matrix(&matrix, dense_matrix));
    CHECK(solver_create(&(SolverDesc){.pattern = &matrix, .fixed = NULL}, &solver, &message) == JN_OK);
    double *pivot = &matrix.values[9 * (size_t)matrix.column_starts[20]], kept = *pivot;
    *pivot = -5;
    CHECK(solver_factor(solver, &matrix, NULL, &positive_definite, &message) == JN_OK);
    CHECK(!positive_definite);
    CHECK(solver_solve(solver, x, x, 1, &message) == JN_ERR_ORDER);
    *pivot = kept;
    CHECK(solver_factor(solver, &matrix, NULL, &positive_definite, &message) == JN_OK);
    CHECK(positive_definite);
    solver_destroy(solver);
    block_matrix_free(&matrix);
}

TEST(solver_everything_fixed_solves_to_zero) {
    BlockMatrix matrix;
    Solver *solver;
    JnMessage message;
    bool positive_definite;
    uint8_t fixed[VERTICES];
    double x[3 * VERTICES];
    memset(fixed, 1, sizeof fixed);
    for (int i = 0; i < 3 * VERTICES; ++i)
        x[i] = 1;
    CHECK(make_matrix(&matrix, dense_matrix));
    CHECK(solver_create(&(SolverDesc){.pattern = &matrix, .fixed = fixed}, &solver, &message) == JN_OK);
    CHECK(solver_factor(solver, &matrix, NULL, &positive_definite, &message) == JN_OK && positive_definite);
    CHECK(solver_solve(solver, x, x, 1, &message) == JN_OK);
    for (int i = 0; i < 3 * VERTICES; ++i)
        CHECK(x[i] == 0);
    solver_destroy(solver);
    block_matrix_free(&matrix);
}

TEST(scalar_system_chain_solves_to_straight_line) {
    /* a chain of springs held at both ends: -1 2 -1, with the right end pulled to 1 */
    enum { N = 50 };
    ScalarSystem *system;
    JnMessage message;
    double values[2 * N] = {0};
    CHECK(scalar_system_create(N, 2 * N, &system, &message) == JN_OK);
    for (uint32_t i = 0; i < N; ++i) {
        scalar_system_add(system, i, i, 2);
        if (i > 0)
            scalar_system_add(system, i - 1, i, -1);
    }
    CHECK(scalar_system_factor(system, &message) == JN_OK);
    values[2 * (N - 1)] = 1;      /* first right-hand side */
    values[2 * (N - 1) + 1] = -2; /* second */
    CHECK(scalar_system_solve(system, values, 2, &message) == JN_OK);
    for (int i = 0; i < N; ++i) {
        CHECK_NEAR(values[2 * i], (i + 1.0) / (N + 1), 1e-12);
        CHECK_NEAR(values[2 * i + 1], -2 * (i + 1.0) / (N + 1), 1e-12);
    }
    scalar_system_destroy(system);
}

TEST(pattern_groups_of_any_size_are_coupled) {
    const uint32_t spring[] = {4, 1}, patch[] = {0, 2, 3, 3, 5};
    const size_t starts[] = {0, 4, 5};
    VertexGroups kinds[] = {{1, 2, NULL, spring}, {2, 0, starts, patch}};
    BlockMatrix matrix;
    JnMessage message;
    CHECK(block_matrix_build(6, kinds, 2, &matrix, &message) == JN_OK);
    /* six diagonal blocks, the spring, and the three pairs of the first patch, whose repeated vertex adds none */
    static const uint32_t starts_expected[] = {0, 3, 5, 7, 8, 9, 10}, rows_expected[] = {0, 2, 3, 1, 4, 2, 3, 3, 4, 5};
    CHECK(matrix.block_count == 10);
    for (int i = 0; i < 7; ++i)
        CHECK(matrix.column_starts[i] == starts_expected[i]);
    for (int i = 0; i < 10; ++i)
        CHECK(matrix.rows[i] == rows_expected[i]);
    block_matrix_free(&matrix);
}

/* A x = b with the matrix's own product. */
static int solves_to(const BlockMatrix *matrix, const uint8_t *fixed, SolverKind kind, double tolerance) {
    Solver *solver;
    JnMessage message;
    bool regular;
    static double b[2 * 3 * VERTICES], x[2 * 3 * VERTICES], y[3 * VERTICES];
    uint64_t seed = 17;
    double worst = 0;
    for (int i = 0; i < 6 * VERTICES; ++i)
        b[i] = random_signed(&seed);
    if (solver_create(&(SolverDesc){matrix, fixed, .kind = kind}, &solver, &message) != JN_OK ||
        solver_factor(solver, matrix, NULL, &regular, &message) != JN_OK || !regular ||
        solver_solve(solver, b, x, 2, &message) != JN_OK) {
        solver_destroy(solver);
        return 0;
    }
    for (int side = 0; side < 2; ++side) {
        block_matrix_multiply(matrix, x + side * 3 * VERTICES, y);
        for (int i = 0; i < 3 * VERTICES; ++i)
            worst = fmax(worst, fixed && fixed[i / 3] ? fabs(x[side * 3 * VERTICES + i])
                                                      : fabs(y[i] - b[side * 3 * VERTICES + i]));
    }
    SolverReport report;
    solver_report(solver, &report);
    solver_destroy(solver);
    return worst < tolerance && report.factor_flops > 0 && report.bytes > 0 && report.factor_count == 1;
}

TEST(solver_symmetric_indefinite_saddle_points_are_solved) {
    uint8_t fixed[VERTICES] = {[3] = 1, [11] = 1};
    for (uint64_t round = 1; round < 6; ++round) {
        BlockMatrix matrix;
        uint64_t seed = round;
        CHECK(make_matrix(&matrix, dense_matrix));
        /* every third vertex is a set of constraints: nothing on its diagonal, coupled to the others only */
        for (uint32_t column = 0; column < VERTICES; ++column)
            for (uint32_t k = matrix.column_starts[column]; k < matrix.column_starts[column + 1]; ++k) {
                bool both = column % 3 == 0 && matrix.rows[k] % 3 == 0;
                for (int i = 0; i < 9; ++i) {
                    if (both)
                        matrix.values[9 * (size_t)k + (size_t)i] = 0;
                    else if (matrix.rows[k] != column)
                        matrix.values[9 * (size_t)k + (size_t)i] = random_signed(&seed);
                }
            }
        CHECK(solves_to(&matrix, NULL, SOLVER_SYMMETRIC_INDEFINITE, 1e-10));
        CHECK(solves_to(&matrix, fixed, SOLVER_SYMMETRIC_INDEFINITE, 1e-10));
        CHECK(!solves_to(&matrix, NULL, SOLVER_POSITIVE_DEFINITE, 1e-10));
        block_matrix_free(&matrix);
    }
}

TEST(solver_unsymmetric_matrices_are_solved) {
    uint8_t fixed[VERTICES] = {[0] = 1, [20] = 1};
    BlockMatrix matrix;
    JnMessage message;
    uint64_t seed = 23;
    double x[3 * VERTICES], y[3 * VERTICES];
    CHECK(make_matrix(&matrix, dense_matrix));
    CHECK(block_matrix_make_unsymmetric(&matrix, &message) == JN_OK);
    block_matrix_set_zero(&matrix);
    memset(dense_matrix, 0, sizeof dense_matrix);
    for (uint32_t row = 0; row < VERTICES; ++row)
        for (uint32_t column = 0; column < VERTICES; ++column) {
            if (row > column + 3 || column > row + 3)
                continue;
            double block[9];
            for (uint32_t i = 0; i < 9; ++i) {
                block[i] = random_signed(&seed);
                dense_matrix[(3 * row + i / 3) * 3 * VERTICES + 3 * column + i % 3] = block[i];
            }
            block_matrix_add(&matrix, row, column, block);
        }
    for (int i = 0; i < 3 * VERTICES; ++i)
        x[i] = random_signed(&seed);
    block_matrix_multiply(&matrix, x, y);
    for (int i = 0; i < 3 * VERTICES; ++i) {
        double sum = 0;
        for (int j = 0; j < 3 * VERTICES; ++j)
            sum += dense_matrix[3 * VERTICES * i + j] * x[j];
        CHECK_NEAR(y[i], sum, 1e-12);
    }
    CHECK(solves_to(&matrix, NULL, SOLVER_UNSYMMETRIC, 1e-10));
    CHECK(solves_to(&matrix, fixed, SOLVER_UNSYMMETRIC, 1e-10));
    block_matrix_free(&matrix);
}

TEST(solver_singular_matrices_are_refused) {
    BlockMatrix matrix;
    Solver *solver;
    JnMessage message;
    bool regular;
    double b[3 * VERTICES] = {1}, x[3 * VERTICES];
    for (int kind = SOLVER_SYMMETRIC_INDEFINITE; kind <= SOLVER_UNSYMMETRIC; ++kind)
        for (int how = 0; how < 3; ++how) {
            CHECK(make_matrix(&matrix, dense_matrix));
            CHECK(solver_create(&(SolverDesc){&matrix, NULL, .kind = (SolverKind)kind}, &solver, &message) == JN_OK);
            CHECK(solver_solve(solver, b, x, 1, &message) == JN_ERR_ORDER);
            if (how == 0) { /* nothing at all */
                block_matrix_set_zero(&matrix);
            } else if (how == 1) { /* a chain that hangs on nothing: rows add up to zero, but for rounding */
                block_matrix_set_zero(&matrix);
                for (uint32_t v = 0; v + 1 < VERTICES; ++v) {
                    const double plus[9] = {0.1, 0, 0, 0, 0.7, 0, 0, 0, 1.3},
                                 minus[9] = {-0.1, 0, 0, 0, -0.7, 0, 0, 0, -1.3};
                    block_matrix_add(&matrix, v, v, plus);
                    block_matrix_add(&matrix, v + 1, v + 1, plus);
                    block_matrix_add(&matrix, v + 1, v, minus);
                }
            } else {
                matrix.values[100] = NAN;
            }
            JnStatus status = solver_factor(solver, &matrix, NULL, &regular, &message);
            CHECK(status == JN_ERR_DIVERGED || (status == JN_OK && !regular));
            CHECK(solver_solve(solver, b, x, 1, &message) == JN_ERR_ORDER);
            block_matrix_free(&matrix);
            CHECK(make_matrix(&matrix, dense_matrix));
            CHECK(solver_factor(solver, &matrix, NULL, &regular, &message) == JN_OK && regular);
            CHECK(solver_solve(solver, b, x, 1, &message) == JN_OK);
            solver_destroy(solver);
            block_matrix_free(&matrix);
        }
}

TEST(solver_preconditions_many_at_once_as_it_solves_them_but_roughly) {
    enum { COUNT = 5, SIZE = 3 * VERTICES };
    BlockMatrix matrix;
    Solver *solver;
    double b[COUNT * SIZE], x[COUNT * SIZE], y[COUNT * SIZE];
    uint8_t fixed[VERTICES] = {0};
    uint64_t seed = 11;
    bool definite = false;
    JnMessage message;
    fixed[3] = fixed[17] = 1;
    CHECK(make_matrix(&matrix, dense_matrix));
    CHECK(solver_create(&(SolverDesc){.pattern = &matrix, .fixed = fixed}, &solver, &message) == JN_OK);
    for (int i = 0; i < COUNT * SIZE; ++i)
        b[i] = random_signed(&seed);
    CHECK(!solver_has_factor(solver));
    CHECK(solver_precondition(solver, b, x, COUNT, &message) == JN_ERR_ORDER);
    CHECK(solver_factor(solver, &matrix, NULL, &definite, &message) == JN_OK && definite);
    CHECK(solver_has_factor(solver));
    CHECK(solver_solve(solver, b, x, COUNT, &message) == JN_OK);
    CHECK(solver_precondition(solver, b, y, COUNT, &message) == JN_OK);
    for (int i = 0; i < COUNT * SIZE; ++i) {
        CHECK_NEAR(x[i], y[i], 1e-6);
        CHECK(!fixed[i % SIZE / 3] || y[i] == 0);
    }
    CHECK(solver_precondition(solver, b, b, COUNT, &message) == JN_OK);
    CHECK(memcmp(b, y, sizeof b) == 0);
    solver_destroy(solver);
    block_matrix_free(&matrix);
}
