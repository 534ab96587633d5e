/* Conjugate gradients on a matrix A + C, preconditioned by the factor of an earlier matrix or by sweeps. */
#ifndef JN_LINEAR_CONJUGATE_GRADIENTS_H
#define JN_LINEAR_CONJUGATE_GRADIENTS_H

#include "linear/cholesky.h"
#include "linear/sweeps.h"
#include "linear/translation_correction.h"

typedef enum CgOutcome {
    CG_CONVERGED,
    CG_ROUGH,      /* not to the tolerance, but to the part of the first residual that was enough */
    CG_TOO_SLOW,   /* not converged in the iterations allowed, or convergence too slow for that */
    CG_INDEFINITE, /* a direction of negative curvature: the matrix is not positive definite */
    CG_NO_MEMORY
} CgOutcome;

typedef struct CgProblem {
    const BlockMatrix *matrix; /* A */
    const PairBlocks *pairs;   /* C, or NULL: 0 */
    const FreeUnknowns *unknowns;
    TranslationCorrection *translations; /* removes the net force at the end; set to the matrix by the solve */
    const Sweeps *sweeps;                /* the preconditioner, prepared; NULL: the next one is */
    Cholesky *preconditioner;            /* holds a factor */
    const double *rotations; /* [free count * 9] that rotate the preconditioner (vertex_rotations.h); NULL: none */
    const double *b;         /* [free count * 3] */
    double tolerance; /* on |residual| / |b|, in the norm weighted by the inverse of each vertex's diagonal stiffness */
    double enough;    /* on |residual| / that of the guess, in the same norm: also stop there; 0: do not */
    uint32_t most_iterations;
    double *scratch; /* [conjugate_gradients_scratch] */
} CgProblem;

/* Doubles in the scratch of a solve. */
size_t conjugate_gradients_scratch(const FreeUnknowns *unknowns);

/* x: [free count * 3], a guess on entry, the solution on return; undefined unless CG_CONVERGED or
   CG_ROUGH is returned. x, b and
   the scratch must not alias. */
CgOutcome conjugate_gradients(CgProblem *problem, double *x, uint32_t *iterations);

#endif
