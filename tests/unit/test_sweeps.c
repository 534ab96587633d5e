/* Solves without a factor, by sweeps: as exact as with one, only where they are cheaper, with contacts that change at
   no cost, and the same to the bit after a load. */
#include "baking.h"
#include "harness.h"
#include "spring_bodies.h"

#include "linear/solver.h"

enum { SIDE = 12, VERTICES = SIDE * SIDE * SIDE, UNKNOWNS = 3 * VERTICES, TOUCHING = SIDE * SIDE };
static const double SOFT = 20, STIFF = 1e-3; /* mass beside springs of stiffness 5 to 15 */

typedef struct Cube {
    SpringBodies bodies;
    PairBlocks pairs;
    Solver *solver;
    uint32_t last[TOUCHING];
    double b[UNKNOWNS], x[UNKNOWNS], y[UNKNOWNS];
} Cube;

static int cube_open(Cube *cube) {
    JnMessage message;
    uint64_t seed = 5;
    memset(cube, 0, sizeof *cube);
    for (uint32_t k = 0; k < TOUCHING; ++k)
        cube->last[k] = k;
    for (int i = 0; i < UNKNOWNS; ++i)
        cube->b[i] = random_signed(&seed);
    if (!spring_bodies_open(&cube->bodies, SIDE - 1, SIDE - 1, SIDE - 1, 1))
        return 0;
    SolverDesc desc = {.pattern = &cube->bodies.matrix, .last = cube->last, .last_count = TOUCHING};
    return solver_create(&desc, &cube->solver, &message) == JN_OK;
}

static void cube_close(Cube *cube) {
    solver_destroy(cube->solver);
    pair_blocks_free(&cube->pairs);
    spring_bodies_close(&cube->bodies);
}

static SolverReport report_of(const Cube *cube) {
    SolverReport report;
    solver_report(cube->solver, &report);
    return report;
}

/* The bottom rests on a floor; of its contacts, those for which (number + phase) is a multiple of three are open. */
static int cube_contacts(Cube *cube, double stiffness, uint32_t phase) {
    uint64_t seed = 21;
    double block[9];
    int ok = 1;
    pair_blocks_clear(&cube->pairs);
    for (uint32_t k = 0; ok && k < TOUCHING; ++k) {
        contact_block(&seed, stiffness, block);
        ok = (k + phase) % 3 == 0 || add_floor_contact(&cube->pairs, k, block);
    }
    return ok;
}

static int cube_update(Cube *cube, double mass, bool *positive_definite) {
    JnMessage message;
    spring_bodies_fill(&cube->bodies, mass);
    return solver_update(cube->solver, &cube->bodies.matrix, &cube->pairs, cube->bodies.positions, positive_definite,
                         &message) == JN_OK;
}

/* Solves the given system; returns |residual| / |b|, or 1 if there is no solution. */
static double cube_solve(Cube *cube) {
    JnMessage message;
    double error = 0, size = 0;
    if (solver_solve(cube->solver, cube->b, cube->x, 1, &message) != JN_OK)
        return 1;
    spring_bodies_multiply(&cube->bodies, &cube->pairs, NULL, cube->x, cube->y);
    for (int i = 0; i < UNKNOWNS; ++i) {
        error += pow(cube->y[i] - cube->b[i], 2);
        size += pow(cube->b[i], 2);
    }
    return sqrt(error / size);
}

TEST(soft_matrices_are_solved_without_a_factor) {
    static Cube cube;
    JnMessage message;
    bool positive_definite;
    CHECK(cube_open(&cube));
    for (uint32_t system = 0; system < 5; ++system) {
        CHECK(cube_contacts(&cube, 1e3, system) && cube_update(&cube, SOFT + system, &positive_definite));
        CHECK(positive_definite && cube_solve(&cube) < 10 * SOLVER_TOLERANCE);
        /* another round of contact */
        uint64_t before = report_of(&cube).iteration_count;
        CHECK(cube_contacts(&cube, 2e3, system + 1));
        CHECK(solver_change_pairs(cube.solver, &cube.bodies.matrix, &cube.pairs, cube.bodies.positions,
                                  &positive_definite, &message) == JN_OK);
        CHECK(positive_definite && cube_solve(&cube) < 10 * SOLVER_TOLERANCE);
        uint64_t iterations = report_of(&cube).iteration_count - before;
        CHECK(iterations > 3 && iterations < 25);
    }
    CHECK(report_of(&cube).factor_count == 0 && report_of(&cube).pairs_count == 0);
    CHECK(report_of(&cube).swept_count == 5);
    cube_close(&cube);
}

TEST(stiff_matrices_are_factored_and_sweeps_seldom_tried) {
    static Cube cube;
    bool positive_definite;
    CHECK(cube_open(&cube));
    for (uint32_t system = 0; system < 40; ++system) {
        CHECK(cube_contacts(&cube, 1e3, system) && cube_update(&cube, STIFF * (1 + system), &positive_definite));
        CHECK(positive_definite && cube_solve(&cube) < 100 * SOLVER_TOLERANCE);
    }
    CHECK(report_of(&cube).factor_count > 0 && report_of(&cube).swept_count <= 4);
    /* what they cost before they were given up */
    CHECK(report_of(&cube).iteration_count < 40 * 25);
    cube_close(&cube);
}

