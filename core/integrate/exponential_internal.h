/* The parts of an exponential flow: exponential_flow.c has its forces and its motion, exponential_matrices.c J. */
#ifndef JN_INTEGRATE_EXPONENTIAL_INTERNAL_H
#define JN_INTEGRATE_EXPONENTIAL_INTERNAL_H

#include "integrate/exponential_flow.h"

enum { PIN_TIMES = 5 }; /* at which the velocities of pins are known, for their accelerations */

struct ExponentialFlow {
    View *view;
    KrylovKind kind;
    size_t count;                           /* vertex_count * 3 */
    Jacobian *stiffness, *damping, *beside; /* K with what damping adds; D; D at another place */
    double *q, *v;                          /* of the start */
    double *acceleration, *jerk;            /* M^-1 F, M^-1 dF/dt as everything drifts */
    double *drift;                          /* m/s: of free vertices, 0 at others */
    uint32_t *pieces, piece_count;          /* [vertex_count] the connected piece of each vertex */
    double (*piece_velocities)[4];          /* [piece_count] m/s, of the pins in the mean, and their mass */
    double *x, *y, *force, *product;        /* scratch */
    double *scaled[FORCING_TERMS];          /* scratch */
    double *pin_velocity[PIN_TIMES];        /* over the step; consistent mass only */
    double *memory;                         /* of these */
    double time, h;
    double extent;       /* m, the longest side of the box around all vertices */
    double scale;        /* in the norm of PhiReport: everything moved by its own size */
    bool damped, driven; /* D is not 0; dF/dt is not 0 */
    MotionMatrices matrices;
    double rational_cost, polynomial_cost, polynomial_vectors;
    PhiCombiner *combiner;
};

/* J, of the pose q; its damping changes along the velocities, if it is the start's. */
JnStatus exponential_flow_assemble(ExponentialFlow *flow, const double *q, bool at_start, JnMessage *message);

#endif
