/* The material contract: one law a file, one line in the list of material.c.

   A law is an energy density W(F) of the deformation gradient F = dx/dX (3x3, by rows), its stress P = dW/dF, and its
   stiffness dP/dF. All are per volume of the rest shape, and finite for every finite F, flat or inside out. */
#ifndef JN_ELASTIC_MATERIAL_H
#define JN_ELASTIC_MATERIAL_H

#include "base/table.h"
#include "elastic/invariants.h"
#include "elastic/isotropic.h"

#define MATERIAL_COEFFICIENTS 4

/* Traits of a law. */
enum {
    MATERIAL_ROTATES = 1,  /* invariant under rotation */
    MATERIAL_POISSON = 2,  /* Poisson's ratio is used; without this the law behaves as if it were 0 */
    MATERIAL_RECOVERS = 4, /* an inverted element is pushed back to its orientation */
};

typedef struct Material {
    JnTableEntry entry;
    unsigned traits; /* a sum of the above */
    /* The law's coefficients from Young's modulus (Pa) and Poisson's ratio, such that it agrees with Hooke's law with
       these two for small strains. */
    void (*coefficients)(double young_modulus, double poisson_ratio, double c[MATERIAL_COEFFICIENTS]);
    /* J/m3, 0 at rest. */
    double (*energy)(const double c[MATERIAL_COEFFICIENTS], const double F[9]);
    /* Pa, P[3 i + j] = dW / dF[3 i + j]. */
    void (*stress)(const double c[MATERIAL_COEFFICIENTS], const double F[9], double P[9]);
    /* Pa, symmetric, dPdF[9 a + b] = d2W / dF[a] dF[b]; indefinite where the law is. */
    void (*stiffness)(const double c[MATERIAL_COEFFICIENTS], const double F[9], double dPdF[81]);
    /* The stiffness in principal stretches, from which blocks, definiteness and the projection follow in closed form.
       NULL for a law that is not isotropic, or does not provide it: then the 81 entries and their eigenvalues are
       used. */
    PrincipalFunction *principal;
    /* The derivatives of a law that is a function of |F|^2 and det F alone, for a faster assembly, which also needs
       `principal`. NULL for all others, and for a law that does not provide it. */
    InvariantFunction *invariants;
} Material;

/* Declares the functions of a law, for its file and for the table. A law without principal stretches or invariants
   leaves the last or the last two undefined and gives NULL in the list. */
#define MATERIAL_LAW(law)                                                                                              \
    void law##_coefficients(double young_modulus, double poisson_ratio, double c[MATERIAL_COEFFICIENTS]);              \
    double law##_energy(const double c[MATERIAL_COEFFICIENTS], const double F[9]);                                     \
    void law##_stress(const double c[MATERIAL_COEFFICIENTS], const double F[9], double P[9]);                          \
    void law##_stiffness(const double c[MATERIAL_COEFFICIENTS], const double F[9], double dPdF[81]);                   \
    void law##_principal(const double c[MATERIAL_COEFFICIENTS], const double s[3], PrincipalStiffness *out);           \
    void law##_invariants(const double c[MATERIAL_COEFFICIENTS], double I, double J, InvariantSlopes *out)

extern const Table material_table; /* items: Material */

/* Lame's parameters of Hooke's law. */
void material_lame(double young_modulus, double poisson_ratio, double *lambda, double *mu);

/* Replaces the negative eigenvalues of a symmetric 9x9 matrix by 0, if there are any. Returns 1 if it changed it. */
int material_project(double dPdF[81]);

#endif
