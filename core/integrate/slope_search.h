/* How much of a way to take, by the slope of a potential along it. */
#ifndef JN_INTEGRATE_SLOPE_SEARCH_H
#define JN_INTEGRATE_SLOPE_SEARCH_H

#include "jounce.h"

/* The slope at part t of the way, from 0 to 1. */
typedef JnStatus (*SlopeAt)(void *owner, double t, double *slope, JnMessage *message);

/* *taken: where the potential is least along the way, nearly; 1 where it does not decrease at all at the start. */
JnStatus slope_search(SlopeAt slope_at, void *owner, double *taken, JnMessage *message);

#endif
