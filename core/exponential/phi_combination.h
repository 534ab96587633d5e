/* Linear combinations of phi functions of the first-order form J of a linear motion,

       u(t) = the sum over k of t^k phi_k(t J) b_k,   J: (x, y) -> (y, -M^-1 (K x + D y)),

   at several times t: what exponential integrators are made of. phi_0(z) = exp(z), phi_(k+1)(z) = (phi_k(z) - 1/k!) /
   z. u solves u' = J u + b_1 + t b_2 + t^2/2 b_3 + ..., u(0) = 0, so it is found as a motion, in a Krylov space that
   grows until the error is below the tolerance; where the space would become too large, the time is divided, and each
   part goes on from the last. */
#ifndef JN_EXPONENTIAL_PHI_COMBINATION_H
#define JN_EXPONENTIAL_PHI_COMBINATION_H

#include "exponential/motion_space.h"

enum { PHI_TIMES_MOST = 4 };

/* b_1 = (velocity, acceleration[0]), b_(k+1) = (0, acceleration[k]); [n], NULL: 0. */
typedef struct PhiProblem {
    const MotionMatrices *matrices;
    const double *velocity, *acceleration[FORCING_TERMS];
    const double *times; /* [time_count] s, ascending, above 0 */
    size_t time_count;   /* at most PHI_TIMES_MOST */
    double tolerance;    /* of the error at the last time, relative to u there, in the norm of motion_space_error */
    double least;        /* that norm is taken to be at least this */
    /* Operations for a vector of a rational space and of a polynomial one, and the number of vectors that the latter
       would take: a rational space that is full before it is precise is given up where that is cheaper. 0: never. */
    double rational_cost, polynomial_cost, polynomial_vectors;
} PhiProblem;

typedef struct PhiReport {
    double size;      /* norm of u at the last time */
    double error;     /* estimated */
    uint32_t vectors; /* of all spaces: products with K */
    uint32_t solves;  /* with the shifted matrix */
    uint32_t parts;   /* into which the time was divided */
} PhiReport;

typedef struct PhiCombiner PhiCombiner; /* workspace */

JnStatus phi_combiner_create(PhiCombiner **combiner, JnMessage *message);
void phi_combiner_destroy(PhiCombiner *combiner); /* may be NULL */

/* x[i], y[i]: [n], u at times[i]. JN_ERR_DIVERGED: too many parts would be needed, and shorter times may help. */
JnStatus phi_combine(PhiCombiner *combiner, const PhiProblem *problem, double *const *x, double *const *y,
                     PhiReport *report, JnMessage *message);

#endif
