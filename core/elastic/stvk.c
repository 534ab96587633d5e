/* St. Venant-Kirchhoff elasticity, Hooke's law of Green's strain:

       W(F) = mu |G|^2 + lambda/2 tr(G)^2,   G = (F'F - I)/2,
       P    = mu (F F'F - F) + lambda/2 (|F|^2 - 3) F.

   A polynomial, hence finite and smooth for every F, and invariant under rotation. But G is invariant under reflection,
   too: compressed below 58 % of its length the material softens, and an inverted element has a rest state. */
#include "elastic/invariants.h"
#include "elastic/material.h"

MATERIAL_LAW(stvk);

enum { LAMBDA, MU };

void stvk_coefficients(double young_modulus, double poisson_ratio, double c[MATERIAL_COEFFICIENTS]) {
    material_lame(young_modulus, poisson_ratio, &c[LAMBDA], &c[MU]);
}

double stvk_energy(const double c[MATERIAL_COEFFICIENTS], const double F[9]) {
    double square = 0, trace = 0.5 * (invariant_norm(F) - 3);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double green = 0.5 * (F[i] * F[j] + F[3 + i] * F[3 + j] + F[6 + i] * F[6 + j] - (i == j));
            square += green * green;
        }
    return c[MU] * square + 0.5 * c[LAMBDA] * trace * trace;
}

void stvk_stress(const double c[MATERIAL_COEFFICIENTS], const double F[9], double P[9]) {
    double cubic[9], pressure = 0.5 * c[LAMBDA] * (invariant_norm(F) - 3);
    invariant_cubic(F, cubic);
    for (int a = 0; a < 9; ++a)
        P[a] = c[MU] * (cubic[a] - F[a]) + pressure * F[a];
}

void stvk_stiffness(const double c[MATERIAL_COEFFICIENTS], const double F[9], double dPdF[81]) {
    double pressure = 0.5 * c[LAMBDA] * (invariant_norm(F) - 3);
    for (int a = 0; a < 9; ++a)
        for (int b = 0; b < 9; ++b)
            dPdF[9 * a + b] = c[LAMBDA] * F[a] * F[b] + (a == b ? pressure - c[MU] : 0);
    add_cubic_derivative(c[MU], F, dPdF);
}

void stvk_principal(const double c[MATERIAL_COEFFICIENTS], const double s[3], PrincipalStiffness *out) {
    principal_set_norm(0.5 * c[LAMBDA] * (vec3_dot(s, s) - 3) - c[MU], out);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            out->scaling[3 * i + j] += c[LAMBDA] * s[i] * s[j];
        out->scaling[4 * i] += 3 * c[MU] * s[i] * s[i];
    }
    /* w_i has mu s_i^3, whose quotients are s_i^2 +- s_i s_j + s_j^2 */
    for (int k = 0; k < 3; ++k) {
        double a = s[(k + 1) % 3], b = s[(k + 2) % 3];
        out->flip[k] += c[MU] * (a * a + a * b + b * b);
        out->twist[k] += c[MU] * (a * a - a * b + b * b);
    }
}
