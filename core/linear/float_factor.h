/* A Cholesky factor in single precision, to precondition with: a triangular solve waits for memory, and this one reads
   half as much. What the numbers lose does not matter to conjugate gradients, which work in double precision. */
#ifndef JN_LINEAR_FLOAT_FACTOR_H
#define JN_LINEAR_FLOAT_FACTOR_H

#include <cholmod.h>
#include <stdbool.h>

typedef struct FloatFactor { /* all zero: none */
    float *values;           /* [factor->xsize], as in the factor */
    float *x;                /* [factor->n] in the factor's order */
    float *below;            /* [factor->maxesize] */
} FloatFactor;

/* Rounds a supernodal factor, whose analysis must be the same from call to call. false: out of memory. */
bool float_factor_round(FloatFactor *rounded, const cholmod_factor *factor);

/* z = A^-1 r about, [factor->n]. To be called while the BLAS is held to one thread. */
void float_factor_solve(const FloatFactor *rounded, const cholmod_factor *factor, const double *r, double *z);

void float_factor_free(FloatFactor *rounded); /* leaves it all zero */

#endif
