/* Cholesky factors of a matrix whose pattern does not change: analysed once by CHOLMOD, factored often, in double
   precision by CHOLMOD or in single precision, which is enough to precondition with. */
#ifndef JN_LINEAR_CHOLESKY_H
#define JN_LINEAR_CHOLESKY_H

#include "linear/free_unknowns.h"

typedef struct Cholesky Cholesky;

typedef struct CholeskyReport {
    double factor_flops;   /* of one numeric factorization */
    double factor_entries; /* numbers in the factor */
    double bytes;          /* of the factors and all that is kept beside them */
    double factor_bytes;   /* of the factors' values and indices */
    const char *ordering;  /* the fill-reducing ordering that won: "amd", "metis" or "dissection" */
} CholeskyReport;

/* Analyses the pattern; the matrix's values are not read. There must be a free vertex. */
JnStatus cholesky_create(const BlockMatrix *matrix, const FreeUnknowns *unknowns, Cholesky **cholesky,
                         JnMessage *message);

/* The values that a factor is made of, taken from the matrix; an array of cholesky_value_count numbers. */
size_t cholesky_value_count(const Cholesky *cholesky);
void cholesky_gather_values(const Cholesky *cholesky, const BlockMatrix *matrix, double *values);

/* Factors such values in double precision. A matrix that is not positive definite is no error: *positive_definite says
   so, and there is no factor then. */
JnStatus cholesky_factor(Cholesky *cholesky, double *values, bool *positive_definite, JnMessage *message);

/* Factors such values in single precision, two to three times as fast, for cholesky_precondition alone. *done: false if
   they are not positive definite as far as single precision can tell, and there is no factor then. */
JnStatus cholesky_factor_single(Cholesky *cholesky, const double *values, bool *done, JnMessage *message);

/* Where to put `count` right-hand sides, [count][free count * 3], before cholesky_solve, which needs a factor in double
   precision; NULL without memory. */
double *cholesky_right_hand_sides(Cholesky *cholesky, uint32_t count);
/* The solutions, in the same shape; NULL without memory. They hold until the next solve. */
const double *cholesky_solve(Cholesky *cholesky);

/* z = A^-1 r about, in single precision, by the latest factor; both [free count * 3]. false: out of memory. */
bool cholesky_precondition(Cholesky *cholesky, const double *r, double *z);

void cholesky_report(const Cholesky *cholesky, CholeskyReport *report);
void cholesky_destroy(Cholesky *cholesky); /* may be NULL */

#endif
