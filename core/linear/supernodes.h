/* The columns of a supernodal factor as CHOLMOD's analysis divides them: supernodes of neighbouring columns whose rows
   are the same, a triangle over a rectangle, column by column. */
#ifndef JN_LINEAR_SUPERNODES_H
#define JN_LINEAR_SUPERNODES_H

#include <cholmod.h>

typedef struct Supernode {
    int first, width; /* columns */
    int below;        /* rows under the triangle */
    int stride;       /* width + below: total rows */
    const int *rows;  /* [stride]: first, first + 1, ... and then those below */
    size_t values;    /* where its [width][stride] values begin in the factor's */
} Supernode;

static inline Supernode supernode_of(const cholmod_factor *analysis, size_t s) {
    const int *columns = analysis->super, *row_starts = analysis->pi, *value_starts = analysis->px;
    Supernode node = {.first = columns[s], .width = columns[s + 1] - columns[s]};
    node.stride = row_starts[s + 1] - row_starts[s];
    node.below = node.stride - node.width;
    node.rows = (const int *)analysis->s + row_starts[s];
    node.values = (size_t)value_starts[s];
    return node;
}

#endif
