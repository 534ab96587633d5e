#include "elastic/fibre.h"

#include <math.h>

/* Sections are this much wider than the narrowest width allowed, so that the edges keep some stiffness. */
static const double WIDTH_RESERVE = 1.25;
/* r of the header: the stiffness of sections relative to that of the diagonals that deform them. */
static const double SECTION_STIFFNESS = 5;

double fibre_section_width(const FibreMaterial *material, double longest_segment, double largest_diameter) {
    return fmax(largest_diameter,
                WIDTH_RESERVE * longest_segment * sqrt(material->torsion_modulus / material->young_modulus));
}

/* g of the header: the positive root, for T = E A / (4 l). */
static double solve_through(double edge, double f, double T) {
    double r = SECTION_STIFFNESS, K = edge + 2 * f;
    double a = 2 * r, b = (1 + r) * (2 * K + f - 2 * T) - 4 * f, c = (1 + r) * (K - T) * f - 2 * f * f;
    return (sqrt(fmax(b * b - 4 * a * c, 0)) - b) / (2 * a);
}

double fibre_add_segment(const FibreMaterial *material, double diameter, double length, double width,
                         const double *positions, uint32_t first, uint32_t second, Spring *springs) {
    double l2 = length * length, s2 = width * width, area = acos(-1.0) * diameter * diameter / 4;
    double EA = material->young_modulus * area, EI = EA * diameter * diameter / 16;
    double GJ = material->torsion_modulus * area * diameter * diameter / 8;
    double f = GJ * length / (2 * s2 * s2), edge = fmax(EI / (s2 * length) - f, 0);
    double g = fmax(solve_through(edge, f, EA / (4 * length)), 0);
    double side = f * (l2 + s2) / l2, through = g * (l2 + 2 * s2) / l2;
    for (uint32_t c = 0; c < 4; ++c) {
        *springs++ = spring_between(positions, first + c, second + c, edge);
        *springs++ = spring_between(positions, first + c, second + (c + 1) % 4, side);
        *springs++ = spring_between(positions, first + c, second + (c + 2) % 4, through);
        *springs++ = spring_between(positions, first + c, second + (c + 3) % 4, side);
    }
    return SECTION_STIFFNESS * s2 / l2 * (f + 2 * g);
}

void fibre_add_section(double stiffness, const double *positions, uint32_t first, Spring *springs) {
    for (uint32_t c = 0; c < 4; ++c)
        *springs++ = spring_between(positions, first + c, first + (c + 1) % 4, stiffness);
    for (uint32_t c = 0; c < 2; ++c)
        *springs++ = spring_between(positions, first + c, first + c + 2, stiffness);
}
