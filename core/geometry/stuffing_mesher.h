/* The "stuffing" mesher: any surface to tets. The surface is cleaned in memory, its pieces are found, and each is
   filled with cells of its own, so that pieces with a gap between them never grow together. */
#ifndef JN_GEOMETRY_STUFFING_MESHER_H
#define JN_GEOMETRY_STUFFING_MESHER_H

#include "geometry/mesher.h"

/* As Mesher.build. JN_ERR_MESH if no face has an area; JN_ERR_ARGUMENT if the resolution needs too many cells. */
JnStatus stuffing_mesher_build(const JnSurface *surface, const MesherOptions *options, TetMesh *mesh,
                               Embedding *embedding, JnMeshReport *report, uint32_t *marks, JnMessage *message);

#endif
