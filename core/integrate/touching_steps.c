#include "integrate/touching_steps.h"

#include "integrate/methods.h"

#include "base/status.h"

#include <stdlib.h>

ONE_STEP_FAMILY(dirk);

struct TouchingSteps {
    void *dirk; /* made with the first step that needs it */
};

JnStatus touching_steps_create(View *view, TouchingSteps **steps, JnMessage *message) {
    (void)view;
    *steps = calloc(1, sizeof **steps);
    return *steps ? JN_OK : status_no_memory(message, "the integrator");
}

void touching_steps_destroy(TouchingSteps *steps) {
    if (!steps)
        return;
    dirk_destroy(steps->dirk);
    free(steps);
}

JnStatus touching_steps_begin(TouchingSteps *steps, View *view, const State *state, double h, bool *touches,
                              JnMessage *message) {
    (void)steps;
    view_set_time(view, state->time, state->time + h);
    JnStatus status = view_begin_step(view, &(StepStart){state->q, state->v, h, false}, message);
    *touches = status == JN_OK && view_may_touch(view);
    return status;
}

JnStatus touching_steps_take(TouchingSteps *steps, View *view, State *state, double h, StepReport *report,
                             JnMessage *message) {
    const MethodOptions options = {.variant = DIRK_SDIRK};
    JnStatus status = steps->dirk ? JN_OK : dirk_prepare(view, &options, &steps->dirk, message);
    return status == JN_OK ? dirk_step(steps->dirk, view, state, h, report, message) : status;
}
