/* Prefix codes of limited length, as DEFLATE has them. */
#ifndef JN_CLI_PICTURE_HUFFMAN_H
#define JN_CLI_PICTURE_HUFFMAN_H

#include <stdint.h>

enum { HUFFMAN_SYMBOLS = 288, HUFFMAN_BITS = 15 };

typedef struct Huffman {
    uint8_t lengths[HUFFMAN_SYMBOLS]; /* bits; 0: the symbol does not occur */
    uint16_t codes[HUFFMAN_SYMBOLS];  /* the first bit is the lowest */
} Huffman;

/* Codes of small total length for symbols that occur `counts` [symbol_count] times, none longer than `limit` bits.
   At least two symbols get a code, as decoders expect. */
void huffman_make(Huffman *huffman, const uint32_t *counts, int symbol_count, int limit);

#endif
