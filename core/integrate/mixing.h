/* Anderson acceleration of an iteration x += d(x): from the last few x and d, the step that would have made the last d
   smallest if d were linear. It turns the slow linear convergence of a matrix that is not quite right into a fast one.
 */
#ifndef JN_INTEGRATE_MIXING_H
#define JN_INTEGRATE_MIXING_H

#include "jounce.h"

#include <stdbool.h>

enum { MIXING_DEPTH = 3 };

typedef struct Mixing {
    size_t n;
    uint32_t count, next;    /* differences kept, and the place of the next one */
    double *last_x, *last_d; /* [n] */
    double *x_differences[MIXING_DEPTH], *d_differences[MIXING_DEPTH]; /* [n] each */
    double *memory;
    bool started;
} Mixing;

JnStatus mixing_create(size_t n, Mixing *mixing, JnMessage *message); /* all zero after a failure */
void mixing_free(Mixing *mixing);

/* Forgets what came before: d is now another function. */
void mixing_restart(Mixing *mixing);

/* Notes d at x, and step = the mixed step from there; d itself where nothing came before. */
void mixing_step(Mixing *mixing, const double *x, const double *d, double *step);

#endif
