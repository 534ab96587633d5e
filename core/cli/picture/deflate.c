#include "deflate.h"

#include "huffman.h"

#include <string.h>

enum {
    WINDOW = 32768,
    SHORTEST = 3, /* matches */
    LONGEST = 258,
    HASH_BITS = 15,
    TRIES = 400, /* earlier places with the same hash that are compared */
    BLOCK_TOKENS = 1 << 15,
    END_OF_BLOCK = 256,
    LITERAL_CODES = 286, /* literals, the end, lengths */
    DISTANCE_CODES = 30,
    LENGTH_CODES = 19, /* of the code in which code lengths are written */
};

/* A literal byte if the length is 0, else a match with what stands `distance` before. */
typedef struct Token {
    uint16_t length, distance;
} Token;

typedef struct Packer {
    const uint8_t *bytes;
    size_t count;
    int32_t *heads;    /* [1 << HASH_BITS] the last place with the hash; -1: none */
    int32_t *previous; /* [WINDOW] by place modulo WINDOW: the place before with the same hash */
    Token *tokens;     /* [BLOCK_TOKENS]; a literal's byte is in `distance` */
    size_t token_count;
    Bytes *out;
    uint64_t bits; /* not yet a whole byte */
    int bit_count;
} Packer;

/* -------------------------------------------------------------------------------- bits */

static void put_bits(Packer *packer, uint32_t bits, int count) {
    packer->bits |= (uint64_t)bits << packer->bit_count;
    for (packer->bit_count += count; packer->bit_count >= 8; packer->bit_count -= 8) {
        bytes_add(packer->out, (uint8_t)packer->bits);
        packer->bits >>= 8;
    }
}

static void put_symbol(Packer *packer, const Huffman *huffman, int symbol) {
    put_bits(packer, huffman->codes[symbol], huffman->lengths[symbol]);
}

/* A number's code and extra bits: lengths and distances are written in classes that grow by powers of two. */
typedef struct Class {
    int code, extra_bits;
    uint32_t extra;
} Class;

/* `number` from 0, of which the first 2 * `fine` have a class each, and each later doubling has `fine`. */
static Class class_of(uint32_t number, uint32_t fine) {
    int shift = 0;
    while (number >> shift >= 2 * fine)
        ++shift;
    uint32_t lead = number >> shift;
    return (Class){(int)(lead + (uint32_t)shift * fine), shift, number - (lead << shift)};
}

static Class length_class(uint32_t length) {
    if (length == LONGEST)
        return (Class){285, 0, 0};
    Class found = class_of(length - SHORTEST, 4);
    found.code += 257;
    return found;
}

static Class distance_class(uint32_t distance) {
    return class_of(distance - 1, 2);
}

/* -------------------------------------------------------------------------------- blocks */

/* Both tables of code lengths as symbols of a third code: 0 to 15 a length, 16 the last one again 3 to 6 times, 17 and
   18 zeros 3 to 10 and 11 to 138 times. */
typedef struct LengthSymbol {
    uint8_t symbol, extra, extra_bits;
} LengthSymbol;

static size_t list_lengths(const uint8_t *lengths, size_t count, LengthSymbol *symbols) {
    size_t made = 0;
    for (size_t i = 0; i < count;) {
        size_t run = 1;
        while (i + run < count && lengths[i + run] == lengths[i])
            ++run;
        bool again = lengths[i] > 0 && i > 0 && lengths[i] == lengths[i - 1];
        if (lengths[i] == 0 && run >= 11) {
            run = run < 138 ? run : 138;
            symbols[made++] = (LengthSymbol){18, (uint8_t)(run - 11), 7};
        } else if (lengths[i] == 0 && run >= 3) {
            symbols[made++] = (LengthSymbol){17, (uint8_t)(run - 3), 3};
        } else if (again && run >= 3) {
            run = run < 6 ? run : 6;
            symbols[made++] = (LengthSymbol){16, (uint8_t)(run - 3), 2};
        } else {
            run = 1;
            symbols[made++] = (LengthSymbol){lengths[i], 0, 0};
        }
        i += run;
    }
    return made;
}

static void put_codes(Packer *packer, const Huffman *literals, const Huffman *distances) {
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    uint8_t lengths[LITERAL_CODES + DISTANCE_CODES];
    LengthSymbol symbols[LITERAL_CODES + DISTANCE_CODES];
    uint32_t counts[LENGTH_CODES] = {0};
    Huffman code;
    memcpy(lengths, literals->lengths, LITERAL_CODES);
    memcpy(lengths + LITERAL_CODES, distances->lengths, DISTANCE_CODES);
    size_t symbol_count = list_lengths(lengths, sizeof lengths, symbols);
    for (size_t i = 0; i < symbol_count; ++i)
        counts[symbols[i].symbol] += 1;
    huffman_make(&code, counts, LENGTH_CODES, 7);
    int used = LENGTH_CODES;
    while (used > 4 && code.lengths[order[used - 1]] == 0)
        --used;
    put_bits(packer, LITERAL_CODES - 257, 5);
    put_bits(packer, DISTANCE_CODES - 1, 5);
    put_bits(packer, (uint32_t)used - 4, 4);
    for (int i = 0; i < used; ++i)
        put_bits(packer, code.lengths[order[i]], 3);
    for (size_t i = 0; i < symbol_count; ++i) {
        put_symbol(packer, &code, symbols[i].symbol);
        put_bits(packer, symbols[i].extra, symbols[i].extra_bits);
    }
}

