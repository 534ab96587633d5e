#include "bake/hold.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>

JnStatus hold_vertices(JnBake *bake, bool (*is_held)(const Body *body, uint32_t vertex), Hold *hold,
                       JnMessage *message) {
    System *system = &bake->system;
    *hold = (Hold){NULL, NULL, NULL};
    uint8_t *fixed = malloc((size_t)bake->vertex_count + 1);
    if (!fixed)
        return status_no_memory(message, "the start pose");
    memcpy(fixed, system->fixed, bake->vertex_count);
    for (uint32_t b = 0; b < bake->body_count; ++b)
        for (uint32_t k = 0; k < bake->bodies[b].mesh.vertex_count; ++k)
            fixed[bake->bodies[b].first_vertex + k] |= is_held(&bake->bodies[b], k);
    if (memcmp(fixed, system->fixed, bake->vertex_count) == 0) {
        free(fixed);
        return JN_OK;
    }
    Solver *solver;
    JnStatus status = solver_create(&(SolverDesc){.pattern = &system->matrix, .fixed = fixed}, &solver, message);
    if (status != JN_OK) {
        free(fixed);
        return status;
    }
    *hold = (Hold){system->fixed, system->solver, system->indefinite_solver};
    system->fixed = fixed;
    system->solver = solver;
    system->indefinite_solver = NULL;
    system->current.indefinite = false;
    return JN_OK;
}

void hold_release(JnBake *bake, Hold *hold) {
    System *system = &bake->system;
    if (!hold->fixed)
        return;
    free(system->fixed);
    solver_destroy(system->solver);
    solver_destroy(system->indefinite_solver);
    system->fixed = hold->fixed;
    system->solver = hold->solver;
    system->indefinite_solver = hold->indefinite_solver;
    system->current.indefinite = false;
    *hold = (Hold){NULL, NULL, NULL};
}
