/* Decides whether to factor the next matrix, or to solve it by conjugate gradients with the last factor as
   preconditioner. Decided by operation counts, never by a clock. The older a factor, the more iterations it takes; its
   cost is amortized over the solves with it. It is discarded when the next solve is expected to cost more than the
   average so far, factorization included: then a new factor lowers the average. Before a new factor is
   made, the next matrix is solved without any, by sweeps (sweeps.h), and so are those after it, while that costs less
   than solves with a factor have cost or would cost. */
#ifndef JN_LINEAR_REUSE_H
#define JN_LINEAR_REUSE_H

#include <stdbool.h>
#include <stdint.h>

/* In units of the time that an arithmetic operation of a factorization in double precision takes. */
typedef struct ReuseCosts {
    double factor;        /* in double precision */
    double single_factor; /* in single precision: its solves take iterations */
    double solve, iteration;
    double pairs;           /* to change the pairs of an existing factor */
    double sweep_iteration; /* without a factor */
} ReuseCosts;

/* How many factorizations to wait before something that failed is tried again. Plain data. */
typedef struct Retry {
    uint32_t waiting;
    uint32_t waited; /* how long the last wait was: doubled when it fails again */
} Retry;
void retry_failed(Retry *retry);
void retry_succeeded(Retry *retry);
/* Counts a factorization; whether it is time to try again. */
bool retry_now(Retry *retry);

typedef struct ReuseCounts { /* plain data: saved and loaded as plain bytes */
    double spent;            /* since and with the last factorization, but not on pairs: a new factor would not spare */
    double spent_on_pairs;   /* what these cost */
    double latest;           /* on the latest matrix, likewise, */
    uint32_t latest_count;   /* in so many solves */
    uint32_t matrix_count;   /* solved with the last factor, */
    uint32_t solve_count;    /* so many times in all */
    Retry retry;             /* of attempts to reuse */
} ReuseCounts;

typedef struct SweepCounts { /* plain data: saved and loaded as plain bytes */
    double spent;            /* on the latest matrix that was solved by sweeps, */
    uint32_t solve_count;    /* so many times */
    uint32_t in_use;         /* 1: the latest matrix was */
    double factored_solve;   /* what a solve has cost with the last factor that was discarded; 0: there was none */
    Retry retry;             /* of attempts to do without a factor */
} SweepCounts;

/* last_flops: of the dense part of a factorization, which is repeated for new pairs. */
ReuseCosts reuse_costs(double factor_flops, double factor_entries, double block_count, double last_flops);

/* Whether a factor in single precision and the few iterations that it needs are cheaper than one in double. */
bool reuse_single_worthwhile(const ReuseCosts *costs);

/* Whether the next matrix should be solved with the last factor rather than with a new one at this cost. */
bool reuse_worthwhile(const ReuseCounts *counts, double factor_cost);

/* The number of iterations to allow for one matrix if a new factor has this cost. */
uint32_t reuse_most_iterations(const ReuseCosts *costs, double factor_cost);

/* A new factor begins, at this cost; `attempted`: after iterations with the old one had failed. */
void reuse_count_factor(ReuseCounts *counts, double factor_cost, bool attempted);
/* The last factor is used for another matrix. */
void reuse_count_matrix(ReuseCounts *counts);
/* The last factor was updated with the latest matrix's pairs. */
void reuse_count_pairs(ReuseCounts *counts, const ReuseCosts *costs);
/* A solve took this many iterations. */
void reuse_count_iterations(ReuseCounts *counts, const ReuseCosts *costs, uint32_t iterations);
/* A solve by the factor itself. */
void reuse_count_solve(ReuseCounts *counts, const ReuseCosts *costs);

/* Whether to solve the next matrix by sweeps: asked before every matrix while they are in use, else before every new
   factor. Counts the answer. */
bool sweeps_worthwhile(SweepCounts *sweeps, const ReuseCounts *counts, const ReuseCosts *costs);
/* The number of iterations to allow for one solve by sweeps. */
uint32_t sweeps_most_iterations(const SweepCounts *sweeps, const ReuseCosts *costs);
/* A solve by sweeps took this many iterations; `failed`: and did not converge, so a factor is to be made. */
void sweeps_count_iterations(SweepCounts *sweeps, const ReuseCosts *costs, uint32_t iterations, bool failed);

#endif
