/* The stiffness of isotropic laws, from their principal stretches.

   An isotropic energy depends on F = U diag(s) V' through s alone, W(F) = w(s) with w symmetric in its arguments. Then
   all nine eigenmatrices of dP/dF are known (Smith, De Goes, Kim 2019, "Analytic Eigensystems for Isotropic Distortion
   Energies"): three mixtures of scalings u_i v_i', and for each pair of axes i < j with third axis k
       flip   (u_i v_j' + u_j v_i') / sqrt 2   with eigenvalue (w_i - w_j) / (s_i - s_j),
       twist  (u_i v_j' - u_j v_i') / sqrt 2   with eigenvalue (w_i + w_j) / (s_i + s_j),
   where w_i = dw/ds_i. A law provides the two quotients in simplified form, so that equal stretches need no special
   case. */
#ifndef JN_ELASTIC_ISOTROPIC_H
#define JN_ELASTIC_ISOTROPIC_H

#include <stdbool.h>

typedef struct PrincipalStiffness { /* Pa */
    double scaling[9];              /* d2w / ds_i ds_j, symmetric */
    double flip[3];                 /* [k]: of the pair of axes other than k */
    double twist[3];                /* [k] */
} PrincipalStiffness;

/* Of a law with coefficients c at stretches s, s[0] >= s[1] >= |s[2]|. */
typedef void PrincipalFunction(const double *c, const double s[3], PrincipalStiffness *out);

/* A stiffness in the frame of F. */
typedef struct PrincipalForm {
    double U[9], V[9];
    PrincipalStiffness K;
} PrincipalForm;

/* dP/dF of such a law at F. */
void principal_form(PrincipalFunction *principal, const double *c, const double F[9], PrincipalForm *out);

/* Replaces its negative eigenvalues by 0. Returns whether there were any. */
bool principal_project(PrincipalForm *form);

/* Whether no eigenvalue is below -allowed, Pa. */
bool principal_is_above(const PrincipalForm *form, double allowed);

/* dP = dP/dF : dF */
void principal_apply(const PrincipalForm *form, const double dF[9], double dP[9]);

/* As stiffness_blocks (stiffness_form.h). */
void principal_blocks(const PrincipalForm *form, const double gradients[9], double scale, double blocks[6][9]);

/* For laws to sum their parts. Sets *out to the stiffness of the energy slope/2 |F|^2, slope held fixed: w_i = slope
   s_i. */
void principal_set_norm(double slope, PrincipalStiffness *out);
/* Adds the stiffness of g(J), J = det F, with first and second derivative: w_i = g'(J) J / s_i. */
void principal_add_volume(double first, double second, const double s[3], PrincipalStiffness *out);
/* Adds the stiffness of slope (s_0 + s_1 + s_2), slope held fixed: w_i = slope. Its twists grow without bound as s_i +
   s_j goes to 0, where the polar rotation jumps; they are cut off at ROTATION_SMALLEST_SUM. */
void principal_add_trace(double slope, const double s[3], PrincipalStiffness *out);

#endif
