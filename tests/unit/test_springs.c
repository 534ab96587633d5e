/* Springs: derivatives of every law and stencil in every state, invariance, projection, degenerate lengths, threads. */
#include "harness.h"
#include "random.h"

#include "base/math3.h"
#include "terms.h"

#include "elastic/springs.h"

enum { VERTICES = 4, N = 3 * VERTICES };

static const double rest[N] = {0, 0, 0, 0.3, 0.1, 0, 0.1, 0.4, 0, 0.1, 0.1, 0.5};
static const double laws[][2] = {{1, 0}, {1, 40}, {0, 60}}; /* linear, cubic: linear, both, purely cubic */
enum { LAWS = sizeof laws / sizeof laws[0] };

typedef struct Fixture {
    BlockMatrix matrix;
    ForceTerm term;
} Fixture;

/* All edges of a tet, and the four diagonals from its corners. */
static int open_braced(Fixture *f, const double law[2], double damping, bool braced) {
    static const uint32_t tet[4] = {0, 1, 2, 3};
    Spring springs[10];
    uint32_t count = 0;
    JnMessage message;
    for (uint32_t a = 0; a < 4; ++a)
        for (uint32_t b = 0; b < a; ++b)
            springs[count++] = spring_between(rest, a, b, 1000 + 100 * a);
    for (uint32_t a = 0; a < 4; ++a)
        springs[count++] =
            spring_to_triangle(rest, a, (uint32_t[3]){(a + 1) % 4, (a + 2) % 4, (a + 3) % 4}, 5000 + 500 * a);
    for (uint32_t k = 0; k < count; ++k) {
        springs[k].linear = law[0];
        springs[k].cubic = law[1];
        springs[k].stiffness_damping = damping;
        springs[k].braced = braced;
    }
    VertexGroups groups = vertex_groups_of_tets(tet, 1);
    return block_matrix_build(VERTICES, &groups, 1, &f->matrix, &message) == JN_OK &&
           springs_create(rest, VERTICES, springs, count, 1, &f->matrix, &f->term, &message) == JN_OK;
}

static int open_fixture(Fixture *f, const double law[2], double damping) {
    return open_braced(f, law, damping, false);
}

static void close_fixture(Fixture *f) {
    term_destroy(&f->term);
    block_matrix_free(&f->matrix);
}

static double energy_at(Fixture *f, const double *q) {
    double energy = 0;
    term_evaluate(&f->term, &(Evaluation){.q = q, .energy = &energy});
    return energy;
}

static void force_at(Fixture *f, const double *q, const double *v, double force[N]) {
    memset(force, 0, N * sizeof *force);
    term_evaluate(&f->term, &(Evaluation){.q = q, .v = v, .force = force, .stiffness = STIFFNESS_RAW});
}

/* columns[i] = K e_i */
static void stiffness_at(Fixture *f, const double *q, StiffnessKind kind, double columns[N][N]) {
    block_matrix_set_zero(&f->matrix);
    term_evaluate(&f->term, &(Evaluation){.q = q, .matrix = &f->matrix, .stiffness_scale = 1, .stiffness = kind});
    for (int i = 0; i < N; ++i) {
        double x[N] = {0};
        x[i] = 1;
        block_matrix_multiply(&f->matrix, x, columns[i]);
    }
}

enum { AT_REST, STRETCHED, COMPRESSED, ROTATED, STATES };

static void pose(int state, double q[N]) {
    static const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
    uint64_t seed = 5;
    for (int v = 0; v < VERTICES; ++v)
        for (int i = 0; i < 3; ++i) {
            double x = rest[3 * v + i];
            if (state == ROTATED)
                x = 2 + turn[3 * i] * rest[3 * v] + turn[3 * i + 1] * rest[3 * v + 1] +
                    turn[3 * i + 2] * rest[3 * v + 2];
            q[3 * v + i] = (state == STRETCHED    ? 1.5
                            : state == COMPRESSED ? 0.6
                                                  : 1) *
                               x +
                           (state == AT_REST ? 0 : 0.02) * random_signed(&seed);
        }
}

