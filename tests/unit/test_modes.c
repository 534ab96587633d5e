/* Modes against dense arithmetic: free, pinned, repeated, under stress, of one tet and of none. */
#include "harness.h"
#include "random.h"
#include "tet_box.h"

#include "base/os/os.h"
#include "terms.h"

#include "elastic/tet_elements.h"
#include "linear/dense_eigen.h"
#include "linear/modes.h"

typedef struct Body {
    TetBox box;
    BlockMatrix matrix;
    double *q, *masses, *mass_blocks;
    uint8_t *fixed;
    ModesProblem problem;
} Body;

/* Fills K at q, and masses lumped and consistent. E = 1e5 Pa, nu = 0.3, 1000 kg/m3. */
static int fill_body(Body *body, const char *law_name) {
    JnMessage message;
    ForceTerm term;
    const void *law;
    uint32_t vertices = body->box.vertex_count, tets = body->box.tet_count;
    if (table_find(&material_table, law_name, "law", &law, &message) != JN_OK)
        return 0;
    const Material **laws = malloc(tets * sizeof *laws);
    double *young = malloc(tets * sizeof *young), *poisson = malloc(tets * sizeof *poisson);
    double *density = malloc(tets * sizeof *density), *none = calloc(tets + vertices, sizeof *none);
    for (uint32_t t = 0; t < tets; ++t) {
        laws[t] = law;
        young[t] = 1e5, poisson[t] = 0.3, density[t] = 1000;
    }
    TetElementsDesc desc = {.vertex_count = vertices,
                            .tet_count = tets,
                            .rest_positions = body->box.positions,
                            .tet_vertices = body->box.tets,
                            .laws = laws,
                            .young_modulus = young,
                            .poisson_ratio = poisson,
                            .stiffness_damping = none,
                            .damping_mass = none};
    VertexGroups groups = vertex_groups_of_tets(body->box.tets, tets);
    int ok = block_matrix_build(vertices, &groups, 1, &body->matrix, &message) == JN_OK &&
             tet_elements_create(&desc, &body->matrix, &term, &message) == JN_OK;
    if (ok) {
        Evaluation e = {.q = body->q, .matrix = &body->matrix, .stiffness_scale = 1, .stiffness = STIFFNESS_RAW};
        term_evaluate(&term, &e);
        term_destroy(&term);
        body->mass_blocks = calloc(body->matrix.block_count, sizeof(double));
        tet_elements_lump_mass(body->box.positions, body->box.tets, tets, density, body->masses);
        tet_elements_consistent_mass(body->box.positions, body->box.tets, tets, density, &body->matrix,
                                     body->mass_blocks);
    }
    free(laws), free(young), free(poisson), free(density), free(none);
    body->problem = (ModesProblem){&body->matrix, body->masses, NULL, body->fixed, body->q, false, 0};
    return ok;
}

static void start_body(Body *body, TetBox box) {
    *body = (Body){.box = box,
                   .q = malloc(3 * box.vertex_count * sizeof(double)),
                   .masses = calloc(box.vertex_count, sizeof(double)),
                   .fixed = calloc(box.vertex_count, 1)};
    memcpy(body->q, box.positions, 3 * box.vertex_count * sizeof(double));
}

static int open_body(Body *body, TetBox box) {
    start_body(body, box);
    return fill_body(body, "linear");
}

static void close_body(Body *body) {
    tet_box_free(&body->box);
    block_matrix_free(&body->matrix);
    free(body->q), free(body->masses), free(body->mass_blocks), free(body->fixed);
}

/* `copies` boxes side by side that do not touch. */
static TetBox several_boxes(uint32_t copies, uint32_t nx, uint32_t ny, uint32_t nz) {
    TetBox one = tet_box_make(nx, ny, nz, 0.1), all = {copies * one.vertex_count, copies * one.tet_count, NULL, NULL};
    all.positions = malloc(3 * all.vertex_count * sizeof(double));
    all.tets = malloc(4 * all.tet_count * sizeof(uint32_t));
    for (uint32_t c = 0; c < copies; ++c) {
        for (uint32_t i = 0; i < 3 * one.vertex_count; ++i)
            all.positions[3 * c * one.vertex_count + i] = one.positions[i] + (i % 3 == 0) * 5.0 * c;
        for (uint32_t i = 0; i < 4 * one.tet_count; ++i)
            all.tets[4 * c * one.tet_count + i] = one.tets[i] + c * one.vertex_count;
    }
    tet_box_free(&one);
    return all;
}

