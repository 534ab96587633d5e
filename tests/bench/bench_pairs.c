/* What contacts cost the linear solver: a box of springs with its bottom eliminated last, deformed a little since it
   was factored, without contacts and with contacts at all of its bottom.

     bench_pairs [largest side]     vertices along an edge, up to 24 by default

   Times are the processor's in milliseconds, the quickest of five. "plain" is the factor of a solver that eliminates
   nothing last; "update" puts the contacts into a stale factor. */
#include "unit/spring_bodies.h"

#include "linear/solver.h"

#include <stdio.h>
#include <time.h>

enum { ROUNDS = 5 };

static double processor_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

typedef struct Bench {
    SpringBodies bodies;
    Solver *plain, *solver;
    MemoryArchive fresh;
    PairBlocks pairs;
    double *b, *x;
} Bench;

static int open_bench(Bench *bench, uint32_t side) {
    JnMessage message;
    uint64_t seed = 5;
    uint32_t touching = side * side;
    memset(bench, 0, sizeof *bench);
    if (!spring_bodies_open(&bench->bodies, side - 1, side - 1, side - 1, 1))
        return 0;
    size_t unknowns = 3 * (size_t)bench->bodies.vertex_count;
    uint32_t *last = malloc(touching * sizeof *last);
    bench->b = malloc(unknowns * sizeof(double));
    bench->x = malloc(unknowns * sizeof(double));
    if (!last || !bench->b || !bench->x)
        return 0;
    for (size_t i = 0; i < unknowns; ++i)
        bench->b[i] = random_signed(&seed);
    for (uint32_t v = 0; v < touching; ++v) {
        double block[9];
        contact_block(&seed, 1e3, block);
        last[v] = v;
        if (!add_floor_contact(&bench->pairs, v, block))
            return 0;
    }
    spring_bodies_fill(&bench->bodies, 0.05);
    SolverDesc desc = {.pattern = &bench->bodies.matrix};
    int ok = solver_create(&desc, &bench->plain, &message) == JN_OK;
    desc.last = last;
    desc.last_count = touching;
    ok = ok && solver_create(&desc, &bench->solver, &message) == JN_OK;
    free(last);
    return ok;
}

/* The quickest of several factorizations. */
static double factor_ms(Bench *bench, Solver *solver) {
    JnMessage message;
    bool positive_definite;
    double best = 1e300;
    for (int round = 0; round < ROUNDS; ++round) {
        double since = processor_ms();
        if (solver_factor_mixed(solver, &bench->bodies.matrix, NULL, bench->bodies.positions, &positive_definite,
                                &message) != JN_OK)
            return -1;
        since = processor_ms() - since;
        best = since < best ? since : best;
    }
    return best;
}

/* The quickest update and solve with the stale factor, and the iterations. */
static int solve_stale(Bench *bench, const PairBlocks *pairs, double *update, double *solve, int *iterations) {
    JnMessage message;
    bool positive_definite;
    SolverReport before, after;
    *update = *solve = 1e300;
    for (int round = 0; round < ROUNDS; ++round) {
        if (!solver_archive(bench->solver, memory_archive_load(&bench->fresh)))
            return 0;
        solver_report(bench->solver, &before);
        double start = processor_ms();
        if (solver_update(bench->solver, &bench->bodies.matrix, pairs, bench->bodies.positions, &positive_definite,
                          &message) != JN_OK)
            return 0;
        double middle = processor_ms();
        if (solver_solve(bench->solver, bench->b, bench->x, 1, &message) != JN_OK)
            return 0;
        double end = processor_ms();
        *update = middle - start < *update ? middle - start : *update;
        *solve = end - middle < *solve ? end - middle : *solve;
        solver_report(bench->solver, &after);
        *iterations = (int)(after.iteration_count - before.iteration_count);
    }
    return after.factor_count == before.factor_count;
}

static int run(uint32_t side) {
    Bench bench;
    double update[2], solve[2];
    int iterations[2], ok = open_bench(&bench, side);
    if (ok) {
        double plain = factor_ms(&bench, bench.plain), factor = factor_ms(&bench, bench.solver);
        ok = solver_archive(bench.solver, memory_archive_save(&bench.fresh));
        for (uint32_t v = 0; v < bench.bodies.vertex_count; ++v)
            bench.bodies.positions[3 * v] += 0.4 * pow(bench.bodies.positions[3 * v + 2] / side, 2);
        spring_bodies_fill(&bench.bodies, 0.05);
        ok = ok && solve_stale(&bench, NULL, &update[0], &solve[0], &iterations[0]) &&
             solve_stale(&bench, &bench.pairs, &update[1], &solve[1], &iterations[1]);
        if (ok)
            printf("%8u %8u %10.1f %10.1f | %10.1f %10.1f %5d | %10.1f %10.1f %5d\n", bench.bodies.vertex_count,
                   side * side, plain, factor, update[0], solve[0], iterations[0], update[1], solve[1], iterations[1]);
    }
    solver_destroy(bench.plain);
    solver_destroy(bench.solver);
    memory_archive_free(&bench.fresh);
    pair_blocks_free(&bench.pairs);
    spring_bodies_close(&bench.bodies);
    free(bench.b);
    free(bench.x);
    return ok;
}

int main(int argc, char **argv) {
    uint32_t largest = argc > 1 ? (uint32_t)atoi(argv[1]) : 24;
    printf("%8s %8s %10s %10s | %10s %10s %5s | %10s %10s %5s\n", "vertices", "last", "plain", "factor", "update",
           "solve", "iter", "update+C", "solve", "iter");
    for (uint32_t side = 12; side <= largest; side += 4)
        if (!run(side)) {
            printf("failed at side %u\n", side);
            return 1;
        }
    return 0;
}
