/* Cholesky factors of a matrix whose pattern does not change: analysed once by CHOLMOD, factored often, in double
   precision by CHOLMOD or in single precision, which is accurate enough for a preconditioner.

   Some unknowns may be eliminated last (schur_block.h). Then a matrix C of blocks between pairs of them may be added to
   the matrix A that is factored, and changing C costs only a dense factorization of those unknowns. */
#ifndef JN_LINEAR_CHOLESKY_H
#define JN_LINEAR_CHOLESKY_H

#include "base/archive.h"
#include "linear/pair_blocks.h"

typedef struct Cholesky Cholesky;

typedef struct CholeskyReport {
    double factor_flops;   /* of one numeric factorization */
    double last_flops;     /* of the dense part of it: the unknowns eliminated last */
    double factor_entries; /* numbers in the factor */
    double bytes;          /* of the factors and all other arrays */
    double factor_bytes;   /* of the factors' values and indices */
    const char *ordering;  /* the fill-reducing ordering that was chosen: "amd", "metis" or "dissection" */
} CholeskyReport;

/* Analyses the pattern; the matrix's values are not read. There must be a free vertex. last: [free count], nonzero for
   vertices whose unknowns are eliminated last, or NULL: none. */
JnStatus cholesky_create(const BlockMatrix *matrix, const FreeUnknowns *unknowns, const uint8_t *last,
                         Cholesky **cholesky, JnMessage *message);
bool cholesky_is_last(const Cholesky *cholesky, uint32_t free_vertex);

/* The values that a factor is made of, taken from the matrix; an array of cholesky_value_count numbers. */
size_t cholesky_value_count(const Cholesky *cholesky);
void cholesky_gather_values(const Cholesky *cholesky, const BlockMatrix *matrix, double *values);

/* Factors such values in double precision. A matrix that is not positive definite is no error: *positive_definite is
   then false, and there is no factor. With unknowns eliminated last, it refers to the other unknowns only, and
   cholesky_factor_last must be called next unless cholesky_last_factored. */
JnStatus cholesky_factor(Cholesky *cholesky, const double *values, bool *positive_definite, JnMessage *message);

/* Factors such values in single precision, two to three times as fast, for cholesky_precondition only. *done: false if
   a pivot is not positive in single precision; then there is no factor. With unknowns eliminated last, it refers to the
   other unknowns only, and cholesky_factor_last must be called next. */
JnStatus cholesky_factor_single(Cholesky *cholesky, const double *values, bool *done, JnMessage *message);

/* Whether the latest factor is complete: cholesky_factor factors all of A if A is positive definite. */
bool cholesky_last_factored(const Cholesky *cholesky);
/* Saves or loads how the unknowns eliminated last are ordered among themselves, on which rounding depends. *changed:
   whether loading has changed that; cholesky_factor_last is due then. false: the archive failed. */
bool cholesky_archive(Cholesky *cholesky, Archive *archive, bool *changed);

/* Turns the latest factor, of A, into one of A + C by factoring the unknowns eliminated last; nothing to do if there
   are none. values: those that the factor was made of. pairs: C, whose free vertices must all be among those unknowns,
   or NULL: 0. *positive_definite: if false, there is no factor until the next call. The result depends on the arguments
   and the factor of A only, not on earlier pairs. */
void cholesky_factor_last(Cholesky *cholesky, const double *values, const FreeUnknowns *unknowns,
                          const PairBlocks *pairs, bool *positive_definite);

/* Where to put `count` right-hand sides, [count][free count * 3], before cholesky_solve, which needs a factor in double
   precision; NULL if out of memory. */
double *cholesky_right_hand_sides(Cholesky *cholesky, uint32_t count);
/* The solutions, in the same shape; NULL if out of memory. They are valid until the next solve. */
const double *cholesky_solve(Cholesky *cholesky);

/* z = A^-1 r approximately, by the latest factor in single precision; r, z: [free count * 3], must not alias. false:
   out of memory. */
bool cholesky_precondition(Cholesky *cholesky, const double *r, double *z);
/* The same for `count` of them, [count][free count * 3], at a fraction of the cost of as many calls. */
bool cholesky_precondition_many(Cholesky *cholesky, const double *r, double *z, uint32_t count);

void cholesky_report(const Cholesky *cholesky, CholeskyReport *report);
void cholesky_destroy(Cholesky *cholesky); /* may be NULL */

#endif
