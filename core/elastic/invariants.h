/* The invariants that energies of F are made of, and what they add to a stiffness dPdF[9 a + b] = d2W / dF[a] dF[b].
   J = det F is in base/math3.h, with its gradient, the cofactor matrix. */
#ifndef JN_ELASTIC_INVARIANTS_H
#define JN_ELASTIC_INVARIANTS_H

#include "base/math3.h"

/* The derivatives of an energy w(I, J) of I = |F|^2 and J = det F, without a mixed one, Pa:

       P = norm F + volume cof F,
       dP/dF = norm 1 + norm_change F F' + volume d2J/dF2 + volume_change cof F cof F',

   1 being the identity, and F and cof F read as vectors, of nine. */
typedef struct InvariantSlopes {
    double norm;          /* 2 dw/dI */
    double norm_change;   /* 4 d2w/dI2 */
    double volume;        /* dw/dJ */
    double volume_change; /* d2w/dJ2 */
} InvariantSlopes;

/* Of a law with coefficients c. */
typedef void InvariantFunction(const double *c, double I, double J, InvariantSlopes *out);

/* |F|^2, the trace of F'F: its gradient is 2 F. */
static inline double invariant_norm(const double F[9]) {
    return vec3_dot(F, F) + vec3_dot(F + 3, F + 3) + vec3_dot(F + 6, F + 6);
}

/* F F'F, the gradient of |F'F|^2 / 4. */
static inline void invariant_cubic(const double F[9], double out[9]) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = 0;
            for (int k = 0; k < 3; ++k)
                out[3 * i + j] += vec3_dot(F + 3 * i, F + 3 * k) * F[3 * k + j];
        }
}

/* dPdF += scale d2J/dF2: row i against row k of F gives the cross-product matrix of the third row. */
static inline void add_volume_curvature(double scale, const double F[9], double dPdF[81]) {
    for (int i = 0; i < 3; ++i) {
        int k = (i + 1) % 3, third = (i + 2) % 3;
        const double *f = F + 3 * third;
        for (int j = 0; j < 3; ++j) {
            int l = (j + 1) % 3, m = (j + 2) % 3;
            /* d cof_ij / dF_kl = +F_third,m and d cof_il / dF_kj = -F_third,m, for (j, l, m) cyclic */
            dPdF[9 * (3 * i + j) + 3 * k + l] += scale * f[m];
            dPdF[9 * (3 * k + l) + 3 * i + j] += scale * f[m];
            dPdF[9 * (3 * i + l) + 3 * k + j] -= scale * f[m];
            dPdF[9 * (3 * k + j) + 3 * i + l] -= scale * f[m];
        }
    }
}

static inline void invariant_stress(const InvariantSlopes *slopes, const double F[9], double P[9]) {
    double cofactor[9];
    mat3_cofactor(F, cofactor);
    for (int a = 0; a < 9; ++a)
        P[a] = slopes->norm * F[a] + slopes->volume * cofactor[a];
}

static inline void invariant_stiffness(const InvariantSlopes *slopes, const double F[9], double dPdF[81]) {
    double cofactor[9];
    mat3_cofactor(F, cofactor);
    for (int a = 0; a < 9; ++a)
        for (int b = 0; b < 9; ++b)
            dPdF[9 * a + b] = slopes->norm_change * F[a] * F[b] + slopes->volume_change * cofactor[a] * cofactor[b];
    for (int a = 0; a < 9; ++a)
        dPdF[10 * a] += slopes->norm;
    add_volume_curvature(slopes->volume, F, dPdF);
}

/* dPdF += scale d(F F'F)/dF: d(F F'F)_ij / dF_kl = delta_ik (F'F)_jl + delta_jl (FF')_ik + F_il F_kj. */
static inline void add_cubic_derivative(double scale, const double F[9], double dPdF[81]) {
    double columns[9] = {0}, rows[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            rows[3 * i + j] = scale * vec3_dot(F + 3 * i, F + 3 * j);
            for (int k = 0; k < 3; ++k)
                columns[3 * i + j] += scale * F[3 * k + i] * F[3 * k + j];
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            double *d = dPdF + 9 * (3 * i + j);
            for (int k = 0; k < 3; ++k)
                for (int l = 0; l < 3; ++l)
                    d[3 * k + l] += scale * F[3 * i + l] * F[3 * k + j];
            for (int m = 0; m < 3; ++m) {
                d[3 * i + m] += columns[3 * j + m];
                d[3 * m + j] += rows[3 * i + m];
            }
        }
}

#endif
