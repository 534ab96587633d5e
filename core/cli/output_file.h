/* A file that appears under its name when it is complete: a command that is stopped, or a full disk, leaves what stood
   there before. Until then it is "name.unfinished.png" beside it. */
#ifndef JN_CLI_OUTPUT_FILE_H
#define JN_CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct OutputFile {
    char *path;       /* symbolic links followed */
    char *unfinished; /* what is written */
    FILE *file;       /* open for writing; NULL: another program writes it */
} OutputFile;

/* The names only. False: errno says why; *output is then all zero. */
bool output_file_name(OutputFile *output, const char *path);
/* The names, and opens it. */
bool output_file_open(OutputFile *output, const char *path);
/* Closes it and, if `complete`, puts it in its place; else removes it. False: errno says why, and nothing is left.
 *output is all zero afterwards; may be before. */
bool output_file_close(OutputFile *output, bool complete);

#endif
