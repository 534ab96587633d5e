#include "elastic/loads.h"

#include "base/status.h"

#include <stdlib.h>

typedef struct Goals {
    uint32_t vertex_count;
} Goals;

static void evaluate_goal(uint32_t vertex, Evaluation *e) {
    double stiffness = e->moment->goal_stiffness[vertex];
    size_t first = 3 * (size_t)vertex;
    for (size_t i = first; i < first + 3; ++i) {
        double stretch = e->q[i] - e->moment->targets[i];
        if (e->energy)
            *e->energy += 0.5 * stiffness * stretch * stretch;
        if (e->force)
            e->force[i] -= stiffness * stretch;
    }
    if (e->matrix) {
        double *diagonal = e->matrix->values + 9 * (size_t)e->matrix->column_starts[vertex];
        for (int i = 0; i < 3; ++i)
            diagonal[4 * i] += e->stiffness_scale * stiffness;
    }
}

static JnStatus evaluate(void *self, const void *lag, Evaluation *e, JnMessage *message) {
    (void)lag, (void)message;
    const Goals *goals = self;
    for (uint32_t v = 0; v < goals->vertex_count; ++v)
        if (e->moment->goal_stiffness[v] != 0 && element_subset_has(&e->subset, &v, 1))
            evaluate_goal(v, e);
    return JN_OK;
}

static const TermOperations operations = {
    .name = "goals", .role = TERM_GOALS, .has_potential = true, .evaluate = evaluate, .destroy = free};

JnStatus goals_create(uint32_t vertex_count, ForceTerm *term, JnMessage *message) {
    Goals *goals = malloc(sizeof *goals);
    if (!goals)
        return status_no_memory(message, "goals");
    *goals = (Goals){vertex_count};
    *term = (ForceTerm){&operations, goals};
    return JN_OK;
}
