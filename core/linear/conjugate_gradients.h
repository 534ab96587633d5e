/* Conjugate gradients on a new matrix, preconditioned by the factor of an older one. */
#ifndef JN_LINEAR_CONJUGATE_GRADIENTS_H
#define JN_LINEAR_CONJUGATE_GRADIENTS_H

#include "linear/cholesky.h"
#include "linear/translation_correction.h"

typedef enum CgOutcome {
    CG_CONVERGED,
    CG_TOO_SLOW,   /* not within the iterations allowed, or plainly not going to be */
    CG_INDEFINITE, /* a direction of negative curvature: the matrix is not positive definite */
    CG_NO_MEMORY
} CgOutcome;

typedef struct CgProblem {
    const BlockMatrix *matrix;
    const FreeUnknowns *unknowns;
    const TranslationCorrection *translations; /* that are balanced in the end */
    Cholesky *preconditioner;                  /* holds a factor */
    const double *rotations; /* [free count * 9] that turn the preconditioner, as turns.h has it; NULL: none */
    const double *b;         /* [free count * 3] */
    double tolerance;        /* on the residual against b, both weighed by each vertex's own stiffness */
    uint32_t most_iterations;
    double *scratch; /* [conjugate_gradients_scratch] */
} CgProblem;

/* Doubles that a solve works in. */
size_t conjugate_gradients_scratch(const FreeUnknowns *unknowns);

/* x: [free count * 3] guess in, solution out; after anything but CG_CONVERGED it is not to be used. */
CgOutcome conjugate_gradients(const CgProblem *problem, double *x, uint32_t *iterations);

#endif
