/* An initial guess for a linear solve, from solutions of the steps before (Fischer 1998): of what they span, the point
   with the least error in the norm of the matrix. Where a body swings by a large part of a turn in each step, no fixed
   extrapolation serves, and this still does: of a motion of one frequency, the last two solutions hold the next. */
#ifndef JN_INTEGRATE_GUESS_H
#define JN_INTEGRATE_GUESS_H

#include "integrate/kept_modes.h"

enum { GUESS_MOST = 6 }; /* directions */

typedef struct GuessProblem { /* borrowed arrays, [vertex_count * 3] */
    const double *b;
    const double *known;   /* the unknowns that are not free; NULL: all 0 */
    const ModeSet *modes;  /* NULL, or the guess has these modes, */
    const double *targets; /* [modes->count], and the equations hold in their complement */
} GuessProblem;

typedef struct GuessSpan {     /* borrowed arrays, which are overwritten */
    double *const *directions; /* [count] vectors [vertex_count * 3] that span the guess */
    uint32_t count;            /* at most GUESS_MOST */
    double *products;          /* [count + 1][vertex_count * 3] scratch */
} GuessSpan;

/* x = the guess for A x = b, A the matrix of view->jacobian with the contacts given to it. */
void guess_find(const View *view, const GuessProblem *problem, const GuessSpan *span, double *x);

#endif
