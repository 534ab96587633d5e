/* The frames of a bake whose time steps had to be cut often, missed what they should keep, or were left to another
   integrator: what a bake says at its end, so that a poor motion does not pass for a good one. */
#ifndef JN_CLI_HARD_FRAMES_H
#define JN_CLI_HARD_FRAMES_H

#include "jounce.h"

#include <stdbool.h>
#include <stddef.h>

struct cJSON;

typedef struct HardFrame {
    double frame;
    uint32_t part_count;                           /* into which time steps were cut at its end */
    uint32_t cut_steps, loose_steps, damped_steps; /* in this frame */
} HardFrame;

typedef struct HardFrames {
    HardFrame *frames; /* [count] */
    size_t count, capacity;
    uint32_t steps_per_frame;
    bool adaptive;                                 /* steps are cut for error_tolerance: no sign of trouble */
    uint32_t cut_steps, loose_steps, damped_steps; /* up to the last frame, of the whole bake */
} HardFrames;

/* The bake begins, or is resumed: frames that were there before count for nothing. */
void hard_frames_begin(HardFrames *hard, const JnBakeDesc *desc, const JnBake *bake);

/* `frame` is done. It is hard if its steps were cut as often as there are steps in it, or at its end still into four
   parts or more, or if any step was loose or damped. Without memory it is left out. */
void hard_frames_add(HardFrames *hard, double frame, const JnBake *bake);

/* A paragraph for people on stdout; nothing if no frame was hard. */
void hard_frames_say(const HardFrames *hard, const char *integrator);
/* "hard_frames": [...], always, and the counts of every one. */
void hard_frames_json(const HardFrames *hard, struct cJSON *object);

void hard_frames_free(HardFrames *hard);

#endif
