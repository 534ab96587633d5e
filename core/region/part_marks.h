/* Parts of a mesh that are marked vertex by vertex: tidied, and told apart. */
#ifndef JN_REGION_PART_MARKS_H
#define JN_REGION_PART_MARKS_H

#include "linear/block_matrix.h"

#include <stdbool.h>

typedef struct PartMarks {      /* owns its arrays */
    const BlockMatrix *pattern; /* borrowed: neighbours are vertices that share a block */
    const uint8_t *roles;       /* borrowed, [vertex_count] VertexRole: only what is free is marked */
    uint32_t island_count;
    uint32_t *islands; /* [vertex_count] of those in question; UINT32_MAX for others */
    uint32_t *counts;  /* [vertex_count] scratch, also of callers */
    uint32_t *around;  /* [vertex_count] scratch */
} PartMarks;

bool part_marks_create(const BlockMatrix *pattern, const uint8_t *roles, PartMarks *parts); /* false: no memory */
void part_marks_free(PartMarks *parts);

/* Numbers the pieces of what is marked. */
void part_marks_find_islands(PartMarks *parts, const uint8_t *marked);
/* Smooths the edges of what is marked, drops crumbs of it, and fills small gaps in it. */
void part_marks_tidy(PartMarks *parts, uint8_t *marked);

#endif
