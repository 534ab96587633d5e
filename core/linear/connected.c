#include "linear/connected.h"

#include "base/disjoint_sets.h"

uint32_t connected_parts(const BlockMatrix *pattern, uint32_t *parts) {
    uint32_t count = 0;
    disjoint_sets_init(parts, pattern->vertex_count);
    for (uint32_t column = 0; column < pattern->vertex_count; ++column)
        for (uint32_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k)
            disjoint_sets_join(parts, column, pattern->rows[k]);
    for (uint32_t v = 0; v < pattern->vertex_count; ++v)
        parts[v] = disjoint_sets_root(parts, v);
    /* a root precedes all others of its part, so it already has its number when they look it up */
    for (uint32_t v = 0; v < pattern->vertex_count; ++v)
        parts[v] = parts[v] == v ? count++ : parts[parts[v]];
    return count;
}
