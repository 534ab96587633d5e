/* What `jounce bake` keeps of a motion beside its cache: the history file and the plot. */
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

/* Takes --history and --plot. Says so if their endings are not known. */
ExitCode record_init(BakeRecord *record, const Arguments *arguments);

/* That neither file is one that the scene reads, write-protected, or a table of another program. */
ExitCode record_check(const BakeRecord *record, const JnScene *scene);

/* The bake has begun: `kept_count` of `frame_count` frames are there from an earlier run. Their rows are taken from the
   history file of that run; if some are missing there, it is said. */
ExitCode record_begin(BakeRecord *record, double first_frame, uint32_t kept_count, uint32_t frame_count);

/* A frame is done. What goes wrong here stops no bake: record_end tells. */
void record_frame(BakeRecord *record, JnBake *bake);

/* Closes the history and draws the plot of what there is. Frees everything; also after a failure of the others. */
ExitCode record_end(BakeRecord *record);

#endif
