/* Products and sums of blocks of long vectors, [count][n], by the BLAS on one thread.

   Each returns JN_ERR_MEMORY if the BLAS has no memory to compute in. */
#ifndef JN_LINEAR_VECTOR_BLOCKS_H
#define JN_LINEAR_VECTOR_BLOCKS_H

#include "jounce.h"

#include <stddef.h>

/* products = a'b, [b_count][a_count]: entry (l, k) is the product of a_k and b_l. */
JnStatus vector_blocks_multiply(size_t n, const double *a, uint32_t a_count, const double *b, uint32_t b_count,
                                double *products, JnMessage *message);

/* sums = `sum_count` sums of the vectors, weights [sum_count][count]; must not alias. */
JnStatus vector_blocks_sum(size_t n, const double *vectors, uint32_t count, const double *weights, uint32_t sum_count,
                           double *sums, JnMessage *message);

/* Replaces the first vectors by such sums; sum_count: at most `count`. */
JnStatus vector_blocks_combine(size_t n, double *vectors, uint32_t count, const double *weights, uint32_t sum_count,
                               JnMessage *message);

#endif
