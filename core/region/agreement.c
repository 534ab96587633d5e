#include "region/agreement.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

JnStatus agreement_create(size_t n, Agreement *agreement, JnMessage *message) {
    double **vectors[3 * (AGREEMENT_WAYS + 1)];
    *agreement = (Agreement){.n = n};
    for (int k = 0; k <= AGREEMENT_WAYS; ++k) {
        AgreementRound *round = k < AGREEMENT_WAYS ? &agreement->ways[k] : &agreement->latest;
        vectors[3 * k] = &round->velocities;
        vectors[3 * k + 1] = &round->impulse;
        vectors[3 * k + 2] = &round->off;
    }
    agreement->memory = vectors_make(vectors, 3 * (AGREEMENT_WAYS + 1), n);
    agreement->marked = calloc(n / 3 + 1, 1);
    if (agreement->memory && agreement->marked)
        return JN_OK;
    agreement_free(agreement);
    return status_no_memory(message, "the fast regions");
}

void agreement_free(Agreement *agreement) {
    free(agreement->memory);
    free(agreement->marked);
    memset(agreement, 0, sizeof *agreement);
}

void agreement_mark(Agreement *agreement, const uint8_t *marked) {
    memcpy(agreement->marked, marked, agreement->n / 3);
}

void agreement_restart(Agreement *agreement, bool keeps) {
    agreement->begun = false;
    if (!keeps)
        agreement->way_count = 0;
    for (uint32_t k = 0; k < agreement->way_count; ++k)
        for (size_t i = 0; i < agreement->n; ++i)
            agreement->ways[k].velocities[i] *= agreement->marked[i / 3];
}

/* From the latest round to this one. */
static void keep_way(Agreement *agreement, const double *velocities, const double *impulse, const double *predicted) {
    AgreementRound oldest = agreement->ways[AGREEMENT_WAYS - 1];
    memmove(agreement->ways + 1, agreement->ways, (AGREEMENT_WAYS - 1) * sizeof oldest);
    agreement->ways[0] = oldest;
    for (size_t i = 0; i < agreement->n; ++i) {
        oldest.velocities[i] = agreement->latest.velocities[i] - velocities[i];
        oldest.impulse[i] = agreement->latest.impulse[i] - impulse[i];
        oldest.off[i] = agreement->latest.off[i] - (impulse[i] - predicted[i]);
    }
    agreement->way_count += agreement->way_count < AGREEMENT_WAYS;
}

static double product(const Agreement *agreement, const double *a, const double *b) {
    return vector_dot(a, b, agreement->n);
}

/* A pivot below this part of its diagonal: the way is nearly a combination of later ones, and is left out. */
static const double PARALLEL = 1e-10;

/* How much of the ways lets least be off: the normal equations, by Cholesky's method, the latest ways first. */
static void find_parts(const Agreement *agreement, double parts[AGREEMENT_WAYS]) {
    double L[AGREEMENT_WAYS][AGREEMENT_WAYS] = {{0}};
    int count = (int)agreement->way_count;
    for (int k = 0; k < count; ++k) {
        const double *way = agreement->ways[k].off;
        double right = -product(agreement, agreement->latest.off, way), diagonal = product(agreement, way, way);
        double pivot = diagonal;
        for (int j = 0; j < k; ++j) {
            double sum = L[j][j] > 0 ? product(agreement, way, agreement->ways[j].off) : 0;
            for (int i = 0; i < j; ++i)
                sum -= L[k][i] * L[j][i];
            L[k][j] = L[j][j] > 0 ? sum / L[j][j] : 0;
            pivot -= L[k][j] * L[k][j];
            right -= L[k][j] * parts[j];
        }
        L[k][k] = pivot > PARALLEL * diagonal ? sqrt(pivot) : 0;
        parts[k] = L[k][k] > 0 ? right / L[k][k] : 0;
    }
    for (int k = count - 1; k >= 0; --k) {
        for (int j = k + 1; j < count; ++j)
            parts[k] -= L[j][k] * parts[j];
        parts[k] = L[k][k] > 0 ? parts[k] / L[k][k] : 0;
    }
}

void agreement_combine(Agreement *agreement, double *velocities, double *impulse, const double *predicted) {
    const AgreementRound *latest = &agreement->latest;
    double parts[AGREEMENT_WAYS];
    size_t bytes = agreement->n * sizeof(double);
    if (agreement->begun)
        keep_way(agreement, velocities, impulse, predicted);
    memcpy(latest->velocities, velocities, bytes);
    memcpy(latest->impulse, impulse, bytes);
    for (size_t i = 0; i < agreement->n; ++i)
        latest->off[i] = impulse[i] - predicted[i];
    agreement->begun = true;
    find_parts(agreement, parts);
    for (uint32_t k = 0; k < agreement->way_count; ++k)
        for (size_t i = 0; i < agreement->n; ++i) {
            velocities[i] += parts[k] * agreement->ways[k].velocities[i];
            impulse[i] += parts[k] * agreement->ways[k].impulse[i];
        }
}

/* The entries of a vector on the borders. */
static bool borders_archive(const Agreement *agreement, double *vector, Archive *archive) {
    bool ok = true;
    for (size_t v = 0; ok && v < agreement->n / 3; ++v)
        if (agreement->marked[v])
            ok = archive_piece(archive, vector + 3 * v, 3 * sizeof(double));
    return ok;
}

bool agreement_archive(Agreement *agreement, Archive *archive) {
    bool ok = archive_piece(archive, &agreement->way_count, sizeof agreement->way_count) &&
              agreement->way_count <= AGREEMENT_WAYS;
    for (uint32_t k = 0; ok && k < agreement->way_count; ++k) {
        AgreementRound *way = &agreement->ways[k];
        if (archive->loading) {
            memset(way->velocities, 0, agreement->n * sizeof(double));
            memset(way->impulse, 0, agreement->n * sizeof(double));
            memset(way->off, 0, agreement->n * sizeof(double));
        }
        ok = borders_archive(agreement, way->velocities, archive) &&
             borders_archive(agreement, way->impulse, archive) && borders_archive(agreement, way->off, archive);
    }
    return ok;
}
