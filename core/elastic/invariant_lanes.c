/* With stretches s_i, a_i = s_j s_k and M the matrix with s_k at (i, j) for i, j, k different, the 3x3 matrix of the
   scalings is A = p 1 + d M + b s s' + g a a' for p, b, d, g = norm, norm_change, volume, volume_change. Its
   eigenvalues are all positive if and only if their elementary symmetric polynomials are. These follow from

       s.s = I,  a.a = II,  s.a = 3 J,  M s = 2 a,  s'Ms = 6 J,  a'Ma = 2 I J,  M^2 = I 1 + s s' - 2 diag(s^2),
       (s x a)'M(s x a) = -2 J (I^2 - 3 II),   II = |cof F|^2.

   p +- d s_k are all positive if and only if p is and p^2 is beyond the largest root of the polynomial with the roots
   (d s_k)^2; a polynomial whose roots are all real is beyond them where it and all its derivatives are positive.

   This file is compiled a second time, by invariant_lanes_avx2.c, for processors with wider registers. */
#include "elastic/invariant_lanes.h"

#ifndef INVARIANT_KERNELS
#define INVARIANT_KERNELS invariant_kernels_plain
#endif

/* F = the sum over corners of edge times gradient'. */
static inline void gradient_of(const Lanes edges[9], const Lanes g[9], Lanes F[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            F[3 * i + j] = edges[i] * g[j] + edges[3 + i] * g[3 + j] + edges[6 + i] * g[6 + j];
}

static inline void square_sum(const Lanes a[9], Lanes *out) {
    *out = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + (a[3] * a[3] + a[4] * a[4] + a[5] * a[5]) +
           (a[6] * a[6] + a[7] * a[7] + a[8] * a[8]);
}

static void deform(InvariantLanes *lanes, const Lanes edges[9]) {
    Lanes F[9];
    gradient_of(edges, lanes->gradients, F);
    lanes_cross(F + 3, F + 6, lanes->cofactor);
    lanes_cross(F + 6, F, lanes->cofactor + 3);
    lanes_cross(F, F + 3, lanes->cofactor + 6);
    lanes->J = F[0] * lanes->cofactor[0] + F[1] * lanes->cofactor[1] + F[2] * lanes->cofactor[2];
    square_sum(F, &lanes->I);
    for (int a = 0; a < 9; ++a)
        lanes->F[a] = F[a];
}

/* Whether the eigenvalues of dP/dF + shift 1 are positive, their polynomials by more than `margin` times their
   magnitude. */
static inline void judge(const InvariantLanes *lanes, const Lanes *shift, double margin, LaneMask *positive) {
    Lanes p = lanes->norm + *shift, I = lanes->I, J = lanes->J, II;
    square_sum(lanes->cofactor, &II);
    Lanes inverse = 1 / p, b = lanes->norm_change * inverse, g = lanes->volume_change * inverse;
    Lanes d = lanes->volume * inverse, dd = d * d, dJ = d * J, ddI = dd * I, ddII = dd * II;
    Lanes turns = 1 - ddI + dd * ddII - dd * dd * dJ * dJ;
    Lanes mixed = I * II - 9 * J * J;
    Lanes first = 3 + b * I + g * II;
    Lanes second = 3 - ddI + 2 * b * (I - 3 * dJ) + 2 * g * (II - dJ * I) + b * g * mixed;
    Lanes third = 1 - ddI + 2 * dd * dJ + b * (I - 6 * dJ + 4 * ddII - ddI * I) + g * (II - 2 * dJ * I + 3 * dJ * dJ) +
                  b * g * (mixed - 2 * dJ * (I * I - 3 * II));
    Lanes size_b = b * I, size_g = g * II;
    lanes_absolute(&size_b);
    lanes_absolute(&size_g);
    Lanes least = margin * (1 + size_b) * (1 + size_g);
    *positive = (p > 0) & (turns > margin) & (3 - 2 * ddI + dd * ddII > margin) & (3 - ddI > margin) &
                (first > margin) & (second > least) & (third > least);
}

static void judge_above(const InvariantLanes *lanes, const Lanes *allowed, LaneMask *above) {
    judge(lanes, allowed, 0, above);
}

static void judge_positive(const InvariantLanes *lanes, LaneMask *positive) {
    Lanes shift = {0};
    judge(lanes, &shift, 1e-9, positive);
}

static void force(const InvariantLanes *lanes, const Lanes *scale, Lanes forces[9]) {
    Lanes P[9], norm = *scale * lanes->norm, volume = *scale * lanes->volume;
    for (int a = 0; a < 9; ++a)
        P[a] = norm * lanes->F[a] + volume * lanes->cofactor[a];
    for (int a = 0; a < 9; a += 3)
        lanes_multiply(P, lanes->gradients + a, forces + a);
}

static void force_change(const InvariantLanes *lanes, const Lanes edges[9], const Lanes *scale, Lanes forces[9]) {
    const Lanes *F = lanes->F, *cofactor = lanes->cofactor;
    Lanes dF[9], dP[9], along_F = {0}, along_cofactor = {0};
    gradient_of(edges, lanes->gradients, dF);
    for (int a = 0; a < 9; ++a) {
        along_F += F[a] * dF[a];
        along_cofactor += cofactor[a] * dF[a];
    }
    along_F *= lanes->norm_change;
    along_cofactor *= lanes->volume_change;
    for (int i = 0; i < 3; ++i) {
        /* row i of the cofactor matrix is the cross product of the other two rows of F */
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Lanes first[3], second[3];
        lanes_cross(dF + 3 * j, F + 3 * k, first);
        lanes_cross(F + 3 * j, dF + 3 * k, second);
        for (int n = 0; n < 3; ++n) {
            int a = 3 * i + n;
            dP[a] = *scale * (lanes->norm * dF[a] + along_F * F[a] + along_cofactor * cofactor[a] +
                              lanes->volume * (first[n] + second[n]));
        }
    }
    for (int a = 0; a < 9; a += 3)
        lanes_multiply(dP, lanes->gradients + a, forces + a);
}

/* For a corner's gradient g: F g and cof F g, and these times norm_change and volume_change. */
typedef struct Corner {
    Lanes along[3], across[3], scaled_along[3], scaled_across[3];
} Corner;

static inline void read_corner(const InvariantLanes *lanes, const Lanes *g, const Lanes *scale, Corner *corner) {
    lanes_multiply(lanes->F, g, corner->along);
    lanes_multiply(lanes->cofactor, g, corner->across);
    for (int i = 0; i < 3; ++i) {
        corner->scaled_along[i] = *scale * lanes->norm_change * corner->along[i];
        corner->scaled_across[i] = *scale * lanes->volume_change * corner->across[i];
    }
}

static inline void product(const Corner *a, const Corner *b, int i, int k, Lanes *out) {
    *out = a->along[i] * b->scaled_along[k] + a->across[i] * b->scaled_across[k];
}

/* The block of a corner with itself; norm: that of the lanes times scale. */
static inline void own_block(const Lanes *g, const Corner *corner, const Lanes *norm, Lanes block[9]) {
    for (int i = 0; i < 3; ++i)
        for (int k = i; k < 3; ++k) {
            product(corner, corner, i, k, &block[3 * i + k]);
            block[3 * k + i] = block[3 * i + k];
        }
    for (int i = 0; i < 9; i += 4)
        block[i] += *norm * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

/* The block of two corners; norm and volume: those of the lanes times scale. */
static inline void pair_block(const InvariantLanes *lanes, const Corner corners[3], int a, int b, const Lanes *norm,
                              const Lanes *volume, Lanes block[9]) {
    const Lanes *ga = lanes->gradients + 3 * a, *gb = lanes->gradients + 3 * b;
    Lanes diagonal = *norm * (ga[0] * gb[0] + ga[1] * gb[1] + ga[2] * gb[2]), direction[3], z[3];
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            product(&corners[a], &corners[b], i, k, &block[3 * i + k]);
    lanes_cross(ga, gb, direction);
    lanes_multiply(lanes->F, direction, z);
    for (int i = 0; i < 3; ++i) {
        int k = (i + 1) % 3, l = (i + 2) % 3;
        Lanes turn = *volume * z[l];
        block[4 * i] += diagonal;
        block[3 * i + k] += turn;
        block[3 * k + i] -= turn;
    }
}

static void blocks(const InvariantLanes *lanes, const Lanes *scale, Lanes out[10][9]) {
    Corner corners[3];
    Lanes norm = *scale * lanes->norm, volume = *scale * lanes->volume;
    for (int a = 0; a < 3; ++a)
        read_corner(lanes, lanes->gradients + 3 * a, scale, &corners[a]);
    for (int a = 0; a < 3; ++a)
        own_block(lanes->gradients + 3 * a, &corners[a], &norm, out[K00 + a]);
    pair_block(lanes, corners, 1, 0, &norm, &volume, out[K10]);
    pair_block(lanes, corners, 2, 0, &norm, &volume, out[K20]);
    pair_block(lanes, corners, 2, 1, &norm, &volume, out[K21]);
    lanes_balance_blocks(out);
}

const InvariantKernels INVARIANT_KERNELS = {deform, judge_above, judge_positive, force, force_change, blocks};
