/* Small symmetric matrices, n x n by rows, n at most SYMMETRIC_LARGEST. */
#ifndef JN_BASE_SYMMETRIC_H
#define JN_BASE_SYMMETRIC_H

#include <stdbool.h>

enum { SYMMETRIC_LARGEST = 9 };

/* True if no eigenvalue is negative, up to rounding (1e-12 of the largest diagonal entry). */
bool symmetric_is_semidefinite(const double *a, int n);

/* Replaces the negative eigenvalues by 0. */
void symmetric_positive_part(double *a, int n);

#endif
