/* Compressible neo-Hookean elasticity (Bonet and Wood 1997, "Nonlinear Continuum Mechanics", section 5.4):

       W(F) = mu/2 (|F|^2 - 3) + g(J),   g(J) = -mu ln J + lambda/2 (ln J)^2,   J = det F.

   The logarithm is undefined for J <= 0, which a time step can reach. Below J0 = 0.1, g is replaced by its second-order
   Taylor polynomial about J0. g is convex there, so the polynomial keeps pushing towards larger J: energy, stress and
   stiffness are continuous and finite for every F, force is still the derivative of the energy, and an inverted element
   is pushed back. For J >= 0.1 the law is unchanged. */
#include "elastic/invariants.h"
#include "elastic/material.h"

MATERIAL_LAW(neohooke);

enum { LAMBDA, MU };
static const double SMALLEST_J = 0.1;

void neohooke_coefficients(double young_modulus, double poisson_ratio, double c[MATERIAL_COEFFICIENTS]) {
    material_lame(young_modulus, poisson_ratio, &c[LAMBDA], &c[MU]);
}

typedef struct Volume {
    double value, first, second; /* g, g', g'' */
} Volume;

static Volume volume_at(const double c[MATERIAL_COEFFICIENTS], double J) {
    double inside = fmax(J, SMALLEST_J), logarithm = log(inside), beyond = J - inside;
    Volume g = {logarithm * (0.5 * c[LAMBDA] * logarithm - c[MU]), (c[LAMBDA] * logarithm - c[MU]) / inside,
                (c[LAMBDA] * (1 - logarithm) + c[MU]) / (inside * inside)};
    /* beyond is 0 where the logarithm holds */
    g.value += beyond * (g.first + 0.5 * beyond * g.second);
    g.first += beyond * g.second;
    return g;
}

double neohooke_energy(const double c[MATERIAL_COEFFICIENTS], const double F[9]) {
    return 0.5 * c[MU] * (invariant_norm(F) - 3) + volume_at(c, mat3_det(F)).value;
}

void neohooke_invariants(const double c[MATERIAL_COEFFICIENTS], double I, double J, InvariantSlopes *out) {
    (void)I;
    Volume g = volume_at(c, J);
    *out = (InvariantSlopes){c[MU], 0, g.first, g.second};
}

void neohooke_stress(const double c[MATERIAL_COEFFICIENTS], const double F[9], double P[9]) {
    InvariantSlopes slopes;
    neohooke_invariants(c, invariant_norm(F), mat3_det(F), &slopes);
    invariant_stress(&slopes, F, P);
}

void neohooke_stiffness(const double c[MATERIAL_COEFFICIENTS], const double F[9], double dPdF[81]) {
    InvariantSlopes slopes;
    neohooke_invariants(c, invariant_norm(F), mat3_det(F), &slopes);
    invariant_stiffness(&slopes, F, dPdF);
}

void neohooke_principal(const double c[MATERIAL_COEFFICIENTS], const double s[3], PrincipalStiffness *out) {
    Volume g = volume_at(c, s[0] * s[1] * s[2]);
    principal_set_norm(c[MU], out);
    principal_add_volume(g.first, g.second, s, out);
}
