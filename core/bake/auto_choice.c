/* The integrator "auto": looks at the scene, and puts what the rules choose in its place before anything depends on the
   method. The choice is part of the input hash: a bake that was begun with another choice, by other rules, is not
   resumed with this one. */
#include "bake/bake_internal.h"

#include "base/hash.h"
#include "base/status.h"
#include "integrate/auto_rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static JnStatus find_facts(JnBake *bake, const JnBakeDesc *desc, AutoFacts *facts, JnMessage *message) {
    *facts = (AutoFacts){.fps = bake->settings.fps,
                         .contact = bake->model.contact_method != NULL,
                         .animated = desc->input_tag != 0,
                         .fast_regions = fast_regions_painted(bake)};
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        double omega, ratio;
        JnStatus status = bake_slowest_wobble(bake, b, &omega, &ratio, message);
        if (status == JN_ERR_MEMORY)
            return status;
        /* a body whose modes are not found has no say */
        facts->wobble = fmax(facts->wobble, omega / (2 * acos(-1)));
        facts->damping = fmax(facts->damping, ratio);
    }
    status_clear(message);
    return JN_OK;
}

/* The next multiple: every sample of the cache is at the end of a time step. */
static uint32_t round_up(uint32_t steps, uint32_t samples) {
    return (steps + samples - 1) / samples * samples;
}

JnStatus auto_resolve(JnBake *bake, const JnBakeDesc *desc, JnMessage *message) {
    AutoFacts facts;
    AutoChoice choice;
    if (bake->model.integrator != integrator_auto)
        return JN_OK;
    JnStatus status = find_facts(bake, desc, &facts, message);
    if (status != JN_OK)
        return status;
    auto_choose(&facts, &choice);
    uint32_t steps = round_up(choice.steps_per_frame, bake->settings.samples_per_frame);
    const char *name = choice.method->entry.name;
    bake->model.integrator = choice.method;
    bake->model.chosen_modes = choice.mode_count;
    bake->settings.steps_per_frame = steps;
    hash_mix(&bake->model.input_hash, name, strlen(name));
    hash_mix(&bake->model.input_hash, &choice.mode_count, sizeof choice.mode_count);
    hash_mix(&bake->model.input_hash, &steps, sizeof steps);
    snprintf(bake->output.choice, sizeof bake->output.choice, "auto takes %s with %u time %s a frame: %s", name, steps,
             steps == 1 ? "step" : "steps", choice.reason);
    return JN_OK;
}

const char *jn_bake_choice(const JnBake *bake) {
    return bake ? bake->output.choice : "";
}
