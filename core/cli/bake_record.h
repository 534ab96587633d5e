/* What `jounce bake` writes in addition to its cache: the history file and the plot. */
#ifndef JN_CLI_BAKE_RECORD_H
#define JN_CLI_BAKE_RECORD_H

#include "cli.h"
#include "history.h"

typedef struct BakeRecord {
    const Arguments *arguments;
    const char *history_path, *plot_path; /* NULL: not wanted */
    History history;
    int failure; /* errno of the first row that could not be written; 0: none */
} BakeRecord;

/* Reads --history and --plot. Prints an error if their endings are not known. */
ExitCode record_init(BakeRecord *record, const Arguments *arguments);

/* That neither file is one that the scene reads, write-protected, or a table of another program. */
ExitCode record_check(const BakeRecord *record, const JnScene *scene);

/* The bake has begun: `kept_count` of `frame_count` frames exist from an earlier run. Their rows are read from the
   history file of that run; missing ones are reported. */
ExitCode record_begin(BakeRecord *record, double first_frame, uint32_t kept_count, uint32_t frame_count);

/* A frame is finished. Errors here do not stop the bake: record_end reports them. */
void record_frame(BakeRecord *record, JnBake *bake);

/* Closes the history and draws the plot of the finished frames. Frees everything; to be called after failures, too. */
ExitCode record_end(BakeRecord *record);

#endif