/* Writes the tokens so far as one block with codes of its own. */
static void put_block(Packer *packer, bool last) {
    uint32_t literal_counts[LITERAL_CODES] = {0}, distance_counts[DISTANCE_CODES] = {0};
    Huffman literals, distances;
    literal_counts[END_OF_BLOCK] = 1;
    for (size_t i = 0; i < packer->token_count; ++i) {
        const Token *token = &packer->tokens[i];
        literal_counts[token->length ? length_class(token->length).code : token->distance] += 1;
        if (token->length)
            distance_counts[distance_class(token->distance).code] += 1;
    }
    huffman_make(&literals, literal_counts, LITERAL_CODES, HUFFMAN_BITS);
    huffman_make(&distances, distance_counts, DISTANCE_CODES, HUFFMAN_BITS);
    put_bits(packer, last, 1);
    put_bits(packer, 2, 2);
    put_codes(packer, &literals, &distances);
    for (size_t i = 0; i < packer->token_count; ++i) {
        const Token *token = &packer->tokens[i];
        if (token->length == 0) {
            put_symbol(packer, &literals, token->distance);
            continue;
        }
        Class length = length_class(token->length), distance = distance_class(token->distance);
        put_symbol(packer, &literals, length.code);
        put_bits(packer, length.extra, length.extra_bits);
        put_symbol(packer, &distances, distance.code);
        put_bits(packer, distance.extra, distance.extra_bits);
    }
    put_symbol(packer, &literals, END_OF_BLOCK);
    packer->token_count = 0;
}

static void put_token(Packer *packer, uint32_t length, uint32_t distance) {
    packer->tokens[packer->token_count++] = (Token){(uint16_t)length, (uint16_t)distance};
    if (packer->token_count == BLOCK_TOKENS)
        put_block(packer, false);
}

/* -------------------------------------------------------------------------------- matches */

static void remember(Packer *packer, size_t at) {
    if (at + SHORTEST > packer->count)
        return;
    const uint8_t *p = packer->bytes + at;
    uint32_t hash = ((uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2]) * 2654435761u >> (32 - HASH_BITS);
    packer->previous[at % WINDOW] = packer->heads[hash];
    packer->heads[hash] = (int32_t)at;
}

/* The longest match with what stands before `at`, which has been remembered. 0: none. */
static Token find_match(const Packer *packer, size_t at) {
    Token best = {0, 0};
    size_t most = packer->count - at < LONGEST ? packer->count - at : LONGEST;
    if (most < SHORTEST)
        return best;
    const uint8_t *here = packer->bytes + at;
    int32_t place = packer->previous[at % WINDOW];
    for (int i = 0; i < TRIES && place >= 0 && at - (size_t)place < WINDOW; ++i) {
        const uint8_t *there = packer->bytes + place;
        size_t length = 0;
        if (there[best.length] == here[best.length])
            while (length < most && there[length] == here[length])
                ++length;
        // a short match from afar takes more bits than its bytes
        if (length > best.length && (length > SHORTEST || at - (size_t)place < 4096))
            best = (Token){(uint16_t)length, (uint16_t)(at - (size_t)place)};
        if (best.length == most)
            break;
        int32_t next = packer->previous[place % WINDOW];
        if (next >= place) // the ring has been overwritten
            break;
        place = next;
    }
    return best.length >= SHORTEST ? best : (Token){0, 0};
}

/* Takes each match unless the next place has a longer one. */
static void find_tokens(Packer *packer) {
    Token match = {0, 0};
    bool known = false;
    for (size_t at = 0; at < packer->count;) {
        if (!known) {
            remember(packer, at);
            match = find_match(packer, at);
        }
        known = false;
        if (match.length == 0) {
            put_token(packer, 0, packer->bytes[at++]);
            continue;
        }
        size_t end = at + match.length;
        if (match.length < LONGEST && at + 1 < packer->count) {
            remember(packer, at + 1);
            Token next = find_match(packer, at + 1);
            if (next.length > match.length) {
                put_token(packer, 0, packer->bytes[at++]);
                match = next;
                known = true;
                continue;
            }
            at += 1;
        }
        put_token(packer, match.length, match.distance);
        for (++at; at < end; ++at)
            remember(packer, at);
        at = end;
    }
}

static uint32_t adler32(const uint8_t *bytes, size_t count) {
    uint32_t low = 1, high = 0;
    for (size_t i = 0; i < count; ++i) {
        low = (low + bytes[i]) % 65521;
        high = (high + low) % 65521;
    }
    return high << 16 | low;
}

bool deflate_pack(const uint8_t *bytes, size_t count, Bytes *packed) {
    if (count > INT32_MAX)
        return false;
    Packer packer = {.bytes = bytes,
                     .count = count,
                     .heads = malloc(sizeof(int32_t) << HASH_BITS),
                     .previous = malloc(WINDOW * sizeof(int32_t)),
                     .tokens = malloc(BLOCK_TOKENS * sizeof(Token)),
                     .out = packed};
    bool enough = packer.heads && packer.previous && packer.tokens;
    if (enough) {
        memset(packer.heads, -1, sizeof(int32_t) << HASH_BITS);
        memset(packer.previous, -1, WINDOW * sizeof(int32_t));
        bytes_add(packed, 0x78); // a window of 32 kB
        bytes_add(packed, 0xda); // the best compression
        find_tokens(&packer);
        put_block(&packer, true);
        put_bits(&packer, 0, 7 & -packer.bit_count);
        bytes_add_big_endian(packed, adler32(bytes, count));
    }
    free(packer.heads);
    free(packer.previous);
    free(packer.tokens);
    return enough && !packed->failed;
}
