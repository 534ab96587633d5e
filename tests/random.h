/* Repeatable numbers for tests. */
#ifndef JN_TESTS_RANDOM_H
#define JN_TESTS_RANDOM_H

#include <stdint.h>

/* The next number in [-1, 1] of a fixed sequence. */
static inline double random_signed(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)(*state >> 11) / 4503599627370496.0 - 1;
}

#endif
