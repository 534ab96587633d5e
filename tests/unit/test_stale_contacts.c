/* Contacts that come and go in a box of 4,096 vertices, solved with the factor of the box before it was deformed: as
   few iterations as without contacts. */
#include "harness.h"
#include "spring_bodies.h"

#include "linear/solver.h"

enum { SIDE = 16, LARGE = SIDE * SIDE * SIDE, TOUCHING = SIDE * SIDE };

typedef struct Large {
    SpringBodies bodies;
    PairBlocks pairs;
    Solver *solver;
    MemoryArchive fresh; /* the solver with a factor of the box as it was */
    uint32_t last[TOUCHING];
    double b[3 * LARGE], x[3 * LARGE], y[3 * LARGE];
} Large;

/* The bottom touches: half of it the floor, the other half vertices across. Of the contacts, those for which
   (number + phase) is a multiple of ten are open. */
static int large_contacts(Large *large, double stiffness, uint32_t phase) {
    uint64_t seed = 21;
    double block[9];
    int ok = 1;
    pair_blocks_clear(&large->pairs);
    for (uint32_t k = 0; ok && k < TOUCHING / 2; ++k) {
        contact_block(&seed, stiffness, block);
        if ((k + phase) % 10 == 0)
            continue;
        ok =
            k % 2 ? add_floor_contact(&large->pairs, k, block) : add_contact(&large->pairs, k, TOUCHING - 1 - k, block);
    }
    return ok;
}

/* Turns the body by `turn` and shears and bends it a little. */
static void large_deform(Large *large, double turn) {
    for (uint32_t v = 0; v < LARGE; ++v) {
        double *p = large->bodies.positions + 3 * v, c = cos(turn), s = sin(turn), t = p[2] / SIDE;
        double x = p[0] + 0.4 * t * t + 0.05 * sin(p[1]), y = p[1] * (1 - 0.03 * t);
        p[0] = c * x - s * y;
        p[1] = s * x + c * y;
    }
}

static int large_open(Large *large, double turn) {
    JnMessage message;
    bool positive_definite;
    uint64_t seed = 5;
    memset(large, 0, sizeof *large);
    for (uint32_t k = 0; k < TOUCHING; ++k)
        large->last[k] = k;
    for (int i = 0; i < 3 * LARGE; ++i)
        large->b[i] = random_signed(&seed);
    if (!spring_bodies_open(&large->bodies, SIDE - 1, SIDE - 1, SIDE - 1, 1))
        return 0;
    SolverDesc desc = {.pattern = &large->bodies.matrix, .last = large->last, .last_count = TOUCHING};
    spring_bodies_fill(&large->bodies, 0.05);
    int ok = solver_create(&desc, &large->solver, &message) == JN_OK &&
             solver_factor_mixed(large->solver, &large->bodies.matrix, NULL, large->bodies.positions,
                                 &positive_definite, &message) == JN_OK &&
             positive_definite && solver_archive(large->solver, memory_archive_save(&large->fresh));
    large_deform(large, turn);
    spring_bodies_fill(&large->bodies, 0.05);
    return ok;
}

static void large_close(Large *large) {
    solver_destroy(large->solver);
    pair_blocks_free(&large->pairs);
    memory_archive_free(&large->fresh);
    spring_bodies_close(&large->bodies);
}

static SolverReport report_of(const Solver *solver) {
    SolverReport report;
    solver_report(solver, &report);
    return report;
}

/* Iterations of a solve with the factor of the box as it was, or -1 if it was not reused or the solution is wrong. */
static int large_iterations(Large *large, const PairBlocks *pairs) {
    JnMessage message;
    bool positive_definite;
    SolverReport before = report_of(large->solver);
    if (!solver_archive(large->solver, memory_archive_load(&large->fresh)) ||
        solver_update(large->solver, &large->bodies.matrix, pairs, large->bodies.positions, &positive_definite,
                      &message) != JN_OK ||
        solver_solve(large->solver, large->b, large->x, 1, &message) != JN_OK)
        return -1;
    SolverReport after = report_of(large->solver);
    spring_bodies_multiply(&large->bodies, pairs, NULL, large->x, large->y);
    double error = 0, size = 0;
    for (int i = 0; i < 3 * LARGE; ++i) {
        error += pow(large->y[i] - large->b[i], 2);
        size += pow(large->b[i], 2);
    }
    bool reused = after.factor_count == before.factor_count && after.reused_count == before.reused_count + 1;
    return reused && error < 1e-12 * size ? (int)(after.iteration_count - before.iteration_count) : -1;
}

static void check_iterations(double turn) {
    static Large large;
    CHECK(large_open(&large, turn));
    int without = large_iterations(&large, NULL);
    CHECK(without > 3 && without < 40);
    for (double stiffness = 10; stiffness <= 1e6; stiffness *= 10)
        /* the same factor serves when a tenth of the contacts has opened and another has closed */
        for (uint32_t phase = 0; phase < 2; ++phase) {
            CHECK(large_contacts(&large, stiffness, phase) && large.pairs.count > 200);
            int with = large_iterations(&large, &large.pairs);
            CHECK(with > 3 && 2 * with <= 3 * without);
        }
    /* far stiffer ones, as of a barrier at a small distance */
    CHECK(large_contacts(&large, 1e9, 0));
    int with = large_iterations(&large, &large.pairs);
    CHECK(with > 0 && 2 * with <= 3 * without);
    large_close(&large);
}

TEST(pairs_with_a_stale_factor_take_as_few_iterations_as_none) {
    check_iterations(0);
}

TEST(pairs_with_a_turned_factor_take_as_few_iterations_as_none) {
    check_iterations(0.7);
}
