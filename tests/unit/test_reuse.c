/* Solves with the factor of an older matrix: as exact as they promise, never stuck, the same to the bit after an undo,
   a load, and on any number of threads. */
#include "baking.h"
#include "harness.h"
#include "random.h"
#include "spring_bodies.h"

#include "linear/solver.h"

enum { CELLS = 6, VERTICES = (CELLS + 1) * (CELLS + 1) * (CELLS + 1), UNKNOWNS = 3 * VERTICES };

typedef struct Lattice {
    TetBox box;
    BlockMatrix matrix;
    Solver *solver;
    double b[UNKNOWNS], x[UNKNOWNS], y[UNKNOWNS];
} Lattice;

/* Springs of different stiffness along the edges of a lattice with mass: symmetric positive definite. `change`: how
   much the stiffness differs from one call to another. */
static void fill(BlockMatrix *matrix, const double *positions, double change) {
    uint64_t seed = 11;
    block_matrix_set_zero(matrix);
    for (uint32_t column = 0; column < matrix->vertex_count; ++column)
        for (uint32_t k = matrix->column_starts[column] + 1; k < matrix->column_starts[column + 1]; ++k) {
            double stiffness = 10 + 5 * random_signed(&seed) + change * random_signed(&seed);
            spring_bodies_add(matrix, positions, matrix->rows[k], column, stiffness);
        }
    for (uint32_t v = 0; v < matrix->vertex_count; ++v)
        for (int i = 0; i < 3; ++i)
            matrix->values[9 * (size_t)matrix->column_starts[v] + 4 * (size_t)i] += 1;
}

static int lattice_open(Lattice *lattice) {
    uint64_t seed = 3;
    JnMessage message;
    lattice->box = tet_box_make(CELLS, CELLS, CELLS, 1);
    for (int i = 0; i < UNKNOWNS; ++i)
        lattice->b[i] = random_signed(&seed);
    VertexGroups tets = vertex_groups_of_tets(lattice->box.tets, lattice->box.tet_count);
    return block_matrix_build(VERTICES, &tets, 1, &lattice->matrix, &message) == JN_OK &&
           solver_create(&(SolverDesc){.pattern = &lattice->matrix}, &lattice->solver, &message) == JN_OK;
}

static void lattice_close(Lattice *lattice) {
    solver_destroy(lattice->solver);
    block_matrix_free(&lattice->matrix);
    tet_box_free(&lattice->box);
}

/* Gives the solver the lattice at `change` and solves; whether that went well. */
static int update_and_solve(Lattice *lattice, double change, double *x) {
    JnMessage message;
    bool positive_definite;
    fill(&lattice->matrix, lattice->box.positions, change);
    return solver_update(lattice->solver, &lattice->matrix, NULL, lattice->box.positions, &positive_definite,
                         &message) == JN_OK &&
           positive_definite &&
           solver_solve_near(lattice->solver, lattice->b, NULL, x, &positive_definite, NULL, &message) == JN_OK &&
           positive_definite;
}

/* |A x - b| / |b|. */
static double residual(Lattice *lattice, const double *x) {
    double error = 0, size = 0;
    block_matrix_multiply(&lattice->matrix, x, lattice->y);
    for (int i = 0; i < UNKNOWNS; ++i) {
        error += pow(lattice->y[i] - lattice->b[i], 2);
        size += pow(lattice->b[i], 2);
    }
    return sqrt(error / size);
}

static SolverReport report_of(const Lattice *lattice) {
    SolverReport report;
    solver_report(lattice->solver, &report);
    return report;
}

