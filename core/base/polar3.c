/* Newton's iteration X <- (X + X^-T) / 2 (Higham 1986, "Computing the Polar Decomposition"), which maps every stretch s
   to (s + 1/s) / 2 and so converges quadratically; for F that is nearly singular, reflected, or of very large or small
   norm, the singular values. */
#include "base/polar3.h"

#include "base/math3.h"
#include "base/svd3.h"

enum { ITERATIONS = 8 };

/* False if it does not apply or does not converge. */
static bool newton(const double F[9], double X[9]) {
    double square = vec3_dot(F, F) + vec3_dot(F + 3, F + 3) + vec3_dot(F + 6, F + 6);
    if (!(mat3_det(F) > 0.1 && square < 12))
        return false;
    for (int i = 0; i < 9; ++i)
        X[i] = F[i];
    for (int n = 0; n < ITERATIONS; ++n) {
        double cofactor[9], change = 0;
        mat3_cofactor(X, cofactor);
        double half = 0.5 / vec3_dot(X, cofactor);
        for (int i = 0; i < 9; ++i) {
            double next = 0.5 * X[i] + half * cofactor[i], step = fabs(next - X[i]);
            change = step > change ? step : change;
            X[i] = next;
        }
        /* the remaining error is the square of the last change */
        if (change < 1e-9)
            return true;
    }
    return false;
}

void polar3(const double F[9], double R[9]) {
    if (newton(F, R))
        return;
    double U[9], s[3], V[9];
    svd3(F, U, s, V);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            R[3 * i + j] = vec3_dot(U + 3 * i, V + 3 * j);
}
