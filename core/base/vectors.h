/* Long vectors of doubles: allocating several at once, and sums in a fixed order on one thread, bit-identical
   everywhere. */
#ifndef JN_BASE_VECTORS_H
#define JN_BASE_VECTORS_H

#include <math.h>
#include <stddef.h>

/* Allocates `count` vectors of n zeros in one block of memory, and sets *vectors[k] to each. Returns the block, which
   the caller frees; NULL: out of memory, and nothing is set. */
double *vectors_make(double **const *vectors, size_t count, size_t n);

static inline double vector_dot(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

/* As vector_dot, several times as fast: four sums, which are added at the end. */
static inline double vector_dot_by_fours(const double *a, const double *b, size_t n) {
    double sum[4] = {0, 0, 0, 0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; ++k)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; ++i)
        sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static inline double vector_length(const double *a, size_t n) {
    return sqrt(vector_dot(a, a, n));
}

/* Four columns, [n] each, at a time, so that what they are multiplied with, or added to, is read a quarter as often:
   out = the product of x with each; sum += the columns times coefficients. */
enum { COLUMNS_TOGETHER = 4 };
void vector_dot_four(size_t n, const double *const columns[COLUMNS_TOGETHER], const double *x,
                     double out[COLUMNS_TOGETHER]);
void vector_add_four(size_t n, const double *const columns[COLUMNS_TOGETHER],
                     const double coefficients[COLUMNS_TOGETHER], double *sum);

#endif