TEST(solver_near_matrix_is_solved_with_the_old_factor) {
    static Lattice lattice;
    CHECK(lattice_open(&lattice));
    CHECK(update_and_solve(&lattice, 0, lattice.x));
    /* its own factor, rounded to single precision */
    CHECK(residual(&lattice, lattice.x) < 10 * SOLVER_TOLERANCE);
    uint64_t own = report_of(&lattice).iteration_count;
    CHECK(own > 0 && own <= 2);
    CHECK(update_and_solve(&lattice, 0.2, lattice.x));
    CHECK(residual(&lattice, lattice.x) < 10 * SOLVER_TOLERANCE);
    CHECK(report_of(&lattice).factor_count == 1 && report_of(&lattice).reused_count == 1);
    CHECK(report_of(&lattice).iteration_count > own + 2 && report_of(&lattice).iteration_count < own + 12);
    CHECK(report_of(&lattice).bytes > report_of(&lattice).factor_bytes);
    /* blocked right-hand sides in the same way */
    static double b[2 * UNKNOWNS], x[2 * UNKNOWNS];
    JnMessage message;
    memcpy(b + UNKNOWNS, lattice.b, sizeof lattice.b);
    CHECK(solver_solve(lattice.solver, b, x, 2, &message) == JN_OK);
    CHECK(x[0] == 0 && residual(&lattice, x + UNKNOWNS) < 10 * SOLVER_TOLERANCE);
    /* forbidden, it factors */
    solver_allow_reuse(lattice.solver, false);
    CHECK(update_and_solve(&lattice, 0.2, lattice.x));
    CHECK(report_of(&lattice).factor_count == 2 && residual(&lattice, lattice.x) < 10 * SOLVER_TOLERANCE);
    lattice_close(&lattice);
}

TEST(solver_far_matrix_is_factored_after_all) {
    static Lattice lattice;
    CHECK(lattice_open(&lattice));
    CHECK(update_and_solve(&lattice, 0, lattice.x));
    for (int i = 0; i < 10; ++i) {
        CHECK(update_and_solve(&lattice, i % 2 ? 0 : 4.9, lattice.x));
        CHECK(residual(&lattice, lattice.x) < 10 * SOLVER_TOLERANCE);
        /* a matrix of another size altogether */
        for (size_t k = 0; k < 9 * (size_t)lattice.matrix.block_count; ++k)
            lattice.matrix.values[k] *= 1 + 1e3 * (double)(k % 9 == 0 || k % 9 == 4 || k % 9 == 8);
        JnMessage message;
        bool positive_definite;
        CHECK(solver_update(lattice.solver, &lattice.matrix, NULL, NULL, &positive_definite, &message) == JN_OK);
        CHECK(positive_definite);
        CHECK(solver_solve(lattice.solver, lattice.b, lattice.x, 1, &message) == JN_OK);
        CHECK(residual(&lattice, lattice.x) < 10 * SOLVER_TOLERANCE);
    }
    CHECK(report_of(&lattice).factor_count > 5);
    lattice_close(&lattice);
}

TEST(solver_indefinite_matrix_shows_while_iterating) {
    static Lattice lattice;
    JnMessage message;
    bool positive_definite;
    CHECK(lattice_open(&lattice));
    CHECK(update_and_solve(&lattice, 0, lattice.x));
    double before = lattice.x[0];
    /* negative stiffness between the first two vertices, their own kept positive */
    lattice.matrix.values[9 * (size_t)block_matrix_find(&lattice.matrix, 1, 0)] += 60;
    CHECK(solver_update(lattice.solver, &lattice.matrix, NULL, NULL, &positive_definite, &message) == JN_OK);
    CHECK(positive_definite); /* not known yet */
    CHECK(solver_solve_near(lattice.solver, lattice.b, NULL, lattice.x, &positive_definite, NULL, &message) == JN_OK);
    CHECK(!positive_definite && lattice.x[0] == before);
    CHECK(report_of(&lattice).iteration_count > 0);
    CHECK(solver_solve(lattice.solver, lattice.b, lattice.x, 1, &message) == JN_ERR_DIVERGED);
    CHECK(message.text[0] != '\0');
    CHECK(update_and_solve(&lattice, 0.1, lattice.x));
    CHECK(residual(&lattice, lattice.x) < 10 * SOLVER_TOLERANCE);
    lattice_close(&lattice);
}

