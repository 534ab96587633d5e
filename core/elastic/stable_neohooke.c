/* Stable neo-Hookean elasticity (Smith, De Goes, Kim 2018, "Stable Neo-Hookean Flesh Simulation"):

       W(F) = mu/2 (I - 3) + lambda/2 (J - alpha)^2 - mu/2 ln(I + 1) - W0,   I = |F|^2, J = det F,
       alpha = 1 + 3 mu / (4 lambda),

   smooth and finite for inverted and flattened elements; W0 makes the rest energy zero. mu and lambda here are 4/3 mu
   and lambda + 5/6 mu of Hooke's law, so that it agrees with Hooke's law for small strains. */
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

void stable_neohooke_invariants(const double c[MATERIAL_COEFFICIENTS], double I, double J, InvariantSlopes *out) {
    double inverse = 1 / (I + 1);
    *out =
        (InvariantSlopes){c[MU] * (1 - inverse), 2 * c[MU] * inverse * inverse, c[LAMBDA] * (J - c[ALPHA]), c[LAMBDA]};
}

void stable_neohooke_stress(const double c[MATERIAL_COEFFICIENTS], const double F[9], double P[9]) {
    InvariantSlopes slopes;
    stable_neohooke_invariants(c, invariant_norm(F), mat3_det(F), &slopes);
    invariant_stress(&slopes, F, P);
}

void stable_neohooke_stiffness(const double c[MATERIAL_COEFFICIENTS], const double F[9], double dPdF[81]) {
    InvariantSlopes slopes;
    stable_neohooke_invariants(c, invariant_norm(F), mat3_det(F), &slopes);
    invariant_stiffness(&slopes, F, dPdF);
}

void stable_neohooke_principal(const double c[MATERIAL_COEFFICIENTS], const double s[3], PrincipalStiffness *out) {
    double I = vec3_dot(s, s), stretch = 2 * c[MU] / ((I + 1) * (I + 1));
    principal_set_norm(c[MU] * (1 - 1 / (I + 1)), out);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->scaling[3 * i + j] += stretch * s[i] * s[j];
    principal_add_volume(c[LAMBDA] * (s[0] * s[1] * s[2] - c[ALPHA]), c[LAMBDA], s, out);
}
