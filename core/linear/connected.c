#include "linear/connected.h"

uint32_t connected_root(uint32_t *parents, uint32_t item) {
    while (parents[item] != item)
        item = parents[item] = parents[parents[item]];
    return item;
}

void connected_join(uint32_t *parents, uint32_t a, uint32_t b) {
    a = connected_root(parents, a);
    b = connected_root(parents, b);
    parents[a > b ? a : b] = a > b ? b : a;
}

uint32_t connected_parts(const BlockMatrix *pattern, uint32_t *parts) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < pattern->vertex_count; ++v)
        parts[v] = v;
    for (uint32_t column = 0; column < pattern->vertex_count; ++column)
        for (uint32_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k)
            connected_join(parts, column, pattern->rows[k]);
    for (uint32_t v = 0; v < pattern->vertex_count; ++v)
        parts[v] = connected_root(parts, v);
    /* a root precedes all others of its part, so it already has its number when they look it up */
    for (uint32_t v = 0; v < pattern->vertex_count; ++v)
        parts[v] = parts[v] == v ? count++ : parts[parts[v]];
    return count;
}
