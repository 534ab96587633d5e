/* Continuous collision detection: how far two simplices may move, all of their points on straight lines, before they
   come nearer to each other than a thickness. Conservative advancement: the separating plane at the nearest points, at
   which the parts are at one time, holds them apart until one of the points on either side crosses it; then the next
   plane is taken. So no time is skipped, and sliding along each other costs no steps. (The additive advancement of Li
   et al. 2021, codimensional incremental potential contact, bounds the approach by speeds instead; these planes allow
   steps at least as long.) */
#ifndef JN_CONTACT_PAIR_ADVANCE_H
#define JN_CONTACT_PAIR_ADVANCE_H

#include "contact/pair_distance.h"

typedef struct PairAdvance {
    double thickness;     /* m, the distance to keep */
    double reach;         /* m, positive: a gap above it at the start counts as this one; INFINITY for none */
    double keep;          /* in (0, 0.5): fraction of the gap at the start that is left at least; 0.1 is usual */
    uint32_t most_planes; /* at which to give up and return the time reached; 64 is usual, 5 to 8 are typical */
} PairAdvance;

typedef enum PairAdvanceEnd {
    PAIR_ADVANCE_FREE,     /* the whole motion is free: time is 1 */
    PAIR_ADVANCE_HIT,      /* at the time, between 1 and 2 `keep` of the gap at the start is left */
    PAIR_ADVANCE_GIVEN_UP, /* most_planes were used up; the motion until the time is free, what follows is not known */
    PAIR_ADVANCE_INSIDE    /* nearer than the thickness at the start already, or within rounding of it: time is 0 */
} PairAdvanceEnd;

/* The part of the motion from positions x0 to x1 (time 0 to 1, as pair_distance.h has them) that is free: at all times
   up to *time the distance is above the thickness, by `keep` times the gap at the start. This holds for the exact
   motion of the given positions: rounding is allowed for. What is not finite ends INSIDE. */
PairAdvanceEnd pair_advance(PairKind kind, const double *x0, const double *x1, const PairAdvance *how, double *time);

#endif
