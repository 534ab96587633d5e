/* What the mesher found in a surface and did to it, as sentences with places. */
#ifndef JN_GEOMETRY_MESH_FINDINGS_H
#define JN_GEOMETRY_MESH_FINDINGS_H

#include "geometry/piece_mesh.h"
#include "geometry/pieces.h"

/* Adds what was found of the pieces to the soup's findings, and all findings to the report, whose numbers have been
   filled. facts: [pieces->count]; about: of pieces->triangles. `marks` [vertex_count of the surface], may be
   NULL: bit i if findings[i] of the report concerns the vertex. */
void mesh_findings_report(Soup *soup, const Pieces *pieces, const PieceFacts *facts, const PieceTriangle *about,
                          uint32_t vertex_count, JnMeshReport *report, uint32_t *marks);

#endif
