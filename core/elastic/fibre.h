/* Fibres as chains of cuboids of springs (Michels, Mueller and Sobottka 2015; Michels, Luan, Tokman 2017, section 4.4).

   A fibre of n segments has n + 1 square sections of four particles, at the corners (+-s/2, +-s/2) across its
   centreline. Between two sections, l apart, run 4 edges of stiffness k_e, 8 diagonals of the sides of k_f and length
   d, d^2 = l^2 + s^2, and 4 diagonals through the cuboid of k_c and length c, c^2 = l^2 + 2 s^2. Within a section, four
   sides and two diagonals of k_s keep it square.

   Let the sections move as plates. A strain e along the fibre stretches the edges by l e, the side diagonals by l^2 e /
   d, those through the cuboid by l^2 e / c. A curvature about an axis across it stretches the edges, and the side
   diagonals on the faces parallel to that axis, by s/2 times the elongation of an equal strain, and leaves the others
   unchanged. A twist by the angle p stretches half of the side diagonals by s^2 p / (2 d) and shortens the others as
   much; edges and the diagonals through the cuboid keep their length. Comparing the energies with those of a straight
   bar, E I l (curvature)^2 / 2 and G J p^2 / (2 l), with f = k_f l^2 / d^2 and g = k_c l^2 / c^2:

       s^2 l (k_e + f) = E I,      2 s^4 f / l = G J,      so  f = G J l / (2 s^4),  k_e = E I / (s^2 l) - f.

   The sections deform under the pull of the diagonals when the fibre is stretched. With k_s = r (s/l)^2 (f + 2 g) and
   the lateral strain that minimizes the energy, the energy is E A l e^2 / 2 if

       k_e + 2 f + g - 2 (f + g)^2 / ((1 + r) (f + 2 g)) = E A / (4 l),

   a quadratic equation for g. (A clamped section does not deform: the stretch is too small by 1 / (2 (1 + r) n) of it.)
   Rigid sections would be exact without this correction, but suit semi-implicit methods badly: a linearized rotation by
   a finite angle stretches a stiff square, which resists the rotation.

   For a round fibre of diameter a, A = pi a^2 / 4, I = A a^2 / 16 and J = 2 I: k_e >= 0 if s^2 >= (G/E) l^2, and g >= 0
   if also s >= a. Long thin segments cannot satisfy both with s = a, so s is chosen large enough: the width of the
   cuboids belongs to the discretization, and is neither rendered nor used in contact. It does raise the rotational
   inertia about the fibre's axis. The fibre's shear stiffness, about E A s^2 / l^2, is large enough for slender fibres
   to bend as Euler-Bernoulli beams; replacing arcs by chords reduces the deflection by 1 / (4 n^2) of it. */
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
   round the fibre; positions [.. * 3] m at rest. Adds FIBRE_SEGMENT_SPRINGS at springs. Returns the k_s that its
   sections need, N/m. */
double fibre_add_segment(const FibreMaterial *material, double diameter, double length, double width,
                         const double *positions, uint32_t first, uint32_t second, Spring *springs);

/* The springs within a section; stiffness: the mean of the k_s of the two segments that meet in it, at an end of the
   fibre with 0 for the missing one. Adds FIBRE_SECTION_SPRINGS at springs. */
void fibre_add_section(double stiffness, const double *positions, uint32_t first, Spring *springs);

#endif
