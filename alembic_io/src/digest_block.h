/* The inner step of the digest, for the two loops that need it: mixes twelve words into the twelve numbers of the
   state, in rotation. See abc_digest.h. */
#ifndef DIGEST_BLOCK_H
#define DIGEST_BLOCK_H

#include "abc_bytes.h"

static inline uint64_t digest_rotate(uint64_t x, int bits) {
    return x << bits | x >> (64 - bits);
}

#define DIGEST_TAKE_WORD(h, bytes, i, bits)                                                                            \
    do {                                                                                                               \
        h[i] += get_u64((bytes) + 8 * (i));                                                                            \
        h[(i + 2) % 12] ^= h[(i + 10) % 12];                                                                           \
        h[(i + 11) % 12] ^= h[i];                                                                                      \
        h[i] = digest_rotate(h[i], bits);                                                                              \
        h[(i + 11) % 12] += h[(i + 1) % 12];                                                                           \
    } while (0)

/* h[12] is a local array, so that it stays in registers. */
#define DIGEST_TAKE_BLOCK(h, bytes)                                                                                    \
    do {                                                                                                               \
        DIGEST_TAKE_WORD(h, bytes, 0, 11);                                                                             \
        DIGEST_TAKE_WORD(h, bytes, 1, 32);                                                                             \
        DIGEST_TAKE_WORD(h, bytes, 2, 43);                                                                             \
        DIGEST_TAKE_WORD(h, bytes, 3, 31);                                                                             \
        DIGEST_TAKE_WORD(h, bytes, 4, 17);                                                                             \
        DIGEST_TAKE_WORD(h, bytes, 5, 28);                                                                             \
        DIGEST_TAKE_WORD(h, bytes, 6, 39);                                                                             \
        DIGEST_TAKE_WORD(h, bytes, 7, 57);                                                                             \
        DIGEST_TAKE_WORD(h, bytes, 8, 55);                                                                             \
        DIGEST_TAKE_WORD(h, bytes, 9, 54);                                                                             \
        DIGEST_TAKE_WORD(h, bytes, 10, 22);                                                                            \
        DIGEST_TAKE_WORD(h, bytes, 11, 46);                                                                            \
    } while (0)

#endif
