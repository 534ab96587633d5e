#include "linear/float_factor.h"

#include "base/os/os.h"
#include "linear/supernodes.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* BLAS routines, with Fortran calling conventions. */
extern void strsm_(const char *side, const char *triangle, const char *transposed, const char *diagonal,
                   const int *rows, const int *columns, const float *scale, const float *a, const int *a_stride,
                   float *b, const int *b_stride);
extern void sgemm_(const char *a_transposed, const char *b_transposed, const int *rows, const int *columns,
                   const int *depth, const float *scale, const float *a, const int *a_stride, const float *b,
                   const int *b_stride, const float *c_scale, float *c, const int *c_stride);

bool float_factor_prepare(FloatFactor *factor, const cholmod_factor *analysis) {
    memset(factor, 0, sizeof *factor);
    size_t most_rows = 0;
    for (size_t s = 0; s < analysis->nsuper; ++s) {
        size_t rows = (size_t)supernode_of(analysis, s).stride;
        most_rows = rows > most_rows ? rows : most_rows;
    }
    factor->values = os_memory_in_large_pages((analysis->xsize + 1) * sizeof(float));
    factor->x = malloc((analysis->n + 1) * sizeof(float));
    factor->local = malloc((most_rows + 1) * sizeof(float));
    if (factor->values && factor->x && factor->local && float_fronts_prepare(&factor->fronts, analysis))
        return true;
    float_factor_free(factor);
    return false;
}

double float_factor_bytes(const FloatFactor *factor, const cholmod_factor *analysis) {
    return (double)(analysis->xsize * sizeof(float) + factor->fronts.bytes);
}

bool float_factor_compute(FloatFactor *factor, const cholmod_factor *analysis, const cholmod_sparse *matrix,
                          const double *values, int kept) {
    return float_fronts_factor(&factor->fronts, analysis, matrix, values, kept, factor->values);
}

void float_factor_round(FloatFactor *factor, const cholmod_factor *analysis) {
    const double *values = analysis->x;
    for (size_t i = 0; i < analysis->xsize; ++i)
        factor->values[i] = (float)values[i];
}

/* ------------------------------------------------------------------------------------------------ solves */

/* Columns are processed four at a time, so that the vector is read a quarter as often. Sums run in four lanes, in a
   fixed order. */
enum { COLUMNS = 4, LANES = 4 };
typedef float FloatLanes __attribute__((vector_size(sizeof(float) * LANES)));

static inline FloatLanes lanes_at(const float *values) {
    FloatLanes lanes;
    memcpy(&lanes, values, sizeof lanes);
    return lanes;
}

/* y[i] -= the sum over k of columns[k][i] x[k], for i < n. */
static void subtract_columns(const float *const columns[COLUMNS], const float x[COLUMNS], int n, float *restrict y) {
    const float *restrict c0 = columns[0], *restrict c1 = columns[1], *restrict c2 = columns[2],
                          *restrict c3 = columns[3];
    float x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
    for (int i = 0; i < n; ++i)
        y[i] -= (c0[i] * x0 + c1[i] * x1) + (c2[i] * x2 + c3[i] * x3);
}

/* sums[k] = the sum over i < n of columns[k][i] y[i]. */
static void multiply_columns(const float *const columns[COLUMNS], const float *y, int n, float sums[COLUMNS]) {
    const float *c0 = columns[0], *c1 = columns[1], *c2 = columns[2], *c3 = columns[3];
    FloatLanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        FloatLanes there = lanes_at(y + i);
        s0 += lanes_at(c0 + i) * there;
        s1 += lanes_at(c1 + i) * there;
        s2 += lanes_at(c2 + i) * there;
        s3 += lanes_at(c3 + i) * there;
    }
    sums[0] = (s0[0] + s0[1]) + (s0[2] + s0[3]);
    sums[1] = (s1[0] + s1[1]) + (s1[2] + s1[3]);
    sums[2] = (s2[0] + s2[1]) + (s2[2] + s2[3]);
    sums[3] = (s3[0] + s3[1]) + (s3[2] + s3[3]);
    for (; i < n; ++i)
        for (int k = 0; k < COLUMNS; ++k)
            sums[k] += columns[k][i] * y[i];
}

/* Columns from `first` on, of which there are `count`; others repeat the last. */
static int pick_columns(const float *values, int stride, int first, int width, const float *columns[COLUMNS]) {
    int count = width - first < COLUMNS ? width - first : COLUMNS;
    for (int k = 0; k < COLUMNS; ++k)
        columns[k] = values + (size_t)(first + (k < count ? k : count - 1)) * (size_t)stride;
    return count;
}

