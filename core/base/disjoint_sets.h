/* Disjoint sets that are joined step by step (union-find). The sets are an array `parents` [count]. */
#ifndef JN_BASE_DISJOINT_SETS_H
#define JN_BASE_DISJOINT_SETS_H

#include <stdbool.h>
#include <stdint.h>

/* Every item becomes a set of its own. */
void disjoint_sets_init(uint32_t *parents, uint32_t count);

/* The lowest item of the set, whatever the order in which it was joined. */
uint32_t disjoint_sets_root(uint32_t *parents, uint32_t item);

/* Whether the two were in different sets. */
bool disjoint_sets_join(uint32_t *parents, uint32_t a, uint32_t b);

#endif
