#include "integrate/anderson.h"

#include "base/status.h"
#include "base/vectors.h"

#include <stdlib.h>
#include <string.h>

JnStatus anderson_create(size_t n, Anderson *anderson, JnMessage *message) {
    memset(anderson, 0, sizeof *anderson);
    double **vectors[2 + 2 * ANDERSON_DEPTH] = {&anderson->last_x, &anderson->last_d};
    for (size_t k = 0; k < ANDERSON_DEPTH; ++k) {
        vectors[2 + 2 * k] = &anderson->x_differences[k];
        vectors[3 + 2 * k] = &anderson->d_differences[k];
    }
    anderson->n = n;
    anderson->memory = vectors_make(vectors, sizeof vectors / sizeof vectors[0], n);
    return anderson->memory ? JN_OK : status_no_memory(message, "Newton's method");
}

void anderson_free(Anderson *anderson) {
    free(anderson->memory);
    memset(anderson, 0, sizeof *anderson);
}

void anderson_restart(Anderson *anderson) {
    anderson->started = false;
    anderson->count = anderson->next = 0;
}

static void note(Anderson *anderson, const double *x, const double *d) {
    for (size_t i = 0; anderson->started && i < anderson->n; ++i) {
        anderson->x_differences[anderson->next][i] = x[i] - anderson->last_x[i];
        anderson->d_differences[anderson->next][i] = d[i] - anderson->last_d[i];
    }
    if (anderson->started) {
        anderson->next = (anderson->next + 1) % ANDERSON_DEPTH;
        anderson->count += anderson->count < ANDERSON_DEPTH;
    }
    memcpy(anderson->last_x, x, anderson->n * sizeof *x);
    memcpy(anderson->last_d, d, anderson->n * sizeof *d);
    anderson->started = true;
}

/* weights = the combination of the differences of d that comes closest to d: the normal equations by elimination,
   regularized on the diagonal in case differences are nearly parallel. */
static void find_weights(const Anderson *anderson, const double *d, double weights[ANDERSON_DEPTH]) {
    double A[ANDERSON_DEPTH][ANDERSON_DEPTH];
    uint32_t m = anderson->count;
    for (uint32_t i = 0; i < m; ++i) {
        for (uint32_t j = 0; j < m; ++j)
            A[i][j] = vector_dot(anderson->d_differences[i], anderson->d_differences[j], anderson->n);
        weights[i] = vector_dot(anderson->d_differences[i], d, anderson->n);
    }
    for (uint32_t i = 0; i < m; ++i)
        A[i][i] *= 1 + 1e-10;
    for (uint32_t k = 0; k < m; ++k)
        for (uint32_t i = k + 1; i < m; ++i) {
            double factor = A[k][k] > 0 ? A[i][k] / A[k][k] : 0;
            for (uint32_t j = k; j < m; ++j)
                A[i][j] -= factor * A[k][j];
            weights[i] -= factor * weights[k];
        }
    for (uint32_t k = m; k-- > 0;) {
        for (uint32_t j = k + 1; j < m; ++j)
            weights[k] -= A[k][j] * weights[j];
        weights[k] = A[k][k] > 0 ? weights[k] / A[k][k] : 0;
    }
}

void anderson_step(Anderson *anderson, const double *x, const double *d, double *step) {
    double weights[ANDERSON_DEPTH];
    note(anderson, x, d);
    find_weights(anderson, d, weights);
    for (size_t i = 0; i < anderson->n; ++i) {
        double sum = d[i];
        for (uint32_t k = 0; k < anderson->count; ++k)
            sum -= weights[k] * (anderson->x_differences[k][i] + anderson->d_differences[k][i]);
        step[i] = sum;
    }
}
