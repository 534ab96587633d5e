/* Around the listing of a Newton step with a barrier in docs/engineers.md. */
#include "integrate/integrator.h"
#include "settings/checks.h"
#include "system/jacobian.h"

bool falls_enough(double t);
JnStatus barrier_step(View *view, State *state, double h, JacobianScales scales, StiffnessTreatment treatment,
                      const double *x, const double *x_and_direction, const double *residual, double *direction,
                      JnMessage *message);

JnStatus barrier_step(View *view, State *state, double h, JacobianScales scales, StiffnessTreatment treatment,
                      const double *x, const double *x_and_direction, const double *residual, double *direction,
                      JnMessage *message) {
    bool converged = false;
    double t = 1, shrink = 0.5;
#include "listing.h"
    return JN_OK;
}
