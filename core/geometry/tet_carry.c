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

enum { CHUNK = 256 };

typedef struct Carrying {
    const TetMesh *mesh;
    double least;
    double *sines;  /* [tet_count] what each must keep */
    uint8_t *asked; /* [vertex_count] whether it has just moved */
    uint8_t *bad;   /* [tet_count] whether its sine is below that */
} Carrying;

static double sine_of(const TetMesh *mesh, size_t tet) {
    const uint32_t *v = &mesh->tet_vertices[4 * tet];
    return tet_smallest_sine(&mesh->positions[3 * (size_t)v[0]], &mesh->positions[3 * (size_t)v[1]],
                             &mesh->positions[3 * (size_t)v[2]], &mesh->positions[3 * (size_t)v[3]]);
}

static void note_sines(void *context, uint32_t chunk) {
    const Carrying *work = context;
    for (size_t t = (size_t)chunk * CHUNK; t < work->mesh->tet_count && t < ((size_t)chunk + 1) * CHUNK; ++t)
        work->sines[t] = fmin(work->least, sine_of(work->mesh, t));
}

static void find_bad(void *context, uint32_t chunk) {
    const Carrying *work = context;
    for (size_t t = (size_t)chunk * CHUNK; t < work->mesh->tet_count && t < ((size_t)chunk + 1) * CHUNK; ++t) {
        const uint32_t *v = &work->mesh->tet_vertices[4 * t];
        if (work->asked[v[0]] || work->asked[v[1]] || work->asked[v[2]] || work->asked[v[3]])
            work->bad[t] = sine_of(work->mesh, t) < work->sines[t];
    }
}

/* Shortens the ways of the vertices of bad tets; false if none is left to shorten. stuck: [vertex_count], for use. */
static bool shorten(const Carrying *work, bool at_once, double *parts, uint8_t *stuck) {
    bool any = false;
    memset(stuck, 0, work->mesh->vertex_count);
    for (size_t t = 0; t < work->mesh->tet_count; ++t)
        for (size_t i = 0; work->bad[t] && i < 4; ++i)
            stuck[work->mesh->tet_vertices[4 * t + i]] = 1;
    for (size_t v = 0; v < work->mesh->vertex_count; ++v) {
        work->asked[v] = stuck[v] && parts[v] > 0;
        if (!work->asked[v])
            continue;
        parts[v] = at_once ? 0 : 0.5 * parts[v];
        any = true;
    }
    return any;
}

JnStatus tet_carry(TetMesh *mesh, const uint8_t *on_surface, double *moves, double least, Pool *pool,
                   JnMessage *message) {
    uint32_t chunks = mesh->tet_count / CHUNK + 1;
    Carrying work = {mesh, least, array_new(mesh->tet_count, sizeof *work.sines), array_new(mesh->vertex_count, 1),
                     array_new(mesh->tet_count, 1)};
    double *parts = array_new(mesh->vertex_count, sizeof *parts);
    double *before = array_new(3 * (size_t)mesh->vertex_count, sizeof *before);
    uint8_t *stuck = array_new(mesh->vertex_count, 1);
    bool ready =
        work.sines && work.asked && work.bad && parts && before && stuck && extend_moves(mesh, on_surface, moves);
    if (ready) {
        memcpy(before, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *before);
        memset(work.asked, 1, mesh->vertex_count);
        pool_run(pool, chunks, note_sines, &work);
    }
    for (size_t v = 0; ready && v < mesh->vertex_count; ++v)
        parts[v] = 1;
    bool again = ready;
    for (int tries = 0; again; ++tries) {
        for (size_t i = 0; i < 3 * (size_t)mesh->vertex_count; ++i)
            mesh->positions[i] = before[i] + parts[i / 3] * moves[i];
        pool_run(pool, chunks, find_bad, &work);
        again = shorten(&work, tries >= HALVINGS, parts, stuck);
    }
    free(work.sines);
    free(work.asked);
    free(work.bad);
    free(parts);
    free(before);
    free(stuck);
    return ready ? JN_OK : status_no_memory(message, "the fit to the surface");
}
