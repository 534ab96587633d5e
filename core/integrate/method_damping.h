/* How much a method damps of its own, found by running the method itself on one mass on one spring. */
#ifndef JN_INTEGRATE_METHOD_DAMPING_H
#define JN_INTEGRATE_METHOD_DAMPING_H

#include "integrate/integrator.h"

typedef struct MethodDamping {
    double spectral_radius; /* rho: what a step leaves of the slowest dying motion; above 1: it grows */
    double damping;     /* d / omega = -2 ln(rho) / (h omega), 1: as if q'' + d q' + omega^2 q = 0 were solved exactly.
                           The part of critical damping is half of it. */
    uint32_t dimension; /* how many numbers its next step depends on: 2 for a one-step method */
} MethodDamping;

/* The damping of q'' + omega^2 q = 0 in steps of h, both above 0. JN_ERR_DIVERGED where the method fails, or where its
   steps are no linear function of a few states before. */
JnStatus method_damping(const Integrator *method, const MethodOptions *options, double h, double omega,
                        MethodDamping *damping, JnMessage *message);

/* The spectral radius of a matrix [n * n] by rows, n at most 8. */
double spectral_radius(const double *matrix, uint32_t n);

#endif
