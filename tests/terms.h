/* Force terms without a system, for tests: evaluated, set to a moment, freed. */
#ifndef JN_TESTS_TERMS_H
#define JN_TESTS_TERMS_H

#include "elastic/force_term.h"

static inline void term_evaluate(const ForceTerm *term, Evaluation *evaluation) {
    term->operations->evaluate(term->self, NULL, evaluation, NULL);
}

static inline void term_destroy(const ForceTerm *term) {
    term->operations->destroy(term->self);
}

/* Sets the term to a moment with these stiffness factors, one for each of its groups, and animated positions
   [vertex_count * 3]; NULL where nothing follows. */
static inline void term_set_moment(const ForceTerm *term, const double *factors, const double *pose) {
    static uint64_t number = 0;
    Moment moment = {.number = ++number, .targets = (double *)pose, .stiffness_factors = (double *)factors};
    term->operations->set_moment(term->self, &moment, NULL);
}

#endif
