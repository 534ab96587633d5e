/* An implicit stage: positions x, velocities v and accelerations a at one time, tied by

       x = position + lambda a,   v = velocity + kappa a,   inertia M a = f(x, v) + extra.

   This is the common form of backward Euler, BDF2, the stages of diagonally implicit Runge-Kutta methods, the
   trapezoidal rule, the midpoint rule, Newmark and generalized alpha. Pinned vertices are at their targets and move
   with them.

   Two ways to solve it: fully, by Newton's method (integrate/newton.h); or by one Newton step from a known point, as
   the semi-implicit methods do. */
#ifndef JN_INTEGRATE_STAGE_H
#define JN_INTEGRATE_STAGE_H

#include "integrate/modal_split.h"

/* How the step ends if it goes on as to a stage within it, with constant acceleration: x the stage's positions,

       q_1 = position[0] x + position[1] q_0 + position[2] v_0,   v_1 = velocity[0] x + velocity[1] q_0 + velocity[2]
   v_0.
*/
typedef struct StageEnd {
    double position[3], velocity[3];
    const double *q_0, *v_0; /* at the step's start, [vertex_count * 3] */
} StageEnd;

/* The kept modes in a stage of a hybrid method: they move in closed form from a start before it. */
typedef struct StageModes {
    ModalSplit *split;
    bool begins;               /* they are those of the stiffness at q_0, and start here; else in an earlier stage */
    const double *q_0, *v_0;   /* at their start, [vertex_count * 3]; in a stage solved once that begins, q_0 is the
                                  known position */
    const double *start_force; /* all but contact, then; NULL: that at the stage's time serves for all of it */
    double time;               /* s, from there to the stage */
    double step;               /* s: the step's length */
    bool touching;             /* as in KeptUpdate */
} StageModes;

typedef struct Stage {       /* borrowed arrays, [vertex_count * 3] */
    double lambda;           /* s2 */
    double kappa;            /* s */
    double inertia;          /* 1, except in generalized alpha */
    double *position;        /* m; the solve sets it at pinned vertices, so that they move with their targets */
    double *velocity;        /* m/s */
    const double *extra;     /* N, or NULL */
    double strength;         /* of contact, so that its impulse is that of a constant force over the whole step */
    const StageEnd *end;     /* where contact acts; NULL: the stage is the step's end */
    double calmed_over;      /* s: the step's length, if view_calm is called at its end; else 0 */
    const StageModes *modes; /* NULL: none are kept */
} Stage;

/* The stage of the rule x = a + c v, v = b + c M^-1 (f + extra). On entry stage->position holds a and stage->velocity
   b; they are overwritten by the stage's. */
void stage_use_rule(Stage *stage, double c, size_t count);

typedef struct StageSolver StageSolver;

JnStatus stage_solver_create(const View *view, StageSolver **solver, JnMessage *message);
void stage_solver_destroy(StageSolver *solver); /* may be NULL */

/* The times of a stage, s. */
typedef struct StageTimes {
    double before; /* of the last stage, or the step's start */
    double time;   /* its own */
    double end;    /* of the step */
    bool within;   /* there was a stage before */
} StageTimes;

/* Sets the system to the stage's time: inputs at the stage's time, colliders at the step's end, lagged terms from the
   state q, v at the time before. */
JnStatus stage_begin(View *view, const StageTimes *times, const double *q, const double *v, JnMessage *message);

/* force = f(q, v) at the state's own time, without contact: that belongs to the step's end. */
JnStatus stage_start_force(View *view, const State *state, double *force, JnMessage *message);

/* The acceleration that contact gives at the solution x of a stage, M^-1 times its force times the strength,
   [vertex_count * 3]; 0 if nothing touches. */
JnStatus stage_contact_acceleration(View *view, const double *x, double *acceleration, JnMessage *message);

/* One Newton step from `known`, a position near the solution, of all forces but contact, which is solved for fully.
   keep_factor: reuses the matrix of the last call, whose point and kappa^2 / lambda must be close to these. x, v:
   [vertex_count * 3], the solution; must not alias the other arrays. */
JnStatus stage_solve_once(StageSolver *solver, View *view, Stage *stage, const double *known, bool keep_factor,
                          double *x, double *v, JnMessage *message);

/* Newton's method to convergence. before: positions at the end of the previous step or stage; must not alias the other
   arrays. Adds to report->newton_iterations and sets report->residual. */
JnStatus stage_solve(StageSolver *solver, View *view, Stage *stage, const double *before, double *x, double *v,
                     StepReport *report, JnMessage *message);

#endif