/* Pins the low end of each of `several_boxes`. */
static void pin_ends(Body *body) {
    for (uint32_t v = 0; v < body->box.vertex_count; ++v)
        body->fixed[v] = fmod(body->box.positions[3 * v], 5) == 0;
}

/* All eigenvalues of the free unknowns, ascending; the caller frees them. */
static double *dense_eigenvalues(const Body *body, size_t *count) {
    size_t size = 3 * (size_t)body->box.vertex_count, n = 0;
    double *x = calloc(size, sizeof *x), *y = malloc(size * sizeof *y);
    size_t *places = malloc(size * sizeof *places);
    for (size_t i = 0; i < size; ++i)
        if (!body->fixed[i / 3])
            places[n++] = i;
    double *a = malloc(n * n * sizeof *a), *b = calloc(n * n, sizeof *b), *values = malloc(n * sizeof *values);
    for (size_t k = 0; k < n; ++k) {
        x[places[k]] = 1;
        block_matrix_multiply(&body->matrix, x, y);
        x[places[k]] = 0;
        for (size_t l = 0; l < n; ++l)
            a[k * n + l] = y[places[l]];
        if (!body->problem.mass_blocks) {
            b[k * n + k] = body->masses[places[k] / 3];
            continue;
        }
        for (size_t l = 0; l < n; ++l) {
            size_t r = places[k] / 3, c = places[l] / 3, row = r > c ? r : c, column = r > c ? c : r;
            for (size_t m = body->matrix.column_starts[column]; m < body->matrix.column_starts[column + 1]; ++m)
                if (body->matrix.rows[m] == row && places[k] % 3 == places[l] % 3)
                    b[k * n + l] = body->mass_blocks[m];
        }
    }
    JnMessage message;
    if (dense_eigen(n, a, b, values, &message) != JN_OK)
        values[0] = NAN;
    free(x), free(y), free(places), free(a), free(b);
    *count = n;
    return values;
}

/* u'Mv of two shapes. */
static double mass_product(const Body *body, const double *u, const double *v) {
    double sum = 0;
    const BlockMatrix *matrix = &body->matrix;
    for (size_t c = 0; c < matrix->vertex_count; ++c)
        for (size_t k = matrix->column_starts[c]; k < matrix->column_starts[c + 1]; ++k) {
            size_t r = matrix->rows[k];
            double mass = body->problem.mass_blocks ? body->mass_blocks[k] : r == c ? body->masses[r] : 0;
            for (size_t i = 0; i < 3; ++i)
                sum += mass * (r == c ? u[3 * r + i] * v[3 * c + i]
                                      : u[3 * r + i] * v[3 * c + i] + u[3 * c + i] * v[3 * r + i]);
        }
    return sum;
}

/* Every mode is there, none is missed, and each is what modes.h says. */
static void check_against_dense(const Body *body, uint32_t count, uint32_t rigid_count, uint32_t least_count) {
    Modes modes;
    JnMessage message;
    size_t n, size = 3 * (size_t)body->box.vertex_count;
    CHECK(modes_solve(&body->problem, count, &modes, &message) == JN_OK);
    double *exact = dense_eigenvalues(body, &n);
    CHECK(modes.rigid_count == rigid_count);
    CHECK(modes.count >= rigid_count + least_count && modes.count <= n);
    double largest = exact[n - 1];
    for (uint32_t k = 0; k < modes.count; ++k) {
        const double *shape = modes.shapes + k * size;
        CHECK_NEAR(modes.eigenvalues[k], exact[k], 1e-9 * fabs(exact[k]) + 1e-12 * largest);
        CHECK(modes.residuals[k] <= 1e-11 * largest);
        CHECK(k >= rigid_count || fabs(modes.eigenvalues[k]) < 1e-3 * exact[rigid_count < n ? rigid_count : n - 1]);
        for (uint32_t l = 0; l <= k; ++l)
            CHECK_NEAR(mass_product(body, shape, modes.shapes + l * size), k == l, 1e-10);
        double most = 0, first = 0;
        for (size_t i = 0; i < size; ++i) {
            CHECK(!body->fixed[i / 3] || shape[i] == 0);
            most = fmax(most, fabs(shape[i]));
        }
        for (size_t i = 0; first == 0 && i < size; ++i)
            first = fabs(shape[i]) >= 0.5 * most ? shape[i] : 0;
        CHECK(first > 0);
    }
    /* the last cluster is whole */
    CHECK(modes.count == n || modes.count == 0 || exact[modes.count] > 1.0009 * exact[modes.count - 1]);
    free(exact);
    modes_free(&modes);
}

