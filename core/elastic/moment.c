#include "elastic/moment.h"

#include "base/status.h"

#include <stdlib.h>

JnStatus moment_create(uint32_t vertex_count, uint32_t group_count, Moment *moment, JnMessage *message) {
    size_t n = (size_t)vertex_count + 1;
    *moment = (Moment){.vertex_count = vertex_count,
                       .group_count = group_count,
                       .load_part = 1,
                       .targets = calloc(3 * n, sizeof(double)),
                       .target_velocities = calloc(3 * n, sizeof(double)),
                       .forces = calloc(3 * n, sizeof(double)),
                       .goal_stiffness = calloc(n, sizeof(double)),
                       .stiffness_factors = calloc((size_t)group_count + 1, sizeof(double))};
    if (!moment->targets || !moment->target_velocities || !moment->forces || !moment->goal_stiffness ||
        !moment->stiffness_factors) {
        moment_free(moment);
        return status_no_memory(message, "the inputs at one time");
    }
    for (uint32_t group = 0; group < group_count; ++group)
        moment->stiffness_factors[group] = 1;
    return JN_OK;
}

void moment_free(Moment *moment) {
    free(moment->targets);
    free(moment->target_velocities);
    free(moment->forces);
    free(moment->goal_stiffness);
    free(moment->stiffness_factors);
    *moment = (Moment){.number = 0};
}
