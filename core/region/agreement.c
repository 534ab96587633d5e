#include "region/agreement.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

JnStatus agreement_create(size_t n, Agreement *agreement, JnMessage *message) {
    double **vectors[3 * AGREEMENT_DEPTH];
    *agreement = (Agreement){.n = n};
    for (int k = 0; k < AGREEMENT_DEPTH; ++k) {
        vectors[3 * k] = &agreement->velocities[k];
        vectors[3 * k + 1] = &agreement->impulses[k];
        vectors[3 * k + 2] = &agreement->off[k];
    }
    agreement->memory = vectors_make(vectors, 3 * AGREEMENT_DEPTH, n);
    return agreement->memory ? JN_OK : status_no_memory(message, "the fast regions");
}

void agreement_free(Agreement *agreement) {
    free(agreement->memory);
    memset(agreement, 0, sizeof *agreement);
}

void agreement_restart(Agreement *agreement) {
    agreement->count = 0;
}

static void rotate(double *vectors[AGREEMENT_DEPTH]) {
    double *oldest = vectors[AGREEMENT_DEPTH - 1];
    for (int k = AGREEMENT_DEPTH - 1; k > 0; --k)
        vectors[k] = vectors[k - 1];
    vectors[0] = oldest;
}

static void keep(Agreement *agreement, const double *velocities, const double *impulse, const double *predicted) {
    rotate(agreement->velocities);
    rotate(agreement->impulses);
    rotate(agreement->off);
    memcpy(agreement->velocities[0], velocities, agreement->n * sizeof(double));
    memcpy(agreement->impulses[0], impulse, agreement->n * sizeof(double));
    for (size_t i = 0; i < agreement->n; ++i)
        agreement->off[0][i] = impulse[i] - predicted[i];
    agreement->count += agreement->count < AGREEMENT_DEPTH;
}

/* The sum over i of a_i b_i, a and b differences of what is off in rounds j and k from the latest. */
static double product(const Agreement *agreement, int j, int k) {
    const double *latest = agreement->off[0];
    double sum = 0;
    for (size_t i = 0; i < agreement->n; ++i)
        sum += (agreement->off[j][i] - latest[i]) * (agreement->off[k][i] - latest[i]);
    return sum;
}

/* A pivot below this part of its diagonal: the way is nearly a combination of later ones, and is left out. */
static const double PARALLEL = 1e-10;

/* How much of the ways from the latest round to those before lets least be off: the normal equations, by Cholesky's
   method, the latest ways first. */
static void find_parts(const Agreement *agreement, double parts[AGREEMENT_DEPTH]) {
    double L[AGREEMENT_DEPTH][AGREEMENT_DEPTH] = {{0}};
    int count = (int)agreement->count;
    for (int k = 1; k < count; ++k) {
        double right = 0, diagonal = product(agreement, k, k), pivot = diagonal;
        for (size_t i = 0; i < agreement->n; ++i)
            right -= agreement->off[0][i] * (agreement->off[k][i] - agreement->off[0][i]);
        for (int j = 1; j < k; ++j) {
            double sum = L[j][j] > 0 ? product(agreement, k, j) : 0;
            for (int i = 1; i < j; ++i)
                sum -= L[k][i] * L[j][i];
            L[k][j] = L[j][j] > 0 ? sum / L[j][j] : 0;
            pivot -= L[k][j] * L[k][j];
            right -= L[k][j] * parts[j];
        }
        L[k][k] = pivot > PARALLEL * diagonal ? sqrt(pivot) : 0;
        parts[k] = L[k][k] > 0 ? right / L[k][k] : 0;
    }
    for (int k = count - 1; k > 0; --k) {
        for (int j = k + 1; j < count; ++j)
            parts[k] -= L[j][k] * parts[j];
        parts[k] = L[k][k] > 0 ? parts[k] / L[k][k] : 0;
    }
}

void agreement_combine(Agreement *agreement, double *velocities, double *impulse, const double *predicted) {
    double parts[AGREEMENT_DEPTH];
    keep(agreement, velocities, impulse, predicted);
    find_parts(agreement, parts);
    for (int k = 1; k < (int)agreement->count; ++k)
        for (size_t i = 0; i < agreement->n; ++i) {
            velocities[i] += parts[k] * (agreement->velocities[k][i] - agreement->velocities[0][i]);
            impulse[i] += parts[k] * (agreement->impulses[k][i] - agreement->impulses[0][i]);
        }
}
