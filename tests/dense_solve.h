/* Linear equations of a few unknowns, for references that are written densely. */
#ifndef JN_TESTS_DENSE_SOLVE_H
#define JN_TESTS_DENSE_SOLVE_H

#include <math.h>
#include <stddef.h>

static inline void swap_numbers(double *a, double *b, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

/* Solves A X = B by elimination with pivots. A: [n * n] by rows, overwritten; B: [n][columns], replaced by X. */
static inline void dense_solve(double *A, double *B, size_t n, size_t columns) {
    for (size_t k = 0; k < n; ++k) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; ++i)
            pivot = fabs(A[i * n + k]) > fabs(A[pivot * n + k]) ? i : pivot;
        swap_numbers(&A[k * n], &A[pivot * n], n);
        swap_numbers(&B[k * columns], &B[pivot * columns], columns);
        for (size_t i = k + 1; i < n; ++i) {
            double factor = A[i * n + k] / A[k * n + k];
            for (size_t j = k; factor != 0 && j < n; ++j)
                A[i * n + j] -= factor * A[k * n + j];
            for (size_t c = 0; factor != 0 && c < columns; ++c)
                B[i * columns + c] -= factor * B[k * columns + c];
        }
    }
    for (size_t k = n; k-- > 0;)
        for (size_t c = 0; c < columns; ++c) {
            for (size_t j = k + 1; j < n; ++j)
                B[k * columns + c] -= A[k * n + j] * B[j * columns + c];
            B[k * columns + c] /= A[k * n + k];
        }
}

#endif