/* local = L^-1 local in the supernode's own rows, and the resulting update of those below. */
static void solve_columns_forward(const Supernode *node, const float *values, float *local) {
    const float *columns[COLUMNS];
    for (int first = 0, count; first < node->width; first += count) {
        count = pick_columns(values, node->stride, first, node->width, columns);
        float x[COLUMNS] = {0};
        for (int k = 0; k < count; ++k) {
            x[k] = local[first + k];
            for (int j = 0; j < k; ++j)
                x[k] -= columns[j][first + k] * x[j];
            x[k] /= columns[k][first + k];
            local[first + k] = x[k];
        }
        int after = first + count;
        for (int k = 0; k < COLUMNS; ++k)
            columns[k] += after;
        subtract_columns(columns, x, node->stride - after, local + after);
    }
}

/* The supernode's own rows of local = L^-T local, given those below. */
static void solve_columns_backward(const Supernode *node, const float *values, float *local) {
    const float *columns[COLUMNS], *rests[COLUMNS];
    for (int first = (node->width - 1) / COLUMNS * COLUMNS; first >= 0; first -= COLUMNS) {
        int count = pick_columns(values, node->stride, first, node->width, columns), after = first + count;
        float sums[COLUMNS];
        for (int k = 0; k < COLUMNS; ++k)
            rests[k] = columns[k] + after;
        multiply_columns(rests, local + after, node->stride - after, sums);
        for (int k = count; k-- > 0;) {
            float x = local[first + k] - sums[k];
            for (int i = k + 1; i < count; ++i)
                x -= columns[k][first + i] * local[first + i];
            local[first + k] = x / columns[k][first + k];
        }
    }
}

/* The supernode with those columns only that are not in `last`. */
static Supernode without_last(Supernode node, const cholmod_factor *analysis, size_t s, const LastBlock *last) {
    if (last && s + 1 == analysis->nsuper) {
        node.width -= last->count;
        node.below += last->count;
    }
    return node;
}

/* L^-1 or L^-T, L of the last block; x: [count], scratch: [count]. */
static void solve_last(const LastBlock *last, bool forward, float *x, float *scratch) {
    const Supernode dense = {.width = last->count, .stride = last->count};
    for (int i = 0; i < last->count; ++i)
        scratch[i] = x[last->order[i]];
    if (forward)
        solve_columns_forward(&dense, last->values, scratch);
    else
        solve_columns_backward(&dense, last->values, scratch);
    for (int i = 0; i < last->count; ++i)
        x[last->order[i]] = scratch[i];
}

static void solve_forward(FloatFactor *factor, const cholmod_factor *analysis, const LastBlock *last) {
    float *x = factor->x, *local = factor->local;
    for (size_t s = 0; s < analysis->nsuper; ++s) {
        Supernode node = without_last(supernode_of(analysis, s), analysis, s, last);
        memcpy(local, x + node.first, (size_t)node.width * sizeof *local);
        memset(local + node.width, 0, (size_t)node.below * sizeof *local);
        solve_columns_forward(&node, factor->values + node.values, local);
        memcpy(x + node.first, local, (size_t)node.width * sizeof *local);
        for (int i = node.width; i < node.stride; ++i)
            x[node.rows[i]] += local[i];
    }
    if (last)
        solve_last(last, true, x + analysis->n - (size_t)last->count, local);
}

static void solve_backward(FloatFactor *factor, const cholmod_factor *analysis, const LastBlock *last) {
    float *x = factor->x, *local = factor->local;
    if (last)
        solve_last(last, false, x + analysis->n - (size_t)last->count, local);
    for (size_t s = analysis->nsuper; s-- > 0;) {
        Supernode node = without_last(supernode_of(analysis, s), analysis, s, last);
        if (node.width == 0)
            continue;
        for (int i = 0; i < node.stride; ++i)
            local[i] = x[node.rows[i]];
        solve_columns_backward(&node, factor->values + node.values, local);
        memcpy(x + node.first, local, (size_t)node.width * sizeof *local);
    }
}

/* x = r in the factor's order, scaled by a power of two, which avoids overflow and underflow in single precision.
   Returns what undoes the scaling. */
static double put_in_order(const cholmod_factor *analysis, const double *r, float *x) {
    const int *order = analysis->Perm;
    size_t n = analysis->n;
    double largest = 0;
    for (size_t i = 0; i < n; ++i)
        largest = fmax(largest, fabs(r[i]));
    int exponent = 0;
    if (largest > 0 && isfinite(largest))
        frexp(largest, &exponent);
    double up = ldexp(1, -exponent), down = ldexp(1, exponent);
    if (!isfinite(up) || !isfinite(down) || up == 0)
        up = down = 1;
    for (size_t i = 0; i < n; ++i)
        x[i] = (float)(up * r[order[i]]);
    return down;
}

