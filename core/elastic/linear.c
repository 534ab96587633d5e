/* Linear elasticity, Hooke's law of small strains:

       W(F) = mu |e|^2 + lambda/2 tr(e)^2,   e = (F + F')/2 - I.

   Its stiffness is constant and positive semidefinite. It is not invariant under rotation: a body that rotates by a
   large angle swells. For small motions, for comparison with textbooks, and where only speed matters. */
#include "elastic/material.h"

#include "base/math3.h"

MATERIAL_LAW(linear);

enum { LAMBDA, MU };

void linear_coefficients(double young_modulus, double poisson_ratio, double c[MATERIAL_COEFFICIENTS]) {
    material_lame(young_modulus, poisson_ratio, &c[LAMBDA], &c[MU]);
}

static void small_strain(const double F[9], double e[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            e[3 * i + j] = 0.5 * (F[3 * i + j] + F[3 * j + i]) - (i == j);
}

double linear_energy(const double c[MATERIAL_COEFFICIENTS], const double F[9]) {
    double e[9];
    small_strain(F, e);
    double trace = e[0] + e[4] + e[8];
    double square = vec3_dot(e, e) + vec3_dot(e + 3, e + 3) + vec3_dot(e + 6, e + 6);
    return c[MU] * square + 0.5 * c[LAMBDA] * trace * trace;
}

void linear_stress(const double c[MATERIAL_COEFFICIENTS], const double F[9], double P[9]) {
    small_strain(F, P);
    double pressure = c[LAMBDA] * (P[0] + P[4] + P[8]);
    for (int a = 0; a < 9; ++a)
        P[a] = 2 * c[MU] * P[a] + (a % 4 == 0 ? pressure : 0);
}

void linear_stiffness(const double c[MATERIAL_COEFFICIENTS], const double F[9], double dPdF[81]) {
    (void)F;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l)
                    dPdF[9 * (3 * i + j) + 3 * k + l] =
                        c[MU] * ((i == k && j == l) + (i == l && j == k)) + c[LAMBDA] * (i == j && k == l);
}
