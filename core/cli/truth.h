/* The motion that others are measured against: the rendered points in every frame of a run with tiny time steps. */
#ifndef JN_CLI_TRUTH_H
#define JN_CLI_TRUTH_H

#include "jounce.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Truth {
    double *positions;   /* [frame_count][number_count] scene units, in the space of each object at the frame */
    double *frame;       /* [number_count] room for a frame of another run */
    size_t number_count; /* three for every rendered point */
    size_t frame_count, kept_count;
} Truth;

/* The distance of a run's points from the truth, over the frames that were measured. */
typedef struct TruthDistance {
    double squares;     /* of the distances, sum over points and frames */
    size_t frame_count; /* without the first, which is the start pose of every run */
} TruthDistance;

/* Makes room for the frames of a bake like this one. False: out of memory. */
bool truth_open(Truth *truth, const JnBake *bake, size_t frame_count);
void truth_close(Truth *truth); /* may be all zero */

/* Keeps the bake's last finished frame as the next one of the truth. */
JnStatus truth_keep(Truth *truth, const JnBake *bake, JnMessage *message);

/* The truth that is kept is of the same method with steps twice as long: moves its frame to where the two lead as
   the steps go to 0 (Richardson), for a method of this order. */
JnStatus truth_extrapolate(Truth *truth, const JnBake *bake, size_t frame, int order, JnMessage *message);

/* Adds the distance of the bake's last finished frame, number `frame` of the bake, from that of the truth. */
JnStatus truth_measure(Truth *truth, const JnBake *bake, size_t frame, TruthDistance *distance, JnMessage *message);

/* Root mean square over points and frames, scene units; NaN: nothing was measured. */
double truth_distance(const Truth *truth, const TruthDistance *distance);

/* How far the points of the truth move: root mean square of their distance from the first frame. */
double truth_motion(const Truth *truth);

#endif
