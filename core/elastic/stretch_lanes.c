/* One-sided Jacobi as in base/svd3.c, without its handling of extreme values. In the frame of U and V a stiffness
   couples the entries ii of dF with each other, and ij with ji.

   This file is compiled a second time, by stretch_lanes_avx2.c, for processors with wider registers. */
#include "elastic/stretch_lanes.h"

#ifndef STRETCH_KERNELS
#define STRETCH_KERNELS stretch_kernels_plain
#endif

enum { SWEEPS = 8 };                             /* four to six suffice */
static const double ORTHOGONAL = 1e-15;          /* cosine below which two columns count as orthogonal */
static const double FLAT = 1e-6;                 /* second stretch, as a part of the first */
static const double SMALL = 1e-10, LARGE = 1e10; /* first stretch */

/* Rotates columns p and q of F V, the rows of b, so that they are orthogonal, and those of V, the rows of v, with
   them. */
static inline void orthogonalize(Lanes *bp, Lanes *bq, Lanes *vp, Lanes *vq, LaneMask *turned) {
    Lanes pp, qq, pq;
    lanes_dot(bp, bp, &pp);
    lanes_dot(bq, bq, &qq);
    lanes_dot(bp, bq, &pq);
    LaneMask turns = pq * pq > ORTHOGONAL * ORTHOGONAL * pp * qq;
    *turned |= turns;
    /* the smaller root of t^2 + t (qq - pp) / pq = 1; t = 0: no rotation */
    Lanes d = qq - pp, h = 2 * pq, root = d * d + h * h;
    lanes_sqrt(&root);
    Lanes opposite = -root;
    LaneMask negative = d < 0;
    lanes_replace(&negative, &opposite, &root);
    Lanes t = h / (d + root);
    lanes_keep(&turns, &t);
    Lanes c = 1 + t * t;
    lanes_sqrt(&c);
    c = 1 / c;
    Lanes s = c * t;
    for (int i = 0; i < 3; ++i) {
        Lanes x = bp[i], y = bq[i];
        bp[i] = c * x - s * y;
        bq[i] = s * x + c * y;
        x = vp[i], y = vq[i];
        vp[i] = c * x - s * y;
        vq[i] = s * x + c * y;
    }
}

/* Exchanges two rows of both where the first is the shorter, one of them negated, so that V stays a rotation. */
static inline void sort_rows(Lanes *bp, Lanes *bq, Lanes *vp, Lanes *vq) {
    Lanes pp, qq;
    lanes_dot(bp, bp, &pp);
    lanes_dot(bq, bq, &qq);
    LaneMask exchange = pp < qq;
    for (int i = 0; i < 3; ++i) {
        Lanes x = -bp[i], y = -vp[i];
        lanes_replace(&exchange, &bq[i], &bp[i]);
        lanes_replace(&exchange, &x, &bq[i]);
        lanes_replace(&exchange, &vq[i], &vp[i]);
        lanes_replace(&exchange, &y, &vq[i]);
    }
}

/* u = b / |b|. */
static inline void unit(const Lanes b[3], Lanes u[3], Lanes *length) {
    lanes_dot(b, b, length);
    lanes_sqrt(length);
    Lanes inverse = 1 / *length;
    for (int i = 0; i < 3; ++i)
        u[i] = inverse * b[i];
}

static void decompose(const Lanes F[9], Lanes U[9], Lanes s[3], Lanes V[9], LaneMask *right) {
    Lanes b[9], v[9], u[9], rest[3], along, length;
    LaneMask turned = {-1, -1, -1, -1};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            b[3 * i + j] = F[3 * j + i];
            v[3 * i + j] = (Lanes){0} + (i == j);
        }
    for (int sweep = 0; sweep < SWEEPS && lanes_any(&turned); ++sweep) {
        turned = (LaneMask){0};
        orthogonalize(b, b + 3, v, v + 3, &turned);
        orthogonalize(b, b + 6, v, v + 6, &turned);
        orthogonalize(b + 3, b + 6, v + 3, v + 6, &turned);
    }
    sort_rows(b, b + 3, v, v + 3);
    sort_rows(b + 3, b + 6, v + 3, v + 6);
    sort_rows(b, b + 3, v, v + 3);
    unit(b, u, &s[0]);
    /* the second, orthogonalized against the first, because of rounding */
    lanes_dot(b + 3, u, &along);
    for (int i = 0; i < 3; ++i)
        rest[i] = b[3 + i] - along * u[i];
    unit(rest, u + 3, &length);
    s[1] = length;
    lanes_cross(u, u + 3, u + 6);
    lanes_dot(u + 6, b + 6, &s[2]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            U[3 * i + j] = u[3 * j + i];
            V[3 * i + j] = v[3 * j + i];
        }
    *right = ~turned & (s[0] > SMALL) & (s[0] < LARGE) & (s[1] > FLAT * s[0]);
}

