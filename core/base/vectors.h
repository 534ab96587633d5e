/* Long vectors of doubles: making several at once, and sums in one order on one thread, the same bits everywhere. */
#ifndef JN_BASE_VECTORS_H
#define JN_BASE_VECTORS_H

#include <math.h>
#include <stddef.h>

/* Makes `count` vectors of n zeros in one piece of memory, and *vectors[k] point to each. Returns that memory, for the
   caller to free; NULL: none, and nothing is set. */
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
