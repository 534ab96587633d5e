/* The connected parts of a matrix's pattern: bodies, or what hangs together of them. */
#ifndef JN_LINEAR_CONNECTED_H
#define JN_LINEAR_CONNECTED_H

#include "linear/block_matrix.h"

/* parts: [vertex_count], the number of each vertex's part; parts are numbered by their first vertices. Returns how many
   there are. */
uint32_t connected_parts(const BlockMatrix *pattern, uint32_t *parts);

#endif
