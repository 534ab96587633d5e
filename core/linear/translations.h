/* Keeps iterations from losing momentum: what they leave undone is felt by every vertex a little, but a body as a whole
   must get all of the force that acts on it, to the last digit, however loose the tolerance. */
#ifndef JN_LINEAR_TRANSLATIONS_H
#define JN_LINEAR_TRANSLATIONS_H

#include "linear/free_unknowns.h"

typedef struct Translations { /* owns its arrays; all zero: none */
    uint32_t *parts;          /* [free count]: the connected part of each free vertex */
    uint32_t part_count;
    double *sums; /* [part_count][9 + 3]: the inverse of a part's stiffness against translation, and its force */
} Translations;

/* false: out of memory, and all zero. */
bool translations_build(const BlockMatrix *matrix, const FreeUnknowns *unknowns, Translations *translations);
void translations_free(Translations *translations); /* leaves it all zero */

/* Takes the matrix A, symmetric positive definite, for the calls below. */
void translations_take(const Translations *translations, const FreeUnknowns *unknowns, const BlockMatrix *matrix);

/* x += for every part the translation after which the residual r = b - A x has no net force left on it. r, x: [free
   count * 3]. */
void translations_balance(const Translations *translations, const FreeUnknowns *unknowns, const double *r, double *x);

#endif
