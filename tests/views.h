/* What tests ask of a view of a system. */
#ifndef JN_TESTS_VIEWS_H
#define JN_TESTS_VIEWS_H

#include "system/jacobian.h"

/* force = the sum of all terms at q, v, [vertex_count * 3]. */
static inline void forces_of(View *view, const double *q, const double *v, double *force) {
    view_force(view, ALL_TERM_ROLES, q, v, force, NULL);
}

/* The potential energy of all terms, J, with the work of wind and of what slides past. */
static inline double potential_of(View *view, const double *q) {
    double energy = 0;
    view_evaluate(view, ALL_TERM_ROLES, (Evaluation){.q = q, .energy = &energy}, NULL);
    return energy;
}

#endif
