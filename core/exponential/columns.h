/* Sums and products of several long vectors, in a fixed order. */
#ifndef JN_EXPONENTIAL_COLUMNS_H
#define JN_EXPONENTIAL_COLUMNS_H

#include <stddef.h>

/* sum += the columns times coefficients; [n] each, [count] of them. */
void add_columns(size_t n, double *const *columns, const double *coefficients, size_t count, double *sum);

/* out[k] = the product of x with each column. */
void dot_columns(size_t n, double *const *columns, size_t count, const double *x, double *out);
double column_dot(size_t n, double *a, const double *b);

#endif
