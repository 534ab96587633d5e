#include "base/disjoint_sets.h"

void disjoint_sets_init(uint32_t *parents, uint32_t count) {
    for (uint32_t item = 0; item < count; ++item)
        parents[item] = item;
}

uint32_t disjoint_sets_root(uint32_t *parents, uint32_t item) {
    while (parents[item] != item)
        item = parents[item] = parents[parents[item]];
    return item;
}

bool disjoint_sets_join(uint32_t *parents, uint32_t a, uint32_t b) {
    a = disjoint_sets_root(parents, a);
    b = disjoint_sets_root(parents, b);
    parents[a > b ? a : b] = a > b ? b : a;
    return a != b;
}
