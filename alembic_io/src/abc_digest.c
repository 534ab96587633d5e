/* SpookyHash V2, fed in pieces. See abc_digest.h. */
#include "abc_digest.h"

#include "abc_bytes.h"

static inline uint64_t rotate(uint64_t x, int bits) {
    return x << bits | x >> (64 - bits);
}

void abc_digest_start(DigestState *state) {
    *state = (DigestState){0};
    for (int i = 2; i < 12; i += 3)
        state->h[i] = 0xdeadbeefdeadbeefu;
}

/* Takes in word i of a block; the twelve numbers of the state go round. */
#define TAKE_WORD(i, bits)                                                                                   \
    do {                                                                                                     \
        h[i] += get_u64(bytes + 8 * (i));                                                                    \
        h[(i + 2) % 12] ^= h[(i + 10) % 12];                                                                 \
        h[(i + 11) % 12] ^= h[i];                                                                            \
        h[i] = rotate(h[i], bits);                                                                           \
        h[(i + 11) % 12] += h[(i + 1) % 12];                                                                 \
    } while (0)

static void add_blocks(DigestState *state, const uint8_t *bytes, size_t block_count) {
    uint64_t h[12];
    memcpy(h, state->h, sizeof h);
    for (; block_count > 0; --block_count, bytes += DIGEST_BLOCK) {
        TAKE_WORD(0, 11);
        TAKE_WORD(1, 32);
        TAKE_WORD(2, 43);
        TAKE_WORD(3, 31);
        TAKE_WORD(4, 17);
        TAKE_WORD(5, 28);
        TAKE_WORD(6, 39);
        TAKE_WORD(7, 57);
        TAKE_WORD(8, 55);
        TAKE_WORD(9, 54);
        TAKE_WORD(10, 22);
        TAKE_WORD(11, 46);
    }
    memcpy(state->h, h, sizeof h);
}

void abc_digest_add(DigestState *state, const void *bytes, size_t size) {
    const uint8_t *from = bytes;
    size_t held = (size_t)(state->byte_count % DIGEST_BLOCK);
    if (size == 0)
        return;
    state->byte_count += size;
    /* fill up the block begun before */
    if (held) {
        size_t part = DIGEST_BLOCK - held < size ? DIGEST_BLOCK - held : size;
        memcpy(state->tail + held, from, part);
        if (held + part < DIGEST_BLOCK)
            return;
        add_blocks(state, state->tail, 1);
        from += part;
        size -= part;
    }
    size_t whole = size / DIGEST_BLOCK;
    add_blocks(state, from, whole);
    memcpy(state->tail, from + whole * DIGEST_BLOCK, size - whole * DIGEST_BLOCK);
}

Digest abc_digest_finish(const DigestState *state) {
    static const int bits[12] = {44, 15, 34, 21, 38, 33, 10, 13, 38, 53, 42, 54};
    size_t held = (size_t)(state->byte_count % DIGEST_BLOCK);
    uint8_t last[DIGEST_BLOCK] = {0};
    uint64_t h[12];
    /* the last block is filled with zeros and ends with its length */
    memcpy(last, state->tail, held);
    last[DIGEST_BLOCK - 1] = (uint8_t)held;
    for (int i = 0; i < 12; ++i)
        h[i] = state->h[i] + get_u64(last + 8 * i);
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < 12; ++i) {
            uint64_t *before = &h[(i + 11) % 12], *next = &h[(i + 1) % 12];
            *before += *next;
            h[(i + 2) % 12] ^= *before;
            *next = rotate(*next, bits[i]);
        }
    return (Digest){{h[0], h[1]}};
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
