/* SpookyHash V2, fed in pieces. See abc_digest.h. */
#include "abc_digest.h"

#include "digest_block.h"

void abc_digest_start(DigestState *state) {
    *state = (DigestState){0};
    for (int i = 2; i < 12; i += 3)
        state->h[i] = 0xdeadbeefdeadbeefu;
}

static void add_blocks(DigestState *state, const uint8_t *bytes, size_t block_count) {
    uint64_t h[12];
    memcpy(h, state->h, sizeof h);
    for (; block_count > 0; --block_count, bytes += DIGEST_BLOCK)
        DIGEST_TAKE_BLOCK(h, bytes);
    memcpy(state->h, h, sizeof h);
}

void abc_digest_add(DigestState *state, const void *bytes, size_t size) {
    const uint8_t *from = bytes;
    size_t held = (size_t)(state->byte_count % DIGEST_BLOCK);
    if (size == 0)
        return;
    state->byte_count += size;
    /* complete the previous partial block */
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
            *next = digest_rotate(*next, bits[i]);
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
