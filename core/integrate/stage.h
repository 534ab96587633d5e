/* An implicit stage: positions x, velocities v and accelerations a at one time, tied by

       x = position + lambda a,   v = velocity + kappa a,   inertia M a = f(x, v) + extra,

   which is what backward Euler, BDF2, the stages of diagonally implicit Runge-Kutta methods, the trapezoidal rule, the
   midpoint rule, Newmark and generalized alpha have in common. Pinned vertices are at their targets and move with them.

   Two ways to solve it: fully, by Newton's method (integrate/newton.h); or by one Newton step from a known point, which
   makes the semi-implicit methods. */
#ifndef JN_INTEGRATE_STAGE_H
#define JN_INTEGRATE_STAGE_H

#include "integrate/integrator.h"

typedef struct Stage {   /* borrowed arrays, [vertex_count * 3] */
    double lambda;       /* s2 */
    double kappa;        /* s */
    double inertia;      /* 1, but for generalized alpha */
    double *position;    /* m; where pinned, the solve sets it so that they move with their targets */
    double *velocity;    /* m/s */
    const double *extra; /* N, or NULL */
} Stage;

/* The stage of the rule x = a + c v, v = b + c M^-1 (f + extra). On entry stage->position holds a and stage->velocity
   b; they become the stage's. */
void stage_use_rule(Stage *stage, double c, size_t count);

typedef struct StageSolver StageSolver;

JnStatus stage_solver_create(const View *view, StageSolver **solver, JnMessage *message);
void stage_solver_destroy(StageSolver *solver); /* may be NULL */

/* Brings the system to the stage's time: inputs at `time`, lagged terms from the state q, v at time_before. */
JnStatus stage_begin(View *view, double time_before, double time, const double *q, const double *v, JnMessage *message);

/* force = f(q, v) at the state's own time, contacts included. */
JnStatus stage_start_force(View *view, const State *state, double *force, JnMessage *message);

/* One Newton step from `known`, a position near the solution. keep_factor: with the matrix of the last call, which is
   then one of a point and a kappa^2 / lambda nearby. x, v: [vertex_count * 3], the solution; none of the others. */
JnStatus stage_solve_once(StageSolver *solver, View *view, Stage *stage, const double *known, bool keep_factor,
                          double *x, double *v, JnMessage *message);

/* Newton's method to convergence. before: where the step, or the stage before, left the positions; none of the others.
   Adds to report->newton_iterations and sets report->residual. */
JnStatus stage_solve(StageSolver *solver, View *view, Stage *stage, const double *before, double *x, double *v,
                     StepReport *report, JnMessage *message);

#endif
