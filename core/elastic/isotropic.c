/* A stiffness is diagonal but for a 3x3 block in the basis of scalings, flips and twists: there its negative part is
   cut off, and then it is turned into the frame of F. */
#include "elastic/isotropic.h"

#include "base/svd3.h"
#include "base/symmetric.h"
#include "elastic/rotation.h"

#include <math.h>

void principal_set_norm(double slope, PrincipalStiffness *out) {
    for (int i = 0; i < 9; ++i)
        out->scaling[i] = i % 4 == 0 ? slope : 0;
    for (int k = 0; k < 3; ++k)
        out->flip[k] = out->twist[k] = slope;
}

void principal_add_volume(double first, double second, const double s[3], PrincipalStiffness *out) {
    double J = s[0] * s[1] * s[2], area[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]};
    for (int i = 0; i < 3; ++i)
        out->scaling[4 * i] += second * area[i] * area[i];
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double mixed = s[k] * (first + second * J);
        out->scaling[3 * i + j] += mixed;
        out->scaling[3 * j + i] += mixed;
        out->flip[k] -= first * s[k];
        out->twist[k] += first * s[k];
    }
}

void principal_add_trace(double slope, const double s[3], PrincipalStiffness *out) {
    for (int k = 0; k < 3; ++k)
        out->twist[k] += 2 * slope / fmax(s[(k + 1) % 3] + s[(k + 2) % 3], ROTATION_SMALLEST_SUM);
}

static void clamp(PrincipalStiffness *k) {
    if (!symmetric_is_semidefinite(k->scaling, 3, SYMMETRIC_ROUNDING))
        symmetric_positive_part(k->scaling, 3);
    for (int i = 0; i < 3; ++i) {
        k->flip[i] = fmax(k->flip[i], 0);
        k->twist[i] = fmax(k->twist[i], 0);
    }
}

/* dPdF = sum over entries of K, in the basis b_ij = u_i v_j' (as a vector of nine): row by row K b, then b' (K b). */
static void assemble(const PrincipalStiffness *K, const double U[9], const double V[9], double dPdF[81]) {
    double b[9][9], Kb[9][9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int n = 0; n < 9; ++n)
                b[3 * i + j][n] = U[3 * (n / 3) + i] * V[3 * (n % 3) + j];

    /* the scalings mix among themselves, b_ij with b_ji only */
    for (int i = 0; i < 3; ++i) {
        const double *row = K->scaling + 3 * i;
        for (int n = 0; n < 9; ++n)
            Kb[4 * i][n] = row[0] * b[0][n] + row[1] * b[4][n] + row[2] * b[8][n];
    }
    for (int k = 0; k < 3; ++k) {
        int ij = 3 * ((k + 1) % 3) + (k + 2) % 3, ji = 3 * ((k + 2) % 3) + (k + 1) % 3;
        double same = 0.5 * (K->flip[k] + K->twist[k]), crossed = 0.5 * (K->flip[k] - K->twist[k]);
        for (int n = 0; n < 9; ++n) {
            Kb[ij][n] = same * b[ij][n] + crossed * b[ji][n];
            Kb[ji][n] = crossed * b[ij][n] + same * b[ji][n];
        }
    }

    for (int row = 0; row < 9; ++row)
        for (int column = 0; column <= row; ++column) {
            double sum = 0;
            for (int m = 0; m < 9; ++m)
                sum += b[m][row] * Kb[m][column];
            dPdF[9 * row + column] = dPdF[9 * column + row] = sum;
        }
}

void isotropic_projected_stiffness(PrincipalFunction *principal, const double *c, const double F[9], double dPdF[81]) {
    double U[9], V[9], s[3];
    PrincipalStiffness K;
    svd3(F, U, s, V);
    principal(c, s, &K);
    clamp(&K);
    assemble(&K, U, V, dPdF);
}
