/* Stable neo-Hookean elasticity (Smith, De Goes, Kim 2018, "Stable Neo-Hookean Flesh Simulation"):

       W(F) = mu/2 (I - 3) + lambda/2 (J - alpha)^2 - mu/2 ln(I + 1) - W0,   I = |F|^2, J = det F,
       alpha = 1 + 3 mu / (4 lambda),

   smooth and finite for inverted and flattened elements; W0 makes the rest energy zero. mu and lambda here are 4/3 mu
   and lambda + 5/6 mu of Hooke's law, with which small strains agree with Hooke's law. */
#include "elastic/invariants.h"
#include "elastic/material.h"

MATERIAL_LAW(stable_neohooke);

enum { MU, LAMBDA, ALPHA, REST_ENERGY };

void stable_neohooke_coefficients(double young_modulus, double poisson_ratio, double c[MATERIAL_COEFFICIENTS]) {
    double lambda, mu;
    material_lame(young_modulus, poisson_ratio, &lambda, &mu);
    c[MU] = 4.0 / 3.0 * mu;
    c[LAMBDA] = lambda + 5.0 / 6.0 * mu;
    c[ALPHA] = 1 + 0.75 * c[MU] / c[LAMBDA];
    c[REST_ENERGY] = 0.5 * c[LAMBDA] * (1 - c[ALPHA]) * (1 - c[ALPHA]) - 0.5 * c[MU] * log(4.0);
}

double stable_neohooke_energy(const double c[MATERIAL_COEFFICIENTS], const double F[9]) {
    double I = invariant_norm(F), stretch = mat3_det(F) - c[ALPHA];
    return 0.5 * c[MU] * (I - 3) + 0.5 * c[LAMBDA] * stretch * stretch - 0.5 * c[MU] * log(I + 1) - c[REST_ENERGY];
}

void stable_neohooke_stress(const double c[MATERIAL_COEFFICIENTS], const double F[9], double P[9]) {
    double cofactor[9], I = invariant_norm(F);
    mat3_cofactor(F, cofactor);
    double shear = c[MU] * (1 - 1 / (I + 1)), pressure = c[LAMBDA] * (mat3_det(F) - c[ALPHA]);
    for (int a = 0; a < 9; ++a)
        P[a] = shear * F[a] + pressure * cofactor[a];
}

void stable_neohooke_stiffness(const double c[MATERIAL_COEFFICIENTS], const double F[9], double dPdF[81]) {
    double cofactor[9], I = invariant_norm(F);
    mat3_cofactor(F, cofactor);
    double shear = c[MU] * (1 - 1 / (I + 1)), stretch = 2 * c[MU] / ((I + 1) * (I + 1));
    double pressure = c[LAMBDA] * (mat3_det(F) - c[ALPHA]);

    /* the two rank-one parts */
    for (int a = 0; a < 9; ++a)
        for (int b = 0; b < 9; ++b)
            dPdF[9 * a + b] = stretch * F[a] * F[b] + c[LAMBDA] * cofactor[a] * cofactor[b];
    for (int a = 0; a < 9; ++a)
        dPdF[9 * a + a] += shear;

    add_volume_curvature(pressure, F, dPdF);
}

void stable_neohooke_principal(const double c[MATERIAL_COEFFICIENTS], const double s[3], PrincipalStiffness *out) {
    double I = vec3_dot(s, s), stretch = 2 * c[MU] / ((I + 1) * (I + 1));
    principal_set_norm(c[MU] * (1 - 1 / (I + 1)), out);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->scaling[3 * i + j] += stretch * s[i] * s[j];
    principal_add_volume(c[LAMBDA] * (s[0] * s[1] * s[2] - c[ALPHA]), c[LAMBDA], s, out);
}