TEST(solver_turned_body_is_solved_with_the_turned_factor) {
    static Lattice lattice;
    CHECK(lattice_open(&lattice));
    CHECK(update_and_solve(&lattice, 0, lattice.x));
    uint64_t own = report_of(&lattice).iteration_count;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        double *p = lattice.box.positions + 3 * v, x = p[0], y = p[1];
        p[0] = 0.6 * x - 0.8 * y + 5;
        p[1] = 0.8 * x + 0.6 * y;
    }
    CHECK(update_and_solve(&lattice, 0, lattice.x));
    CHECK(residual(&lattice, lattice.x) < 10 * SOLVER_TOLERANCE);
    /* the turned factor is the new one but for rounding to single precision */
    CHECK(report_of(&lattice).factor_count == 1 && report_of(&lattice).iteration_count <= own + 2);
    lattice_close(&lattice);
}

TEST(solver_returned_to_an_earlier_state_goes_on_to_the_bit) {
    static Lattice lattice;
    static double x[4][UNKNOWNS];
    MemoryArchive saved = {.bytes = NULL};
    JnMessage message;
    bool positive_definite;
    CHECK(lattice_open(&lattice));
    CHECK(update_and_solve(&lattice, 0, x[0]));
    CHECK(update_and_solve(&lattice, 0.02, x[0]));
    CHECK(solver_archive(lattice.solver, memory_archive_save(&saved)));
    CHECK(update_and_solve(&lattice, 0.04, x[0]) && update_and_solve(&lattice, 0.03, x[1]));
    /* back, with the factor unchanged, then with another one made meanwhile */
    for (int round = 0; round < 3; ++round) {
        for (int k = 0; k < round; ++k)
            CHECK(solver_factor(lattice.solver, &lattice.matrix, NULL, &positive_definite, &message) == JN_OK);
        uint64_t factors = report_of(&lattice).factor_count;
        CHECK(solver_archive(lattice.solver, memory_archive_load(&saved)));
        CHECK(solver_solve(lattice.solver, lattice.b, lattice.x, 1, &message) == JN_ERR_ORDER);
        CHECK(update_and_solve(&lattice, 0.04, x[2]) && update_and_solve(&lattice, 0.03, x[3]));
        CHECK(memcmp(x[0], x[2], sizeof x[0]) == 0 && memcmp(x[1], x[3], sizeof x[1]) == 0);
        CHECK(report_of(&lattice).factor_count == factors + (round > 0));
    }
    CHECK(report_of(&lattice).reused_count > 6);
    memory_archive_free(&saved);
    lattice_close(&lattice);
}

TEST(solver_saved_and_loaded_goes_on_to_the_bit) {
    static Lattice lattice, other;
    static double x[2][UNKNOWNS];
    MemoryArchive saved = {.bytes = NULL};
    CHECK(lattice_open(&lattice) && lattice_open(&other));
    CHECK(update_and_solve(&lattice, 0, x[0]) && update_and_solve(&lattice, 0.02, x[0]));
    CHECK(solver_archive(lattice.solver, memory_archive_save(&saved)));
    CHECK(update_and_solve(&lattice, 0.04, x[0]));
    /* the other one has a factor of the same number, but of another matrix */
    CHECK(update_and_solve(&other, 1, x[1]));
    CHECK(solver_archive(other.solver, memory_archive_load(&saved)));
    CHECK(update_and_solve(&other, 0.04, x[1]));
    CHECK(report_of(&other).reused_count == 1 && report_of(&other).factor_count == 2);
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
    /* cut short, it begins anew */
    --saved.size;
    CHECK(!solver_archive(other.solver, memory_archive_load(&saved)));
    CHECK(update_and_solve(&other, 0.04, x[1]));
    CHECK(residual(&other, x[1]) < 10 * SOLVER_TOLERANCE && report_of(&other).reused_count == 1);
    memory_archive_free(&saved);
    lattice_close(&lattice);
    lattice_close(&other);
}

/* ------------------------------------------------------------------------------------------------ bakes */

