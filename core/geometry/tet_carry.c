#include "geometry/tet_carry.h"
#include "geometry/array.h"
#include "geometry/tet_quality.h"
#include "base/status.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Sweeps that carry the moves of the surface inwards, and how often a move that spoils a tet is halved. */
enum { EXTENSIONS = 4, HALVINGS = 4 };

/* Moves of the surface carried into the solid: each vertex inside moves like the mean of its neighbours. */
static bool extend_moves(const TetMesh *mesh, const uint8_t *on_surface, double *moves) {
    double *sums = array_new(4 * (size_t)mesh->vertex_count, sizeof *sums);
    if (!sums)
        return false;
    for (int sweep = 0; sweep < EXTENSIONS; ++sweep) {
        memset(sums, 0, 4 * (size_t)mesh->vertex_count * sizeof *sums);
        for (size_t t = 0; t < mesh->tet_count; ++t) {
            const uint32_t *v = &mesh->tet_vertices[4 * t];
            double sum[3] = {0};
            for (size_t i = 0; i < 12; ++i)
                sum[i % 3] += moves[3 * (size_t)v[i / 3] + i % 3];
            for (size_t i = 0; i < 4; ++i) {
                double *own = &sums[4 * (size_t)v[i]];
                for (size_t a = 0; a < 3; ++a)
                    own[a] += sum[a] - moves[3 * (size_t)v[i] + a];
                own[3] += 3;
            }
        }
        for (size_t v = 0; v < mesh->vertex_count; ++v)
            for (size_t a = 0; !on_surface[v] && a < 3; ++a)
                moves[3 * v + a] = sums[4 * v + a] / sums[4 * v + 3];
    }
    free(sums);
    return true;
}

static double sine_of(const TetMesh *mesh, size_t tet) {
    const uint32_t *v = &mesh->tet_vertices[4 * tet];
    return tet_smallest_sine(&mesh->positions[3 * (size_t)v[0]], &mesh->positions[3 * (size_t)v[1]],
                             &mesh->positions[3 * (size_t)v[2]], &mesh->positions[3 * (size_t)v[3]]);
}

JnStatus tet_carry(TetMesh *mesh, const uint8_t *on_surface, double *moves, double least, JnMessage *message) {
    double *parts = array_new(mesh->vertex_count, sizeof *parts);
    double *before = array_new(3 * (size_t)mesh->vertex_count, sizeof *before);
    double *sines = array_new(mesh->tet_count, sizeof *sines);
    uint8_t *stuck = array_new(mesh->vertex_count, 1);
    bool ready = parts && before && sines && stuck && extend_moves(mesh, on_surface, moves);
    if (ready)
        memcpy(before, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *before);
    for (size_t v = 0; ready && v < mesh->vertex_count; ++v)
        parts[v] = 1;
    for (size_t t = 0; ready && t < mesh->tet_count; ++t)
        sines[t] = fmin(least, sine_of(mesh, t));
    bool again = ready;
    for (int tries = 0; again; ++tries) {
        for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i)
            mesh->positions[i] = before[i] + parts[i / 3] * moves[i];
        again = false;
        memset(stuck, 0, mesh->vertex_count);
        for (size_t t = 0; t < mesh->tet_count; ++t)
            if (sine_of(mesh, t) < sines[t])
                for (size_t i = 0; i < 4; ++i)
                    stuck[mesh->tet_vertices[4 * t + i]] = 1;
        for (size_t v = 0; v < mesh->vertex_count; ++v)
            if (stuck[v] && parts[v] > 0) {
                parts[v] = tries < HALVINGS ? 0.5 * parts[v] : 0;
                again = true;
            }
    }
    free(parts);
    free(before);
    free(sines);
    free(stuck);
    return ready ? JN_OK : status_no_memory(message, "the fit to the surface");
}
