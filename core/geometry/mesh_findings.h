/* What the mesher found in a surface and did to it, as sentences with places. */
#ifndef JN_GEOMETRY_MESH_FINDINGS_H
#define JN_GEOMETRY_MESH_FINDINGS_H

#include "geometry/piece_mesh.h"
#include "geometry/pieces.h"

/* Adds the findings to the report, whose numbers have been filled. facts: [pieces->count]. */
void mesh_findings_add(const Soup *soup, const Pieces *pieces, const PieceFacts *facts, JnMeshReport *report);

#endif
