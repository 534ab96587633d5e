/* Around the listing of a step of ERE in docs/engineers.md: what it takes as given, and what is to be written. */
#include "integrate/integrator.h"
#include "settings/checks.h"
#include "system/jacobian.h"

typedef struct Ere {
    Jacobian *stiffness, *damping;
    double *force, *du;
    const double *const *right_hand_sides;
} Ere;

JnStatus apply_jacobian(void *self, const double *u, double *Ju, JnMessage *message);
JnStatus phi_combination(const Operator *J, Jacobian *shifted, double h, const double *const *right_hand_sides,
                         double tolerance, double *du, JnMessage *message);
JnStatus ere_step(Ere *ere, View *view, State *state, const MethodOptions *options, size_t n, double g, double h,
                  JnMessage *message);

JnStatus ere_step(Ere *ere, View *view, State *state, const MethodOptions *options, size_t n, double g, double h,
                  JnMessage *message) {
#include "listing.h"
    return JN_OK;
}
