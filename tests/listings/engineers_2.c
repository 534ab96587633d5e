/* Around the listing of a step of ERE in docs/engineers.md: what it takes as given. */
#include "exponential/phi_combination.h"
#include "integrate/integrator.h"
#include "settings/checks.h"
#include "system/jacobian.h"

typedef struct Ere {
    Jacobian *stiffness;
    MotionMatrices matrices;
    PhiCombiner *combiner;
    double *acceleration, *dq, *dv;
} Ere;

JnStatus ere_step(Ere *ere, View *view, State *state, const MethodOptions *options, double h, JnMessage *message);

JnStatus ere_step(Ere *ere, View *view, State *state, const MethodOptions *options, double h, JnMessage *message) {
    PhiReport report;
#include "listing.h"
    return JN_OK;
}
