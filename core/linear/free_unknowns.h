/* The unknowns of the vertices that are not fixed, packed: what the solver solves for. */
#ifndef JN_LINEAR_FREE_UNKNOWNS_H
#define JN_LINEAR_FREE_UNKNOWNS_H

#include "linear/block_matrix.h"

#include <stdbool.h>
#include <stddef.h>

#define NOT_FREE UINT32_MAX

typedef struct FreeUnknowns { /* owns its arrays */
    uint32_t vertex_count;    /* of the whole matrix */
    uint32_t count;           /* free vertices */
    uint32_t *vertices;       /* [count] */
    uint32_t *of_vertex;      /* [vertex_count]: each vertex's number among the free ones, or NOT_FREE */
    uint32_t *block_starts;   /* [count + 1]: of each free column in `blocks`; the diagonal block comes first */
    uint32_t *blocks;         /* blocks of the matrix with both vertices free, column by column */
    uint32_t *rows;           /* of each of those, as a free vertex */
} FreeUnknowns;

/* fixed: [vertex_count], nonzero for vertices that are left out, or NULL. false: out of memory, and all zero. */
bool free_unknowns_build(const BlockMatrix *matrix, const uint8_t *fixed, FreeUnknowns *unknowns);
void free_unknowns_free(FreeUnknowns *unknowns); /* leaves it all zero */

/* packed: [count * 3]; full: [vertex_count * 3]. Scattering sets the fixed entries to 0. */
void free_unknowns_gather(const FreeUnknowns *unknowns, const double *full, double *packed);
void free_unknowns_scatter(const FreeUnknowns *unknowns, const double *packed, double *full);

/* y = A x in the free unknowns; x, y: [count * 3], must not alias. */
void free_unknowns_multiply(const FreeUnknowns *unknowns, const BlockMatrix *matrix, const double *x, double *y);

#endif
