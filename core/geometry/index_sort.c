/* Counting sort by one column at a time, last column first: O(width (count + bound)). */
#include "geometry/index_sort.h"
#include "geometry/array.h"

#include <stdlib.h>

uint32_t *index_sort_tuples(const uint32_t *tuples, size_t count, uint32_t width, uint32_t bound) {
    uint32_t *order = array_new(count, sizeof *order);
    uint32_t *next_order = array_new(count, sizeof *next_order);
    uint32_t *starts = array_new((size_t)bound + 1, sizeof *starts);
    if (!order || !next_order || !starts) {
        free(order);
        free(next_order);
        free(starts);
        return NULL;
    }
    for (size_t i = 0; i < count; ++i)
        order[i] = (uint32_t)i;
    for (uint32_t column = width; column-- > 0;) {
        // where each value of the column begins in the sorted order
        for (size_t v = 0; v <= bound; ++v)
            starts[v] = 0;
        for (size_t i = 0; i < count; ++i)
            ++starts[tuples[i * width + column] + 1];
        for (size_t v = 0; v < bound; ++v)
            starts[v + 1] += starts[v];

        // place, keeping the order of the columns already sorted
        for (size_t i = 0; i < count; ++i)
            next_order[starts[tuples[(size_t)order[i] * width + column]]++] = order[i];
        uint32_t *swap = order;
        order = next_order;
        next_order = swap;
    }
    free(next_order);
    free(starts);
    return order;
}