SLOW_TEST(modes_of_a_free_cube_are_all_found_though_they_repeat) {
    Body body;
    CHECK(open_body(&body, tet_box_make(5, 5, 5, 0.1)));
    size_t n, repeated = 0;
    double *exact = dense_eigenvalues(&body, &n);
    for (size_t k = 7; k < 40; ++k)
        repeated += exact[k] - exact[k - 1] < 1e-9 * exact[k];
    free(exact);
    CHECK(repeated >= 5);
    for (uint32_t count = 1; count <= 40 && !harness_failed; count = 2 * count + 1)
        check_against_dense(&body, count, 6, count);
    body.problem.mass_blocks = body.mass_blocks;
    check_against_dense(&body, 20, 6, 20);
    close_body(&body);
}

TEST(modes_of_seven_equal_bodies_come_in_sevens) {
    Body body;
    CHECK(open_body(&body, several_boxes(7, 3, 2, 2)));
    pin_ends(&body);
    check_against_dense(&body, 1, 0, 7);
    check_against_dense(&body, 10, 0, 14);
    memset(body.fixed, 0, body.box.vertex_count);
    check_against_dense(&body, 5, 42, 7);
    close_body(&body);
}

TEST(modes_of_dozens_of_equal_bodies_take_as_many_solves_as_each_by_itself) {
    enum { COPIES = 36 };
    Body one, all;
    Modes of_one, of_all;
    CHECK(open_body(&one, several_boxes(1, 12, 3, 2)));
    CHECK(open_body(&all, several_boxes(COPIES, 12, 3, 2)));
    pin_ends(&one);
    pin_ends(&all);
    for (int pass = 0; pass < 2; ++pass) {
        one.problem.exactly_count = all.problem.exactly_count = pass == 1;
        CHECK(modes_solve(&one.problem, 1, &of_one, NULL) == JN_OK);
        CHECK(modes_solve(&all.problem, 1, &of_all, NULL) == JN_OK);
        CHECK(of_one.solve_count > 0 && of_one.solve_count < 200);
        CHECK((double)of_all.solve_count < 1.2 * COPIES * (double)of_one.solve_count);
        CHECK(of_one.count == 1 && of_all.count == (pass == 1 ? 1 : COPIES));
        for (uint32_t k = 0; k < of_all.count; ++k)
            CHECK_NEAR(of_all.eigenvalues[k], of_one.eigenvalues[0], 1e-9 * of_one.eigenvalues[0]);
        modes_free(&of_one);
        modes_free(&of_all);
    }
    close_body(&one);
    close_body(&all);
}

TEST(modes_asked_for_exactly_are_the_lowest_elastic_ones) {
    for (int large = 0; large < 2; ++large) {
        Body body;
        Modes modes;
        size_t n;
        CHECK(open_body(&body, large ? tet_box_make(5, 5, 5, 0.1) : several_boxes(3, 2, 2, 2)));
        double *exact = dense_eigenvalues(&body, &n);
        body.problem.exactly_count = true;
        for (uint32_t count = 1; count < 8; ++count) {
            CHECK(modes_solve(&body.problem, count, &modes, NULL) == JN_OK);
            CHECK(modes.count == count && modes.rigid_count == 0);
            for (uint32_t k = 0; k < modes.count; ++k) {
                double expected = exact[(large ? 6 : 18) + k];
                CHECK_NEAR(modes.eigenvalues[k], expected, 1e-9 * expected);
            }
            modes_free(&modes);
        }
        free(exact);
        close_body(&body);
    }
}

TEST(modes_of_a_cluster_that_reaches_from_part_to_part_are_all_found) {
    /* two vertices on springs: the first one's 1 and 1.0016 are one cluster only by the second one's 1.0008 */
    const double rates[6] = {1, 1.0016, 5, 1.0008, 7, 9};
    Body body;
    JnMessage message;
    start_body(&body, (TetBox){2, 0, calloc(6, sizeof(double)), NULL});
    CHECK(block_matrix_build(2, NULL, 0, &body.matrix, &message) == JN_OK);
    for (uint32_t i = 0; i < 6; ++i) {
        body.matrix.values[9 * (i / 3) + 4 * (i % 3)] = rates[i];
        body.masses[i / 3] = 1;
    }
    body.problem = (ModesProblem){&body.matrix, body.masses, NULL, body.fixed, body.q, false, 0};
    check_against_dense(&body, 1, 0, 3);
    check_against_dense(&body, 4, 0, 4);
    check_against_dense(&body, 100, 0, 6);
    close_body(&body);
}

