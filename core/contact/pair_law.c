/* The barrier is taken of the gap and not of its square: its stiffness then is in N/m like the penalty's, and a
   thickness only shifts the argument. The division by the distance that this costs is harmless, since the barrier keeps
   the distance above 0. */
#include "contact/pair_law.h"

#include <math.h>

#define NO_GAP 1e-20 /* of the reach: Hessians cannot overflow above it */

static bool barrier(const PairLaw *law, double gap, PairLawValue *value) {
    *value = (PairLawValue){INFINITY, -INFINITY, INFINITY};
    if (!(gap > NO_GAP * law->reach))
        return false;
    double k = law->stiffness, ratio = gap / law->reach, below = gap - law->reach;
    double logarithm = ratio > 0.5 ? log1p(below / law->reach) : log(ratio);
    value->energy = -k * below * below * logarithm;
    value->slope = -k * below * (2 * logarithm + below / gap);
    value->curvature = -k * (2 * logarithm + below / gap * (4 - below / gap));
    return true;
}

bool pair_law(const PairLaw *law, double gap, PairLawValue *value) {
    *value = (PairLawValue){0, 0, 0};
    if (gap >= law->reach)
        return true;
    if (law->kind == PAIR_BARRIER)
        return barrier(law, gap, value);
    double depth = law->reach - gap;
    *value = (PairLawValue){0.5 * law->stiffness * depth * depth, -law->stiffness * depth, law->stiffness};
    return true;
}
