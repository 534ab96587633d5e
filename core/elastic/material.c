#include "elastic/material.h"

#include <math.h>
#include <string.h>

/* The laws: a new one is a file and a line here. */
#define LAWS(LAW)                                                                                            \
    LAW(stable_neohooke, "Stable neo-Hookean",                                                               \
        "Rubber-like flesh that survives being squashed flat or turned inside out; the usual choice")

#define DECLARE(law, label, summary) MATERIAL_LAW(law);
#define LINE(law, label, summary)                                                                            \
    {{#law, label, summary}, law##_coefficients, law##_energy, law##_stress, law##_stiffness},

LAWS(DECLARE)
static const Material laws[] = {LAWS(LINE)};

const Table material_table = {"materials", "material", laws, sizeof laws[0], sizeof laws / sizeof laws[0]};

void material_lame(double young_modulus, double poisson_ratio, double *lambda, double *mu) {
    *lambda = young_modulus * poisson_ratio / ((1 + poisson_ratio) * (1 - 2 * poisson_ratio));
    *mu = young_modulus / (2 * (1 + poisson_ratio));
}

/* True if a symmetric 9x9 matrix is positive semidefinite, up to rounding, by Cholesky without pivoting. */
static int is_semidefinite(const double a[81]) {
    double l[81], largest = 0;
    for (int i = 0; i < 9; ++i)
        largest = fmax(largest, fabs(a[10 * i]));
    for (int j = 0; j < 9; ++j) {
        double pivot = a[10 * j] + 1e-12 * largest;
        for (int k = 0; k < j; ++k)
            pivot -= l[9 * j + k] * l[9 * j + k];
        if (!(pivot > 0))
            return 0;
        double root = sqrt(pivot);
        l[10 * j] = root;
        for (int i = j + 1; i < 9; ++i) {
            double sum = a[9 * i + j];
            for (int k = 0; k < j; ++k)
                sum -= l[9 * i + k] * l[9 * j + k];
            l[9 * i + j] = sum / root;
        }
    }
    return 1;
}

/* One rotation of Jacobi's method that makes a[p][q] zero; v collects the eigenvectors as columns. */
static void jacobi_rotate(double a[81], double v[81], int p, int q) {
    double apq = a[9 * p + q];
    if (apq == 0)
        return;
    double theta = (a[10 * q] - a[10 * p]) / (2 * apq);
    double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    double c = 1 / sqrt(t * t + 1), s = t * c;
    for (int k = 0; k < 9; ++k) {
        double akp = a[9 * k + p], akq = a[9 * k + q];
        a[9 * k + p] = c * akp - s * akq;
        a[9 * k + q] = s * akp + c * akq;
    }
    for (int k = 0; k < 9; ++k) {
        double apk = a[9 * p + k], aqk = a[9 * q + k];
        a[9 * p + k] = c * apk - s * aqk;
        a[9 * q + k] = s * apk + c * aqk;
        double vkp = v[9 * k + p], vkq = v[9 * k + q];
        v[9 * k + p] = c * vkp - s * vkq;
        v[9 * k + q] = s * vkp + c * vkq;
    }
}

int material_project(double dPdF[81]) {
    if (is_semidefinite(dPdF))
        return 0;

    /* eigenvalues on the diagonal of a, eigenvectors in v; eight sweeps reach rounding for 9x9 */
    double a[81], v[81] = {0};
    memcpy(a, dPdF, sizeof a);
    for (int i = 0; i < 9; ++i)
        v[10 * i] = 1;
    for (int sweep = 0; sweep < 8; ++sweep)
        for (int p = 0; p < 8; ++p)
            for (int q = p + 1; q < 9; ++q)
                jacobi_rotate(a, v, p, q);

    /* put the positive part together again */
    memset(dPdF, 0, 81 * sizeof *dPdF);
    for (int k = 0; k < 9; ++k) {
        double eigenvalue = a[10 * k];
        if (!(eigenvalue > 0))
            continue;
        for (int i = 0; i < 9; ++i)
            for (int j = 0; j < 9; ++j)
                dPdF[9 * i + j] += eigenvalue * v[9 * i + k] * v[9 * j + k];
    }
    return 1;
}
