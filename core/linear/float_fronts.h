/* A Cholesky factorization in single precision, two to three times as fast as one in double precision, as a
   preconditioner for conjugate gradients. Multifrontal (Duff and Reid 1983, "The multifrontal solution of indefinite
   sparse symmetric linear equations"): all that a supernode and its descendants subtract from later columns is one
   dense matrix, its update, which is passed to the parent. So each supernode takes a few large BLAS calls. The order of
   the sums is fixed. */
#ifndef JN_LINEAR_FLOAT_FRONTS_H
#define JN_LINEAR_FLOAT_FRONTS_H

#include <cholmod.h>
#include <stdbool.h>

typedef struct FloatFronts { /* all zero: not prepared */
    struct Front *fronts;    /* [nsuper] */
    float *updates[2];       /* scratch stacks, for the supernodes at even and at odd depths */
    size_t bytes;            /* of all these arrays */
    int *local_rows;         /* [n] scratch: where a row is in the present front */
    int *runs;               /* [3 * n] scratch: rows of an update that stay neighbours in the parent */
} FloatFronts;

/* For a supernodal analysis whose columns are in postorder; the same analysis must be passed to float_fronts_factor.
   false: out of memory, and all zero. */
bool float_fronts_prepare(FloatFronts *fronts, const cholmod_factor *analysis);

/* factor: [analysis->xsize], in the layout of the analysis. matrix: the lower triangle in the factor's order; only its
   pattern is read, with `values`. kept: the number of last columns, all of them in the last supernode, that are not
   factored: their square block holds the Schur complement after eliminating the others. false: a pivot was not positive
   in single precision. Call while the BLAS is limited to one thread. */
bool float_fronts_factor(FloatFronts *fronts, const cholmod_factor *analysis, const cholmod_sparse *matrix,
                         const double *values, int kept, float *factor);

void float_fronts_free(FloatFronts *fronts); /* leaves it all zero */

#endif
