#include "elastic/fibre.h"

#include <math.h>

/* How far beyond the narrowest width sections are taken: some stiffness is left to the edges. */
static const double WIDTH_RESERVE = 1.25;
/* Stiffness within a section beside that between sections: enough for them to move as rigid plates within a percent. */
static const double SECTION_STIFFNESS = 100;

double fibre_section_width(const FibreMaterial *material, double longest_segment, double largest_diameter) {
    return fmax(largest_diameter,
                WIDTH_RESERVE * longest_segment * sqrt(material->torsion_modulus / material->young_modulus));
}

double fibre_add_segment(const FibreMaterial *material, double diameter, double length, double width,
                         const double *positions, uint32_t first, uint32_t second, Spring *springs) {
    double l = length, s2 = width * width, area = acos(-1.0) * diameter * diameter / 4;
    double EA = material->young_modulus * area, EI = EA * diameter * diameter / 16;
    double GJ = material->torsion_modulus * area * diameter * diameter / 8;
    double f = GJ * l / (2 * s2 * s2), edge = EI / (s2 * l) - f, g = EA / (4 * l) - EI / (s2 * l) - f;
    /* not negative but for rounding: the width sees to it */
    edge = fmax(edge, 0);
    double side = f * (l * l + s2) / (l * l), through = fmax(g, 0) * (l * l + 2 * s2) / (l * l);
    for (uint32_t c = 0; c < 4; ++c) {
        *springs++ = spring_between(positions, first + c, second + c, edge);
        *springs++ = spring_between(positions, first + c, second + (c + 1) % 4, side);
        *springs++ = spring_between(positions, first + c, second + (c + 2) % 4, through);
        *springs++ = spring_between(positions, first + c, second + (c + 3) % 4, side);
    }
    return fmax(edge, fmax(side, through));
}

void fibre_add_section(double largest, const double *positions, uint32_t first, Spring *springs) {
    for (uint32_t c = 0; c < 4; ++c)
        *springs++ = spring_between(positions, first + c, first + (c + 1) % 4, SECTION_STIFFNESS * largest);
    for (uint32_t c = 0; c < 2; ++c)
        *springs++ = spring_between(positions, first + c, first + c + 2, SECTION_STIFFNESS * largest);
}