/* A bar pinned at one end swings under gravity onto a floor: the positions after 30 frames. */
static double *swing(uint32_t reuse, uint32_t threads, uint32_t steps_per_frame, double friction,
                     JnStatistics *statistics, uint32_t *count) {
    OneBody scene;
    JnBake *bake;
    double *positions = NULL;
    one_body_init(&scene, tet_box_make(12, 5, 5, 0.02));
    one_body_pin(&scene);
    scene.body.material.young_modulus = 5e4;
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 31;
    scene.desc.steps_per_frame = steps_per_frame;
    scene.desc.thread_count = threads;
    scene.desc.reuse_factor = reuse;
    scene.desc.collider_count = 1;
    scene.collider.friction = friction;
    scene.collider.point[1] = -0.05;
    scene.collider.normal[1] = 1;
    if (jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance_frames(bake, 31, NULL) == JN_OK) {
        positions = read_positions(bake, count);
        statistics->struct_size = sizeof *statistics;
        jn_bake_statistics(bake, statistics, NULL);
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return positions;
}

/* How far the ways with and without reuse end from each other. */
static void check_reuse(double friction, double *largest) {
    JnStatistics with, without;
    uint32_t count = 0;
    double *a = swing(1, 1, 2, friction, &with, &count), *b = swing(0, 1, 2, friction, &without, &count);
    double lowest = 0;
    *largest = 0;
    CHECK(a && b);
    CHECK(with.reused_count > 30 && with.iteration_count > 30 && with.contact_count > 0);
    CHECK(with.factor_count < without.factor_count / 2);
    CHECK(without.reused_count == 0);
    for (uint32_t i = 0; i < 3 * count; ++i) {
        *largest = fmax(*largest, fabs(a[i] - b[i]));
        lowest = fmin(lowest, a[i]);
    }
    CHECK(lowest < -0.04);
    free(a);
    free(b);
}

TEST(reuse_leaves_the_motion_as_it_is) {
    double length = 0.24, plain = 0, rubbing = 1;
    check_reuse(0, &plain);
    check_reuse(0.5, &rubbing);
    CHECK(plain > 0); /* two ways to the same result */
    CHECK(plain < 1e-9 * length);
    /* friction is agreed upon to a thousandth of its force */
    CHECK(rubbing < 1e-7 * length);
}

TEST(statistics_count_on_when_a_landing_replaces_the_solver) {
    OneBody scene;
    JnBake *bake;
    JnStatistics now = {.struct_size = sizeof now}, before = now;
    one_body_init(&scene, tet_box_make(4, 4, 4, 0.05));
    scene.body.material.young_modulus = 5e4;
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 13;
    scene.desc.collider_count = 1;
    scene.collider.point[1] = -0.3;
    scene.collider.normal[1] = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
    for (int frame = 0; frame < 13; ++frame) {
        CHECK(advance_frames(bake, 1, NULL) == JN_OK && jn_bake_statistics(bake, &now, NULL) == JN_OK);
        CHECK(frame < 2 || (now.factor_count > 0 && now.reused_count + now.factor_count >= now.steps_done));
        CHECK(now.factor_count >= before.factor_count && now.iteration_count >= before.iteration_count);
        before = now;
    }
    CHECK(now.contact_count > 0);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(reuse_gives_the_same_bits_on_any_threads_and_in_every_run) {
    JnStatistics statistics;
    uint32_t count;
    double *first = swing(1, 1, 2, 0.5, &statistics, &count);
    CHECK(first && statistics.reused_count > 10);
    for (uint32_t run = 0; run < 4; ++run) {
        double *again = swing(1, 1 + run % 3, 2, 0.5, &statistics, &count);
        CHECK(again && memcmp(first, again, 3 * (size_t)count * sizeof *first) == 0);
        free(again);
    }
    free(first);
}

/* Frame `at`, if any, is first tried with a force that no motion survives. */
static double *shake(double at, JnStatistics *statistics, uint32_t *count) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(8, 4, 4, 0.05));
    one_body_pin(&scene);
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 12;
    scene.desc.steps_per_frame = 3;
    double *forces = calloc(3 * (size_t)scene.box.vertex_count, sizeof *forces), *positions = NULL;
    forces[3 * (size_t)scene.box.vertex_count - 1] = 1e300;
    JnStatus status = jn_bake_begin(&scene.desc, &bake, &message);
    while (status == JN_OK && jn_bake_next_frame(bake) <= 12) {
        JnFrameInput input;
        JnBodyInput body;
        jn_frame_input_init(&input, sizeof input);
        jn_body_input_init(&body, sizeof body);
        input.frame = jn_bake_next_frame(bake);
        input.bodies = &body;
        input.body_count = 1;
        if (input.frame == at) {
            body.forces = forces;
            if (jn_bake_advance(bake, &input, &message) == JN_OK)
                break;
            body.forces = NULL;
        }
        status = jn_bake_advance(bake, &input, &message);
    }
    if (status == JN_OK && jn_bake_next_frame(bake) == 13) {
        positions = read_positions(bake, count);
        statistics->struct_size = sizeof *statistics;
        jn_bake_statistics(bake, statistics, NULL);
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    free(forces);
    return positions;
}

TEST(reuse_after_a_failed_frame_goes_on_to_the_bit) {
    JnStatistics statistics, retried;
    uint32_t count;
    double *smooth = shake(0, &statistics, &count);
    CHECK(smooth && statistics.reused_count > 10);
    for (double at = 2; at <= 12; ++at) {
        double *again = shake(at, &retried, &count);
        CHECK(again);
        CHECK(memcmp(smooth, again, 3 * (size_t)count * sizeof *smooth) == 0);
        free(again);
    }
    CHECK(retried.steps_done == statistics.steps_done);
    free(smooth);
}

/* The stiffness of the law linear does not turn with the body, however far that swings: a factor serves many steps,
   with one iteration or two. */
TEST(linear_body_that_swings_far_is_solved_with_few_factors) {
    OneBody scene;
    JnBake *bake;
    JnStatistics statistics = {.struct_size = sizeof statistics};
    one_body_init(&scene, tet_box_make(24, 4, 4, 0.04));
    one_body_pin(&scene);
    scene.body.material.law = "linear";
    scene.body.material.young_modulus = 1e5;
    scene.desc.gravity[1] = -9.81;
    scene.desc.integrator = "si";
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance_frames(bake, 20, NULL) == JN_OK);
    CHECK(jn_bake_statistics(bake, &statistics, NULL) == JN_OK);
    printf("%u steps, %u factors, %u iterations\n", statistics.steps_done, statistics.factor_count,
           statistics.iteration_count);
    CHECK(10 * statistics.factor_count <= statistics.steps_done);
    CHECK(statistics.iteration_count <= 2 * statistics.steps_done);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* From extrapolated velocities it takes 1.8 iterations a step, from the best in the span of the last ones 1.1. */
TEST(solves_of_a_body_that_rests_on_a_floor_start_near_their_solution) {
    enum { STEPS = 4, FRAMES = 10 };
    OneBody scene;
    JnBake *bake = NULL;
    JnStatistics before = {.struct_size = sizeof before}, after = {.struct_size = sizeof after};
    one_body_init(&scene, tet_box_make(10, 10, 10, 0.01));
    scene.body.material.young_modulus = 1e5;
    scene.desc.collider_count = 1;
    scene.desc.gravity[1] = -9.81;
    scene.desc.steps_per_frame = STEPS;
    scene.desc.integrator = "si";
    scene.desc.frame_count = 100;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance_frames(bake, 1 + FRAMES, NULL) == JN_OK);
    CHECK(jn_bake_statistics(bake, &before, NULL) == JN_OK && advance_frames(bake, FRAMES, NULL) == JN_OK);
    CHECK(jn_bake_statistics(bake, &after, NULL) == JN_OK && after.contact_count == 121);
    double iterations = (double)(after.iteration_count - before.iteration_count) / (STEPS * FRAMES);
    printf("%.2f iterations a step\n", iterations);
    CHECK(iterations > 0 && iterations < 1.4);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}
