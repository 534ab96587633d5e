/* Whether the next matrix is worth a factorization of its own, or conjugate gradients with the last factor are cheaper.

   Decided by counts of arithmetic, never by a clock. The older a factor, the more iterations it takes; what is spent on
   it is spread over the matrices that it serves. It is given up when the next matrix is likely to cost more than they
   did on average, its own factorization included: then a new factor brings the average down. */
#ifndef JN_LINEAR_REUSE_H
#define JN_LINEAR_REUSE_H

#include <stdbool.h>
#include <stdint.h>

/* In the time of one arithmetic operation of a factorization. */
typedef struct ReuseCosts {
    double factor, solve, iteration;
} ReuseCosts;

typedef struct ReuseCounts { /* plain data: saved and loaded as it is */
    double spent;            /* since and with the last factorization */
    double latest;           /* on the latest matrix */
    uint32_t matrix_count;   /* that the last factor served */
    uint32_t waiting;        /* matrices to factor before the next attempt to reuse */
    uint32_t waited;         /* how many it was the last time: doubled when an attempt fails */
    uint32_t reserved;
} ReuseCounts;

ReuseCosts reuse_costs(double factor_flops, double factor_entries, double block_count);

/* Whether the next matrix should be solved with the last factor. */
bool reuse_worthwhile(const ReuseCounts *counts, const ReuseCosts *costs);

/* The iterations that are worth trying on one matrix. */
uint32_t reuse_most_iterations(const ReuseCosts *costs);

/* A new factor begins; `attempted`: after iterations with the old one had failed. */
void reuse_count_factor(ReuseCounts *counts, const ReuseCosts *costs, bool attempted);
/* The last factor begins to serve another matrix. */
void reuse_count_matrix(ReuseCounts *counts);
/* A solve took so many iterations. */
void reuse_count_iterations(ReuseCounts *counts, const ReuseCosts *costs, uint32_t iterations);
/* A solve by the factor itself. */
void reuse_count_solve(ReuseCounts *counts, const ReuseCosts *costs);

#endif
