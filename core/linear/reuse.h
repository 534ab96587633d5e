/* Whether the next matrix is worth a factorization of its own, or conjugate gradients with the last factor are cheaper.

   Decided by counts of arithmetic, never by a clock. The older a factor, the more iterations it takes; what is spent on
   it is spread over the matrices that it serves. It is given up when the next matrix is likely to cost more than they
   did on average, its own factorization included: then a new factor brings the average down. */
#ifndef JN_LINEAR_REUSE_H
#define JN_LINEAR_REUSE_H

#include <stdbool.h>
#include <stdint.h>

/* In units of the time that an arithmetic operation of a factorization in double precision takes. */
typedef struct ReuseCosts {
    double factor;        /* in double precision */
    double single_factor; /* in single precision: its solves take iterations */
    double solve, iteration;
    double pairs; /* to put other pairs into a factor that stays */
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

typedef struct ReuseCounts { /* plain data: saved and loaded as it is */
    double spent;            /* since and with the last factorization */
    double latest;           /* on the latest matrix */
    uint32_t matrix_count;   /* that the last factor served */
    uint32_t reserved;
    Retry retry; /* of attempts to reuse */
} ReuseCounts;

/* last_flops: of the dense part of a factorization, which is repeated for new pairs. */
ReuseCosts reuse_costs(double factor_flops, double factor_entries, double block_count, double last_flops);

/* Whether a factor in single precision and the few iterations that it needs are cheaper than one in double. */
bool reuse_single_worthwhile(const ReuseCosts *costs);

/* Whether the next matrix should be solved with the last factor rather than with a new one at this cost. */
bool reuse_worthwhile(const ReuseCounts *counts, double factor_cost);

/* The iterations that are worth trying on one matrix if a new factor has this cost. */
uint32_t reuse_most_iterations(const ReuseCosts *costs, double factor_cost);

/* A new factor begins, at this cost; `attempted`: after iterations with the old one had failed. */
void reuse_count_factor(ReuseCounts *counts, double factor_cost, bool attempted);
/* The last factor begins to serve another matrix. */
void reuse_count_matrix(ReuseCounts *counts);
/* The last factor took the latest matrix's pairs. */
void reuse_count_pairs(ReuseCounts *counts, const ReuseCosts *costs);
/* A solve took so many iterations. */
void reuse_count_iterations(ReuseCounts *counts, const ReuseCosts *costs, uint32_t iterations);
/* A solve by the factor itself. */
void reuse_count_solve(ReuseCounts *counts, const ReuseCosts *costs);

#endif
