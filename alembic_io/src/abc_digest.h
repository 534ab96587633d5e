/* The 128-bit digest that Alembic keeps before every sample: MurmurHash3 x64 128 (A. Appleby), seed 0, over
   the sample's bytes in file order. Readers take samples with equal digests and sizes for equal. */
#ifndef ABC_DIGEST_H
#define ABC_DIGEST_H

#include <stddef.h>
#include <stdint.h>

typedef struct Digest {
    uint64_t words[2];
} Digest;

typedef struct DigestState {
    uint64_t h1, h2, byte_count;
    uint8_t tail[16]; /* the last byte_count % 16 bytes */
} DigestState;

void abc_digest_start(DigestState *state);
void abc_digest_add(DigestState *state, const void *bytes, size_t size);
Digest abc_digest_finish(const DigestState *state);

/* All in one call. */
Digest abc_digest_of(const void *bytes, size_t size);

/* The digest of a sequence so far and its next member. */
Digest abc_digest_chain(Digest sequence, Digest next);

#endif
