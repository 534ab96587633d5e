/* What fast regions are expected to cost, by counts of operations. */
#ifndef JN_REGION_REGIONAL_COST_H
#define JN_REGION_REGIONAL_COST_H

#include "linear/solver.h"
#include "region/fast_sets.h"

typedef struct RegionalScene {
    SolverReport whole;    /* of the solver of all unknowns in one */
    uint32_t vertex_count; /* of the system */
    uint32_t tet_count;    /* elements that are assembled in a step */
    bool constant;         /* matrices do not change from step to step */
    bool solves_fully;     /* by Newton's method, not in one linear solve */
} RegionalScene;

/* Operations of one large time step, roughly. */
typedef struct RegionalCost {
    double large;  /* if all take that step */
    double small;  /* if all take as many small steps as the fastest */
    double region; /* what this set adds to a large step for all */
} RegionalCost;

/* set: one of the sets; `largest` the largest ratio among them. inside: of the solver of what is inside it. */
RegionalCost regional_cost(const RegionalScene *scene, const FastSet *set, uint32_t largest,
                           const SolverReport *inside);

#endif
