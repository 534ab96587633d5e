#include "elastic/rest_shape.h"

#include "base/math3.h"
#include "base/rigid.h"
#include "base/svd3.h"

/* Limits of the principal stretches of a rest shape relative to the modelled one. Flatter or longer elements would be
   extremely stiff, and an element that the animation inverts has no rest shape. */
static const double LEAST_STRETCH = 0.1, MOST_STRETCH = 10;

/* out = A diag(s) B' */
static void compose(const double A[9], const double s[3], const double B[9], double out[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] =
                A[3 * i] * s[0] * B[3 * j] + A[3 * i + 1] * s[1] * B[3 * j + 1] + A[3 * i + 2] * s[2] * B[3 * j + 2];
}

void rest_shape_follow(const double F[9], double amount, bool turns, RestChange *change) {
    static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    double U[9], s[3], V[9], C[9];
    svd3(F, U, s, V);
    change->limited = false;
    for (int i = 0; i < 3; ++i) {
        double kept = fmin(MOST_STRETCH, fmax(LEAST_STRETCH, s[i]));
        change->limited |= kept != s[i];
        s[i] = kept;
    }
    if (turns) {
        double pose[9], placed[12], blended[12];
        compose(U, s, V, pose);
        for (int i = 0; i < 12; ++i)
            placed[i] = i % 4 == 3 ? 0 : pose[3 * (i / 4) + i % 4];
        affine_blend(identity, placed, amount, blended);
        for (int i = 0; i < 9; ++i)
            C[i] = blended[4 * (i / 3) + i % 3];
    } else {
        for (int i = 0; i < 3; ++i)
            s[i] = 1 + amount * (s[i] - 1);
        compose(V, s, V, C);
    }
    /* C is invertible: its principal stretches are at least the lower limit */
    change->volume = mat3_det(C);
    mat3_inverse(C, change->inverse);
}
