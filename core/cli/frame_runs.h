/* Frames of a bake in words: "Frames 3 to 5, 9". */
#ifndef JN_CLI_FRAME_RUNS_H
#define JN_CLI_FRAME_RUNS_H

#include <stddef.h>

enum { FRAME_RUNS_SHOWN = 8 };

typedef struct FrameRuns {
    size_t frame_count;
    size_t run_count;
    double first[FRAME_RUNS_SHOWN], last[FRAME_RUNS_SHOWN]; /* [run_count] of runs without a gap */
    size_t left_out;                                        /* frames after the last run that is shown */
} FrameRuns;

/* Frames are added in order. */
void frame_runs_add(FrameRuns *runs, double frame);

/* On stdout, without a space or a stop after it. There is a frame at least. */
void frame_runs_say(const FrameRuns *runs);

#endif
