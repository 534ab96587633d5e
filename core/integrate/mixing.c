#include "integrate/mixing.h"

#include "base/status.h"
#include "base/vectors.h"

#include <stdlib.h>
#include <string.h>

JnStatus mixing_create(size_t n, Mixing *mixing, JnMessage *message) {
    memset(mixing, 0, sizeof *mixing);
    double **vectors[2 + 2 * MIXING_DEPTH] = {&mixing->last_x, &mixing->last_d};
    for (size_t k = 0; k < MIXING_DEPTH; ++k) {
        vectors[2 + 2 * k] = &mixing->x_differences[k];
        vectors[3 + 2 * k] = &mixing->d_differences[k];
    }
    mixing->n = n;
    mixing->memory = vectors_make(vectors, sizeof vectors / sizeof vectors[0], n);
    return mixing->memory ? JN_OK : status_no_memory(message, "Newton's method");
}

void mixing_free(Mixing *mixing) {
    free(mixing->memory);
    memset(mixing, 0, sizeof *mixing);
}

void mixing_restart(Mixing *mixing) {
    mixing->started = false;
    mixing->count = mixing->next = 0;
}

static void note(Mixing *mixing, const double *x, const double *d) {
    for (size_t i = 0; mixing->started && i < mixing->n; ++i) {
        mixing->x_differences[mixing->next][i] = x[i] - mixing->last_x[i];
        mixing->d_differences[mixing->next][i] = d[i] - mixing->last_d[i];
    }
    if (mixing->started) {
        mixing->next = (mixing->next + 1) % MIXING_DEPTH;
        mixing->count += mixing->count < MIXING_DEPTH;
    }
    memcpy(mixing->last_x, x, mixing->n * sizeof *x);
    memcpy(mixing->last_d, d, mixing->n * sizeof *d);
    mixing->started = true;
}

/* weights = the combination of the differences of d that comes closest to d: the normal equations by elimination, with
   a little on the diagonal against differences that are nearly parallel. */
static void find_weights(const Mixing *mixing, const double *d, double weights[MIXING_DEPTH]) {
    double A[MIXING_DEPTH][MIXING_DEPTH];
    uint32_t m = mixing->count;
    for (uint32_t i = 0; i < m; ++i) {
        for (uint32_t j = 0; j < m; ++j)
            A[i][j] = vector_dot(mixing->d_differences[i], mixing->d_differences[j], mixing->n);
        weights[i] = vector_dot(mixing->d_differences[i], d, mixing->n);
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

void mixing_step(Mixing *mixing, const double *x, const double *d, double *step) {
    double weights[MIXING_DEPTH];
    note(mixing, x, d);
    find_weights(mixing, d, weights);
    for (size_t i = 0; i < mixing->n; ++i) {
        double sum = d[i];
        for (uint32_t k = 0; k < mixing->count; ++k)
            sum -= weights[k] * (mixing->x_differences[k][i] + mixing->d_differences[k][i]);
        step[i] = sum;
    }
}
