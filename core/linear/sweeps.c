#include "linear/sweeps.h"

#include "base/math3.h"

#include <string.h>

static bool is_positive_definite(const double a[9]) {
    return a[0] > 0 && a[0] * a[4] > a[1] * a[1] && mat3_det(a) > 0;
}

bool sweeps_prepare(Sweeps *sweeps, const PairBlocks *pairs) {
    const FreeUnknowns *unknowns = sweeps->unknowns;
    bool positive = true;
    for (size_t i = 0; i < unknowns->count; ++i)
        memcpy(sweeps->inverses + 9 * i,
               sweeps->matrix->values + 9 * (size_t)unknowns->blocks[unknowns->block_starts[i]], 9 * sizeof(double));
    pair_blocks_add_diagonal(pairs, unknowns, 1, sweeps->inverses);
    for (size_t i = 0; positive && i < unknowns->count; ++i) {
        double block[9];
        memcpy(block, sweeps->inverses + 9 * i, sizeof block);
        positive = is_positive_definite(block) && mat3_inverse(block, sweeps->inverses + 9 * i);
    }
    return positive;
}

/* (D + L) z = r */
static void sweep_forward(const Sweeps *sweeps, const double *r, double *rest, double *z) {
    const FreeUnknowns *unknowns = sweeps->unknowns;
    memcpy(rest, r, 3 * (size_t)unknowns->count * sizeof *rest);
    for (size_t i = 0; i < unknowns->count; ++i) {
        double *own = z + 3 * i;
        mat3_mul_vec(sweeps->inverses + 9 * i, rest + 3 * i, own);
        double x = own[0], y = own[1], w = own[2];
        for (uint32_t k = unknowns->block_starts[i] + 1; k < unknowns->block_starts[i + 1]; ++k) {
            const double *a = sweeps->matrix->values + 9 * (size_t)unknowns->blocks[k];
            double *left = rest + 3 * (size_t)unknowns->rows[k];
            left[0] -= a[0] * x + a[1] * y + a[2] * w;
            left[1] -= a[3] * x + a[4] * y + a[5] * w;
            left[2] -= a[6] * x + a[7] * y + a[8] * w;
        }
    }
}

/* (D + L') z = D z */
static void sweep_backward(const Sweeps *sweeps, double *z) {
    const FreeUnknowns *unknowns = sweeps->unknowns;
    for (size_t i = unknowns->count; i-- > 0;) {
        double sum[3] = {0, 0, 0}, step[3];
        for (uint32_t k = unknowns->block_starts[i] + 1; k < unknowns->block_starts[i + 1]; ++k) {
            const double *a = sweeps->matrix->values + 9 * (size_t)unknowns->blocks[k];
            const double *other = z + 3 * (size_t)unknowns->rows[k];
            sum[0] += a[0] * other[0] + a[3] * other[1] + a[6] * other[2];
            sum[1] += a[1] * other[0] + a[4] * other[1] + a[7] * other[2];
            sum[2] += a[2] * other[0] + a[5] * other[1] + a[8] * other[2];
        }
        mat3_mul_vec(sweeps->inverses + 9 * i, sum, step);
        for (size_t c = 0; c < 3; ++c)
            z[3 * i + c] -= step[c];
    }
}

void sweeps_apply(const Sweeps *sweeps, const double *r, double *rest, double *z) {
    sweep_forward(sweeps, r, rest, z);
    sweep_backward(sweeps, z);
}
