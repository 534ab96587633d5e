/* Which components of a soup belong together: those that touch or overlap are one piece. */
#ifndef JN_GEOMETRY_PIECES_H
#define JN_GEOMETRY_PIECES_H

#include "geometry/soup.h"
#include "base/pool.h"

/* Components nearer than this part of the longest side touch. */
#define PIECES_TOUCHING 1e-4

typedef struct Pieces { /* owns its arrays */
    uint32_t count;
    uint32_t *piece_of;  /* [component_count] */
    uint32_t *starts;    /* [count + 1]: where each piece's triangles begin in */
    uint32_t *triangles; /* [triangle_count * 3], by piece */
} Pieces;

/* With `keep_apart` every component is a piece of its own. Adds crossings to the soup's findings. On failure *pieces is
   all zero. */
JnStatus pieces_build(Soup *soup, bool keep_apart, Pool *pool, Pieces *pieces, JnMessage *message);

void pieces_free(Pieces *pieces); /* leaves it all zero */

#endif
