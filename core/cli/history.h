/* The motion of a bake and its contacts, frame by frame: in memory for plots, and as a file that grows with the
   bake. */
#ifndef JN_CLI_HISTORY_H
#define JN_CLI_HISTORY_H

#include "jounce.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct HistoryRow {
    JnMotion motion;
    JnContactFrame contact; /* without its names and seconds: the next run of the same bake has the same rows */
} HistoryRow;

typedef struct History {
    HistoryRow *rows; /* [count] */
    size_t count, capacity;
    const char *path; /* .csv or .json; NULL: in memory only */
    FILE *file;       /* NULL: not open */
} History;

/* Whether the path ends with .csv or .json. */
bool history_path_is_known(const char *path);
/* Whether a history may be written there: nothing is there, or an older history. */
bool history_may_replace(const char *path);

/* Reads the rows of an earlier run at `path`, of the `frame_count` frames from first_frame on. A missing file, or one
   that is not a history, has no rows. False: out of memory. */
bool history_read(History *history, const char *path, double first_frame, size_t frame_count);

/* Begins the file at `path` (NULL: none) with the rows so far; it is complete after every row. False: errno says
   why. */
bool history_open(History *history, const char *path);

/* Adds the row of the last finished frame. False: errno says why; the row is in memory, unless out of memory. */
bool history_add(History *history, JnBake *bake);

/* Closes the file and frees the rows. False: the last write failed. */
bool history_close(History *history);

/* For tables of several bakes: the names of the columns and a row, with commas between. */
void history_print_header(FILE *file);
void history_print_row(FILE *file, const HistoryRow *row);

/* The row as a JSON object, with null for NaN. */
void history_print_row_json(FILE *file, const HistoryRow *row);

#endif
