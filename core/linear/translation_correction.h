/* Makes iterative solves conserve momentum. Iterations that stop at a tolerance leave a small residual force on every
   vertex; summed over a body it would change the body's momentum. So each body is translated until the net force on it
   is zero to rounding, whatever the tolerance. Bodies that are coupled by pairs of vertices count as one: the forces
   between them cancel. */
#ifndef JN_LINEAR_TRANSLATION_CORRECTION_H
#define JN_LINEAR_TRANSLATION_CORRECTION_H

#include "linear/pair_blocks.h"

typedef struct TranslationCorrection { /* owns its arrays; all zero: none */
    uint32_t *parts;                   /* [free count]: the connected part of the matrix that each free vertex is in */
    uint32_t part_count;
    uint32_t *groups; /* [part_count]: the first part of those that pairs couple with this one, itself included */
    double *sums;     /* [part_count][9 + 3]: at the first part of a group, the inverse of the group's stiffness against
                         translation, and its force */
} TranslationCorrection;

/* false: out of memory, and all zero. */
bool translation_correction_build(const BlockMatrix *matrix, const FreeUnknowns *unknowns,
                                  TranslationCorrection *translations);
void translation_correction_free(TranslationCorrection *translations); /* leaves it all zero */

/* Sets the matrix A + C, symmetric positive definite, for the calls below. pairs: C, or NULL: 0. */
void translation_correction_set_matrix(TranslationCorrection *translations, const FreeUnknowns *unknowns,
                                       const BlockMatrix *matrix, const PairBlocks *pairs);

/* x += for every group the translation after which the residual r = b - (A + C) x has no net force left on it. r, x:
   [free count * 3]. */
void translation_correction_apply(TranslationCorrection *translations, const FreeUnknowns *unknowns, const double *r,
                                  double *x);

#endif
