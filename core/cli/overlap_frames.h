/* Contact of a bake's frames for programs, and the frames in which overlaps were tolerated, for people: what a bake
   says at its end, so that an arm in a belly does not pass unseen. */
#ifndef JN_CLI_OVERLAP_FRAMES_H
#define JN_CLI_OVERLAP_FRAMES_H

#include "frame_runs.h"
#include "jounce.h"

struct cJSON;

enum { OVERLAP_NAME_BYTES = 81 };

typedef struct OverlapFrames {
    FrameRuns runs;
    uint32_t most; /* overlaps in one frame */
    /* the deepest; if no depth is known, one of the frame that has most */
    double frame, depth, place[3];     /* m, NaN: not known; scene units */
    char names[2][OVERLAP_NAME_BYTES]; /* between whom, cut if they are long */
} OverlapFrames;

/* `frame` is done. */
void overlap_frames_add(OverlapFrames *overlaps, double frame, const JnBake *bake);

/* A sentence on stdout; nothing if there was no overlap. */
void overlap_frames_say(const OverlapFrames *overlaps);
/* "overlap_frames": their number, always; "worst_overlap": if there is one. */
void overlap_frames_json(const OverlapFrames *overlaps, struct cJSON *object);

/* "contact": the numbers of the last finished frame; nothing if nothing is near anything. */
void contact_json(const JnBake *bake, struct cJSON *object);

#endif
