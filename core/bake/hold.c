#include "bake/hold.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

JnStatus hold_others(JnBake *bake, bool (*chosen)(const Body *body), Hold *hold, JnMessage *message) {
    System *system = &bake->system;
    *hold = (Hold){NULL, NULL};
    uint32_t chosen_count = 0;
    for (uint32_t b = 0; b < bake->body_count; ++b)
        chosen_count += chosen(&bake->bodies[b]);
    if (chosen_count == bake->body_count)
        return JN_OK;
    uint8_t *fixed = malloc((size_t)bake->vertex_count + 1);
    if (!fixed)
        return status_no_memory(message, "the start pose");
    memcpy(fixed, system->fixed, bake->vertex_count);
    for (uint32_t b = 0; b < bake->body_count; ++b)
        if (!chosen(&bake->bodies[b]))
            memset(fixed + bake->bodies[b].first_vertex, 1, bake->bodies[b].mesh.vertex_count);
    Solver *solver;
    JnStatus status = solver_create(&system->matrix, fixed, &solver, message);
    if (status != JN_OK) {
        free(fixed);
        return status;
    }
    *hold = (Hold){system->fixed, system->solver};
    system->fixed = fixed;
    system->solver = solver;
    return JN_OK;
}

void hold_release(JnBake *bake, Hold *hold) {
    System *system = &bake->system;
    if (!hold->fixed)
        return;
    free(system->fixed);
    solver_destroy(system->solver);
    system->fixed = hold->fixed;
    system->solver = hold->solver;
    *hold = (Hold){NULL, NULL};
}
