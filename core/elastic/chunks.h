/* An order of elements for parallel assembly without races, whose sums do not depend on the number of threads.

   Elements are sorted along a space-filling curve and cut into chunks; chunks that share no vertex have one colour. Colours
   run one after the other, the chunks of a colour at the same time, the elements of a chunk in order: every matrix entry
   is added to by one thread at a time and always in the same order. */
#ifndef JN_ELASTIC_CHUNKS_H
#define JN_ELASTIC_CHUNKS_H

#include "jounce.h"

typedef struct Chunks { /* owns its arrays */
    uint32_t chunk_count;
    uint32_t colour_count;
    uint32_t *order;         /* [tet_count] tets, chunk after chunk, colour after colour */
    uint32_t *chunk_starts;  /* [chunk_count + 1] into order */
    uint32_t *colour_starts; /* [colour_count + 1] into chunks */
} Chunks;

JnStatus chunks_build(const double *positions, uint32_t vertex_count, const uint32_t *tet_vertices,
                      uint32_t tet_count, Chunks *chunks, JnMessage *message);
void chunks_free(Chunks *chunks); /* leaves it all zero */

#endif
