/* From F = R S, dR = R W with W skew, and W S + S W is the skew part of R'dF - dF'R. In terms of axial vectors

       w = G^-1 a,   G = tr(S) I - S,   a_k = <R [e_k], dF>,   so   dR/dF = sum over k, l of G^-1_kl  R [e_k] (R
   [e_l])',

   with [e_k] the cross-product matrix of axis k and each R [e_k] read as a vector of nine. The eigenvalues of G are the
   sums of two stretches. */
#include "elastic/rotation.h"

#include "base/math3.h"
#include "base/svd3.h"

/* G^-1, with the eigenvalues of G cut off below. */
static void inverse_of_sums(const double F[9], const double R[9], double inverse[9]) {
    double G[9], trace = rotation_trace(F, R);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double forth = R[i] * F[j] + R[3 + i] * F[3 + j] + R[6 + i] * F[6 + j];
            double back = R[j] * F[i] + R[3 + j] * F[3 + i] + R[6 + j] * F[6 + i];
            G[3 * i + j] = (i == j ? trace : 0) - 0.5 * (forth + back);
        }

    /* the smallest eigenvalue is at least det / (half the trace)^2, and the trace of G is twice that of S */
    if (mat3_det(G) > 0.01 * trace * trace && mat3_inverse(G, inverse))
        return;
    double U[9], s[3], V[9];
    svd3(F, U, s, V);
    for (int a = 0; a < 9; ++a)
        inverse[a] = 0;
    for (int k = 0; k < 3; ++k) {
        double sum = fmax(s[(k + 1) % 3] + s[(k + 2) % 3], ROTATION_SMALLEST_SUM);
        for (int a = 0; a < 9; ++a)
            inverse[a] += V[3 * (a / 3) + k] * V[3 * (a % 3) + k] / sum;
    }
}

void rotation_add_derivative(double scale, const double F[9], const double R[9], double dPdF[81]) {
    double inverse[9], turn[3][9] = {{0}}, answer[3][9];
    inverse_of_sums(F, R, inverse);

    /* turn[k] = R [e_k]: column k + 1 is R's column k + 2, column k + 2 is minus R's column k + 1 */
    for (int k = 0; k < 3; ++k)
        for (int row = 0; row < 3; ++row) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            turn[k][3 * row + i] = R[3 * row + j];
            turn[k][3 * row + j] = -R[3 * row + i];
        }
    for (int k = 0; k < 3; ++k)
        for (int a = 0; a < 9; ++a)
            answer[k][a] = scale * (inverse[3 * k] * turn[0][a] + inverse[3 * k + 1] * turn[1][a] +
                                    inverse[3 * k + 2] * turn[2][a]);
    for (int a = 0; a < 9; ++a)
        for (int b = 0; b < 9; ++b)
            dPdF[9 * a + b] += turn[0][a] * answer[0][b] + turn[1][a] * answer[1][b] + turn[2][a] * answer[2][b];
}

double rotation_trace(const double F[9], const double R[9]) {
    return vec3_dot(F, R) + vec3_dot(F + 3, R + 3) + vec3_dot(F + 6, R + 6);
}

double rotation_distance(const double F[9], const double R[9]) {
    double sum = 0;
    for (int a = 0; a < 9; ++a)
        sum += (F[a] - R[a]) * (F[a] - R[a]);
    return sum;
}
