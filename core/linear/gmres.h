/* GMRES: the solution of an unsymmetric system in the Krylov space of its right-hand side, for an operator that is a
   preconditioned one, near the identity, so that few vectors are enough. */
#ifndef JN_LINEAR_GMRES_H
#define JN_LINEAR_GMRES_H

#include "linear/operator.h"

#include <stdint.h>

enum { GMRES_VECTORS_MOST = 30 };

/* x = the solution of A x = b to |b - A x| <= tolerance |b|, or the best one of GMRES_VECTORS_MOST vectors. What is
   left, |b - A x| / |b|, or 0 if b is 0, is set as the residual. b, x: [n], must not alias. */
JnStatus gmres(const Operator *a, const double *b, double tolerance, double *x, double *residual, JnMessage *message);

#endif
