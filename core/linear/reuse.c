#include "linear/reuse.h"

#include <math.h>

/* Reading an entry of the factor from memory takes longer than an operation on cached numbers, which dominate a
   factorization. So an entry costs as much as many operations; fitted to the benchmark's bars of 1,000 to 12,500
   vertices and rounded. */
static const double FACTOR_PER_ENTRY = 550, SOLVE_PER_ENTRY = 60, PRECONDITION_PER_ENTRY = 30, PRODUCT_PER_BLOCK = 400;
static const double SINGLE_PER_FLOP = 0.55, SINGLE_PER_ENTRY = 170;
/* A factor is renewed when this many times its cost has been spent on iterations with it, even at a steady rate: a new
   one may need far fewer, as for a body that has come to rest. */
static const double MOST_SPENT = 5;
/* Iterations needed to correct the rounding of single precision if the matrix is well conditioned. */
static const double SINGLE_ITERATIONS = 4;
enum { LONGEST_WAIT = 32 };
/* Sweeps, like products with the matrix, go through memory in order. */
static const double SWEEP_PER_BLOCK = 400;
/* Before any factor was used: over how many solves it would be spread, and the iterations of each. */
static const double SOLVES_PER_FACTOR = 10, ITERATIONS_PER_SOLVE = 3;
/* Sweeps are not tried where a solve with a factor costs less than so many of them: they always need more. */
static const double SWEEPS_LEAST = 20;
/* The first solve of a matrix may take so many times the mean of all. */
static const double FIRST_SOLVE = 1.25;

ReuseCosts reuse_costs(double factor_flops, double factor_entries, double block_count, double last_flops) {
    return (ReuseCosts){.factor = factor_flops + FACTOR_PER_ENTRY * factor_entries,
                        .single_factor = SINGLE_PER_FLOP * factor_flops + SINGLE_PER_ENTRY * factor_entries,
                        .solve = SOLVE_PER_ENTRY * factor_entries,
                        .iteration = PRECONDITION_PER_ENTRY * factor_entries + PRODUCT_PER_BLOCK * block_count,
                        .pairs = SINGLE_PER_FLOP * last_flops,
                        .sweep_iteration = (SWEEP_PER_BLOCK + PRODUCT_PER_BLOCK) * block_count};
}

void retry_failed(Retry *retry) {
    retry->waited = retry->waited ? 2 * retry->waited : 1;
    retry->waited = retry->waited < LONGEST_WAIT ? retry->waited : LONGEST_WAIT;
    retry->waiting = retry->waited;
}

void retry_succeeded(Retry *retry) {
    retry->waited = 0;
}

bool retry_now(Retry *retry) {
    if (retry->waiting == 0)
        return true;
    --retry->waiting;
    return false;
}

bool reuse_single_worthwhile(const ReuseCosts *costs) {
    return costs->single_factor + SINGLE_ITERATIONS * costs->iteration < costs->factor + costs->solve;
}

bool reuse_worthwhile(const ReuseCounts *counts, double factor_cost) {
    return counts->matrix_count > 0 && counts->retry.waiting == 0 && counts->spent < MOST_SPENT * factor_cost &&
           counts->latest * counts->solve_count <= counts->spent * counts->latest_count;
}

uint32_t reuse_most_iterations(const ReuseCosts *costs, double factor_cost) {
    return (uint32_t)fmin(fmax(factor_cost / costs->iteration, 1), 1000);
}

void reuse_count_factor(ReuseCounts *counts, double factor_cost, bool attempted) {
    if (attempted && counts->matrix_count <= 2)
        retry_failed(&counts->retry);
    else if (retry_now(&counts->retry))
        retry_succeeded(&counts->retry);
    counts->spent = factor_cost;
    counts->spent_on_pairs = counts->latest = 0;
    counts->latest_count = 0;
    counts->matrix_count = 1;
    counts->solve_count = 0;
}

void reuse_count_matrix(ReuseCounts *counts) {
    counts->latest = 0;
    counts->latest_count = 0;
    ++counts->matrix_count;
}

void reuse_count_pairs(ReuseCounts *counts, const ReuseCosts *costs) {
    counts->spent_on_pairs += costs->pairs;
}

void reuse_count_iterations(ReuseCounts *counts, const ReuseCosts *costs, uint32_t iterations) {
    counts->spent += iterations * costs->iteration;
    counts->latest += iterations * costs->iteration;
    ++counts->latest_count;
    ++counts->solve_count;
}

void reuse_count_solve(ReuseCounts *counts, const ReuseCosts *costs) {
    counts->spent += costs->solve;
    counts->latest += costs->solve;
    ++counts->latest_count;
    ++counts->solve_count;
}

/* What a solve with a factor costs. */
static double factored_solve(const SweepCounts *sweeps, const ReuseCosts *costs) {
    double factor = reuse_single_worthwhile(costs) ? costs->single_factor : costs->factor;
    double expected = factor / SOLVES_PER_FACTOR + ITERATIONS_PER_SOLVE * costs->iteration;
    return sweeps->factored_solve > 0 ? sweeps->factored_solve : expected;
}

static bool sweeps_try(SweepCounts *sweeps, const ReuseCosts *costs) {
    double allowed = factored_solve(sweeps, costs);
    if (!sweeps->in_use)
        return allowed >= SWEEPS_LEAST * costs->sweep_iteration && retry_now(&sweeps->retry);
    bool cheap = sweeps->spent <= allowed * sweeps->solve_count;
    if (cheap)
        retry_succeeded(&sweeps->retry);
    else
        retry_failed(&sweeps->retry);
    return cheap;
}

bool sweeps_worthwhile(SweepCounts *sweeps, const ReuseCounts *counts, const ReuseCosts *costs) {
    if (!sweeps->in_use && counts->solve_count > 0)
        sweeps->factored_solve = (counts->spent + counts->spent_on_pairs) / counts->solve_count;
    sweeps->in_use = sweeps_try(sweeps, costs);
    sweeps->spent = 0;
    sweeps->solve_count = 0;
    return sweeps->in_use;
}

uint32_t sweeps_most_iterations(const SweepCounts *sweeps, const ReuseCosts *costs) {
    return (uint32_t)fmin(fmax(FIRST_SOLVE * factored_solve(sweeps, costs) / costs->sweep_iteration, 1), 1000);
}

void sweeps_count_iterations(SweepCounts *sweeps, const ReuseCosts *costs, uint32_t iterations, bool failed) {
    sweeps->spent += iterations * costs->sweep_iteration;
    ++sweeps->solve_count;
    if (failed)
        retry_failed(&sweeps->retry);
    if (failed)
        sweeps->in_use = 0;
}
