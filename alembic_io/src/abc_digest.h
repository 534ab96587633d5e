/* The 128-bit digest that precedes every sample. Readers treat samples with equal digests and sizes as equal, and so
   does the writer, which stores equal samples once.

   It is SpookyHash V2 (Bob Jenkins, public domain) with seeds 0, in the form for long messages whatever the length. The
   official library uses MurmurHash3 here; any good hash is allowed, and this one takes less than half of the time,
   which matters because every byte of a cache is hashed. */
#ifndef ABC_DIGEST_H
#define ABC_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_BLOCK = 96 };

typedef struct Digest {
    uint64_t words[2];
} Digest;

typedef struct DigestState {
    uint64_t h[12];
    uint64_t byte_count;
    uint8_t tail[DIGEST_BLOCK]; /* the last byte_count % DIGEST_BLOCK bytes */
} DigestState;

void abc_digest_start(DigestState *state);
void abc_digest_add(DigestState *state, const void *bytes, size_t size);
Digest abc_digest_finish(const DigestState *state);

/* All in one call. */
Digest abc_digest_of(const void *bytes, size_t size);

/* The digest of a sequence so far and its next member. */
Digest abc_digest_chain(Digest sequence, Digest next);

#endif
