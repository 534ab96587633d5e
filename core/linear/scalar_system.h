/* Sparse symmetric positive definite systems with one unknown per node: assembled from triplets, factored once, solved
   many times. */
#ifndef JN_LINEAR_SCALAR_SYSTEM_H
#define JN_LINEAR_SCALAR_SYSTEM_H

#include "jounce.h"

typedef struct ScalarSystem ScalarSystem;

/* An empty system of `size` unknowns with room for `capacity` entries. */
JnStatus scalar_system_create(uint32_t size, size_t capacity, ScalarSystem **system, JnMessage *message);

/* A_rc += value and, off the diagonal, A_cr += value. Give each pair once; repeats add up. Beyond capacity: ignored,
   and scalar_system_factor fails. */
void scalar_system_add(ScalarSystem *system, uint32_t row, uint32_t column, double value);

/* JN_ERR_DIVERGED if the matrix is not positive definite. */
JnStatus scalar_system_factor(ScalarSystem *system, JnMessage *message);

/* values: [size * count] interleaved, value c of unknown i at i * count + c; right-hand sides in, solutions out. */
JnStatus scalar_system_solve(ScalarSystem *system, double *values, uint32_t count, JnMessage *message);

void scalar_system_destroy(ScalarSystem *system); /* may be NULL */

#endif
