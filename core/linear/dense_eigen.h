/* Eigenvalues of small dense symmetric matrices, by LAPACK. */
#ifndef JN_LINEAR_DENSE_EIGEN_H
#define JN_LINEAR_DENSE_EIGEN_H

#include "jounce.h"

/* Solves A x = lambda B x for all pairs. a, b: [n * n] symmetric, b positive definite or NULL for the identity; both
   are overwritten, a by the vectors, one after the other, x'Bx = 1. values: [n] ascending. JN_ERR_DIVERGED where b is
   not positive definite or a number is not finite. */
JnStatus dense_eigen(size_t n, double *a, double *b, double *values, JnMessage *message);

#endif
