/* Small symmetric matrices, n x n by rows, n at most SYMMETRIC_LARGEST. */
#ifndef JN_BASE_SYMMETRIC_H
#define JN_BASE_SYMMETRIC_H

#include <stdbool.h>

enum { SYMMETRIC_LARGEST = 9 };

/* Rounding error of a zero eigenvalue, relative to the largest diagonal entry. */
#define SYMMETRIC_ROUNDING 1e-12

/* True if no eigenvalue is below -tolerance times the largest diagonal entry. */
bool symmetric_is_semidefinite(const double *a, int n, double tolerance);

/* Replaces the negative eigenvalues by 0. */
void symmetric_positive_part(double *a, int n);

#endif
