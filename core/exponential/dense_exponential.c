#include "exponential/dense_exponential.h"

#include "base/status.h"
#include "base/vectors.h"
#include "linear/blas_guard.h"
#include "linear/cholmod_guard.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MOST = 10000 };
/* Up to this norm the approximant is exact to rounding. */
static const double PADE_NORM = 5.371920351148152;
static const double pade[] = {64764752532480000.0,
                              32382376266240000.0,
                              7771770303897600.0,
                              1187353796428800.0,
                              129060195264000.0,
                              10559470521600.0,
                              670442572800.0,
                              33522128640.0,
                              1323241920.0,
                              40840800.0,
                              960960.0,
                              16380.0,
                              182.0,
                              1.0};

/* BLAS and LAPACK, from the OpenBLAS that CHOLMOD uses; both take matrices by columns, so these are transposed, and the
   exponential of a transposed matrix is the transposed exponential. */
extern void dgemm_(const char *a_form, const char *b_form, const int *m, const int *n, const int *k,
                   const double *alpha, const double *a, const int *a_stride, const double *b, const int *b_stride,
                   const double *beta, double *c, const int *c_stride, size_t a_length, size_t b_length);
extern void dgesv_(const int *n, const int *right_hand_sides, double *a, const int *a_stride, int *pivots, double *b,
                   const int *b_stride, int *info);

/* c = a b, all by columns; must not alias. */
static void multiply(size_t n, const double *a, const double *b, double *c) {
    const double one = 1, zero = 0;
    const int size = (int)n;
    dgemm_("N", "N", &size, &size, &size, &one, a, &size, b, &size, &zero, c, &size, 1, 1);
}

/* The largest sum of magnitudes in a column; NaN if a number is not finite. */
static double column_norm(size_t n, const double *a) {
    double largest = 0;
    for (size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (size_t i = 0; i < n; ++i)
            sum += fabs(a[i * n + j]);
        if (!isfinite(sum))
            return NAN;
        largest = fmax(largest, sum);
    }
    return largest;
}

/* even + odd and even - odd are numerator and denominator of the approximant of a. */
static void approximate(size_t n, const double *a, double *powers[3], double *even, double *odd, double *scratch) {
    double *const sums[2] = {even, odd};
    multiply(n, a, a, powers[0]);
    multiply(n, powers[0], powers[0], powers[1]);
    multiply(n, powers[0], powers[1], powers[2]);
    for (int parity = 0; parity < 2; ++parity) {
        const double *c = pade + parity;
        for (size_t i = 0; i < n * n; ++i)
            scratch[i] = c[12] * powers[2][i] + c[10] * powers[1][i] + c[8] * powers[0][i];
        multiply(n, powers[2], scratch, sums[parity]);
        for (size_t i = 0; i < n * n; ++i)
            sums[parity][i] +=
                c[6] * powers[2][i] + c[4] * powers[1][i] + c[2] * powers[0][i] + (i % (n + 1) == 0 ? c[0] : 0);
    }
    multiply(n, a, odd, scratch);
    memcpy(odd, scratch, n * n * sizeof *odd);
}

JnStatus dense_exponential(size_t n, double *a, JnMessage *message) {
    double norm = column_norm(n, a), *powers[3], *even, *odd, *scratch;
    if (n == 0)
        return JN_OK;
    if (!isfinite(norm) || norm > 1e18 || n > SIZE_MOST)
        return status_fail(message, JN_ERR_DIVERGED,
                           "the exponential of a matrix is too large: use more "
                           "steps_per_frame");
    double **const vectors[] = {&powers[0], &powers[1], &powers[2], &even, &odd, &scratch};
    JnStatus status = blas_guard_reserve(message);
    if (status != JN_OK)
        return status;
    double *memory = vectors_make(vectors, sizeof vectors / sizeof *vectors, n * n);
    int *pivots = malloc(n * sizeof *pivots);
    if (!memory || !pivots) {
        free(memory);
        free(pivots);
        return status_no_memory(message, "the exponential of a matrix");
    }
    CholmodHold hold = cholmod_guard_hold();
    int squarings = 0;
    while (norm > PADE_NORM) {
        norm /= 2;
        ++squarings;
    }
    for (size_t i = 0; i < n * n; ++i)
        a[i] = ldexp(a[i], -squarings);
    approximate(n, a, powers, even, odd, scratch);
    for (size_t i = 0; i < n * n; ++i) {
        a[i] = even[i] + odd[i];
        scratch[i] = even[i] - odd[i];
    }
    int info = 0, size = (int)n;
    dgesv_(&size, &size, scratch, &size, pivots, a, &size, &info);
    bool regular = info == 0;
    for (int k = 0; regular && k < squarings; ++k) {
        multiply(n, a, a, scratch);
        memcpy(a, scratch, n * n * sizeof *a);
    }
    cholmod_guard_release(hold);
    bool finite = regular && isfinite(column_norm(n, a));
    free(memory);
    free(pivots);
    return finite ? JN_OK
                  : status_fail(message, JN_ERR_DIVERGED,
                                "the exponential of a matrix is too large: use more "
                                "steps_per_frame");
}
