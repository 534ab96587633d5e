/* A picture of a tet mesh: as a whole, and cut open. */
#ifndef JN_CLI_MESH_PICTURE_H
#define JN_CLI_MESH_PICTURE_H

#include "cli.h"

/* Writes a .png. Else says what is wrong. */
ExitCode draw_tets(const Arguments *arguments, const JnTets *tets, const char *path);

#endif
