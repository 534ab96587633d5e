/* A linear operator as Krylov methods see it: a product and a size. */
#ifndef JN_LINEAR_OPERATOR_H
#define JN_LINEAR_OPERATOR_H

#include <stddef.h>

typedef struct Operator {
    size_t n;
    void (*apply)(void *self, const double *x, double *y); /* y = A x, both [n]; must not alias */
    void *self;                                            /* borrowed */
} Operator;

#endif