TEST(modes_of_a_pinned_beam_are_all_elastic) {
    Body body;
    CHECK(open_body(&body, tet_box_make(12, 3, 3, 0.1)));
    for (uint32_t v = 0; v < body.box.vertex_count; ++v)
        body.fixed[v] = body.box.positions[3 * v] == 0;
    check_against_dense(&body, 12, 0, 12);
    body.problem.mass_blocks = body.mass_blocks;
    check_against_dense(&body, 12, 0, 12);
    close_body(&body);
}

TEST(modes_of_a_body_pinned_at_one_or_two_vertices_keep_their_turns) {
    Body body;
    CHECK(open_body(&body, tet_box_make(6, 4, 4, 0.1)));
    body.fixed[0] = 1;
    check_against_dense(&body, 5, 3, 5);
    body.fixed[40] = 1;
    check_against_dense(&body, 5, 1, 5);
    body.fixed[90] = 1;
    check_against_dense(&body, 5, 0, 5);
    close_body(&body);
}

TEST(modes_of_one_tet_are_six_rigid_and_six_elastic) {
    Body body;
    TetBox tet = {4, 1, calloc(12, sizeof(double)), malloc(4 * sizeof(uint32_t))};
    for (uint32_t a = 0; a < 4; ++a)
        tet.tets[a] = a;
    tet.positions[3] = tet.positions[7] = tet.positions[11] = 1;
    CHECK(open_body(&body, tet));
    check_against_dense(&body, 100, 6, 6);
    check_against_dense(&body, 2, 6, 2);
    check_against_dense(&body, 0, 6, 0);
    memset(body.fixed, 1, 3);
    check_against_dense(&body, 100, 0, 3);
    memset(body.fixed, 1, 4);
    Modes modes;
    CHECK(modes_solve(&body.problem, 10, &modes, NULL) == JN_OK);
    CHECK(modes.count == 0 && modes.rigid_count == 0);
    modes_free(&modes);
    close_body(&body);
}

TEST(modes_of_a_compressed_body_have_the_negative_eigenvalues_too) {
    Body body;
    start_body(&body, tet_box_make(8, 3, 3, 0.1));
    for (uint32_t v = 0; v < body.box.vertex_count; ++v) {
        body.q[3 * v] *= 0.7;
        body.fixed[v] = body.box.positions[3 * v] == 0 || body.box.positions[3 * v] > 0.79;
    }
    CHECK(fill_body(&body, "stvk"));
    size_t n;
    double *exact = dense_eigenvalues(&body, &n);
    CHECK(exact[0] < -0.01 * exact[20]); /* it buckles */
    free(exact);
    check_against_dense(&body, 8, 0, 8);
    close_body(&body);
}

TEST(modes_of_a_floating_body_under_stress_have_six_rigid_ones) {
    Body body;
    uint64_t seed = 1;
    start_body(&body, tet_box_make(6, 4, 4, 0.1));
    for (uint32_t i = 0; i < 3 * body.box.vertex_count; ++i)
        body.q[i] += 2e-5 * random_signed(&seed);
    CHECK(fill_body(&body, "stable_neohooke"));
    Modes modes;
    CHECK(modes_solve(&body.problem, 5, &modes, NULL) == JN_OK);
    CHECK(modes.rigid_count == 6 && modes.count >= 11);
    CHECK(modes.eigenvalues[0] == 0 && modes.eigenvalues[2] == 0); /* moves; turns feel the stress */
    CHECK(modes.eigenvalues[3] != 0 || modes.eigenvalues[5] != 0);
    CHECK(fabs(modes.eigenvalues[5]) < 1e-2 * modes.eigenvalues[6]);
    modes_free(&modes);
    close_body(&body);
}

TEST(modes_of_a_body_on_soft_springs_count_the_swings_on_them) {
    Body body;
    CHECK(open_body(&body, tet_box_make(6, 4, 4, 0.1)));
    for (uint32_t v = 0; v < body.box.vertex_count; ++v)
        for (uint32_t i = 0; i < 3; ++i)
            body.matrix.values[9 * (size_t)body.matrix.column_starts[v] + 4 * i] += 9 * body.masses[v];
    check_against_dense(&body, 8, 0, 8);
    Modes modes;
    CHECK(modes_solve(&body.problem, 8, &modes, NULL) == JN_OK);
    for (int k = 0; k < 6; ++k)
        CHECK_NEAR(modes.eigenvalues[k], 9, 1e-8);
    modes_free(&modes);
    close_body(&body);
}

