#include "base/vectors.h"

#include <stdint.h>
#include <stdlib.h>

double *vectors_make(double **const *vectors, size_t count, size_t n) {
    if (n > SIZE_MAX / sizeof(double) / (count + 1))
        return NULL;
    double *memory = calloc(count * n + 1, sizeof *memory);
    for (size_t k = 0; memory && k < count; ++k)
        *vectors[k] = memory + k * n;
    return memory;
}

void vector_dot_four(size_t n, const double *const columns[COLUMNS_TOGETHER], const double *x,
                     double out[COLUMNS_TOGETHER]) {
    enum { LANES = 4 };
    double sums[COLUMNS_TOGETHER][LANES] = {{0}};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < COLUMNS_TOGETHER; ++k)
            for (size_t lane = 0; lane < LANES; ++lane)
                sums[k][lane] += columns[k][i + lane] * x[i + lane];
    for (; i < n; ++i)
        for (size_t k = 0; k < COLUMNS_TOGETHER; ++k)
            sums[k][0] += columns[k][i] * x[i];
    for (size_t k = 0; k < COLUMNS_TOGETHER; ++k)
        out[k] = (sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3]);
}

void vector_add_four(size_t n, const double *const columns[COLUMNS_TOGETHER],
                     const double coefficients[COLUMNS_TOGETHER], double *sum) {
    const double *a = columns[0], *b = columns[1], *c = columns[2], *d = columns[3];
    const double x[] = {coefficients[0], coefficients[1], coefficients[2], coefficients[3]};
    for (size_t i = 0; i < n; ++i)
        sum[i] += (x[0] * a[i] + x[1] * b[i]) + (x[2] * c[i] + x[3] * d[i]);
}
