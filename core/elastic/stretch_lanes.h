/* The stiffness of four elements of isotropic laws at once, from their principal stretches (isotropic.h). */
#ifndef JN_ELASTIC_STRETCH_LANES_H
#define JN_ELASTIC_STRETCH_LANES_H

#include "elastic/lanes.h"

/* Four PrincipalForms. */
typedef struct StretchLanes {
    Lanes U[9], V[9];
    Lanes scaling[9], flip[3], twist[3];
} StretchLanes;

typedef struct StretchKernels {
    /* F = U diag(s) V' as in svd3, valid where `right` is true: not for matrices of very large or small norm, of rank
       below 2, or not finite. */
    void (*decompose)(const Lanes F[9], Lanes U[9], Lanes s[3], Lanes V[9], LaneMask *right);
    /* forces: [9] (dP/dF : dF) g_a of the corners a = 0, 1, 2 with the shape gradients g_a, dF the sum over these of
       edge times gradient'. */
    void (*force_change)(const StretchLanes *stiffness, const Lanes gradients[9], const Lanes edges[9],
                         Lanes forces[9]);
    /* The blocks g_a . dP/dF . g_b of all corners, as in lanes_balance_blocks. */
    void (*blocks)(const StretchLanes *stiffness, const Lanes gradients[9], Lanes blocks[10][9]);
} StretchKernels;

/* As the kernels of invariant_lanes.h. */
extern const StretchKernels stretch_kernels_plain;
extern const StretchKernels *const stretch_kernels_wide;

#endif
