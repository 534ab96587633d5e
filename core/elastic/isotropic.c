/* A stiffness is diagonal but for a 3x3 block in the basis of scalings, flips and twists: definiteness is tested and
   the negative part removed in that basis; what it is contracted with is rotated into that frame, and the result is
   rotated back. */
#include "elastic/isotropic.h"

#include "base/math3.h"
#include "base/svd3.h"
#include "base/symmetric.h"
#include "elastic/rotation.h"

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

void principal_form(PrincipalFunction *principal, const double *c, const double F[9], PrincipalForm *out) {
    double s[3];
    svd3(F, out->U, s, out->V);
    principal(c, s, &out->K);
}

/* Whether a 3x3 matrix has no eigenvalue below -shift, by its leading minors. */
static bool scaling_is_positive(const double a[9], double shift) {
    double xx = a[0] + shift, yy = a[4] + shift, zz = a[8] + shift, minor = xx * yy - a[1] * a[1];
    return xx > 0 && minor > 0 && zz * minor + 2 * a[1] * a[2] * a[5] - xx * a[5] * a[5] - yy * a[2] * a[2] > 0;
}

bool principal_project(PrincipalForm *form) {
    PrincipalStiffness *K = &form->K;
    bool changed = false;
    double largest = fabs(K->scaling[0]) + fabs(K->scaling[4]) + fabs(K->scaling[8]);
    if (!scaling_is_positive(K->scaling, SYMMETRIC_ROUNDING * largest)) {
        symmetric_positive_part(K->scaling, 3);
        changed = true;
    }
    for (int i = 0; i < 3; ++i) {
        changed |= !(K->flip[i] >= 0 && K->twist[i] >= 0);
        K->flip[i] = fmax(K->flip[i], 0);
        K->twist[i] = fmax(K->twist[i], 0);
    }
    return changed;
}

/* Whether no eigenvalue is below -shift. */
static bool is_positive(const PrincipalStiffness *K, double shift) {
    for (int i = 0; i < 3; ++i)
        if (!(K->flip[i] > -shift && K->twist[i] > -shift))
            return false;
    return scaling_is_positive(K->scaling, shift);
}

bool principal_is_above(const PrincipalForm *form, double allowed) {
    return is_positive(&form->K, allowed);
}

/* out = A' B, A B, A B' */
static void transposed_times(const double A[9], const double B[9], double out[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
}
static void times(const double A[9], const double B[9], double out[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}
static void times_transposed(const double A[9], const double B[9], double out[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out[3 * i + j] = vec3_dot(A + 3 * i, B + 3 * j);
}

void principal_apply(const PrincipalForm *form, const double dF[9], double dP[9]) {
    const PrincipalStiffness *K = &form->K;
    double turned[9], local[9], answer[9];
    transposed_times(form->U, dF, turned);
    times(turned, form->V, local);
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3, ij = 3 * i + j, ji = 3 * j + i;
        double same = 0.5 * (K->flip[k] + K->twist[k]), crossed = 0.5 * (K->flip[k] - K->twist[k]);
        answer[4 * k] =
            K->scaling[3 * k] * local[0] + K->scaling[3 * k + 1] * local[4] + K->scaling[3 * k + 2] * local[8];
        answer[ij] = same * local[ij] + crossed * local[ji];
        answer[ji] = crossed * local[ij] + same * local[ji];
    }
    times(form->U, answer, turned);
    times_transposed(turned, form->V, dP);
}

/* The block of corners whose gradients in the frame of V are a and b, in the frame of U. same, crossed: [k] of the pair
   of axes other than k. */
static void local_block(const PrincipalStiffness *K, const double same[3], const double crossed[3], const double a[3],
                        const double b[3], double block[9]) {
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        block[4 * k] = K->scaling[4 * k] * a[k] * b[k] + same[j] * a[i] * b[i] + same[i] * a[j] * b[j];
        block[3 * i + j] = K->scaling[3 * i + j] * a[i] * b[j] + crossed[k] * a[j] * b[i];
        block[3 * j + i] = K->scaling[3 * i + j] * a[j] * b[i] + crossed[k] * a[i] * b[j];
    }
}

void principal_blocks(const PrincipalForm *form, const double gradients[9], double scale, double blocks[6][9]) {
    static const int row[6] = {0, 1, 2, 1, 2, 2}, column[6] = {0, 1, 2, 0, 0, 1};
    double same[3], crossed[3], turned[9], local[9], half[9];
    for (int k = 0; k < 3; ++k) {
        same[k] = 0.5 * (form->K.flip[k] + form->K.twist[k]);
        crossed[k] = 0.5 * (form->K.flip[k] - form->K.twist[k]);
    }
    times(gradients, form->V, turned);
    for (int p = 0; p < 6; ++p) {
        local_block(&form->K, same, crossed, turned + 3 * row[p], turned + 3 * column[p], local);
        for (int n = 0; n < 9; ++n)
            local[n] *= scale;
        times(form->U, local, half);
        times_transposed(half, form->U, blocks[p]);
    }
}
