#include "elastic/loads.h"

#include "base/status.h"

#include <stdlib.h>

typedef struct Loads {
    uint32_t vertex_count;
    const double *masses;
} Loads;

static JnStatus evaluate(void *self, const void *lag, Evaluation *e, JnMessage *message) {
    (void)lag, (void)message;
    const Loads *loads = self;
    double part = e->moment->load_part;
    for (uint32_t v = 0; v < loads->vertex_count; ++v) {
        if (!element_subset_has(&e->subset, &v, 1))
            continue;
        for (size_t i = 0; i < 3; ++i) {
            size_t k = 3 * (size_t)v + i;
            double f = loads->masses[v] * (part * e->moment->gravity[i]) + part * e->moment->forces[k];
            if (e->force)
                e->force[k] += f;
            if (e->energy)
                *e->energy -= f * e->q[k];
        }
    }
    return JN_OK;
}

static const TermOperations operations = {
    .name = "loads", .role = TERM_LOADS, .has_potential = true, .evaluate = evaluate, .destroy = free};

JnStatus loads_create(uint32_t vertex_count, const double *masses, ForceTerm *term, JnMessage *message) {
    Loads *loads = malloc(sizeof *loads);
    if (!loads)
        return status_no_memory(message, "loads");
    *loads = (Loads){vertex_count, masses};
    *term = (ForceTerm){&operations, loads};
    return JN_OK;
}
