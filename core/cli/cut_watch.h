/* Says while a frame of a bake takes long that its time steps are cut into parts, and why. */
#ifndef JN_CLI_CUT_WATCH_H
#define JN_CLI_CUT_WATCH_H

#include "jounce.h"
#include "os.h"
#include "progress.h"

typedef struct CutWatch {
    const JnBake *bake;
    const Progress *progress;
    bool json; /* one line of JSON on stdout instead of words on stderr */
    bool stopped;
    double last_said; /* when; 0: never in this frame */
    double last_frame_clock;
    OsMonitor *monitor; /* NULL: nothing is watched */
    OsThread *thread;
} CutWatch;

/* From here on, until cut_watch_end, a thread looks after the bake. Where the system has no thread to give, nothing is
   said. `progress` and `bake` must outlive it. */
void cut_watch_begin(CutWatch *watch, const JnBake *bake, const Progress *progress, bool json);

/* Around whatever changes the progress or prints, so that lines do not mix. */
void cut_watch_lock(CutWatch *watch);
void cut_watch_unlock(CutWatch *watch);

void cut_watch_end(CutWatch *watch);

#endif
