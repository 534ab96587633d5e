/* Sums over long vectors, in one order on one thread: the same bits everywhere. */
#ifndef JN_BASE_VECTORS_H
#define JN_BASE_VECTORS_H

#include <math.h>
#include <stddef.h>

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
