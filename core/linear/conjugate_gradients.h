/* Conjugate gradients on a matrix A + C, preconditioned by the factor of an older one. */
#ifndef JN_LINEAR_CONJUGATE_GRADIENTS_H
#define JN_LINEAR_CONJUGATE_GRADIENTS_H

#include "linear/cholesky.h"
#include "linear/translation_correction.h"

typedef enum CgOutcome {
    CG_CONVERGED,
    CG_TOO_SLOW,   /* not converged in the iterations allowed, or too slow to get there */
    CG_INDEFINITE, /* a direction of negative curvature: the matrix is not positive definite */
    CG_NO_MEMORY
} CgOutcome;

typedef struct CgProblem {
    const BlockMatrix *matrix; /* A */
    const PairBlocks *pairs;   /* C, or NULL: 0 */
    const FreeUnknowns *unknowns;
    TranslationCorrection *translations; /* leave no net force in the end; take the matrix anew */
    Cholesky *preconditioner;            /* holds a factor */
    const double
        *rotations;   /* [free count * 9] that turn the preconditioner, as vertex_rotations.h has it; NULL: none */
    const double *b;  /* [free count * 3] */
    double tolerance; /* on |residual| / |b|, in the norm that divides by each vertex's own stiffness */
    uint32_t most_iterations;
    double *scratch; /* [conjugate_gradients_scratch] */
} CgProblem;

/* Doubles that a solve works in. */
size_t conjugate_gradients_scratch(const FreeUnknowns *unknowns);

/* x: [free count * 3], a guess on entry, the solution on return; after anything but CG_CONVERGED it is not to be used.
   x, b and the scratch must not alias. */
CgOutcome conjugate_gradients(CgProblem *problem, double *x, uint32_t *iterations);

#endif
