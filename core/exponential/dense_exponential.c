#include "exponential/dense_exponential.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

/* c = a b; must not alias. */
static void multiply(size_t n, const double *a, const double *b, double *c) {
    memset(c, 0, n * n * sizeof *c);
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < n; ++k) {
            double factor = a[i * n + k];
            if (factor == 0)
                continue;
            for (size_t j = 0; j < n; ++j)
                c[i * n + j] += factor * b[k * n + j];
        }
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

/* b = a^-1 b for [n * n] right-hand sides, by elimination with pivots; a is overwritten. false: a is singular. */
static bool solve(size_t n, double *a, double *b) {
    for (size_t k = 0; k < n; ++k) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; ++i)
            if (fabs(a[i * n + k]) > fabs(a[pivot * n + k]))
                pivot = i;
        if (!(fabs(a[pivot * n + k]) > 0))
            return false;
        for (size_t j = 0; pivot != k && j < n; ++j) {
            double swapped = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = swapped;
            swapped = b[k * n + j];
            b[k * n + j] = b[pivot * n + j];
            b[pivot * n + j] = swapped;
        }
        for (size_t i = k + 1; i < n; ++i) {
            double factor = a[i * n + k] / a[k * n + k];
            for (size_t j = k + 1; factor != 0 && j < n; ++j)
                a[i * n + j] -= factor * a[k * n + j];
            for (size_t j = 0; factor != 0 && j < n; ++j)
                b[i * n + j] -= factor * b[k * n + j];
        }
    }
    for (size_t k = n; k-- > 0;)
        for (size_t j = 0; j < n; ++j)
            b[k * n + j] /= a[k * n + k];
    for (size_t k = n; k-- > 1;)
        for (size_t i = 0; i < k; ++i) {
            /* the rows below are final: take them out of those above, scaled by their own pivot */
            double factor = a[i * n + k] / a[i * n + i];
            for (size_t j = 0; factor != 0 && j < n; ++j)
                b[i * n + j] -= factor * b[k * n + j];
        }
    return true;
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
    if (!isfinite(norm) || norm > 1e18)
        return status_fail(message, JN_ERR_DIVERGED,
                           "the exponential of a matrix is too large: use more "
                           "steps_per_frame");
    double **const vectors[] = {&powers[0], &powers[1], &powers[2], &even, &odd, &scratch};
    double *memory = vectors_make(vectors, sizeof vectors / sizeof *vectors, n * n);
    if (!memory)
        return status_no_memory(message, "the exponential of a matrix");
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
    bool regular = solve(n, scratch, a);
    for (int k = 0; regular && k < squarings; ++k) {
        multiply(n, a, a, scratch);
        memcpy(a, scratch, n * n * sizeof *a);
    }
    bool finite = regular && isfinite(column_norm(n, a));
    free(memory);
    return finite ? JN_OK
                  : status_fail(message, JN_ERR_DIVERGED,
                                "the exponential of a matrix is too large: use more "
                                "steps_per_frame");
}
