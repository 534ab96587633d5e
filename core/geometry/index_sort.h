/* Sorting of index tuples (edges, faces) in linear time: finds shared edges and faces without a hash table, so that the
   order of the result depends on the input alone. */
#ifndef JN_GEOMETRY_INDEX_SORT_H
#define JN_GEOMETRY_INDEX_SORT_H

#include <stddef.h>
#include <stdint.h>

/* The order that sorts `tuples` [count * width], every index below `bound`, lexicographically; equal tuples stay in
   their order. `count` must be below 2^32. Returns an array [count] that the caller frees, or NULL if out of memory. */
uint32_t *index_sort_tuples(const uint32_t *tuples, size_t count, uint32_t width, uint32_t bound);

/* Sorts three indices ascending. */
static inline void index_sort_three(uint32_t v[3]) {
    if (v[0] > v[1]) {
        uint32_t t = v[0];
        v[0] = v[1], v[1] = t;
    }
    if (v[1] > v[2]) {
        uint32_t t = v[1];
        v[1] = v[2], v[2] = t;
    }
    if (v[0] > v[1]) {
        uint32_t t = v[0];
        v[0] = v[1], v[1] = t;
    }
}

#endif
