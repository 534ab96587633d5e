/* Co-rotational linear elasticity (Mueller and Gross 2004, "Interactive Virtual Materials"; in this exact form Sifakis
   and Barbic 2012, "FEM Simulation of 3D Deformable Solids", section 3.4):

       W(F) = mu |F - R|^2 + lambda/2 tr(R'F - I)^2 = mu sum (s_i - 1)^2 + lambda/2 (s_0 + s_1 + s_2 - 3)^2,

   with R the rotation nearest to F and s its stretches: Hooke's law in a frame that rotates with the element. Stress
   and stiffness are the exact derivatives, including that of R. R is a rotation for inverted F, too (the smallest
   stretch turns negative), so inverted elements are pulled back. R jumps where two stretches add up to 0; there the
   energy is continuous and the stress is not. */
#include "elastic/material.h"

#include "base/polar3.h"
#include "elastic/rotation.h"

MATERIAL_LAW(corotational);

enum { LAMBDA, MU };

void corotational_coefficients(double young_modulus, double poisson_ratio, double c[MATERIAL_COEFFICIENTS]) {
    material_lame(young_modulus, poisson_ratio, &c[LAMBDA], &c[MU]);
}

double corotational_energy(const double c[MATERIAL_COEFFICIENTS], const double F[9]) {
    double R[9];
    polar3(F, R);
    double growth = rotation_trace(F, R) - 3;
    return c[MU] * rotation_distance(F, R) + 0.5 * c[LAMBDA] * growth * growth;
}

void corotational_stress(const double c[MATERIAL_COEFFICIENTS], const double F[9], double P[9]) {
    double R[9];
    polar3(F, R);
    double pressure = c[LAMBDA] * (rotation_trace(F, R) - 3);
    for (int a = 0; a < 9; ++a)
        P[a] = 2 * c[MU] * (F[a] - R[a]) + pressure * R[a];
}

void corotational_stiffness(const double c[MATERIAL_COEFFICIENTS], const double F[9], double dPdF[81]) {
    double R[9];
    polar3(F, R);
    for (int a = 0; a < 9; ++a)
        for (int b = 0; b < 9; ++b)
            dPdF[9 * a + b] = c[LAMBDA] * R[a] * R[b] + (a == b ? 2 * c[MU] : 0);
    rotation_add_derivative(c[LAMBDA] * (rotation_trace(F, R) - 3) - 2 * c[MU], F, R, dPdF);
}

void corotational_principal(const double c[MATERIAL_COEFFICIENTS], const double s[3], PrincipalStiffness *out) {
    principal_set_norm(2 * c[MU], out);
    principal_add_trace(c[LAMBDA] * (s[0] + s[1] + s[2] - 3) - 2 * c[MU], s, out);
    for (int a = 0; a < 9; ++a)
        out->scaling[a] += c[LAMBDA];
}
