#include "linear/float_factor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the BLAS, which speaks Fortran. */
extern void strsv_(const char *triangle, const char *transposed, const char *diagonal, const int *n, const float *a,
                   const int *stride, float *x, const int *step);
extern void sgemv_(const char *transposed, const int *rows, const int *columns, const float *scale, const float *a,
                   const int *stride, const float *x, const int *x_step, const float *y_scale, float *y,
                   const int *y_step);

static const int ONE_STEP = 1;
static const float ONE = 1, MINUS_ONE = -1, NONE = 0;

bool float_factor_round(FloatFactor *rounded, const cholmod_factor *factor) {
    if (!rounded->values) {
        rounded->values = malloc((factor->xsize + 1) * sizeof(float));
        rounded->x = malloc((factor->n + 1) * sizeof(float));
        rounded->below = malloc((factor->maxesize + 1) * sizeof(float));
    }
    if (!rounded->values || !rounded->x || !rounded->below) {
        float_factor_free(rounded);
        return false;
    }
    const double *values = factor->x;
    for (size_t i = 0; i < factor->xsize; ++i)
        rounded->values[i] = (float)values[i];
    return true;
}

/* Columns first to first + width of the factor: a triangle of that width over `below` more rows. */
typedef struct Supernode {
    int first, width, below, stride;
    const int *rows; /* [below] */
    const float *triangle, *rectangle;
} Supernode;

static Supernode supernode(const FloatFactor *rounded, const cholmod_factor *factor, size_t s) {
    const int *columns = factor->super, *row_starts = factor->pi, *value_starts = factor->px, *rows = factor->s;
    Supernode node = {.first = columns[s], .width = columns[s + 1] - columns[s]};
    node.stride = row_starts[s + 1] - row_starts[s];
    node.below = node.stride - node.width;
    node.rows = rows + row_starts[s] + node.width;
    node.triangle = rounded->values + value_starts[s];
    node.rectangle = node.triangle + node.width;
    return node;
}

static void solve_forward(const FloatFactor *rounded, const cholmod_factor *factor) {
    float *x = rounded->x, *below = rounded->below;
    for (size_t s = 0; s < factor->nsuper; ++s) {
        Supernode node = supernode(rounded, factor, s);
        strsv_("L", "N", "N", &node.width, node.triangle, &node.stride, x + node.first, &ONE_STEP);
        if (node.below == 0)
            continue;
        sgemv_("N", &node.below, &node.width, &ONE, node.rectangle, &node.stride, x + node.first, &ONE_STEP, &NONE,
               below, &ONE_STEP);
        for (int i = 0; i < node.below; ++i)
            x[node.rows[i]] -= below[i];
    }
}

static void solve_backward(const FloatFactor *rounded, const cholmod_factor *factor) {
    float *x = rounded->x, *below = rounded->below;
    for (size_t s = factor->nsuper; s-- > 0;) {
        Supernode node = supernode(rounded, factor, s);
        for (int i = 0; i < node.below; ++i)
            below[i] = x[node.rows[i]];
        if (node.below > 0)
            sgemv_("T", &node.below, &node.width, &MINUS_ONE, node.rectangle, &node.stride, below, &ONE_STEP, &ONE,
                   x + node.first, &ONE_STEP);
        strsv_("L", "T", "N", &node.width, node.triangle, &node.stride, x + node.first, &ONE_STEP);
    }
}

void float_factor_solve(const FloatFactor *rounded, const cholmod_factor *factor, const double *r, double *z) {
    const int *order = factor->Perm;
    size_t n = factor->n;
    double largest = 0;
    for (size_t i = 0; i < n; ++i)
        largest = fmax(largest, fabs(r[i]));
    /* a power of two brings the numbers near 1, where floats have all their digits */
    int exponent = 0;
    if (largest > 0 && isfinite(largest))
        frexp(largest, &exponent);
    double up = ldexp(1, -exponent), down = ldexp(1, exponent);
    if (!isfinite(up) || !isfinite(down) || up == 0)
        up = down = 1;
    for (size_t i = 0; i < n; ++i)
        rounded->x[i] = (float)(up * r[order[i]]);
    solve_forward(rounded, factor);
    solve_backward(rounded, factor);
    for (size_t i = 0; i < n; ++i)
        z[order[i]] = down * (double)rounded->x[i];
}

void float_factor_free(FloatFactor *rounded) {
    free(rounded->values);
    free(rounded->x);
    free(rounded->below);
    memset(rounded, 0, sizeof *rounded);
}
