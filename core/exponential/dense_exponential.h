/* The exponential of a small dense matrix. */
#ifndef JN_EXPONENTIAL_DENSE_EXPONENTIAL_H
#define JN_EXPONENTIAL_DENSE_EXPONENTIAL_H

#include "jounce.h"

#include <stddef.h>

/* a = exp(a), [n * n] by rows. By scaling and squaring with the diagonal Pade approximant of degree 13 (Higham 2005).
   JN_ERR_DIVERGED where a number is not finite. */
JnStatus dense_exponential(size_t n, double *a, JnMessage *message);

#endif
