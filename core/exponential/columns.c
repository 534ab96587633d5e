#include "exponential/columns.h"

#include "base/vectors.h"

void add_columns(size_t n, double *const *columns, const double *coefficients, size_t count, double *sum) {
    size_t k = 0;
    for (; k + COLUMNS_TOGETHER <= count; k += COLUMNS_TOGETHER) {
        const double *four[] = {columns[k], columns[k + 1], columns[k + 2], columns[k + 3]};
        vector_add_four(n, four, coefficients + k, sum);
    }
    for (; k < count; ++k)
        for (size_t i = 0; i < n; ++i)
            sum[i] += coefficients[k] * columns[k][i];
}

/* out[k] = the products of x with up to COLUMNS_TOGETHER columns. */
static void dot_some(size_t n, double *const *columns, size_t count, const double *x, double *out) {
    const double *four[COLUMNS_TOGETHER];
    double products[COLUMNS_TOGETHER];
    for (size_t k = 0; k < COLUMNS_TOGETHER; ++k)
        four[k] = columns[k < count ? k : 0];
    vector_dot_four(n, four, x, products);
    for (size_t k = 0; k < count; ++k)
        out[k] = products[k];
}

void dot_columns(size_t n, double *const *columns, size_t count, const double *x, double *out) {
    for (size_t k = 0; k < count; k += COLUMNS_TOGETHER)
        dot_some(n, columns + k, count - k < COLUMNS_TOGETHER ? count - k : COLUMNS_TOGETHER, x, out + k);
}

double column_dot(size_t n, double *a, const double *b) {
    double product;
    dot_some(n, &a, 1, b, &product);
    return product;
}
