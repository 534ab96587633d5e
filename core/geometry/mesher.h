/* The mesher contract: from a surface to tets, with the surface embedded in them. */
#ifndef JN_GEOMETRY_MESHER_H
#define JN_GEOMETRY_MESHER_H

#include "base/table.h"
#include "geometry/embedding.h"

#include <stdbool.h>

typedef struct MesherOptions {
    double resolution;      /* cells along the longest side, at least 1 */
    double edge_length;     /* length of a cell; NaN: by the resolution */
    uint32_t vertex_budget; /* 0: none */
    uint32_t thread_count;  /* 0: as many as the machine has */
    bool keep_apart;        /* pieces that touch stay pieces */
    bool measure_volume;    /* of the surface, for the report */
} MesherOptions;

typedef struct Mesher {
    JnTableEntry entry;
    /* `surface` has passed surface_check. Fills *mesh (all tets positive, every vertex used), *embedding (a row per
       surface vertex; may be NULL), *report (but its struct_size) and marks [surface->vertex_count] (may be NULL): bit
       i if findings[i] of the report concerns the vertex. The result does not depend on the number of threads. On
       failure mesh and embedding are all zero and the message says what is wrong with the surface and what to do. */
    JnStatus (*build)(const JnSurface *surface, const MesherOptions *options, TetMesh *mesh, Embedding *embedding,
                      JnMeshReport *report, uint32_t *marks, JnMessage *message);
} Mesher;

extern const Table mesher_table; /* items: Mesher */
extern const Table shape_table;  /* items begin with a JnTableEntry: the shapes of jn_shape_make */

#endif
