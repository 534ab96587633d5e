/* The force and stiffness of four elements of laws w(I, J) at once, I = |F|^2 and J = det F (invariants.h), without
   their 9x9 matrices.

   Between two corners with shape gradients a and b the stiffness is the 3x3 block

       norm (a . b) 1 + norm_change (F a)(F b)' + volume_change (cof F a)(cof F b)' + volume [F (a x b)],

   where [z] is the matrix with u'[z] w = z . (u x w). Its eigenvalues (isotropic.h) are norm +- volume s_k, k = 0, 1,
   2, and those of a 3x3 matrix; whether all of them are positive can be decided from I, J and |cof F|^2 alone, since
   their elementary symmetric polynomials are polynomials in these. */
#ifndef JN_ELASTIC_INVARIANT_LANES_H
#define JN_ELASTIC_INVARIANT_LANES_H

#include "elastic/invariants.h"
#include "elastic/lanes.h"

/* The deformation of four elements, and the derivatives of their laws there. */
typedef struct InvariantLanes {
    Lanes gradients[9]; /* g_0, g_1, g_2 of each */
    Lanes F[9], cofactor[9];
    Lanes I, J;
    Lanes norm, norm_change, volume, volume_change; /* InvariantSlopes */
} InvariantLanes;

typedef struct InvariantKernels {
    /* F, cofactor, I and J from gradients and edges: [9] x_a - x_3 of the corners a = 0, 1, 2. */
    void (*deform)(InvariantLanes *lanes, const Lanes edges[9]);
    /* Whether no eigenvalue of dP/dF is below -allowed, Pa; either answer where rounding decides. */
    void (*judge_above)(const InvariantLanes *lanes, const Lanes *allowed, LaneMask *above);
    /* Whether all eigenvalues of dP/dF are certainly positive: false where the smallest is within rounding error of
       0. */
    void (*judge_positive)(const InvariantLanes *lanes, LaneMask *positive);
    /* forces: [9] scale P g_a of the corners a = 0, 1, 2. */
    void (*force)(const InvariantLanes *lanes, const Lanes *scale, Lanes forces[9]);
    /* forces: [9] scale (dP/dF : dF) g_a, dF from edges as F is. */
    void (*force_change)(const InvariantLanes *lanes, const Lanes edges[9], const Lanes *scale, Lanes forces[9]);
    /* The blocks scale g_a . dP/dF . g_b of all corners, as in lanes_balance_blocks. */
    void (*blocks)(const InvariantLanes *lanes, const Lanes *scale, Lanes blocks[10][9]);
} InvariantKernels;

/* For every processor; and for those with AVX2, NULL if the compiler has none. lane_kernels.h chooses. */
extern const InvariantKernels invariant_kernels_plain;
extern const InvariantKernels *const invariant_kernels_wide;

#endif