/* The coefficients of the entries ij and ji of dF in the entries ij and ji of dP, [k] for the axes other than k. */
static inline void mix(const StretchLanes *stiffness, Lanes same[3], Lanes crossed[3]) {
    for (int k = 0; k < 3; ++k) {
        same[k] = 0.5 * (stiffness->flip[k] + stiffness->twist[k]);
        crossed[k] = 0.5 * (stiffness->flip[k] - stiffness->twist[k]);
    }
}

static void force_change(const StretchLanes *stiffness, const Lanes gradients[9], const Lanes edges[9],
                         Lanes forces[9]) {
    Lanes same[3], crossed[3], g[9], e[9], dF[9], dP[9];
    mix(stiffness, same, crossed);
    for (int a = 0; a < 9; a += 3) {
        lanes_multiply_transposed(stiffness->V, gradients + a, g + a);
        lanes_multiply_transposed(stiffness->U, edges + a, e + a);
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            dF[3 * i + j] = e[i] * g[j] + e[3 + i] * g[3 + j] + e[6 + i] * g[6 + j];
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3, ij = 3 * i + j, ji = 3 * j + i;
        const Lanes *row = stiffness->scaling + 3 * k;
        dP[4 * k] = row[0] * dF[0] + row[1] * dF[4] + row[2] * dF[8];
        dP[ij] = same[k] * dF[ij] + crossed[k] * dF[ji];
        dP[ji] = crossed[k] * dF[ij] + same[k] * dF[ji];
    }
    for (int a = 0; a < 9; a += 3) {
        Lanes local[3];
        lanes_multiply(dP, g + a, local);
        lanes_multiply(stiffness->U, local, forces + a);
    }
}

/* The block of two corners whose gradients in the frame of V are a and b. */
static inline void pair_block(const StretchLanes *stiffness, const Lanes same[3], const Lanes crossed[3],
                              const Lanes a[3], const Lanes b[3], Lanes block[9]) {
    const Lanes *U = stiffness->U, *scaling = stiffness->scaling;
    Lanes local[9], half[9];
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        local[4 * k] = scaling[4 * k] * a[k] * b[k] + same[j] * a[i] * b[i] + same[i] * a[j] * b[j];
        local[3 * i + j] = scaling[3 * i + j] * a[i] * b[j] + crossed[k] * a[j] * b[i];
        local[3 * j + i] = scaling[3 * i + j] * a[j] * b[i] + crossed[k] * a[i] * b[j];
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            half[3 * i + j] = U[3 * i] * local[j] + U[3 * i + 1] * local[3 + j] + U[3 * i + 2] * local[6 + j];
    for (int i = 0; i < 3; ++i)
        lanes_multiply(U, half + 3 * i, block + 3 * i);
}

static void blocks(const StretchLanes *stiffness, const Lanes gradients[9], Lanes out[10][9]) {
    static const int row[6] = {0, 1, 2, 1, 2, 2}, column[6] = {0, 1, 2, 0, 0, 1};
    Lanes same[3], crossed[3], g[9];
    mix(stiffness, same, crossed);
    for (int a = 0; a < 9; a += 3)
        lanes_multiply_transposed(stiffness->V, gradients + a, g + a);
    for (int p = 0; p < 6; ++p)
        pair_block(stiffness, same, crossed, g + 3 * row[p], g + 3 * column[p], out[p]);
    lanes_balance_blocks(out);
}

const StretchKernels STRETCH_KERNELS = {decompose, force_change, blocks};