TEST(springs_force_is_minus_derivative_of_energy_in_every_law_and_state) {
    for (int law = 0; law < LAWS; ++law)
        for (int state = 0; state < STATES; ++state) {
            Fixture f;
            double q[N], force[N], largest = 0, e = 1e-6;
            CHECK(open_fixture(&f, laws[law], 0));
            pose(state, q);
            force_at(&f, q, NULL, force);
            for (int i = 0; i < N; ++i) {
                double kept = q[i];
                q[i] = kept + e;
                double above = energy_at(&f, q);
                q[i] = kept - e;
                double below = energy_at(&f, q);
                q[i] = kept;
                CHECK_NEAR(-(above - below) / (2 * e), force[i], 1e-5);
                largest = fmax(largest, fabs(force[i]));
            }
            CHECK(state == AT_REST ? largest < 1e-9 : largest > (law == 2 && state == ROTATED ? 0.1 : 1));
            close_fixture(&f);
        }
}

TEST(springs_matrix_is_minus_derivative_of_force_and_symmetric) {
    for (int law = 0; law < LAWS; ++law)
        for (int state = 0; state < STATES; ++state) {
            Fixture f;
            double q[N], above[N], below[N], K[N][N], largest = 0, e = 1e-6;
            CHECK(open_fixture(&f, laws[law], 0));
            pose(state, q);
            stiffness_at(&f, q, STIFFNESS_RAW, K);
            for (int i = 0; i < N; ++i) {
                double kept = q[i];
                q[i] = kept + e;
                force_at(&f, q, NULL, above);
                q[i] = kept - e;
                force_at(&f, q, NULL, below);
                q[i] = kept;
                for (int j = 0; j < N; ++j) {
                    CHECK_NEAR(-(above[j] - below[j]) / (2 * e), K[i][j], 1e-3);
                    CHECK_NEAR(K[i][j], K[j][i], 1e-9);
                    largest = fmax(largest, fabs(K[i][j]));
                }
            }
            CHECK(law == 2 && state == AT_REST ? largest == 0 : largest > 50);
            close_fixture(&f);
        }
}

