/* A Cholesky factor in single precision, used as a preconditioner. It takes half the time or less to compute, and a
   triangular solve, which is limited by memory bandwidth, reads half as much. The lower precision is no loss in
   conjugate gradients, which work in double precision. */
#ifndef JN_LINEAR_FLOAT_FACTOR_H
#define JN_LINEAR_FLOAT_FACTOR_H

#include "linear/float_fronts.h"

#include <stdint.h>

typedef struct FloatFactor { /* all zero: none */
    FloatFronts fronts;
    float *values; /* [analysis->xsize], in the layout of the analysis */
    float *x;      /* [analysis->n] scratch, in the factor's order */
    float *local;  /* scratch: the rows of one supernode */
} FloatFactor;

/* A dense factor of the last unknowns that takes the place of its own columns among the values. */
typedef struct LastBlock {
    int count;
    const int *order;    /* [count] its row i is of the unknown order[i] of the block */
    const float *values; /* [count][count] by columns, the lower triangle */
} LastBlock;

/* For a supernodal analysis, which must be the same in all calls. false: out of memory, and all zero. */
bool float_factor_prepare(FloatFactor *factor, const cholmod_factor *analysis);
double float_factor_bytes(const FloatFactor *factor, const cholmod_factor *analysis);

/* Factors a matrix except for the last `kept` columns, as float_fronts_factor. false: a pivot was not positive in
   single precision. */
bool float_factor_compute(FloatFactor *factor, const cholmod_factor *analysis, const cholmod_sparse *matrix,
                          const double *values, int kept);
/* Rounds the factor that `analysis` holds in double precision. */
void float_factor_round(FloatFactor *factor, const cholmod_factor *analysis);

/* z = A^-1 r approximately; r, z: [analysis->n], must not alias. last: NULL, or the factor of the last unknowns. */
void float_factor_solve(FloatFactor *factor, const cholmod_factor *analysis, const LastBlock *last, const double *r,
                        double *z);

/* The same for `count` right-hand sides, [count][analysis->n], side by side: the factor is read once for all of them.
   Under a CholmodHold. false: out of memory. */
bool float_factor_solve_many(FloatFactor *factor, const cholmod_factor *analysis, const LastBlock *last,
                             const double *r, double *z, uint32_t count);

void float_factor_free(FloatFactor *factor); /* leaves it all zero */

#endif
