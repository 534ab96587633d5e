/* Methods with fast regions: the slow part of the system takes the time step, a fast region as many small steps in it
   as its ratio says, and both are solved for together. Through the step the slow part moves with one velocity; the
   elements that reach into a region belong to its small steps on both sides, and the slow part receives the sum of
   their impulses. So momentum is exact, and in backward Euler with convex energies no step gains energy, whatever the
   ratios and stiffnesses. Without regions, these are the methods of integrator_table themselves. */
#ifndef JN_REGION_REGIONAL_H
#define JN_REGION_REGIONAL_H

#include "integrate/integrator.h"
#include "region/regional_cost.h"

/* The largest number of small steps in a large one. */
enum { FAST_RATIO_MOST = 150 };

static inline bool fast_ratio_is_valid(double ratio) {
    return ratio >= 1 && ratio <= FAST_RATIO_MOST && ratio == (int)ratio;
}

/* The method with fast regions, MethodOptions.ratios; NULL: there is none of it. The system needs the term of
   border_answer.h. */
const Integrator *regional_method(const Integrator *method);

/* The sets of regions of such a method. */
const FastSets *regional_sets(const void *self);
/* Adds what its own solvers have done so far, and their memory: not those of the view that it was prepared with. */
void regional_add_solvers(const void *self, SolverReport *report);
/* What set k adds to a step, and what steps cost without it; constant: matrices do not change from step to step. */
RegionalCost regional_set_cost(const void *self, const View *view, uint32_t tet_count, bool constant, uint32_t k);

/* The names of the methods of which there is one, as in "si or be". */
extern const char regional_names[];

#endif
