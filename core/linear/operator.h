/* A linear operator as Krylov methods see it: a product and a size. */
#ifndef JN_LINEAR_OPERATOR_H
#define JN_LINEAR_OPERATOR_H

#include "jounce.h"

#include <stddef.h>

typedef struct Operator {
    size_t n;
    /* y = A x, both [n]; must not alias. */
    JnStatus (*apply)(void *self, const double *x, double *y, JnMessage *message);
    void *self; /* borrowed */
} Operator;

#endif
