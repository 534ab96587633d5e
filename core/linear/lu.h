/* LU factors of matrices that are not positive definite, by UMFPACK, which exchanges rows where a pivot is too small:
   symmetric indefinite ones and, with a separate upper triangle, unsymmetric ones. */
#ifndef JN_LINEAR_LU_H
#define JN_LINEAR_LU_H

#include "linear/free_unknowns.h"

typedef struct Lu Lu;

/* Analyses the pattern; the matrix's values are not read. There must be a free vertex. */
JnStatus lu_create(const BlockMatrix *matrix, const FreeUnknowns *unknowns, bool symmetric, Lu **lu,
                   JnMessage *message);

/* A matrix that is singular to double precision is no error: *regular is then false, and there is no factor. */
JnStatus lu_factor(Lu *lu, const BlockMatrix *matrix, bool *regular, JnMessage *message);
bool lu_has_factor(const Lu *lu);

/* Solves A x = b; b, x: [free count * 3], must not alias. */
JnStatus lu_solve(Lu *lu, const double *b, double *x, JnMessage *message);

double lu_factor_flops(const Lu *lu); /* of the last factorization */
double lu_factor_bytes(const Lu *lu);
void lu_destroy(Lu *lu); /* may be NULL */

#endif
