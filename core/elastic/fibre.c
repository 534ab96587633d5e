#include "elastic/fibre.h"

#include <math.h>

/* Sections are this wide relative to a segment: wider ones would slow bending and twisting by their inertia. */
static const double WIDTH = 1.0 / 3;
/* Stiffness of the sections, relative to the largest of their bonds. */
static const double SECTION_STIFFNESS = 1;

double fibre_section_width(double longest_segment, double largest_diameter) {
    return fmax(WIDTH * longest_segment, 0.5 * largest_diameter);
}

RodStiffness fibre_stiffness(const FibreMaterial *material, double diameter, double length) {
    double area = acos(-1.0) * diameter * diameter / 4, I = area * diameter * diameter / 16;
    double E = material->young_modulus, G = material->torsion_modulus;
    double bending = E * I / length, twist = 2 * G * I / length;
    double shear = 1 / (1 / (0.9 * G * area * length) + 1 / (12 * bending));
    double section = SECTION_STIFFNESS * fmax(12 * bending, 6 * twist);
    double from_shear = shear * section / (shear + section) / (length * length);
    return (RodStiffness){.stretch = fmax(E * area / length - from_shear, 0),
                          .linear = 1,
                          .shear = shear,
                          .bending = bending,
                          .twist = twist,
                          .section = section};
}
