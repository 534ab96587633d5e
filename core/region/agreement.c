#include "region/agreement.h"

#include "base/status.h"
#include "base/vectors.h"

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

/* How much of the ways from the latest round to those before lets least be off. false: they do not tell. */
static bool find_parts(const Agreement *agreement, double parts[2]) {
    double right[2], a = product(agreement, 1, 1);
    for (int k = 1; k < (int)agreement->count; ++k) {
        right[k - 1] = 0;
        for (size_t i = 0; i < agreement->n; ++i)
            right[k - 1] -= agreement->off[0][i] * (agreement->off[k][i] - agreement->off[0][i]);
    }
    parts[1] = 0;
    if (agreement->count == 2) {
        parts[0] = a > 0 ? right[0] / a : 0;
        return a > 0;
    }
    double b = product(agreement, 1, 2), c = product(agreement, 2, 2), determinant = a * c - b * b;
    if (!(determinant > 1e-10 * a * c)) /* nearly the same way */
        return false;
    parts[0] = (c * right[0] - b * right[1]) / determinant;
    parts[1] = (a * right[1] - b * right[0]) / determinant;
    return true;
}

void agreement_combine(Agreement *agreement, double *velocities, double *impulse, const double *predicted) {
    double parts[2];
    keep(agreement, velocities, impulse, predicted);
    if (agreement->count < 2 || !find_parts(agreement, parts))
        return;
    for (int k = 1; k < (int)agreement->count; ++k)
        for (size_t i = 0; i < agreement->n; ++i) {
            velocities[i] += parts[k - 1] * (agreement->velocities[k][i] - agreement->velocities[0][i]);
            impulse[i] += parts[k - 1] * (agreement->impulses[k][i] - agreement->impulses[0][i]);
        }
}
