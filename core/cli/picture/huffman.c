#include "huffman.h"

#include <stdlib.h>
#include <string.h>

typedef struct Leaf {
    uint32_t count;
    uint16_t symbol;
} Leaf;

/* By count; equal ones by symbol, so that the result is the same on every machine. */
static int compare_leaves(const void *a, const void *b) {
    const Leaf *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

/* Joins the two rarest trees until one is left: leaves and joined trees both come in ascending order, so two queues do.
   Nodes [0, n) are the leaves, [n, 2 n - 1) the joins, the last one the root. Returns the longest code. */
static int tree_lengths(const Leaf *leaves, int n, uint8_t *lengths) {
    uint32_t counts[2 * HUFFMAN_SYMBOLS];
    int parents[2 * HUFFMAN_SYMBOLS], depths[2 * HUFFMAN_SYMBOLS];
    int leaf = 0, join = n, longest = 0;
    for (int i = 0; i < n; ++i)
        counts[i] = leaves[i].count;
    for (int made = n; made < 2 * n - 1; ++made) {
        counts[made] = 0;
        for (int side = 0; side < 2; ++side) {
            int taken = leaf < n && (join == made || counts[leaf] <= counts[join]) ? leaf++ : join++;
            parents[taken] = made;
            counts[made] += counts[taken];
        }
    }
    depths[2 * n - 2] = 0;
    for (int node = 2 * n - 3; node >= 0; --node)
        depths[node] = depths[parents[node]] + 1;
    for (int i = 0; i < n; ++i) {
        lengths[leaves[i].symbol] = (uint8_t)depths[i];
        longest = depths[i] > longest ? depths[i] : longest;
    }
    return longest;
}

/* Codes in the order that DEFLATE prescribes (RFC 1951, 3.2.2), with their bits reversed. */
static void assign_codes(Huffman *huffman, int symbol_count) {
    uint32_t next[HUFFMAN_BITS + 2] = {0}, code = 0, of_length[HUFFMAN_BITS + 1] = {0};
    for (int s = 0; s < symbol_count; ++s)
        of_length[huffman->lengths[s]] += 1;
    of_length[0] = 0;
    for (int bits = 1; bits <= HUFFMAN_BITS; ++bits)
        next[bits] = code = (code + of_length[bits - 1]) << 1;
    for (int s = 0; s < symbol_count; ++s) {
        int length = huffman->lengths[s];
        uint32_t own = length ? next[length]++ : 0, reversed = 0;
        for (int bit = 0; bit < length; ++bit)
            reversed |= (own >> bit & 1) << (length - 1 - bit);
        huffman->codes[s] = (uint16_t)reversed;
    }
}

void huffman_make(Huffman *huffman, const uint32_t *counts, int symbol_count, int limit) {
    Leaf leaves[HUFFMAN_SYMBOLS];
    int n = 0;
    memset(huffman, 0, sizeof *huffman);
    for (int s = 0; s < symbol_count; ++s)
        if (counts[s] > 0)
            leaves[n++] = (Leaf){counts[s], (uint16_t)s};
    for (uint16_t s = 0; n < 2; ++s)
        if (counts[s] == 0)
            leaves[n++] = (Leaf){1, s};
    // codes that are too long become shorter as the counts are made more even
    for (;;) {
        qsort(leaves, (size_t)n, sizeof *leaves, compare_leaves);
        if (tree_lengths(leaves, n, huffman->lengths) <= limit)
            break;
        for (int i = 0; i < n; ++i)
            leaves[i].count = leaves[i].count / 2 + 1;
    }
    assign_codes(huffman, symbol_count);
}
