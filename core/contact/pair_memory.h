/* Which pairs were pushed apart where a step ended, and to which side: so that what a soft contact let sink through is
   pushed back, not on. */
#ifndef JN_CONTACT_PAIR_MEMORY_H
#define JN_CONTACT_PAIR_MEMORY_H

#include "base/archive.h"
#include "contact/pair_distance.h"

#include <stddef.h>

typedef struct RememberedPair {
    uint32_t kind, pair[2], reserved; /* without gaps: saved as bytes */
    double side[3];                   /* from the second to the first, of length 1 */
} RememberedPair;

typedef struct PairMemory { /* all zero: empty; owns its array */
    RememberedPair *items;
    size_t count, capacity;
} PairMemory;

/* The order of pairs, by kind, then by their numbers: -1, 0 or 1. */
static inline int pair_order(PairKind kind, const uint32_t pair[2], PairKind other_kind, const uint32_t other[2]) {
    if (kind != other_kind)
        return kind < other_kind ? -1 : 1;
    if (pair[0] != other[0])
        return pair[0] < other[0] ? -1 : 1;
    return pair[1] < other[1] ? -1 : pair[1] > other[1];
}

void pair_memory_clear(PairMemory *memory);
/* false: out of memory. */
bool pair_memory_add(PairMemory *memory, PairKind kind, const uint32_t pair[2], const double side[3]);
/* To be called after the last was added. */
void pair_memory_sort(PairMemory *memory);
/* Its side; NULL: it is not remembered. */
const double *pair_memory_find(const PairMemory *memory, PairKind kind, const uint32_t pair[2]);
bool pair_memory_archive(PairMemory *memory, Archive *archive);
void pair_memory_free(PairMemory *memory); /* leaves it all zero */

#endif
