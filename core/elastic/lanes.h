/* Four numbers side by side: an operation acts on each separately and rounds as in scalar arithmetic, so that results
   do not depend on the width of the processor's registers.

   Functions take them by address, because how wide vectors are passed by value depends on the compiler's options. */
#ifndef JN_ELASTIC_LANES_H
#define JN_ELASTIC_LANES_H

#include "elastic/balance_blocks.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { LANES = 4 };

typedef double Lanes __attribute__((vector_size(8 * LANES)));
/* The result of a comparison: -1 where it is true, else 0. */
typedef int64_t LaneMask __attribute__((vector_size(8 * LANES)));

static inline bool lanes_any(const LaneMask *mask) {
    return (*mask)[0] | (*mask)[1] | (*mask)[2] | (*mask)[3];
}

/* *x = 0 where the mask is false. */
static inline void lanes_keep(const LaneMask *mask, Lanes *x) {
    *x = (Lanes)((LaneMask)*x & *mask);
}

/* *x = *y where the mask is true. */
static inline void lanes_replace(const LaneMask *mask, const Lanes *y, Lanes *x) {
    *x = (Lanes)(((LaneMask)*y & *mask) | ((LaneMask)*x & ~*mask));
}

static inline void lanes_absolute(Lanes *x) {
    *x = (Lanes)((LaneMask)*x & INT64_MAX);
}

static inline void lanes_sqrt(Lanes *x) {
    for (int l = 0; l < LANES; ++l)
        (*x)[l] = sqrt((*x)[l]);
}

static inline void lanes_dot(const Lanes a[3], const Lanes b[3], Lanes *out) {
    *out = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void lanes_cross(const Lanes a[3], const Lanes b[3], Lanes out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out = A x, and A' x, for 3x3 matrices by rows. */
static inline void lanes_multiply(const Lanes A[9], const Lanes x[3], Lanes out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = A[3 * i] * x[0] + A[3 * i + 1] * x[1] + A[3 * i + 2] * x[2];
}
static inline void lanes_multiply_transposed(const Lanes A[9], const Lanes x[3], Lanes out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

DEFINE_BALANCE_BLOCKS(lanes_balance_blocks, Lanes)

#endif
