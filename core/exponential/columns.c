#include "exponential/columns.h"

/* Columns are taken four at a time, so that what they are added to, or multiplied with, is read a quarter as often. */
enum { TOGETHER = 4, LANES = 4 };

void add_columns(size_t n, double *const *columns, const double *coefficients, size_t count, double *sum) {
    size_t k = 0;
    for (; k + TOGETHER <= count; k += TOGETHER) {
        const double *a = columns[k], *b = columns[k + 1], *c = columns[k + 2], *d = columns[k + 3];
        const double *x = coefficients + k;
        for (size_t i = 0; i < n; ++i)
            sum[i] += (x[0] * a[i] + x[1] * b[i]) + (x[2] * c[i] + x[3] * d[i]);
    }
    for (; k < count; ++k)
        for (size_t i = 0; i < n; ++i)
            sum[i] += coefficients[k] * columns[k][i];
}

/* out[k] = the products of x with up to TOGETHER columns, each as LANES sums in a fixed order. */
static void dot_some(size_t n, double *const *columns, size_t count, const double *x, double *out) {
    double sums[TOGETHER][LANES] = {{0}};
    const double *column[TOGETHER];
    size_t i = 0;
    for (size_t k = 0; k < TOGETHER; ++k)
        column[k] = columns[k < count ? k : 0];
    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < TOGETHER; ++k)
            for (size_t lane = 0; lane < LANES; ++lane)
                sums[k][lane] += column[k][i + lane] * x[i + lane];
    for (; i < n; ++i)
        for (size_t k = 0; k < TOGETHER; ++k)
            sums[k][0] += column[k][i] * x[i];
    for (size_t k = 0; k < count; ++k)
        out[k] = (sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3]);
}

void dot_columns(size_t n, double *const *columns, size_t count, const double *x, double *out) {
    for (size_t k = 0; k < count; k += TOGETHER)
        dot_some(n, columns + k, count - k < TOGETHER ? count - k : TOGETHER, x, out + k);
}

double column_dot(size_t n, double *a, const double *b) {
    double product;
    dot_some(n, &a, 1, b, &product);
    return product;
}
