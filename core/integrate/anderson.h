/* Anderson acceleration of an iteration x += d(x): from the last few x and d, the step that would have made the last d
   smallest if d were linear. It accelerates the slow linear convergence that an inexact matrix gives. */
#ifndef JN_INTEGRATE_ANDERSON_H
#define JN_INTEGRATE_ANDERSON_H

#include "jounce.h"

#include <stdbool.h>

enum { ANDERSON_DEPTH = 3 };

typedef struct Anderson {
    size_t n;
    uint32_t count, next;    /* differences kept, and the place of the next one */
    double *last_x, *last_d; /* [n] */
    double *x_differences[ANDERSON_DEPTH], *d_differences[ANDERSON_DEPTH]; /* [n] each */
    double *memory;
    bool started;
} Anderson;

JnStatus anderson_create(size_t n, Anderson *anderson, JnMessage *message); /* all zero after a failure */
void anderson_free(Anderson *anderson);

/* Discards the history: d is now another function. */
void anderson_restart(Anderson *anderson);

/* Records d at x, and sets step = the accelerated step from there; d itself if there is no history. */
void anderson_step(Anderson *anderson, const double *x, const double *d, double *step);

#endif
