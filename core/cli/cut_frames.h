/* The frames at which the animation of a body jumps, and the body was carried over: what a bake says at its end, since
   a jump that is meant as a throw looks the same. */
#ifndef JN_CLI_CUT_FRAMES_H
#define JN_CLI_CUT_FRAMES_H

#include "frame_runs.h"
#include "jounce.h"

struct cJSON;

typedef struct CutFrames {
    FrameRuns runs;
    char name[81]; /* of the first body, shortened if it is long */
} CutFrames;

/* `frame` is done. */
void cut_frames_add(CutFrames *cuts, double frame, const JnBake *bake);

/* A sentence on stdout; nothing if there was no cut. */
void cut_frames_say(const CutFrames *cuts);
/* "cut_frames": their number, always. */
void cut_frames_json(const CutFrames *cuts, struct cJSON *object);

#endif
