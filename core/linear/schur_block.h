/* The dense last block of a Cholesky factor: the unknowns that are eliminated last, numbered 2 here, after the others,
   1.

   Eliminating the others from A leaves the Schur complement S0 = A_22 - A_21 A_11^-1 A_12 on these. A matrix C that
   couples only these changes nothing else: A + C leaves S0 + C. So S0 is kept unfactored, and for every new C only the
   dense matrix S0 + C is factored.

   Where the rest of the factor is in single precision, S0 + C is too (schur_split.h), if C is not too stiff: its
   rounding errors would else be as large as S0. Then S0 + C is summed and factored in double precision, and rounding
   the factor itself to single precision afterwards is harmless. */
#ifndef JN_LINEAR_SCHUR_BLOCK_H
#define JN_LINEAR_SCHUR_BLOCK_H

#include "linear/pair_blocks.h"

#include <cholmod.h>

typedef struct SchurBlock { /* owns its arrays; all zero: no unknowns are eliminated last */
    int count;              /* unknowns: the last columns of the factor, all of them in its last supernode */
    int *places;            /* [analysis->n]: where each unknown is in the block, or -1 */
    double *schur;          /* [count][count] S0 by columns, the lower triangle */
    double *factor;         /* [count][count] the Cholesky factor of S0 + C, likewise */
} SchurBlock;

/* For the last `count` columns of a supernodal analysis. false: out of memory, and all zero. */
bool schur_block_prepare(SchurBlock *block, const cholmod_factor *analysis, int count);
double schur_block_bytes(const SchurBlock *block);
void schur_block_free(SchurBlock *block); /* leaves it all zero */

/* Takes S0 from values in the layout of the analysis where the other columns are factored, as by float_fronts_factor.
 */
void schur_block_copy_front(SchurBlock *block, const cholmod_factor *analysis, const float *values);

/* Computes S0 from `factor`, which holds the other columns' factor in double precision, and from the matrix that it was
   made of: the lower triangle in the factor's order, with `values`. Call while the BLAS is limited to one thread. */
void schur_block_compute(SchurBlock *block, const cholmod_factor *factor, const cholmod_sparse *matrix,
                         const double *values);

/* Factors S0 + C, C in the free unknowns. Every free vertex of a pair must be in the block. false: not positive
   definite. Call while the BLAS is limited to one thread. */
bool schur_block_factor(SchurBlock *block, const FreeUnknowns *unknowns, const PairBlocks *pairs);

/* Copies the factor in double precision to its place among a whole factor's values. */
void schur_block_put_single(const SchurBlock *block, const cholmod_factor *analysis, float *values);
void schur_block_put_double(const SchurBlock *block, cholmod_factor *factor);

#endif