TEST(modes_of_a_body_with_hundreds_of_slack_motions_are_found_without_all_of_them) {
    /* nothing resists motion along y, as nothing resists a flat cloth's motion out of its plane */
    Body body;
    CHECK(open_body(&body, tet_box_make(8, 5, 5, 0.1)));
    for (size_t k = 0; k < 9 * (size_t)body.matrix.block_count; ++k)
        if (k % 3 == 1 || k % 9 / 3 == 1)
            body.matrix.values[k] = 0;
    body.fixed[0] = body.fixed[50] = body.fixed[100] = 1;
    Modes modes;
    CHECK(modes_solve(&body.problem, 10, &modes, NULL) == JN_OK);
    CHECK(modes.count - modes.rigid_count == 10);
    for (uint32_t k = 0; k < modes.count; ++k)
        CHECK(fabs(modes.eigenvalues[k]) < 1e-6);
    modes_free(&modes);
    close_body(&body);
}

SLOW_TEST(modes_of_a_long_thin_strand_are_found) {
    /* the first bending mode is a billionth of the largest eigenvalue: the shift must follow it down */
    Body body;
    CHECK(open_body(&body, tet_box_make(150, 1, 1, 0.01)));
    for (uint32_t v = 0; v < body.box.vertex_count; ++v)
        body.fixed[v] = body.box.positions[3 * v] == 0;
    size_t n;
    double *exact = dense_eigenvalues(&body, &n);
    CHECK(exact[0] < 1e-8 * exact[n - 1]);
    Modes modes;
    CHECK(modes_solve(&body.problem, 6, &modes, NULL) == JN_OK);
    CHECK(modes.rigid_count == 0 && modes.count >= 6);
    for (uint32_t k = 0; k < modes.count; ++k)
        CHECK_NEAR(modes.eigenvalues[k], exact[k], 1e-6 * exact[k]);
    free(exact);
    modes_free(&modes);
    close_body(&body);
}

TEST(modes_of_a_stiffness_that_is_not_finite_are_refused) {
    Body body;
    CHECK(open_body(&body, tet_box_make(6, 4, 4, 0.1)));
    body.matrix.values[0] = NAN;
    Modes modes;
    JnMessage message;
    CHECK(modes_solve(&body.problem, 5, &modes, &message) == JN_ERR_DIVERGED);
    CHECK(modes.count == 0 && modes.shapes == NULL && message.text[0]);
    close_body(&body);
}

typedef struct Task {
    const ModesProblem *problem;
    Modes modes;
    JnStatus status;
} Task;

static void run_task(void *context) {
    Task *task = context;
    task->status = modes_solve(task->problem, 12, &task->modes, NULL);
}

TEST(modes_are_the_same_on_every_run_and_on_two_threads_at_once) {
    Body body, other;
    CHECK(open_body(&body, tet_box_make(7, 5, 5, 0.1)));
    CHECK(open_body(&other, tet_box_make(10, 4, 4, 0.1)));
    Task first = {&body.problem, {0}, JN_OK}, again = first, beside = {&other.problem, {0}, JN_OK};
    run_task(&first);
    OsThread *threads[2] = {os_thread_start(run_task, &again), os_thread_start(run_task, &beside)};
    CHECK(threads[0] && threads[1]);
    os_thread_join(threads[0]);
    os_thread_join(threads[1]);
    CHECK(first.status == JN_OK && again.status == JN_OK && beside.status == JN_OK);
    CHECK(first.modes.count >= 18 && first.modes.count == again.modes.count);
    CHECK(memcmp(first.modes.eigenvalues, again.modes.eigenvalues, first.modes.count * sizeof(double)) == 0);
    CHECK(memcmp(first.modes.shapes, again.modes.shapes,
                 (size_t)first.modes.count * 3 * body.box.vertex_count * sizeof(double)) == 0);
    modes_free(&first.modes);
    modes_free(&again.modes);
    modes_free(&beside.modes);
    close_body(&body);
    close_body(&other);
}

/* ------------------------------------------------------------------------------------------------ near */

