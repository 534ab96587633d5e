/* The numerical damping of a method, found by running the method itself on one mass on one spring. */
#ifndef JN_INTEGRATE_METHOD_DAMPING_H
#define JN_INTEGRATE_METHOD_DAMPING_H

#include "integrate/integrator.h"

typedef struct MethodDamping {
    double spectral_radius; /* rho of the update matrix, the decay factor per step; above 1: unstable */
    double damping;     /* d / omega = -2 ln(rho) / (h omega), 1: as if q'' + d q' + omega^2 q = 0 were solved exactly.
                           The damping ratio is half of it. */
    uint32_t dimension; /* of the update matrix: 2 for a one-step method */
} MethodDamping;

/* The damping of q'' + omega^2 q = 0 in steps of h, both above 0. JN_ERR_DIVERGED if the method fails, or if its steps
   are not a linear function of a few previous states. */
JnStatus method_damping(const Integrator *method, const MethodOptions *options, double h, double omega,
                        MethodDamping *damping, JnMessage *message);

/* The spectral radius of a matrix [n * n] by rows, n at most 8. */
double spectral_radius(const double *matrix, uint32_t n);

#endif
