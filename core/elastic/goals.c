#include "elastic/loads.h"

#include "base/status.h"

#include <stdlib.h>

typedef struct Goals {
    uint32_t vertex_count;
    const double *stiffness;
    const StepInputs *inputs;
} Goals;

static void evaluate(void *self, const Evaluation *e) {
    const Goals *goals = self;
    for (uint32_t v = 0; v < goals->vertex_count; ++v) {
        double stiffness = goals->stiffness[v];
        if (stiffness == 0)
            continue;
        for (size_t i = 0; i < 3; ++i) {
            double stretch = e->q[3 * (size_t)v + i] - goals->inputs->targets[3 * (size_t)v + i];
            if (e->energy)
                *e->energy += 0.5 * stiffness * stretch * stretch;
            if (e->force)
                e->force[3 * (size_t)v + i] -= stiffness * stretch;
        }
        if (e->matrix) {
            double *diagonal = e->matrix->values + 9 * (size_t)e->matrix->column_starts[v];
            for (int i = 0; i < 3; ++i)
                diagonal[4 * i] += e->stiffness_scale * stiffness;
        }
    }
}

JnStatus goals_create(uint32_t vertex_count, const double *stiffness, const StepInputs *inputs, ForceTerm *term,
                      JnMessage *message) {
    Goals *goals = malloc(sizeof *goals);
    if (!goals)
        return status_no_memory(message, "goals");
    *goals = (Goals){vertex_count, stiffness, inputs};
    *term = (ForceTerm){"goals", true, goals, NULL, evaluate, NULL, free};
    return JN_OK;
}
