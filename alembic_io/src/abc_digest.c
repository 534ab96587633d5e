/* MurmurHash3 x64 128, fed in pieces. See abc_digest.h. */
#include "abc_digest.h"

#include "abc_bytes.h"

static const uint64_t C1 = 0x87c37b91114253d5u, C2 = 0x4cf5ad432745937fu;

static inline uint64_t rotate(uint64_t x, int bits) {
    return x << bits | x >> (64 - bits);
}

static inline uint64_t scramble1(uint64_t k) {
    return rotate(k * C1, 31) * C2;
}

static inline uint64_t scramble2(uint64_t k) {
    return rotate(k * C2, 33) * C1;
}

static inline uint64_t avalanche(uint64_t k) {
    k ^= k >> 33;
    k *= 0xff51afd7ed558ccdu;
    k ^= k >> 33;
    k *= 0xc4ceb9fe1a85ec53u;
    return k ^ k >> 33;
}

void abc_digest_start(DigestState *state) {
    *state = (DigestState){0};
}

static void add_blocks(DigestState *state, const uint8_t *bytes, size_t block_count) {
    uint64_t h1 = state->h1, h2 = state->h2;
    for (size_t i = 0; i < block_count; ++i) {
        h1 ^= scramble1(get_u64(bytes + 16 * i));
        h1 = (rotate(h1, 27) + h2) * 5 + 0x52dce729u;
        h2 ^= scramble2(get_u64(bytes + 16 * i + 8));
        h2 = (rotate(h2, 31) + h1) * 5 + 0x38495ab5u;
    }
    state->h1 = h1;
    state->h2 = h2;
}

void abc_digest_add(DigestState *state, const void *bytes, size_t size) {
    const uint8_t *from = bytes;
    size_t held = (size_t)(state->byte_count % 16);
    state->byte_count += size;
    /* fill up the block begun before */
    if (held) {
        size_t part = 16 - held < size ? 16 - held : size;
        memcpy(state->tail + held, from, part);
        if (held + part < 16)
            return;
        add_blocks(state, state->tail, 1);
        from += part;
        size -= part;
    }
    add_blocks(state, from, size / 16);
    if (size % 16)
        memcpy(state->tail, from + size / 16 * 16, size % 16);
}

Digest abc_digest_finish(const DigestState *state) {
    uint64_t h1 = state->h1, h2 = state->h2;
    size_t held = (size_t)(state->byte_count % 16);
    uint8_t last[16] = {0};
    memcpy(last, state->tail, held);
    if (held > 8)
        h2 ^= scramble2(get_u64(last + 8));
    if (held > 0)
        h1 ^= scramble1(get_u64(last));
    h1 ^= state->byte_count;
    h2 ^= state->byte_count;
    h1 += h2;
    h2 += h1;
    h1 = avalanche(h1);
    h2 = avalanche(h2);
    h1 += h2;
    h2 += h1;
    return (Digest){{h1, h2}};
}

Digest abc_digest_of(const void *bytes, size_t size) {
    DigestState state;
    abc_digest_start(&state);
    abc_digest_add(&state, bytes, size);
    return abc_digest_finish(&state);
}

Digest abc_digest_chain(Digest sequence, Digest next) {
    uint8_t bytes[32];
    for (int i = 0; i < 2; ++i) {
        put_u64(bytes + 8 * i, sequence.words[i]);
        put_u64(bytes + 16 + 8 * i, next.words[i]);
    }
    return abc_digest_of(bytes, sizeof bytes);
}
