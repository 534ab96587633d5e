/* A fibre after a straight step. Thin fibres resist stretching millions of times more than turning, so the length that
   a straight step adds to what it turns would fill the next step with spurious forces, or let a line search take tiny
   steps only. */
#ifndef JN_ELASTIC_FIBRE_TURNS_H
#define JN_ELASTIC_FIBRE_TURNS_H

#include "elastic/rod_segment.h"

typedef struct FibreStep { /* as follow_turns in force_term.h */
    const double *masses;
    const uint8_t *roles;
    TurnKind kind;
    const double *q0;
    double *q1;
} FibreStep;

/* The segments of one fibre, from root to tip. Sections from a final one to an end of the fibre move with it; those
   between two final ones are not moved, but keep their shape; a fibre without a final one keeps its centre of mass. */
void fibre_follow_turns(const RodSegment *segments, uint32_t count, const FibreStep *step);

#endif