static void put_back(const cholmod_factor *analysis, const float *x, double scale, double *z) {
    const int *order = analysis->Perm;
    for (size_t i = 0; i < analysis->n; ++i)
        z[order[i]] = scale * (double)x[i];
}

void float_factor_solve(FloatFactor *factor, const cholmod_factor *analysis, const LastBlock *last, const double *r,
                        double *z) {
    double scale = put_in_order(analysis, r, factor->x);
    solve_forward(factor, analysis, last);
    solve_backward(factor, analysis, last);
    put_back(analysis, factor->x, scale, z);
}

/* ------------------------------------------------------------------------------------------------ many at once */

static const float ONE = 1, MINUS_ONE = -1, ZERO = 0;

/* x: [count][n]; local: [count][rows of a supernode]. */
static void solve_many_forward(const FloatFactor *factor, const cholmod_factor *analysis, const LastBlock *last,
                               float *x, float *local, int count) {
    for (size_t s = 0; s < analysis->nsuper; ++s) {
        Supernode node = without_last(supernode_of(analysis, s), analysis, s, last);
        const float *values = factor->values + node.values;
        int n = (int)analysis->n;
        if (node.width == 0)
            continue;
        strsm_("L", "L", "N", "N", &node.width, &count, &ONE, values, &node.stride, x + node.first, &n);
        if (node.below == 0)
            continue;
        sgemm_("N", "N", &node.below, &count, &node.width, &MINUS_ONE, values + node.width, &node.stride,
               x + node.first, &n, &ZERO, local, &node.below);
        for (int k = 0; k < count; ++k)
            for (int i = 0; i < node.below; ++i)
                x[(size_t)k * analysis->n + (size_t)node.rows[node.width + i]] +=
                    local[(size_t)k * (size_t)node.below + (size_t)i];
    }
    for (int k = 0; last && k < count; ++k)
        solve_last(last, true, x + (size_t)(k + 1) * analysis->n - (size_t)last->count, local);
}

static void solve_many_backward(const FloatFactor *factor, const cholmod_factor *analysis, const LastBlock *last,
                                float *x, float *local, int count) {
    for (int k = 0; last && k < count; ++k)
        solve_last(last, false, x + (size_t)(k + 1) * analysis->n - (size_t)last->count, local);
    for (size_t s = analysis->nsuper; s-- > 0;) {
        Supernode node = without_last(supernode_of(analysis, s), analysis, s, last);
        const float *values = factor->values + node.values;
        int n = (int)analysis->n;
        if (node.width == 0)
            continue;
        for (int k = 0; k < count; ++k)
            for (int i = 0; i < node.below; ++i)
                local[(size_t)k * (size_t)node.below + (size_t)i] =
                    x[(size_t)k * analysis->n + (size_t)node.rows[node.width + i]];
        if (node.below > 0)
            sgemm_("T", "N", &node.width, &count, &node.below, &MINUS_ONE, values + node.width, &node.stride, local,
                   &node.below, &ONE, x + node.first, &n);
        strsm_("L", "L", "T", "N", &node.width, &count, &ONE, values, &node.stride, x + node.first, &n);
    }
}

bool float_factor_solve_many(FloatFactor *factor, const cholmod_factor *analysis, const LastBlock *last,
                             const double *r, double *z, uint32_t count) {
    size_t n = analysis->n;
    float *x = malloc((n * count + 1) * sizeof *x), *local = malloc((n * count + 1) * sizeof *local);
    double *scales = malloc((count + 1) * sizeof *scales);
    bool done = x && local && scales && n <= INT_MAX;
    for (uint32_t k = 0; done && k < count; ++k)
        scales[k] = put_in_order(analysis, r + k * n, x + k * n);
    if (done) {
        solve_many_forward(factor, analysis, last, x, local, (int)count);
        solve_many_backward(factor, analysis, last, x, local, (int)count);
    }
    for (uint32_t k = 0; done && k < count; ++k)
        put_back(analysis, x + k * n, scales[k], z + k * n);
    free(x);
    free(local);
    free(scales);
    return done;
}

void float_factor_free(FloatFactor *factor) {
    float_fronts_free(&factor->fronts);
    free(factor->values);
    free(factor->x);
    free(factor->local);
    memset(factor, 0, sizeof *factor);
}
