/* Around the listing of a step of semi-implicit Euler in docs/engineers.md: what it takes as given. */
#include "integrate/contact_rounds.h"
#include "integrate/integrator.h"
#include "settings/checks.h"

JnStatus si_listing(View *view, State *state, ContactRounds *rounds, double h, double *velocity, double *force,
                    const double *right_hand_side, JnMessage *message);

JnStatus si_listing(View *view, State *state, ContactRounds *rounds, double h, double *velocity, double *force,
                    const double *right_hand_side, JnMessage *message) {
    const JacobianScales scales = {1, h, h * h, CONTACTS_GIVEN};
#include "listing.h"
    return JN_OK;
}
