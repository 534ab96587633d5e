#include "linear/vector_blocks.h"

#include "base/status.h"
#include "linear/blas_guard.h"
#include "linear/cholmod_guard.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* From the OpenBLAS that CHOLMOD uses; it takes matrices by columns. */
extern void dgemm_(const char *a_transposed, const char *b_transposed, const int *rows, const int *columns,
                   const int *depth, const double *scale, const double *a, const int *a_stride, const double *b,
                   const int *b_stride, const double *c_scale, double *c, const int *c_stride);

/* Numbers of each vector that are combined at a time, so that they stay in the cache. */
enum { PIECE = 512 };

/* Before every use of the BLAS. */
static JnStatus prepare(size_t n, JnMessage *message) {
    return n <= INT_MAX ? blas_guard_reserve(message) : status_no_memory(message, "a block of vectors");
}

JnStatus vector_blocks_multiply(size_t n, const double *a, uint32_t a_count, const double *b, uint32_t b_count,
                                double *products, JnMessage *message) {
    const double one = 1, zero = 0;
    const int depth = (int)n, rows = (int)a_count, columns = (int)b_count;
    JnStatus status = prepare(n, message);
    if (status != JN_OK || rows == 0 || columns == 0)
        return status;
    CholmodHold hold = cholmod_guard_hold();
    dgemm_("T", "N", &rows, &columns, &depth, &one, a, &depth, b, &depth, &zero, products, &rows);
    cholmod_guard_release(hold);
    return JN_OK;
}

/* sums = `length` numbers of each sum; vectors lie `n` apart, sums `stride`. */
static void sum_piece(size_t n, const double *vectors, uint32_t count, const double *weights, uint32_t sum_count,
                      size_t length, double *sums, size_t stride) {
    const double one = 1, zero = 0;
    const int rows = (int)length, columns = (int)sum_count, depth = (int)count;
    const int vectors_apart = (int)n, sums_apart = (int)stride;
    dgemm_("N", "N", &rows, &columns, &depth, &one, vectors, &vectors_apart, weights, &depth, &zero, sums, &sums_apart);
}

JnStatus vector_blocks_sum(size_t n, const double *vectors, uint32_t count, const double *weights, uint32_t sum_count,
                           double *sums, JnMessage *message) {
    JnStatus status = prepare(n, message);
    if (status != JN_OK || n == 0 || count == 0 || sum_count == 0)
        return status;
    CholmodHold hold = cholmod_guard_hold();
    sum_piece(n, vectors, count, weights, sum_count, n, sums, n);
    cholmod_guard_release(hold);
    return JN_OK;
}

JnStatus vector_blocks_combine(size_t n, double *vectors, uint32_t count, const double *weights, uint32_t sum_count,
                               JnMessage *message) {
    JnStatus status = prepare(n, message);
    if (status != JN_OK || count == 0 || sum_count == 0)
        return status;
    double *sums = malloc((size_t)sum_count * PIECE * sizeof *sums);
    if (!sums)
        return status_no_memory(message, "a block of vectors");
    CholmodHold hold = cholmod_guard_hold();
    for (size_t first = 0; first < n; first += PIECE) {
        size_t length = n - first < PIECE ? n - first : PIECE;
        sum_piece(n, vectors + first, count, weights, sum_count, length, sums, PIECE);
        for (size_t k = 0; k < sum_count; ++k)
            memcpy(vectors + k * n + first, sums + k * PIECE, length * sizeof *sums);
    }
    cholmod_guard_release(hold);
    free(sums);
    return JN_OK;
}