/* Whether all eigenvalues are at least -tolerance: Cholesky of K + tolerance I. */
static int is_semidefinite(double K[N][N], double tolerance) {
    double L[N][N] = {{0}};
    for (int i = 0; i < N; ++i)
        for (int j = 0; j <= i; ++j) {
            double sum = K[i][j] + (i == j ? tolerance : 0);
            for (int k = 0; k < j; ++k)
                sum -= L[i][k] * L[j][k];
            if (i == j && sum <= 0)
                return 0;
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    return 1;
}

TEST(springs_projected_matrix_is_semidefinite_where_the_raw_one_is_not) {
    for (int run = 0; run < 2 * LAWS; ++run) {
        Fixture f;
        int law = run / 2;
        bool braced = run % 2;
        double q[N], K[N][N];
        CHECK(open_braced(&f, laws[law], 0, braced));
        pose(COMPRESSED, q);
        stiffness_at(&f, q, STIFFNESS_RAW, K);
        CHECK(!is_semidefinite(K, 1e-6));
        stiffness_at(&f, q, STIFFNESS_PROJECTED, K);
        CHECK(is_semidefinite(K, 1e-6));
        stiffness_at(&f, q, STIFFNESS_SAFE, K);
        CHECK(is_semidefinite(K, 1e-6) == !braced);
        /* stretched springs have nothing to project */
        double raw[N][N];
        pose(STRETCHED, q);
        stiffness_at(&f, q, STIFFNESS_RAW, raw);
        stiffness_at(&f, q, STIFFNESS_PROJECTED, K);
        CHECK(memcmp(raw, K, sizeof K) == 0);
        close_fixture(&f);
    }
}

TEST(springs_rigid_motion_gives_no_force_and_all_forces_balance) {
    static const double turn[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
    Fixture f;
    double q[N], force[N];
    CHECK(open_fixture(&f, laws[1], 0));
    for (int v = 0; v < VERTICES; ++v)
        for (int i = 0; i < 3; ++i)
            q[3 * v + i] = 5 - i + turn[3 * i] * rest[3 * v] + turn[3 * i + 1] * rest[3 * v + 1] +
                           turn[3 * i + 2] * rest[3 * v + 2];
    force_at(&f, q, NULL, force);
    for (int i = 0; i < N; ++i)
        CHECK_NEAR(force[i], 0, 1e-9);
    double sum[3] = {0, 0, 0}, torque[3] = {0, 0, 0};
    pose(STRETCHED, q);
    force_at(&f, q, NULL, force);
    for (int v = 0; v < VERTICES; ++v)
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            sum[i] += force[3 * v + i];
            torque[i] += q[3 * v + j] * force[3 * v + k] - q[3 * v + k] * force[3 * v + j];
        }
    CHECK(fabs(force[0]) > 100);
    for (int i = 0; i < 3; ++i) {
        CHECK_NEAR(sum[i], 0, 1e-9);
        CHECK_NEAR(torque[i], 0, 1e-9);
    }
    close_fixture(&f);
}

TEST(springs_follow_their_law_by_hand) {
    /* one spring of 0.5 m and 200 N/m, pulled to 0.6 m: 200 * 0.1 * (1 + 50 * 0.2^2) = 60 N */
    static const double ends[6] = {0, 0, 0, 0.5, 0, 0};
    const double q[6] = {0, 0, 0, 0.6, 0, 0}, v[6] = {0, 3, 0, 2, -1, 0};
    static const uint32_t pair[2] = {0, 1};
    VertexGroups groups = {1, 2, NULL, pair};
    BlockMatrix matrix;
    ForceTerm term;
    JnMessage message;
    double force[6] = {0}, energy = 0;
    Spring spring = spring_between(ends, 0, 1, 200);
    CHECK(spring.rest_length == 0.5 && spring.linear == 1 && spring.cubic == 0);
    spring.cubic = 50;
    spring.stiffness_damping = 0.01;
    CHECK(block_matrix_build(2, &groups, 1, &matrix, &message) == JN_OK);
    CHECK(springs_create(ends, 2, &spring, 1, 1, &matrix, &term, &message) == JN_OK);
    term_evaluate(&term, &(Evaluation){.q = q, .force = force, .energy = &energy});
    CHECK_NEAR(force[0], 60, 1e-9);
    CHECK_NEAR(force[3], -60, 1e-9);
    CHECK_NEAR(energy, 200 * 0.01 * (0.5 + 0.25 * 50 * 0.04), 1e-12);

    /* the damper sees 2 m/s along the spring and nothing across it: 0.01 * 200 (1 + 3 * 50 * 0.2^2) * 2 = 28 N */
    memset(force, 0, sizeof force);
    term_evaluate(&term, &(Evaluation){.q = q, .v = v, .force = force});
    CHECK_NEAR(force[0], 60 + 28, 1e-9);
    CHECK(force[1] == 0 && force[4] == 0);
    block_matrix_set_zero(&matrix);
    term_evaluate(&term, &(Evaluation){.q = q, .matrix = &matrix, .damping_scale = 1});
    double x[6] = {0, 0, 0, 1, 0, 0}, y[6];
    block_matrix_multiply(&matrix, x, y);
    CHECK_NEAR(y[3], 14, 1e-9);
    CHECK_NEAR(y[0], -14, 1e-9);
    term_destroy(&term);
    block_matrix_free(&matrix);
}

TEST(springs_without_length_are_finite) {
    static const double ends[9] = {0, 0, 0, 0.5, 0, 0, 0, 0, 0};
    static const uint32_t pairs[4] = {0, 1, 0, 2};
    VertexGroups groups = {2, 2, NULL, pairs};
    BlockMatrix matrix;
    ForceTerm term;
    JnMessage message;
    Spring springs[2] = {spring_between(ends, 0, 1, 200), spring_between(ends, 0, 2, 100)};
    springs[0].cubic = 3;
    CHECK(springs[1].rest_length == 0);
    CHECK(block_matrix_build(3, &groups, 1, &matrix, &message) == JN_OK);
    CHECK(springs_create(ends, 3, springs, 2, 1, &matrix, &term, &message) == JN_OK);
    const double lengths[] = {0, 1e-300, 1e-12, 4.9e-7, 5.1e-7, 1e-3};
    for (int k = 0; k < 6; ++k)
        for (int kind = 0; kind < 3; ++kind) {
            double q[9] = {0, 0, 0, 0, lengths[k], 0, 0, 0, lengths[k]}, force[9] = {0}, energy = 0;
            block_matrix_set_zero(&matrix);
            term_evaluate(&term, &(Evaluation){.q = q,
                                               .force = force,
                                               .energy = &energy,
                                               .matrix = &matrix,
                                               .stiffness_scale = 1,
                                               .stiffness = (StiffnessKind)kind});
            CHECK(isfinite(energy));
            for (int i = 0; i < 9; ++i)
                CHECK(isfinite(force[i]));
            for (uint32_t i = 0; i < 9 * matrix.block_count; ++i)
                CHECK(isfinite(matrix.values[i]));
            /* a spring that is 0 long at rest pulls its ends together */
            CHECK_NEAR(force[8], -100 * lengths[k], 1e-12);
        }
    /* the energy has no step where the direction is given up */
    double energies[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
        double q[9] = {0, 0, 0, 0, k ? 5.0000001e-7 : 4.9999999e-7, 0, 0, 0, 0};
        term_evaluate(&term, &(Evaluation){.q = q, .energy = &energies[k]});
    }
    CHECK(energies[0] > 1);
    CHECK_NEAR(energies[0], energies[1], 1e-9);
    term_destroy(&term);
    block_matrix_free(&matrix);
}

TEST(springs_result_is_the_same_for_every_thread_count) {
    enum { COUNT = 2000 };
    static double positions[3 * (COUNT + 1)], q[3 * (COUNT + 1)], forces[2][3 * (COUNT + 1)];
    static Spring springs[COUNT];
    static uint32_t pairs[2 * COUNT];
    uint64_t seed = 3;
    for (uint32_t i = 0; i < 3 * (COUNT + 1); ++i) {
        positions[i] = random_signed(&seed);
        q[i] = positions[i] + 0.1 * random_signed(&seed);
    }
    for (uint32_t k = 0; k < COUNT; ++k) {
        springs[k] = spring_between(positions, k, (k * 7 + 1) % (COUNT + 1), 100);
        pairs[2 * k] = springs[k].vertices[0];
        pairs[2 * k + 1] = springs[k].vertices[1];
    }
    VertexGroups groups = {COUNT, 2, NULL, pairs};
    BlockMatrix matrix;
    ForceTerm term;
    JnMessage message;
    CHECK(block_matrix_build(COUNT + 1, &groups, 1, &matrix, &message) == JN_OK);
    CHECK(springs_create(positions, COUNT + 1, springs, COUNT, 1, &matrix, &term, &message) == JN_OK);
    size_t values = (size_t)matrix.block_count * 9;
    double *first = malloc(values * sizeof *first), energies[2] = {0, 0};
    Pool *pools[2] = {NULL, pool_create(3)};
    CHECK(pools[1] != NULL);
    for (int run = 0; run < 2; ++run) {
        block_matrix_set_zero(&matrix);
        term_evaluate(&term, &(Evaluation){.q = q,
                                           .energy = &energies[run],
                                           .force = forces[run],
                                           .matrix = &matrix,
                                           .stiffness_scale = 1,
                                           .pool = pools[run]});
        if (run == 0)
            memcpy(first, matrix.values, values * sizeof *first);
    }
    CHECK(memcmp(first, matrix.values, values * sizeof *first) == 0);
    CHECK(memcmp(forces[0], forces[1], sizeof forces[0]) == 0);
    CHECK(energies[0] == energies[1] && energies[0] > 1);
    pool_destroy(pools[1]);
    free(first);
    term_destroy(&term);
    block_matrix_free(&matrix);
}
