/* The motion linearized where a step starts, for exponential integrators: with u = (q, v) of the free vertices,

       u' = F(u, t),   J = dF/du,   R(u, t) = F(u, t) - F(u_0, t_0) - J (u - u_0) - (t - t_0) dF/dt.

   J is the exact derivative: the stiffness as it is, negative eigenvalues included, and where damping depends on the
   positions, as stiffness damping does, its derivative too. dF/dt is what pins, keys and given forces do as they move
   on, by differences. What terms lag (the drag of the air) is held for the step, as in other methods.

   Positions are relative to a uniform drift: u_0 moves on as fast as the pins of each connected piece do in the mean,
   and dF/dt is along with it. If J is exact, that changes nothing. Stiffness damping takes the positive part of the
   stiffness, which is no derivative of any force, so that J along a long way of everything would not be exact. */
#ifndef JN_INTEGRATE_EXPONENTIAL_FLOW_H
#define JN_INTEGRATE_EXPONENTIAL_FLOW_H

#include "exponential/phi_combination.h"
#include "integrate/integrator.h"

typedef struct ExponentialFlow ExponentialFlow;

/* Of which kind the Krylov spaces are: of powers of J, or of the inverse of M + s D + s^2 K, which is factored for it.
 */
typedef enum KrylovKind { KRYLOV_BY_COUNTS, KRYLOV_POLYNOMIAL, KRYLOV_RATIONAL } KrylovKind;

JnStatus exponential_flow_create(View *view, KrylovKind kind, ExponentialFlow **flow, JnMessage *message);
void exponential_flow_destroy(ExponentialFlow *flow); /* may be NULL */

/* Linearizes at *state, for a step of h, which has begun (view_begin_step). */
JnStatus exponential_flow_linearize(ExponentialFlow *flow, const State *state, double h, JnMessage *message);
/* The same with the matrices of another pose, in which everything is at rest. */
JnStatus exponential_flow_linearize_as_in(ExponentialFlow *flow, const State *state, double h, const double *pose,
                                          JnMessage *message);

/* In the norm of PhiReport: as if everything moved by its own size. */
double exponential_flow_scale(const ExponentialFlow *flow);

/* x[i], y[i]: the solution of u' = F + J (u - u_0) + (t - t_0) dF/dt less u_0, where that has drifted to, at the parts
   of the step. All (x, y) below are such. */
JnStatus exponential_flow_advance(ExponentialFlow *flow, const double *parts, size_t count, double tolerance,
                                  double *const *x, double *const *y, PhiReport *report, JnMessage *message);

/* remainder = the accelerations of R at u_0 + (x, y), the given part of the step after its start. (Positions have
   none.) */
JnStatus exponential_flow_remainder(ExponentialFlow *flow, double part, const double *x, const double *y,
                                    double *remainder, JnMessage *message);

/* (x, y) = h times the sum of phi_k(hJ) (0, r_k); r: [FORCING_TERMS] for k = 1 and on, [vertex_count * 3], NULL: 0.
   least: as in PhiProblem. */
JnStatus exponential_flow_respond(ExponentialFlow *flow, const double *const *r, double tolerance, double least,
                                  double *x, double *y, PhiReport *report, JnMessage *message);

/* change = the accelerations of F at u_0 + (x, y), the given part of the step after its start, less those of
   F + J (x, y). */
JnStatus exponential_flow_change(ExponentialFlow *flow, double part, const double *x, const double *y, double *change,
                                 JnMessage *message);

/* (x, y): the solution of u' = F + (0, extra) + J (u - u_0) less u_0, at the step's end. */
JnStatus exponential_flow_move(ExponentialFlow *flow, const double *extra, double tolerance, double *x, double *y,
                               JnMessage *message);

/* once, twice: sin(z)/z at z = h W and at 2 h W of d, W the root of M^-1 K. */
JnStatus exponential_flow_sines(ExponentialFlow *flow, const double *d, double tolerance, double *once, double *twice,
                                JnMessage *message);

/* Moves a pose, [vertex_count * 3] m, as far as the pieces drift in the step, their pins too. */
void exponential_flow_carry(const ExponentialFlow *flow, double *pose);

/* Ends the step of h at u_0 + (x, y), with pins where they are then. */
void exponential_flow_end(ExponentialFlow *flow, const double *x, const double *y, State *state);

#endif
