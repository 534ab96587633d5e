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

static inline double vector_length(const double *a, size_t n) {
    return sqrt(vector_dot(a, a, n));
}

#endif
