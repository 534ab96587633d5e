/* Fibres as elastic rods: the stiffness of their segments (rod_segment.h), from that of a round wire.

   A fibre of n segments has n + 1 sections. For diameter d, A = pi d^2 / 4, I = A d^2 / 16 and J = 2 I, a segment of
   length l has

       stretch  E A / l,        bending  E I / l,        twist  G J / l,
       shear    1 / (1 / (0.9 G A l) + l / (12 E I)),

   where 0.9 is the shear coefficient of a round section, and the second part what a straight segment lacks: a beam
   bends between its ends, too, by l^3 / (12 E I) for a unit force (the residual bending flexibility of MacNeal 1978).
   With it the ends of all segments of a straight fibre under end loads are exactly where beam theory has them. For thin
   fibres only this part matters, and stiffness against shear is not greater than that against bending needs.

   A stretch e strains the shear bond, too, and through it the sections: with `section` Q and `shear` K that stiffness
   is K Q / (K + Q) / l^2, which is subtracted from E A / l.

   The width of the sections and Q belong to the discretization; sections are neither rendered nor used in contact. They
   have inertia against turning. Q must keep the frames near orthonormal; the stiffer it is, the more a semi-implicit
   step resists rotation, because a linearized rotation stretches a section. */
#ifndef JN_ELASTIC_FIBRE_H
#define JN_ELASTIC_FIBRE_H

#include "elastic/rod_segment.h"

typedef struct FibreMaterial {
    double young_modulus;   /* E, Pa */
    double torsion_modulus; /* G, Pa */
} FibreMaterial;

/* The width of the sections of a fibre whose longest segment and largest diameter are these, m. */
double fibre_section_width(double longest_segment, double largest_diameter);

/* With a linear law of the stretch. */
RodStiffness fibre_stiffness(const FibreMaterial *material, double diameter, double length);

#endif
