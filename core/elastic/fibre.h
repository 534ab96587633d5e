/* Fibres as chains of cuboids of springs (Michels, Mueller and Sobottka 2015; paper 002, 4.4).

   A fibre of n segments has n + 1 square sections of four particles, at the corners (+-s/2, +-s/2) across its
   centreline. Between two sections, l apart, run 4 edges of stiffness k_e, 8 diagonals of the sides of k_f and length
   d, d^2 = l^2 + s^2, and 4 diagonals through the cuboid of k_c and length c, c^2 = l^2 + 2 s^2. Within a section, four
   sides and two diagonals keep it square.

   Let the sections move as rigid plates. A strain e along the fibre stretches the edges by l e, the side diagonals
   by l^2 e / d, those through the cuboid by l^2 e / c. A curvature about an axis across it stretches the edges, and the
   side diagonals parallel to that axis, by s/2 times as much per curvature as e would, and the others not at all. A
   twist by the angle p moves a corner by p s / sqrt(2) sideways and stretches the side diagonals by s^2 p / (2 d), in
   one turning sense, and shortens them in the other; edges and the diagonals through the cuboid keep their length.
   Comparing the energies with those of a straight bar, E A l e^2 / 2, E I l (curvature)^2 / 2 and G J p^2 / (2 l):

       4 l (k_e + 2 f + g) = E A,      s^2 l (k_e + f) = E I,      2 s^4 f / l = G J,
       with f = k_f l^2 / d^2 and g = k_c l^2 / c^2, hence

       f = G J l / (2 s^4),   k_e = E I / (s^2 l) - f,   g = E A / (4 l) - E I / (s^2 l) - f.

   For a round fibre of diameter a, A = pi a^2 / 4, I = A a^2 / 16 and J = 2 I: k_e is not negative if s^2 >= (G/E) l^2,
   and g is not if besides s >= a. Long thin segments cannot fulfil this with s = a, so s is chosen wide enough for
   both: the width of the cuboids is a matter of the method, and neither seen nor touched. It does make the fibre slower
   to start twisting, since its mass lies further out. Shear: G A becomes 4 s^2 (f + g) / l, about E A s^2 / l^2, so
   that slender fibres bend as Euler's beam; chords for arcs cost 1 / (4 n^2) of the deflection. */
#ifndef JN_ELASTIC_FIBRE_H
#define JN_ELASTIC_FIBRE_H

#include "elastic/springs.h"

enum { FIBRE_SECTION_SPRINGS = 6, FIBRE_SEGMENT_SPRINGS = 16 };

typedef struct FibreMaterial {
    double young_modulus;   /* E, Pa */
    double torsion_modulus; /* G, Pa */
} FibreMaterial;

/* The width s of the sections of a fibre whose longest segment and largest diameter are these, m. */
double fibre_section_width(const FibreMaterial *material, double longest_segment, double largest_diameter);

/* The springs between the sections whose particles are first .. first + 3 and second .. second + 3, in the same order
   round the fibre; positions [.. * 3] m at rest. Adds FIBRE_SEGMENT_SPRINGS at springs. Returns the largest stiffness.
 */
double fibre_add_segment(const FibreMaterial *material, double diameter, double length, double width,
                         const double *positions, uint32_t first, uint32_t second, Spring *springs);

/* The springs within a section, stiff beside `largest`, the largest stiffness of the segments that meet in it. Adds
   FIBRE_SECTION_SPRINGS at springs. */
void fibre_add_section(double largest, const double *positions, uint32_t first, Spring *springs);

#endif
