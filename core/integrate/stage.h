/* An implicit stage: positions x, velocities v and accelerations a at one time, tied by

       x = position + lambda a,   v = velocity + kappa a,   inertia M a = f(x, v) + extra.

   This is the common form of backward Euler, BDF2, the stages of diagonally implicit Runge-Kutta methods, the
   trapezoidal rule, the midpoint rule, Newmark and generalized alpha. Pinned vertices are at their targets and move
   with them.

   Two ways to solve it: fully, by Newton's method (integrate/newton.h); or by one Newton step from a known point, as
   the semi-implicit methods do. */
#ifndef JN_INTEGRATE_STAGE_H
#define JN_INTEGRATE_STAGE_H

#include "integrate/integrator.h"

typedef struct Stage {   /* borrowed arrays, [vertex_count * 3] */
    double lambda;       /* s2 */
    double kappa;        /* s */
    double inertia;      /* 1, except in generalized alpha */
    double *position;    /* m; the solve sets it at pinned vertices, so that they move with their targets */
    double *velocity;    /* m/s */
    const double *extra; /* N, or NULL */
} Stage;

/* The stage of the rule x = a + c v, v = b + c M^-1 (f + extra). On entry stage->position holds a and stage->velocity
   b; they are overwritten by the stage's. */
void stage_use_rule(Stage *stage, double c, size_t count);

typedef struct StageSolver StageSolver;

JnStatus stage_solver_create(const View *view, StageSolver **solver, JnMessage *message);
void stage_solver_destroy(StageSolver *solver); /* may be NULL */

/* Sets the system to the stage's time: inputs at `time`, lagged terms from the state q, v at time_before. */
JnStatus stage_begin(View *view, double time_before, double time, const double *q, const double *v, JnMessage *message);

/* force = f(q, v) at the state's own time, contacts included. */
JnStatus stage_start_force(View *view, const State *state, double *force, JnMessage *message);

/* One Newton step from `known`, a position near the solution. keep_factor: reuses the matrix of the last call, whose
   point and kappa^2 / lambda must be close to these. x, v: [vertex_count * 3], the solution; must not alias the other
   arrays. */
JnStatus stage_solve_once(StageSolver *solver, View *view, Stage *stage, const double *known, bool keep_factor,
                          double *x, double *v, JnMessage *message);

/* Newton's method to convergence. before: positions at the end of the previous step or stage; must not alias the other
   arrays. Adds to report->newton_iterations and sets report->residual. */
JnStatus stage_solve(StageSolver *solver, View *view, Stage *stage, const double *before, double *x, double *v,
                     StepReport *report, JnMessage *message);

#endif
