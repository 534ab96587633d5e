/* As rigid as possible (Sorkine and Alexa 2007, "As-Rigid-As-Possible Surface Modeling"; as an energy of solids Chao,
   Pinkall, Sanan, Schroeder 2010, "A Simple Geometric Model for Elastic Deformations"):

       W(F) = E/2 |F - R|^2 = E/2 sum (s_i - 1)^2,   R the rotation nearest to F.

   There is no volumetric term, and so no Poisson's ratio: the law behaves as Hooke's with Young's modulus E and
   Poisson's ratio 0, whatever ratio is given. As in the co-rotational law, inverted elements are pulled back, and the
   stress jumps where two stretches add up to 0. */
#include "elastic/material.h"

#include "base/polar3.h"
#include "elastic/rotation.h"

MATERIAL_LAW(arap);

enum { YOUNG };

void arap_coefficients(double young_modulus, double poisson_ratio, double c[MATERIAL_COEFFICIENTS]) {
    (void)poisson_ratio;
    c[YOUNG] = young_modulus;
}

double arap_energy(const double c[MATERIAL_COEFFICIENTS], const double F[9]) {
    double R[9];
    polar3(F, R);
    return 0.5 * c[YOUNG] * rotation_distance(F, R);
}

void arap_stress(const double c[MATERIAL_COEFFICIENTS], const double F[9], double P[9]) {
    double R[9];
    polar3(F, R);
    for (int a = 0; a < 9; ++a)
        P[a] = c[YOUNG] * (F[a] - R[a]);
}

void arap_stiffness(const double c[MATERIAL_COEFFICIENTS], const double F[9], double dPdF[81]) {
    double R[9];
    polar3(F, R);
    for (int a = 0; a < 81; ++a)
        dPdF[a] = a % 10 == 0 ? c[YOUNG] : 0;
    rotation_add_derivative(-c[YOUNG], F, R, dPdF);
}

void arap_principal(const double c[MATERIAL_COEFFICIENTS], const double s[3], PrincipalStiffness *out) {
    principal_set_norm(c[YOUNG], out);
    principal_add_trace(-c[YOUNG], s, out);
}
