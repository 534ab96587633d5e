/* Around the listing of a step with a fast region in docs/engineers.md. */
#include "integrate/integrator.h"
#include "settings/checks.h"
#include "system/jacobian.h"

typedef struct Region {
    System *system;
    const uint8_t *fast_roles, *slow_roles, *in_fast;
    View *fast, *slow, *straddling;
    StepStart start, small_start;
    JacobianScales scales, small_scales;
    double *q, *v, *force, *right_hand_side, *border_velocity, *guess;
} Region;

void border_motion(void *owner, const Moment *moment, double *q, double *v);
JnStatus region_step(Region *region, double t, double h, uint32_t m, JnMessage *message);

JnStatus region_step(Region *region, double t, double h, uint32_t m, JnMessage *message) {
    System *system = region->system;
    const uint8_t *fast_roles = region->fast_roles, *slow_roles = region->slow_roles, *in_fast = region->in_fast;
    View *fast = region->fast, *slow = region->slow, *straddling = region->straddling;
    const StepStart start = region->start, small_start = region->small_start;
    const JacobianScales scales = region->scales, small_scales = region->small_scales;
    double *q = region->q, *v = region->v, *force = region->force, *right_hand_side = region->right_hand_side;
    double *border_velocity = region->border_velocity, *guess = region->guess;
#include "listing.h"
    TRY(view_create(&large, &slow, message));
    return view_create(&border, &straddling, message);
}
