/* Which components of a soup belong together: those that touch or overlap are one piece. */
#ifndef JN_GEOMETRY_PIECES_H
#define JN_GEOMETRY_PIECES_H

#include "geometry/soup.h"
#include "base/pool.h"

typedef struct Pieces { /* owns its arrays */
    uint32_t count;
    uint32_t *piece_of;    /* [component_count] */
    uint32_t *starts;      /* [count + 1]: where each piece's triangles begin in */
    uint32_t *triangles;   /* [triangle_count * 3], by piece */
    SoupFinding crossings; /* pairs of triangles that pass through each other */
} Pieces;

/* With `keep_apart` every component is a piece of its own. On failure *pieces is all zero. */
JnStatus pieces_build(const Soup *soup, bool keep_apart, Pool *pool, Pieces *pieces, JnMessage *message);

void pieces_free(Pieces *pieces); /* leaves it all zero */

#endif
