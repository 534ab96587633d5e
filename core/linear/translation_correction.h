/* Keeps iterations from losing momentum: what they leave undone is felt by every vertex a little, but a body as a whole
   must get all of the force that acts on it, to the last digit, however loose the tolerance. */
#ifndef JN_LINEAR_TRANSLATION_CORRECTION_H
#define JN_LINEAR_TRANSLATION_CORRECTION_H

#include "linear/free_unknowns.h"

typedef struct TranslationCorrection { /* owns its arrays; all zero: none */
    uint32_t *parts;                   /* [free count]: the connected part of each free vertex */
    uint32_t part_count;
    double *sums; /* [part_count][9 + 3]: the inverse of a part's stiffness against translation, and its force */
} TranslationCorrection;

/* false: out of memory, and all zero. */
bool translation_correction_build(const BlockMatrix *matrix, const FreeUnknowns *unknowns,
                                  TranslationCorrection *translations);
void translation_correction_free(TranslationCorrection *translations); /* leaves it all zero */

/* Takes the matrix A, symmetric positive definite, for the calls below. */
void translation_correction_set_matrix(const TranslationCorrection *translations, const FreeUnknowns *unknowns,
                                       const BlockMatrix *matrix);

/* x += for every part the translation after which the residual r = b - A x has no net force left on it. r, x: [free
   count * 3]. */
void translation_correction_apply(const TranslationCorrection *translations, const FreeUnknowns *unknowns,
                                  const double *r, double *x);

#endif
