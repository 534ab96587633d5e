/* What the geometry tests measure by themselves, without the code under test: volumes, shared faces, small
   surfaces. */
#ifndef JN_TESTS_GEOMETRY_HELPERS_H
#define JN_TESTS_GEOMETRY_HELPERS_H

#include "geometry/embedding.h"
#include "jounce.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

__attribute__((unused)) static double tet_volume(const double *positions, const uint32_t *tet) {
    const double *a = &positions[3 * (size_t)tet[0]], *b = &positions[3 * (size_t)tet[1]];
    const double *c = &positions[3 * (size_t)tet[2]], *d = &positions[3 * (size_t)tet[3]];
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        w[i] = d[i] - a[i];
    }
    return (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
            u[2] * (v[0] * w[1] - v[1] * w[0])) /
           6;
}

/* The sum of the volumes; *lowest (may be NULL) receives the smallest one. */
__attribute__((unused)) static double tets_volume(const JnTets *tets, double *lowest) {
    double sum = 0, low = INFINITY;
    for (size_t t = 0; t < tets->tet_count; ++t) {
        double volume = tet_volume(tets->positions, &tets->tet_vertices[4 * t]);
        sum += volume;
        low = fmin(low, volume);
    }
    if (lowest)
        *lowest = low;
    return sum;
}

/* 6 sqrt(2) V / l_rms^3 of the worst tet: 1 is a regular tet, 0 a flat one. */
__attribute__((unused)) static double tets_worst_quality(const JnTets *tets) {
    double worst = INFINITY;
    for (size_t t = 0; t < tets->tet_count; ++t) {
        const uint32_t *tet = &tets->tet_vertices[4 * t];
        double squares = 0;
        for (int i = 0; i < 4; ++i)
            for (int j = i + 1; j < 4; ++j)
                for (size_t a = 0; a < 3; ++a) {
                    double d = tets->positions[3 * (size_t)tet[i] + a] - tets->positions[3 * (size_t)tet[j] + a];
                    squares += d * d;
                }
        worst = fmin(worst, 6 * sqrt(2.0) * tet_volume(tets->positions, tet) / pow(squares / 6, 1.5));
    }
    return worst;
}

static int compare_keys(const void *left, const void *right) {
    return memcmp(left, right, 3 * sizeof(uint32_t));
}

/* How many faces belong to exactly one, exactly two, and more tets. */
typedef struct FaceCounts {
    size_t single, shared, crowded;
} FaceCounts;

__attribute__((unused)) static FaceCounts count_faces(const JnTets *tets) {
    FaceCounts counts = {0};
    size_t count = 4 * (size_t)tets->tet_count;
    uint32_t(*keys)[3] = malloc(count * sizeof *keys);
    for (size_t f = 0; f < count; ++f) {
        size_t filled = 0;
        for (size_t i = 0; i < 4; ++i)
            if (i != f % 4)
                keys[f][filled++] = tets->tet_vertices[f / 4 * 4 + i];
        for (int pass = 0; pass < 2; ++pass)
            for (int i = 0; i < 2; ++i)
                if (keys[f][i] > keys[f][i + 1]) {
                    uint32_t swap = keys[f][i];
                    keys[f][i] = keys[f][i + 1];
                    keys[f][i + 1] = swap;
                }
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && compare_keys(keys[first], keys[end]) == 0; ++end)
            ;
        ++*(end - first == 1 ? &counts.single : end - first == 2 ? &counts.shared : &counts.crowded);
    }
    free(keys);
    return counts;
}

/* The volume inside a closed surface by the divergence theorem, polygons fanned from their first corner. */
__attribute__((unused)) static double surface_volume(const JnSurface *surface) {
    double sum = 0;
    const uint32_t *corners = surface->face_vertices;
    for (uint32_t f = 0; f < surface->face_count; corners += surface->face_sizes[f++])
        for (uint32_t i = 2; i < surface->face_sizes[f]; ++i) {
            const double *a = &surface->positions[3 * (size_t)corners[0]];
            const double *b = &surface->positions[3 * (size_t)corners[i - 1]];
            const double *c = &surface->positions[3 * (size_t)corners[i]];
            sum += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                    a[2] * (b[0] * c[1] - b[1] * c[0])) /
                   6;
        }
    return sum;
}

/* A cube from 0 to 1 of six quads, facing outwards. */
static const double cube_positions[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const uint32_t cube_face_sizes[6] = {4, 4, 4, 4, 4, 4};
static const uint32_t cube_face_vertices[24] = {0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 5};
__attribute__((unused)) static const JnSurface cube_surface = {.vertex_count = 8,
                                                               .face_count = 6,
                                                               .corner_count = 24,
                                                               .positions = cube_positions,
                                                               .face_sizes = cube_face_sizes,
                                                               .face_vertices = cube_face_vertices};

/* A repeatable number in [0, 1). */
__attribute__((unused)) static double random_unit(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* How far the surface reaches out of the tets: the largest weight below 0 of a point, in tets. */
static inline double farthest_out(const Embedding *embedding) {
    double lowest = 0;
    for (size_t i = 0; i < 4 * (size_t)embedding->point_count; ++i)
        lowest = fmin(lowest, embedding->weights[i]);
    return -lowest;
}

#endif
