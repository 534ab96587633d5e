#include "linear/reuse.h"

#include <math.h>

/* What touches memory waits for it, while the arithmetic of a factorization comes from the cache; so entries count for
   more than operations. In operations of a factorization; fitted to the bench's bars of 1,000 to 12,500 vertices and
   rounded. */
static const double FACTOR_PER_ENTRY = 550, SOLVE_PER_ENTRY = 60, PRECONDITION_PER_ENTRY = 30, PRODUCT_PER_BLOCK = 800;
/* A factor is renewed when this many times its cost was spent on it, however evenly: a new one may do far better, as it
   does for a body that has come to rest. */
static const double MOST_SPENT = 5;
enum { LONGEST_WAIT = 32 };

ReuseCosts reuse_costs(double factor_flops, double factor_entries, double block_count) {
    return (ReuseCosts){.factor = factor_flops + FACTOR_PER_ENTRY * factor_entries,
                        .solve = SOLVE_PER_ENTRY * factor_entries,
                        .iteration = PRECONDITION_PER_ENTRY * factor_entries + PRODUCT_PER_BLOCK * block_count};
}

bool reuse_worthwhile(const ReuseCounts *counts, const ReuseCosts *costs) {
    return counts->matrix_count > 0 && counts->waiting == 0 && counts->spent < MOST_SPENT * costs->factor &&
           counts->latest * counts->matrix_count <= counts->spent;
}

uint32_t reuse_most_iterations(const ReuseCosts *costs) {
    return (uint32_t)fmin(fmax(costs->factor / costs->iteration, 1), 1000);
}

void reuse_count_factor(ReuseCounts *counts, const ReuseCosts *costs, bool attempted) {
    if (attempted && counts->matrix_count <= 2) {
        counts->waited = counts->waited ? 2 * counts->waited : 1;
        counts->waited = counts->waited < LONGEST_WAIT ? counts->waited : LONGEST_WAIT;
        counts->waiting = counts->waited;
    } else if (counts->waiting > 0) {
        --counts->waiting;
    } else {
        counts->waited = 0;
    }
    counts->spent = costs->factor;
    counts->latest = 0;
    counts->matrix_count = 1;
}

void reuse_count_matrix(ReuseCounts *counts) {
    counts->latest = 0;
    ++counts->matrix_count;
}

void reuse_count_iterations(ReuseCounts *counts, const ReuseCosts *costs, uint32_t iterations) {
    counts->spent += iterations * costs->iteration;
    counts->latest += iterations * costs->iteration;
}

void reuse_count_solve(ReuseCounts *counts, const ReuseCosts *costs) {
    counts->spent += costs->solve;
}