/* The solver of M + h^2 K, which the caller destroys. The matrix borrows the body's pattern. */
static Solver *step_solver(const Body *body, double h, BlockMatrix *matrix) {
    Solver *solver = NULL;
    bool definite = false;
    JnMessage message;
    if (block_matrix_share_pattern(&body->matrix, matrix, &message) != JN_OK)
        return NULL;
    for (size_t k = 0; k < (size_t)matrix->block_count * 9; ++k)
        matrix->values[k] = h * h * body->matrix.values[k];
    for (size_t v = 0; !body->problem.mass_blocks && v < matrix->vertex_count; ++v)
        for (size_t i = 0; i < 3; ++i)
            matrix->values[9 * (size_t)matrix->column_starts[v] + 4 * i] += body->masses[v];
    for (size_t k = 0; body->problem.mass_blocks && k < matrix->block_count; ++k)
        for (size_t i = 0; i < 3; ++i)
            matrix->values[9 * k + 4 * i] += body->mass_blocks[k];
    if (solver_create(&(SolverDesc){.pattern = matrix, .fixed = body->fixed}, &solver, &message) == JN_OK &&
        solver_factor(solver, matrix, NULL, &definite, &message) == JN_OK && definite)
        return solver;
    solver_destroy(solver);
    return NULL;
}

TEST(modes_by_a_steps_factor_are_those_of_the_body_roughly) {
    Body body;
    JnMessage message;
    CHECK(open_body(&body, tet_box_make(12, 3, 3, 0.1)));
    pin_ends(&body);
    body.problem.precision = 1e-3;
    for (int consistent = 0; consistent < 2; ++consistent) {
        size_t n, size = 3 * (size_t)body.box.vertex_count;
        body.problem.mass_blocks = consistent ? body.mass_blocks : NULL;
        double *exact = dense_eigenvalues(&body, &n);
        for (int k = 0; k < 3; ++k) { /* the phase of the slowest in a step: slow, well resolved, fast */
            static const double phases[] = {0.05, 0.5, 10};
            static const uint32_t counts[] = {1, 6, 12};
            double h = phases[k] / sqrt(exact[0]);
            bool done = false;
            Modes modes;
            BlockMatrix matrix;
            Solver *solver = step_solver(&body, h, &matrix);
            const uint32_t guards = (uint32_t)k, precise = counts[k] - guards;
            NearSolver near = {solver, 1, h * h, 20, guards};
            CHECK(solver != NULL);
            CHECK(modes_solve_near(&body.problem, &near, counts[k], &modes, &done, &message) == JN_OK && done);
            printf("%u modes, phase %.2f: %u solves\n", modes.count, phases[k], (unsigned)modes.solve_count);
            CHECK(modes.count >= counts[k] && modes.rigid_count == 0);
            for (uint32_t i = 0; i < modes.count; ++i) {
                CHECK_NEAR(modes.eigenvalues[i], exact[i], (i < precise ? 1e-3 : 2e-2) * exact[i]);
                for (uint32_t j = 0; j <= i; ++j)
                    CHECK_NEAR(mass_product(&body, modes.shapes + i * size, modes.shapes + j * size), i == j, 1e-9);
            }
            modes_free(&modes);
            near.most_rounds = 1;
            CHECK(modes_solve_near(&body.problem, &near, counts[k], &modes, &done, &message) == JN_OK && !done);
            CHECK(modes.count == 0 && !modes.shapes);
            solver_destroy(solver);
            block_matrix_free(&matrix);
        }
        free(exact);
    }
    close_body(&body);
}

TEST(modes_by_a_steps_factor_are_not_sought_where_a_body_can_move_rigidly) {
    Body body;
    JnMessage message;
    CHECK(open_body(&body, tet_box_make(4, 2, 2, 0.1)));
    body.problem.precision = 1e-3;
    for (int pinned = 0; pinned < 3; ++pinned) { /* nothing, a vertex, an edge to turn about */
        Modes modes;
        BlockMatrix matrix;
        bool done = true;
        for (uint32_t v = 0; v < body.box.vertex_count; ++v) {
            const double *p = body.box.positions + 3 * v;
            body.fixed[v] = p[0] == 0 && p[1] == 0 && (pinned == 2 || (pinned == 1 && p[2] == 0));
        }
        Solver *solver = step_solver(&body, 0.01, &matrix);
        CHECK(solver != NULL);
        CHECK(modes_solve_near(&body.problem, &(NearSolver){solver, 1, 1e-4, 20, 0}, 3, &modes, &done, &message) ==
              JN_OK);
        CHECK(!done && modes.count == 0);
        solver_destroy(solver);
        block_matrix_free(&matrix);
    }
    close_body(&body);
}
