/* Fixed co-rotational elasticity (Stomakhin, Howes, Schroeder, Teran 2012, "Energetically Consistent Invertible
   Elasticity"):

       W(F) = mu |F - R|^2 + lambda/2 (J - 1)^2,   R the rotation nearest to F, J = det F.

   The co-rotational law with the trace replaced by the true change of volume, so that volume is preserved under large
   strain. As in the co-rotational law, inverted elements are pulled back, and the stress jumps where two stretches add
   up to 0. */
#include "elastic/material.h"

#include "base/polar3.h"
#include "elastic/invariants.h"
#include "elastic/rotation.h"

MATERIAL_LAW(fixed_corotational);

enum { LAMBDA, MU };

void fixed_corotational_coefficients(double young_modulus, double poisson_ratio, double c[MATERIAL_COEFFICIENTS]) {
    material_lame(young_modulus, poisson_ratio, &c[LAMBDA], &c[MU]);
}

double fixed_corotational_energy(const double c[MATERIAL_COEFFICIENTS], const double F[9]) {
    double R[9], growth = mat3_det(F) - 1;
    polar3(F, R);
    return c[MU] * rotation_distance(F, R) + 0.5 * c[LAMBDA] * growth * growth;
}

void fixed_corotational_stress(const double c[MATERIAL_COEFFICIENTS], const double F[9], double P[9]) {
    double R[9], cofactor[9];
    polar3(F, R);
    mat3_cofactor(F, cofactor);
    double pressure = c[LAMBDA] * (mat3_det(F) - 1);
    for (int a = 0; a < 9; ++a)
        P[a] = 2 * c[MU] * (F[a] - R[a]) + pressure * cofactor[a];
}

void fixed_corotational_stiffness(const double c[MATERIAL_COEFFICIENTS], const double F[9], double dPdF[81]) {
    double R[9], cofactor[9];
    polar3(F, R);
    mat3_cofactor(F, cofactor);
    for (int a = 0; a < 9; ++a)
        for (int b = 0; b < 9; ++b)
            dPdF[9 * a + b] = c[LAMBDA] * cofactor[a] * cofactor[b] + (a == b ? 2 * c[MU] : 0);
    rotation_add_derivative(-2 * c[MU], F, R, dPdF);
    add_volume_curvature(c[LAMBDA] * (mat3_det(F) - 1), F, dPdF);
}

void fixed_corotational_principal(const double c[MATERIAL_COEFFICIENTS], const double s[3], PrincipalStiffness *out) {
    principal_set_norm(2 * c[MU], out);
    principal_add_trace(-2 * c[MU], s, out);
    principal_add_volume(c[LAMBDA] * (s[0] * s[1] * s[2] - 1), c[LAMBDA], s, out);
}
