/* The mesher contract: from a surface to tets, with the surface embedded in them. */
#ifndef JN_GEOMETRY_MESHER_H
#define JN_GEOMETRY_MESHER_H

#include "base/table.h"
#include "geometry/embedding.h"

typedef struct Mesher {
    JnTableEntry entry;
    /* `surface` has passed surface_check; `resolution` is cells along the longest side, at least 1. Fills *mesh (all
       tets positive, every vertex used) and *embedding (a row per surface vertex); on failure both are all zero and the
       message says what is wrong with the surface and what to do. */
    JnStatus (*build)(const JnSurface *surface, double resolution, TetMesh *mesh, Embedding *embedding,
                      JnMessage *message);
} Mesher;

extern const Table mesher_table; /* items: Mesher */
extern const Table shape_table;  /* items begin with a JnTableEntry: the shapes of jn_shape_make */

#endif
