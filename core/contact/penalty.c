/* Penalty contact: the pressure on a point that is closer to a surface than the contact thickness is the stiffness
   times what is missing. */
#include "contact/contact.h"

static NormalForce normal(const ContactLaw *law, double distance) {
    double depth = law->thickness - distance;
    if (!(depth > 0))
        return (NormalForce){0, 0, 0};
    return (NormalForce){0.5 * law->stiffness * depth * depth, law->stiffness * depth, law->stiffness};
}

static double distance_of(const ContactLaw *law, double force, double *shrinks) {
    *shrinks = 1 / law->stiffness;
    return law->thickness - force / law->stiffness;
}

static double stiffest(const ContactLaw *law) {
    return law->stiffness;
}

const ContactCurve penalty_curve = {normal, distance_of, stiffest};
