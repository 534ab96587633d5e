/* The connected parts of a matrix's pattern: bodies, or pieces of bodies that nothing couples. */
#ifndef JN_LINEAR_CONNECTED_H
#define JN_LINEAR_CONNECTED_H

#include "linear/block_matrix.h"

/* parts: [vertex_count], the number of each vertex's part; parts are numbered in the order of their first vertices.
   Returns how many there are. */
uint32_t connected_parts(const BlockMatrix *pattern, uint32_t *parts);

#endif
