/* Lists of pairs of numbers that several threads find in any order and that end up sorted, without allocations once
   they have reached their size. */
#ifndef JN_CONTACT_PAIR_LIST_H
#define JN_CONTACT_PAIR_LIST_H

#include "base/pool.h"

#include <stdbool.h>
#include <stddef.h>

/* What one call of a parallel run has found. */
typedef struct PairChunk {
    uint32_t (*pairs)[2];
    size_t count, capacity;
    bool out_of_memory; /* what was added since is lost */
} PairChunk;

typedef struct PairList { /* all zero at first; owns its arrays */
    uint32_t (*pairs)[2]; /* [count] ascending by the first number, then by the second */
    size_t count, capacity;
    PairChunk *chunks; /* [chunk_capacity] */
    size_t chunk_capacity;
    size_t *starts; /* [start_capacity] */
    size_t start_capacity;
} PairList;

/* Empties the list and gives it `chunk_count` empty chunks. False: out of memory. */
bool pair_list_begin(PairList *list, uint32_t chunk_count);

/* To be called on one thread at a time for the same chunk. */
void pair_chunk_add(PairChunk *chunk, uint32_t first, uint32_t second);

/* Sorts what the chunks hold into the list; first numbers are below `bound`. False: out of memory, now or while pairs
   were added; the list is then empty. */
bool pair_list_end(PairList *list, uint32_t chunk_count, uint32_t bound, Pool *pool);

void pair_list_free(PairList *list); /* leaves it all zero */

#endif
