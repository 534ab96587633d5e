/* Cholesky as a test of definiteness, and Jacobi's method for eigenvalues (Golub and Van Loan, section 8.5). */
#include "base/symmetric.h"

#include <math.h>
#include <string.h>

enum { ENTRIES = SYMMETRIC_LARGEST * SYMMETRIC_LARGEST };

bool symmetric_is_semidefinite(const double *a, int n, double tolerance) {
    double l[ENTRIES], largest = 0;
    for (int i = 0; i < n; ++i)
        largest = fmax(largest, fabs(a[n * i + i]));
    for (int j = 0; j < n; ++j) {
        double pivot = a[n * j + j] + tolerance * largest;
        for (int k = 0; k < j; ++k)
            pivot -= l[n * j + k] * l[n * j + k];
        if (!(pivot > 0))
            return false;
        double root = sqrt(pivot);
        l[n * j + j] = root;
        for (int i = j + 1; i < n; ++i) {
            double sum = a[n * i + j];
            for (int k = 0; k < j; ++k)
                sum -= l[n * i + k] * l[n * j + k];
            l[n * i + j] = sum / root;
        }
    }
    return true;
}

/* One rotation of Jacobi's method that makes a[p][q] zero; v collects the eigenvectors as columns. */
static void rotate(double *a, double *v, int n, int p, int q) {
    double apq = a[n * p + q];
    if (apq == 0)
        return;
    double theta = (a[n * q + q] - a[n * p + p]) / (2 * apq);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < n; ++k) {
        double akp = a[n * k + p], akq = a[n * k + q];
        a[n * k + p] = c * akp - s * akq;
        a[n * k + q] = s * akp + c * akq;
    }
    for (int k = 0; k < n; ++k) {
        double apk = a[n * p + k], aqk = a[n * q + k];
        a[n * p + k] = c * apk - s * aqk;
        a[n * q + k] = s * apk + c * aqk;
        double vkp = v[n * k + p], vkq = v[n * k + q];
        v[n * k + p] = c * vkp - s * vkq;
        v[n * k + q] = s * vkp + c * vkq;
    }
}

/* True if the off-diagonal entries are within rounding of 0. */
static bool is_diagonal(const double *a, int n) {
    double diagonal = 0, others = 0;
    for (int i = 0; i < n; ++i) {
        diagonal += a[n * i + i] * a[n * i + i];
        for (int j = i + 1; j < n; ++j)
            others += a[n * i + j] * a[n * i + j];
    }
    return others <= 1e-34 * diagonal;
}

void symmetric_positive_part(double *a, int n) {
    /* eigenvalues on the diagonal of d, eigenvectors in v; eight sweeps reach rounding for 9x9 */
    double d[ENTRIES], v[ENTRIES] = {0};
    memcpy(d, a, (size_t)(n * n) * sizeof *a);
    for (int i = 0; i < n; ++i)
        v[n * i + i] = 1;
    for (int sweep = 0; sweep < 8 && !is_diagonal(d, n); ++sweep)
        for (int p = 0; p < n - 1; ++p)
            for (int q = p + 1; q < n; ++q)
                rotate(d, v, n, p, q);

    /* reassemble the positive part */
    memset(a, 0, (size_t)(n * n) * sizeof *a);
    for (int k = 0; k < n; ++k) {
        double eigenvalue = d[n * k + k];
        if (!(eigenvalue > 0))
            continue;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                a[n * i + j] += eigenvalue * v[n * i + k] * v[n * j + k];
    }
}
