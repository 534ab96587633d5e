#include "elastic/loads.h"

#include "base/status.h"

#include <stdlib.h>

typedef struct Loads {
    uint32_t vertex_count;
    const double *masses;
    const StepInputs *inputs;
} Loads;

static void evaluate(void *self, const Evaluation *e) {
    const Loads *loads = self;
    const StepInputs *inputs = loads->inputs;
    for (uint32_t v = 0; v < loads->vertex_count; ++v)
        for (size_t i = 0; i < 3; ++i) {
            size_t k = 3 * (size_t)v + i;
            double f = loads->masses[v] * inputs->gravity[i] + inputs->forces[k];
            if (e->force)
                e->force[k] += f;
            if (e->energy)
                *e->energy -= f * e->q[k];
        }
}

JnStatus loads_create(uint32_t vertex_count, const double *masses, const StepInputs *inputs, ForceTerm *term,
                      JnMessage *message) {
    Loads *loads = malloc(sizeof *loads);
    if (!loads)
        return status_no_memory(message, "loads");
    *loads = (Loads){vertex_count, masses, inputs};
    *term = (ForceTerm){"loads", true, loads, NULL, evaluate, NULL, free};
    return JN_OK;
}
