/* Compressible Mooney-Rivlin elasticity (Mooney 1940, Rivlin 1948), with a volumetric penalty in the manner of Smith,
   De Goes, Kim 2018:

       W(F) = a (I1 - 3) + b (I2 - 3) + kappa/2 ((J - alpha)^2 - (1 - alpha)^2),
       I1 = |F|^2, I2 = |cof F|^2, J = det F,   alpha = 1 + (2 a + 4 b)/kappa,

   a polynomial: finite and smooth for flat and inverted elements, which are pushed back. alpha makes the rest state
   free of stress. Small strains agree with Hooke's law for a + b = mu/2 and kappa = lambda + 2 a; the split a : b is 4
   : 1, usual for filled rubber. */
#include "elastic/invariants.h"
#include "elastic/material.h"

MATERIAL_LAW(mooney_rivlin);

enum { A, B, KAPPA, ALPHA };

void mooney_rivlin_coefficients(double young_modulus, double poisson_ratio, double c[MATERIAL_COEFFICIENTS]) {
    double lambda, mu;
    material_lame(young_modulus, poisson_ratio, &lambda, &mu);
    c[A] = 0.4 * mu;
    c[B] = 0.1 * mu;
    c[KAPPA] = lambda + 2 * c[A];
    c[ALPHA] = 1 + (2 * c[A] + 4 * c[B]) / c[KAPPA];
}

double mooney_rivlin_energy(const double c[MATERIAL_COEFFICIENTS], const double F[9]) {
    double cofactor[9], J = mat3_det(F);
    mat3_cofactor(F, cofactor);
    return c[A] * (invariant_norm(F) - 3) + c[B] * (invariant_norm(cofactor) - 3) +
           0.5 * c[KAPPA] * (J - 1) * (J + 1 - 2 * c[ALPHA]);
}

void mooney_rivlin_stress(const double c[MATERIAL_COEFFICIENTS], const double F[9], double P[9]) {
    double cofactor[9], cubic[9], I1 = invariant_norm(F), pressure = c[KAPPA] * (mat3_det(F) - c[ALPHA]);
    mat3_cofactor(F, cofactor);
    invariant_cubic(F, cubic);
    /* I2 = (I1^2 - |F'F|^2) / 2 */
    for (int n = 0; n < 9; ++n)
        P[n] = 2 * (c[A] + c[B] * I1) * F[n] - 2 * c[B] * cubic[n] + pressure * cofactor[n];
}

void mooney_rivlin_stiffness(const double c[MATERIAL_COEFFICIENTS], const double F[9], double dPdF[81]) {
    double cofactor[9], diagonal = 2 * (c[A] + c[B] * invariant_norm(F));
    mat3_cofactor(F, cofactor);
    for (int m = 0; m < 9; ++m)
        for (int n = 0; n < 9; ++n)
            dPdF[9 * m + n] = 4 * c[B] * F[m] * F[n] + c[KAPPA] * cofactor[m] * cofactor[n] + (m == n ? diagonal : 0);
    add_cubic_derivative(-2 * c[B], F, dPdF);
    add_volume_curvature(c[KAPPA] * (mat3_det(F) - c[ALPHA]), F, dPdF);
}

void mooney_rivlin_principal(const double c[MATERIAL_COEFFICIENTS], const double s[3], PrincipalStiffness *out) {
    principal_set_norm(2 * c[A], out);
    /* of b I2: w_i = 2 b s_i (s_j^2 + s_k^2) */
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double mixed = s[i] * s[j], square = s[k] * s[k];
        out->scaling[4 * k] += 2 * c[B] * (s[i] * s[i] + s[j] * s[j]);
        out->scaling[3 * i + j] += 4 * c[B] * mixed;
        out->scaling[3 * j + i] += 4 * c[B] * mixed;
        out->flip[k] += 2 * c[B] * (square - mixed);
        out->twist[k] += 2 * c[B] * (square + mixed);
    }
    principal_add_volume(c[KAPPA] * (s[0] * s[1] * s[2] - c[ALPHA]), c[KAPPA], s, out);
}
