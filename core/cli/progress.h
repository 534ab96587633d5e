/* Progress of a long job on stderr: a bar on a terminal, a line every few seconds in a log. */
#ifndef JN_CLI_PROGRESS_H
#define JN_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Progress {
    bool silent;
    bool terminal;
    uint32_t frame_count;
    uint32_t done_count;
    uint32_t timed_count;     /* frames that seconds_per_frame is based on */
    double seconds_per_frame; /* running mean that follows recent frames */
    double last_frame_clock;  /* when the last frame was done */
    double last_print_clock;
} Progress;

/* `done_count` of the `frame_count` frames exist already. Silent: measures time, prints nothing. */
void progress_begin(Progress *progress, uint32_t frame_count, uint32_t done_count, bool silent);

/* One more frame is done. */
void progress_frame(Progress *progress);

/* Estimated seconds until the last frame; NaN if nothing is known yet. */
double progress_seconds_left(const Progress *progress);

/* Clears the bar, so that other text can follow. */
void progress_end(const Progress *progress);

#endif
