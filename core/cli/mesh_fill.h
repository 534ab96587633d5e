/* `jounce mesh` on a surface: fills it with tets and says what was found. */
#ifndef JN_CLI_MESH_FILL_H
#define JN_CLI_MESH_FILL_H

#include "cli.h"

#include <cjson/cJSON.h>

/* Whether the command line asks for tets of the mesh, which is a surface: an option of the mesher is given, or `path`
   (may be NULL) is a file of tets. */
bool fill_wanted(const Arguments *arguments, const JnMesh *mesh, const char *path);

/* Replaces *mesh by its tets. Else says what is wrong; *mesh is freed and NULL then. */
ExitCode fill_surface(const Arguments *arguments, JnMesh **mesh, JnMeshReport *report);

/* The findings, a line each and one for the first place. */
void print_findings(const JnMeshReport *report, int indent);
void print_fill_report(const JnMeshReport *report);
cJSON *fill_report_json(const JnMeshReport *report); /* the caller's */

#endif
