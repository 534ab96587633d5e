/* Steps in which a set touches something, and all take the small steps of the fastest set: because that costs less, or
   because the two sides of a contact would have different steps: solved in turn, these need not come to an agreement.
 */
#include "region/regional_internal.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

JnStatus regional_prepare_small(Regional *regional, View *view, const char *method, JnMessage *message) {
    const void *plain = NULL;
    JnStatus status = table_find(&integrator_table, method, "", &plain, message);
    if (status != JN_OK)
        return status;
    regional->plain = plain;
    const MethodOptions options = {.variant = regional->plain->variant};
    return regional->plain->prepare(view, &options, &regional->plain_self, message);
}

/* What the whole view remembers of contact, for those that take the next steps. */
static bool share_contacts(Regional *regional, View *view) {
    bool ok = view_archive(view, memory_archive_save(&regional->contacts)) &&
              view_archive(regional->slow, memory_archive_load(&regional->contacts));
    for (uint32_t k = 0; ok && k < regional->sets.count; ++k)
        ok = view_archive(regional->parts[k].view, memory_archive_load(&regional->contacts));
    return ok;
}

JnStatus regional_take_small_steps(Regional *regional, View *view, State *state, StepReport *report,
                                   JnMessage *message) {
    uint32_t ratio = regional->sets.sets[regional->sets.count - 1].ratio;
    double h = regional->h;
    JnStatus status = JN_OK;
    memcpy(state->q, regional->start, regional->count * sizeof(double));
    memcpy(state->v, regional->start_velocity, regional->count * sizeof(double));
    regional->plain->restart(regional->plain_self, RESTART_CUT_STEP);
    for (uint32_t r = 1; status == JN_OK && r <= ratio; ++r) {
        StepReport small;
        state->time = regional->time + h * (r - 1) / ratio;
        status = regional->plain->step(regional->plain_self, view, state, h / ratio, &small, message);
        report->newton_iterations += small.newton_iterations;
        report->residual = small.residual;
        /* who takes steps judges the last one */
        if (status == JN_OK && r < ratio)
            status = view_check_way(view, state->q, view->may_cross, message);
    }
    state->time = regional->time + h;
    return status == JN_OK && !share_contacts(regional, view) ? status_no_memory(message, "the fast regions") : status;
}
