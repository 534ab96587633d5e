/* Newton's method for the nonlinear equations of implicit steps and of equilibrium. In the positions x of the free
   vertices it solves

       a M (x - y) = f(x, w) + g,   w = s (x - z),

   with f the sum of all force terms. Every implicit method is this with particular coefficients, h the step:

       backward Euler       a = 1/h^2      y = q0 + h v0                 s = 1/h     z = q0
       BDF2                 a = 9/(4 h^2)  y from the two steps before   s = 3/(2h)  z = (4 q0 - q-1)/3
       DIRK stage           a = 1/(γh)^2   y from the stages before      s = 1/(γh)  z: v = s (x - z)
       trapezoidal, Newmark a = 4/h^2      y = q0 + h v0, g = f(q0, v0)  s = 2/h     z = q0 + h v0 / 2
       implicit midpoint    a = 4/h^2      y = q0 + h v0 / 2             s = 2/h     z = q0, x the middle
       equilibrium          a = 0                                        s = 0

   Where the forces at rest have a potential E (all current terms do, with what they lag held fixed), x is
   found as the minimum of the incremental potential

       a/2 |x - y|^2_M + E(x) - g.x + the work against velocity-dependent forces.

   Stiffness damping, K(x) w, has no potential. Its work along a line is integrated by the trapezoidal rule, which is
   exact for drag, friction and air. Lagging its matrix at the step's start would make it exact too, but would reduce
   methods of second order to first order, and their solution at a given h would differ from that of the explicit
   methods.

   In hybrid methods the equations hold in the complement of the kept modes, and these have targets (modal_split.h). */
#ifndef JN_INTEGRATE_NEWTON_H
#define JN_INTEGRATE_NEWTON_H

#include "integrate/modal_split.h"

typedef struct NewtonProblem {     /* arrays [vertex_count * 3], borrowed */
    double mass;                   /* a, 1/s2 */
    const double *inertia_target;  /* y, m; not read if mass is 0 */
    double velocity_scale;         /* s, 1/s; 0: all forces at rest */
    const double *velocity_origin; /* z, m; not read if velocity_scale is 0 */
    const double *extra_force;     /* g, N, or NULL */
    const double *before;          /* m, positions at the start of the step, an alternative initial guess; or NULL */
    ModalSplit *split;             /* not NULL: the modes of x have targets, the equations hold in their complement */
} NewtonProblem;

typedef struct NewtonLimits {
    double residual;     /* relative to the sum of the magnitudes of the forces */
    double step;         /* largest correction of a vertex, relative to the mean edge length */
    uint32_t iterations; /* steps tried at most */
    uint32_t patience;   /* steps before one must be short; else the solve fails */
} NewtonLimits;

extern const NewtonLimits newton_usual_limits;
/* Limits for a time step: where it may be cut, two halves cost less than a slow solve. */
const NewtonLimits *newton_step_limits(const View *view);

typedef struct NewtonReport {
    bool converged;
    uint32_t iterations, factorizations;
    uint32_t cuts;         /* how often the line search shortened a step */
    double residual;       /* |residual| over the sum of the magnitudes of the forces */
    double step;           /* m: the largest component of the last correction, before the line search */
    uint32_t worst_vertex; /* where the residual is largest relative to the stiffness */
} NewtonReport;

typedef struct Newton Newton; /* workspace of a solve */

JnStatus newton_create(const View *view, Newton **newton, JnMessage *message);

/* Solves from the start x, [vertex_count * 3] m, in which pinned vertices are at their final positions; or from
   problem->before, if the forces at x would reverse the motion of the step and the merit is lower there: free flight
   may invert elements, from which Newton's method would reach another minimum. What terms lag must have been fixed by
   view_begin_step. What the solution would cross on its way is held too, and it is solved again. JN_ERR_DIVERGED: not
   converged, with a message that names the place; x is the best iterate, and a shorter step or a better initial guess
   may help. *report is always filled in. If x has no NaN on entry, it has none on return. */
JnStatus newton_solve(Newton *newton, View *view, const NewtonProblem *problem, const NewtonLimits *limits, double *x,
                      NewtonReport *report, JnMessage *message);

/* The next solve begins with the matrix of the last one, if it made one; that must have had the same mass and
   velocity_scale, and a solution near that of the next; nothing may touch in either. */
void newton_keep_matrix(Newton *newton);

void newton_destroy(Newton *newton); /* may be NULL */

#endif
