/* A preconditioner that needs no factor: one symmetric sweep of Gauss and Seidel over the vertices,

       P = (D + L) D^-1 (D + L'),   A = L + D + L',

   D the diagonal blocks. It costs as little as a product with A, and takes few iterations where the mass outweighs the
   stiffness: soft material, short steps, coarse meshes. P is positive definite wherever D is. */
#ifndef JN_LINEAR_SWEEPS_H
#define JN_LINEAR_SWEEPS_H

#include "linear/pair_blocks.h"

typedef struct Sweeps {        /* borrowed; of the matrix A + C */
    const BlockMatrix *matrix; /* A; the blocks of C off the diagonal are left out of P */
    const FreeUnknowns *unknowns;
    double *inverses; /* [free count * 9] of the diagonal blocks */
} Sweeps;

/* Computes the inverses. pairs: C, or NULL: 0. false: a diagonal block is not positive definite. */
bool sweeps_prepare(Sweeps *sweeps, const PairBlocks *pairs);

/* z = P^-1 r; r, z, rest: [free count * 3], must not alias; rest is scratch. */
void sweeps_apply(const Sweeps *sweeps, const double *r, double *rest, double *z);

#endif
