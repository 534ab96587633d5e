/* For methods that do not solve for contact: the steps in which anything may touch are taken by SDIRK, which does, is
   of second order and damps little. */
#ifndef JN_INTEGRATE_TOUCHING_STEPS_H
#define JN_INTEGRATE_TOUCHING_STEPS_H

#include "integrate/integrator.h"

typedef struct TouchingSteps TouchingSteps;

JnStatus touching_steps_create(View *view, TouchingSteps **steps, JnMessage *message);
void touching_steps_destroy(TouchingSteps *steps); /* may be NULL */

/* Begins a step of h. *touches: something may touch in it, so that it is to be taken below. */
JnStatus touching_steps_begin(TouchingSteps *steps, View *view, const State *state, double h, bool *touches,
                              JnMessage *message);

/* The step, as Integrator.step. */
JnStatus touching_steps_take(TouchingSteps *steps, View *view, State *state, double h, StepReport *report,
                             JnMessage *message);

#endif
