/* The velocity with which the slow part is expected to go on: the first small steps of the fast regions are taken
   against it, and rounds begin from it. Extrapolated from the last steps, with the degree that would have come nearest
   on the borders in the step before: a smooth motion is met by a parabola, a wild one best by no change at all. */
#ifndef JN_REGION_SLOW_GUESS_H
#define JN_REGION_SLOW_GUESS_H

#include "base/archive.h"
#include "jounce.h"

#include <stddef.h>

enum { SLOW_GUESS_EARLIER = 2 };

typedef struct SlowHistory { /* plain data: saved and loaded as plain bytes */
    double h;                /* s, of the latest step; 0: there is none */
    uint32_t count;          /* earlier velocities that are known, one such step apart */
    uint32_t degree;         /* of the extrapolation, 0 to 2 */
} SlowHistory;

typedef struct SlowGuess {
    size_t n;
    double *earlier[SLOW_GUESS_EARLIER]; /* [n] at the start of the last step, and of the one before */
    SlowHistory history;
    double *memory;
} SlowGuess;

JnStatus slow_guess_create(size_t n, SlowGuess *guess, JnMessage *message); /* all zero after a failure */
void slow_guess_free(SlowGuess *guess);
/* What was before is of no use for the next step. */
void slow_guess_restart(SlowGuess *guess);
/* velocity: expected at the end of a step of h that starts with v. Both [n]. */
void slow_guess_find(const SlowGuess *guess, const double *v, double h, double *velocity);
/* A step of h has led from v to `velocity`. counted: [n / 3] nonzero for the vertices by which the degree is chosen. */
void slow_guess_learn(SlowGuess *guess, const double *v, double h, const double *velocity, const uint8_t *counted);
bool slow_guess_archive(SlowGuess *guess, Archive *archive);

#endif
