/* Which elements are active: chosen by their vertices, so that regions with different time steps can share one mesh. */
#ifndef JN_ELASTIC_ELEMENT_SUBSET_H
#define JN_ELASTIC_ELEMENT_SUBSET_H

#include <stdbool.h>
#include <stdint.h>

typedef enum SubsetRule {
    SUBSET_WHOLE, /* every element; nothing is marked */
    SUBSET_NONE,  /* elements with no marked vertex */
    SUBSET_ANY,   /* with at least one: the complement of SUBSET_NONE */
    SUBSET_MIXED, /* with marked and unmarked vertices: those of SUBSET_ANY on the border */
    SUBSET_EVERY  /* with marked vertices only: the remaining ones of SUBSET_ANY */
} SubsetRule;

typedef struct ElementSubset { /* all zero: every element */
    const uint8_t *marked;     /* [vertex_count] borrowed */
    SubsetRule rule;
} ElementSubset;

/* Whether the element with these vertices is active. A gravity force or a goal is an element of one vertex. */
static inline bool element_subset_has(const ElementSubset *subset, const uint32_t *vertices, uint32_t count) {
    if (subset->rule == SUBSET_WHOLE)
        return true;
    uint32_t marked = 0;
    for (uint32_t a = 0; a < count; ++a)
        marked += subset->marked[vertices[a]] != 0;
    switch (subset->rule) {
    case SUBSET_NONE:
        return marked == 0;
    case SUBSET_ANY:
        return marked > 0;
    case SUBSET_MIXED:
        return marked > 0 && marked < count;
    default:
        return marked == count;
    }
}

#endif
