#include "geometry/tet_thin.h"
#include "geometry/array.h"
#include "geometry/tet_parts.h"
#include "geometry/tet_quality.h"
#include "geometry/tet_smooth.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES = 4, MOST_NEIGHBOURS = 64, CHUNK = 256 };
/* A vertex is taken out if the smallest sine around it becomes larger by this factor. */
#define GAIN 1.05

typedef struct Thinning {
    TetMesh *mesh;
    TetStars stars;
    double *sines;  /* [tet_count] the smallest of each before the pass */
    uint8_t *fixed; /* [vertex_count]: at tets that have changed in this pass */
    uint8_t *gone;  /* [tet_count] */
} Thinning;

static bool has_vertex(const uint32_t tet[4], uint32_t vertex) {
    return tet[0] == vertex || tet[1] == vertex || tet[2] == vertex || tet[3] == vertex;
}

static void measure_sines(void *context, uint32_t chunk) {
    const Thinning *work = context;
    for (size_t t = (size_t)chunk * CHUNK; t < work->mesh->tet_count && t < ((size_t)chunk + 1) * CHUNK; ++t) {
        const uint32_t *v = &work->mesh->tet_vertices[4 * t];
        const double *p = work->mesh->positions;
        work->sines[t] =
            tet_smallest_sine(&p[3 * (size_t)v[0]], &p[3 * (size_t)v[1]], &p[3 * (size_t)v[2]], &p[3 * (size_t)v[3]]);
    }
}

/* The vertices around one; returns their number, or 0 if there are too many. */
static int find_neighbours(const Thinning *work, uint32_t vertex, uint32_t neighbours[MOST_NEIGHBOURS]) {
    int count = 0;
    for (uint32_t i = work->stars.starts[vertex]; i < work->stars.starts[vertex + 1]; ++i)
        for (size_t k = 0; k < 4; ++k) {
            uint32_t other = work->mesh->tet_vertices[4 * (size_t)work->stars.tets[i] + k];
            int at = 0;
            while (at < count && neighbours[at] != other)
                ++at;
            if (other == vertex || at < count)
                continue;
            if (count == MOST_NEIGHBOURS)
                return 0;
            neighbours[count++] = other;
        }
    return count;
}

/* The smallest sine of the tets around a vertex if it were joined to `other`, as far as it is above `least`. */
static double joined_sine(const Thinning *work, uint32_t vertex, uint32_t other, double least) {
    double smallest = INFINITY;
    for (uint32_t i = work->stars.starts[vertex]; i < work->stars.starts[vertex + 1] && smallest > least; ++i) {
        const uint32_t *tet = &work->mesh->tet_vertices[4 * (size_t)work->stars.tets[i]];
        if (has_vertex(tet, other))
            continue;
        const double *p[4];
        for (int k = 0; k < 4; ++k)
            p[k] = &work->mesh->positions[3 * (size_t)(tet[k] == vertex ? other : tet[k])];
        double sine = tet_smallest_sine(p[0], p[1], p[2], p[3]);
        smallest = sine < smallest ? sine : smallest;
    }
    return smallest;
}

static void join(Thinning *work, uint32_t vertex, uint32_t other, const uint32_t *neighbours, int count) {
    for (uint32_t i = work->stars.starts[vertex]; i < work->stars.starts[vertex + 1]; ++i) {
        uint32_t *tet = &work->mesh->tet_vertices[4 * (size_t)work->stars.tets[i]];
        if (has_vertex(tet, other)) {
            work->gone[work->stars.tets[i]] = 1;
            continue;
        }
        for (int k = 0; k < 4; ++k)
            if (tet[k] == vertex)
                tet[k] = other;
    }
    work->fixed[vertex] = 1;
    for (int i = 0; i < count; ++i)
        work->fixed[neighbours[i]] = 1;
}

/* Takes the vertex out if that raises the smallest sine around it. A vertex inside is surrounded by its tets, so that
   those from `other` to the faces across fill the same place if all of them are positive. */
static bool take_out(Thinning *work, uint32_t vertex, double flat) {
    uint32_t neighbours[MOST_NEIGHBOURS], best = vertex, begin = work->stars.starts[vertex],
                                          end = work->stars.starts[vertex + 1];
    double sine = INFINITY;
    for (uint32_t i = begin; i < end; ++i)
        sine = fmin(sine, work->sines[work->stars.tets[i]]);
    if (sine >= flat)
        return false;
    int count = find_neighbours(work, vertex, neighbours);
    // the faces across are a sphere around a vertex inside, with V - E + F = 2 and 2 E = 3 F; on the boundary they have
    // a rim, of at least three edges, and more vertices for it
    if (2 * (uint32_t)count != end - begin + 4)
        return false;
    double least = GAIN * fmax(sine, 0);
    for (int i = 0; i < count; ++i) {
        double joined = joined_sine(work, vertex, neighbours[i], least);
        if (isfinite(joined) && joined > least) {
            least = joined;
            best = neighbours[i];
        }
    }
    if (best != vertex)
        join(work, vertex, best, neighbours, count);
    return best != vertex;
}

/* One pass, in which no two neighbours are taken out. */
static JnStatus pass(TetMesh *mesh, uint8_t *on_surface, double flat, Pool *pool, bool *changed, JnMessage *message) {
    Thinning work = {mesh,
                     {0},
                     array_new(mesh->tet_count, sizeof *work.sines),
                     array_new(mesh->vertex_count, 1),
                     array_new(mesh->tet_count, 1)};
    JnStatus status =
        work.sines && work.fixed && work.gone ? JN_OK : status_no_memory(message, "the tets of the simulation mesh");
    if (status == JN_OK)
        status = tet_stars_build(mesh, &work.stars, message);
    if (status == JN_OK)
        pool_run(pool, mesh->tet_count / CHUNK + 1, measure_sines, &work);
    *changed = false;
    for (uint32_t v = 0; status == JN_OK && v < mesh->vertex_count; ++v)
        if (!work.fixed[v] && take_out(&work, v, flat))
            *changed = true;
    uint32_t kept = 0;
    for (uint32_t t = 0; status == JN_OK && *changed && t < mesh->tet_count; ++t)
        if (!work.gone[t])
            memmove(&mesh->tet_vertices[4 * (size_t)kept++], &mesh->tet_vertices[4 * (size_t)t],
                    4 * sizeof *mesh->tet_vertices);
    if (status == JN_OK && *changed) {
        mesh->tet_count = kept;
        if (!tet_parts_drop_unused(mesh, on_surface))
            status = status_no_memory(message, "the tets of the simulation mesh");
    }
    tet_stars_free(&work.stars);
    free(work.sines);
    free(work.fixed);
    free(work.gone);
    return status;
}

JnStatus tet_thin_out(TetMesh *mesh, uint8_t *on_surface, double flat, Pool *pool, JnMessage *message) {
    JnStatus status = JN_OK;
    bool changed = true;
    for (int i = 0; status == JN_OK && changed && i < PASSES; ++i)
        status = pass(mesh, on_surface, flat, pool, &changed, message);
    return status;
}