TEST(sweeps_find_a_matrix_that_is_not_positive_definite) {
    static Cube cube;
    JnMessage message;
    bool positive_definite;
    CHECK(cube_open(&cube) && cube_update(&cube, -1000, &positive_definite) && positive_definite);
    CHECK(solver_solve_near(cube.solver, cube.b, NULL, cube.x, &positive_definite, NULL, &message) == JN_OK);
    CHECK(!positive_definite && report_of(&cube).factor_count == 0);
    CHECK(cube_update(&cube, SOFT, &positive_definite) && positive_definite);
    CHECK(cube_solve(&cube) < 10 * SOLVER_TOLERANCE);
    cube_close(&cube);
}

TEST(rough_solves_stop_early_and_can_be_gone_on_with) {
    static Cube cube;
    JnMessage message;
    bool positive_definite, rough;
    CHECK(cube_open(&cube) && cube_contacts(&cube, 1e3, 0));
    for (int with_factor = 0; with_factor < 2; ++with_factor) {
        double error = 0, size = 0;
        CHECK(cube_update(&cube, SOFT, &positive_definite));
        if (with_factor)
            CHECK(solver_factor(cube.solver, &cube.bodies.matrix, &cube.pairs, &positive_definite, &message) == JN_OK);
        CHECK(solver_solve_near(cube.solver, cube.b, NULL, cube.x, &positive_definite, &rough, &message) == JN_OK);
        CHECK(positive_definite && rough == !with_factor);
        spring_bodies_multiply(&cube.bodies, &cube.pairs, NULL, cube.x, cube.y);
        for (int i = 0; i < UNKNOWNS; ++i) {
            error += pow(cube.y[i] - cube.b[i], 2);
            size += pow(cube.b[i], 2);
        }
        CHECK(sqrt(error / size) < 3 * SOLVER_ROUGH_PART);
        CHECK((sqrt(error / size) > 1e3 * SOLVER_TOLERANCE) == !with_factor);
        CHECK(solver_solve_near(cube.solver, cube.b, cube.x, cube.x, &positive_definite, NULL, &message) == JN_OK);
        CHECK(cube_solve(&cube) < 10 * SOLVER_TOLERANCE);
    }
    cube_close(&cube);
}

TEST(sweeps_saved_and_loaded_go_on_to_the_bit) {
    static Cube cube, other;
    static double x[UNKNOWNS];
    MemoryArchive saved = {.bytes = NULL};
    bool positive_definite;
    CHECK(cube_open(&cube) && cube_open(&other));
    CHECK(cube_contacts(&cube, 1e3, 0) && cube_contacts(&other, 1e3, 0));
    CHECK(cube_update(&cube, SOFT, &positive_definite) && cube_solve(&cube) < 10 * SOLVER_TOLERANCE);
    CHECK(solver_archive(cube.solver, memory_archive_save(&saved)));
    CHECK(cube_update(&cube, SOFT + 1, &positive_definite) && cube_solve(&cube) < 10 * SOLVER_TOLERANCE);
    memcpy(x, cube.x, sizeof x);
    /* the other one has a factor */
    JnMessage message;
    spring_bodies_fill(&other.bodies, STIFF);
    CHECK(solver_factor(other.solver, &other.bodies.matrix, &other.pairs, &positive_definite, &message) == JN_OK);
    CHECK(solver_archive(other.solver, memory_archive_load(&saved)));
    CHECK(solver_solve(other.solver, other.b, other.x, 1, &message) != JN_OK); /* no matrix since */
    CHECK(cube_update(&other, SOFT + 1, &positive_definite) && cube_solve(&other) < 10 * SOLVER_TOLERANCE);
    CHECK(memcmp(x, other.x, sizeof x) == 0);
    memory_archive_free(&saved);
    cube_close(&cube);
    cube_close(&other);
}

/* A soft box with an edge of 1 m falls 1 cm onto a floor: the positions after 40 steps of 1/100 s. */
static double *drop(uint32_t reuse, JnStatistics *statistics, uint32_t *count) {
    OneBody scene;
    JnBake *bake;
    double *positions = NULL;
    one_body_init(&scene, tet_box_make(12, 12, 12, 1.0 / 12));
    scene.body.material.young_modulus = 1e5;
    scene.body.material.poisson_ratio = 0.4;
    scene.body.material.density = 1000;
    scene.desc.gravity[1] = -9.81;
    scene.desc.fps = 100;
    scene.desc.steps_per_frame = 1;
    scene.desc.frame_count = 41;
    scene.desc.reuse_factor = reuse;
    scene.desc.collider_count = 1;
    scene.collider.point[1] = -0.01;
    scene.collider.normal[1] = 1;
    scene.collider.friction = 0.5;
    if (jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance_frames(bake, 41, NULL) == JN_OK) {
        positions = read_positions(bake, count);
        statistics->struct_size = sizeof *statistics;
        jn_bake_statistics(bake, statistics, NULL);
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return positions;
}

TEST(soft_box_lands_without_a_factor_as_with_one) {
    JnStatistics with, without;
    uint32_t count;
    double *a = drop(1, &with, &count), *b = drop(0, &without, &count), largest = 0;
    CHECK(a && b && with.contact_count > 50);
    CHECK(with.factor_count == 0 && without.factor_count >= 40);
    CHECK(with.iteration_count < 40 * 50); /* of all rounds of a step */
    for (uint32_t i = 0; i < 3 * count; ++i)
        largest = fmax(largest, fabs(a[i] - b[i]));
    CHECK(largest > 0 && largest < 1e-4); /* what the tolerance of contact leaves open is as much */
    free(a);
    free(b);
}
