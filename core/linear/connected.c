#include "linear/connected.h"

static uint32_t find_root(uint32_t *parents, uint32_t v) {
    while (parents[v] != v)
        v = parents[v] = parents[parents[v]];
    return v;
}

uint32_t connected_parts(const BlockMatrix *pattern, uint32_t *parts) {
    uint32_t count = 0;
    for (uint32_t v = 0; v < pattern->vertex_count; ++v)
        parts[v] = v;
    for (uint32_t column = 0; column < pattern->vertex_count; ++column)
        for (uint32_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k) {
            uint32_t a = find_root(parts, column), b = find_root(parts, pattern->rows[k]);
            parts[a > b ? a : b] = a > b ? b : a;
        }
    for (uint32_t v = 0; v < pattern->vertex_count; ++v)
        parts[v] = find_root(parts, v);
    /* a root comes before all others of its part, and so has its number when they ask for it */
    for (uint32_t v = 0; v < pattern->vertex_count; ++v)
        parts[v] = parts[v] == v ? count++ : parts[parts[v]];
    return count;
}
