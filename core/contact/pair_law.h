/* What a contact's energy is as a function of its gap g: barrier or penalty. The gap is the distance less the
   thickness that is kept between the two sides. */
#ifndef JN_CONTACT_PAIR_LAW_H
#define JN_CONTACT_PAIR_LAW_H

#include <stdbool.h>

typedef enum PairLawKind {
    PAIR_BARRIER, /* -k (g - reach)^2 ln(g / reach): infinite at 0 */
    PAIR_PENALTY  /* k (reach - g)^2 / 2, for negative gaps too */
} PairLawKind;

/* Both are 0, with slope 0, from the reach on. The penalty's curvature jumps there, the barrier's does not. */
typedef struct PairLaw {
    PairLawKind kind;
    double stiffness; /* k, N/m */
    double reach;     /* m, positive: the gap below which the contact acts */
    double thickness; /* m, kept between the two sides: gap = distance - thickness */
} PairLaw;

/* Energy and derivatives by the gap, which are those by the distance. */
typedef struct PairLawValue {
    double energy;    /* J */
    double slope;     /* N; the normal force is its negative */
    double curvature; /* N/m */
} PairLawValue;

/* False if there is no value: at the barrier for gaps not above 1e-20 of the reach. Energy and curvature are then
   infinite, the slope -infinity. */
bool pair_law(const PairLaw *law, double gap, PairLawValue *value);

#endif
