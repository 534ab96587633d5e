/* The dense last block S0 + C of a factor (schur_block.h) in single precision, in an order of its own: what the pairs C
   touch comes after the rest of the block, the head. The head is then eliminated once for each S0, and only the tail is
   factored anew for every C. So vertices may be kept in the block in reserve at little cost.

   Which unknowns are in the tail depends on the pairs so far, and rounding depends on that: it is saved with the
   factor. */
#ifndef JN_LINEAR_SCHUR_SPLIT_H
#define JN_LINEAR_SCHUR_SPLIT_H

#include "base/archive.h"
#include "linear/float_factor.h"
#include "linear/schur_block.h"

typedef struct SchurSplit { /* owns its arrays; all zero: no block */
    int count, head;        /* unknowns of the block, and those of them in the head */
    uint8_t *in_tail;       /* [count] of each unknown of the block: 1 if it is in the tail */
    int *order, *positions; /* [count] the unknown at each position, and its inverse */
    float *values;          /* [count][count] the factor by columns, the lower triangle */
    float *rest;            /* [tail][tail] what is left of S0 when the head is eliminated, likewise */
    bool head_current;      /* the head's columns of `values`, and `rest`, are those of S0 */
} SchurSplit;

/* false: out of memory, and all zero. */
bool schur_split_prepare(SchurSplit *split, int count);
double schur_split_bytes(const SchurSplit *split);
void schur_split_free(SchurSplit *split); /* leaves it all zero */

/* Factors S0 + C, C in the free unknowns. Every free vertex of a pair must be in the block. false: not positive
   definite in single precision, or C is too stiff for it. Call while the BLAS is limited to one thread. */
bool schur_split_factor(SchurSplit *split, const SchurBlock *block, const FreeUnknowns *unknowns,
                        const PairBlocks *pairs);

/* For float_factor_solve. */
LastBlock schur_split_last(const SchurSplit *split);

/* Saves or loads which unknowns are in the tail. *changed: whether loading has changed that. false: the archive failed.
 */
bool schur_split_archive(SchurSplit *split, Archive *archive, bool *changed);

#endif
