/* Penalty contact: the pressure on a point that is closer to a surface than the contact thickness is the stiffness
   times what is missing. */
#include "contact/contact.h"

CONTACT_METHOD(penalty);

NormalForce penalty_normal(const ContactDesc *desc, double area, double distance) {
    double depth = desc->thickness - distance, stiffness = desc->stiffness * area;
    if (!(depth > 0))
        return (NormalForce){0, 0, 0};
    return (NormalForce){0.5 * stiffness * depth * depth, stiffness * depth, stiffness};
}

double penalty_stiffest(const ContactDesc *desc, double area) {
    return desc->stiffness * area;
}
