#include "geometry/tet_smooth.h"
#include "geometry/array.h"
#include "geometry/tet_quality.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A vertex of more tets than the last stays where it is. */
enum { DIRECTIONS = 14, TRIES = 24, MOST_STAR = 256 };
/* In mean edges at the vertex: the first step of a search, its last, and how far a vertex of the surface may go. */
#define FIRST_STEP 0.15
#define LAST_STEP 0.004
#define SURFACE_REACH 0.15

JnStatus tet_stars_build(const TetMesh *mesh, TetStars *stars, JnMessage *message) {
    size_t corners = 4 * (size_t)mesh->tet_count;
    *stars = (TetStars){array_new((size_t)mesh->vertex_count + 2, sizeof *stars->starts),
                        array_new(corners, sizeof *stars->tets)};
    if (!stars->starts || !stars->tets) {
        tet_stars_free(stars);
        return status_no_memory(message, "the tets at each vertex");
    }
    // counted two places further, so that filling leaves the starts in place
    for (size_t c = 0; c < corners; ++c)
        ++stars->starts[mesh->tet_vertices[c] + 2];
    for (size_t v = 2; v < (size_t)mesh->vertex_count + 2; ++v)
        stars->starts[v] += stars->starts[v - 1];
    for (size_t c = 0; c < corners; ++c)
        stars->tets[stars->starts[mesh->tet_vertices[c] + 1]++] = (uint32_t)(c / 4);
    return JN_OK;
}

void tet_stars_free(TetStars *stars) {
    free(stars->starts);
    free(stars->tets);
    *stars = (TetStars){0};
}

static double mean_edge(const TetMesh *mesh, const TetStars *stars, uint32_t vertex) {
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t i = stars->starts[vertex]; i < stars->starts[vertex + 1]; ++i)
        for (size_t k = 0; k < 4; ++k) {
            uint32_t other = mesh->tet_vertices[4 * (size_t)stars->tets[i] + k];
            if (other == vertex)
                continue;
            sum +=
                sqrt(vec3_distance_squared(&mesh->positions[3 * (size_t)vertex], &mesh->positions[3 * (size_t)other]));
            ++count;
        }
    return count ? sum / count : 0;
}

/* The tets at a vertex, those first that have spoiled a place before: they are likely to spoil the next one. */
typedef struct Star {
    uint32_t vertex, count;
    uint32_t tets[MOST_STAR];
} Star;

/* Whether all sines at the vertex are above *least at `point`; then *least is the smallest. */
static bool is_better(const TetMesh *mesh, Star *star, const double point[3], double *least) {
    double smallest = INFINITY;
    for (uint32_t i = 0; i < star->count; ++i) {
        uint32_t tet = star->tets[i];
        const uint32_t *v = &mesh->tet_vertices[4 * (size_t)tet];
        const double *p[4];
        for (int k = 0; k < 4; ++k)
            p[k] = v[k] == star->vertex ? point : &mesh->positions[3 * (size_t)v[k]];
        double sine = tet_smallest_sine(p[0], p[1], p[2], p[3]);
        smallest = sine < smallest ? sine : smallest;
        if (smallest > *least)
            continue;
        memmove(&star->tets[1], &star->tets[0], i * sizeof *star->tets);
        star->tets[0] = tet;
        return false;
    }
    *least = smallest;
    return true;
}

/* Seeks a better place for a vertex along fixed directions, with shrinking steps, within `reach` of `home`. */
static bool improve(TetMesh *mesh, const TetStars *stars, uint32_t vertex, const double home[3], double edge,
                    double reach, double target) {
    double *place = &mesh->positions[3 * (size_t)vertex];
    Star star = {vertex, stars->starts[vertex + 1] - stars->starts[vertex], {0}};
    if (star.count > MOST_STAR)
        return false;
    memcpy(star.tets, &stars->tets[stars->starts[vertex]], star.count * sizeof *star.tets);
    double best = -INFINITY;
    is_better(mesh, &star, place, &best);
    bool moved = false;
    double step = FIRST_STEP * edge;
    for (int tries = 0; tries < TRIES && step > LAST_STEP * edge && best < target; ++tries) {
        double chosen[3] = {0}, before = best;
        for (int d = 0; d < DIRECTIONS; ++d) {
            double point[3], length = d < 6 ? 1 : sqrt(3.0);
            for (int a = 0; a < 3; ++a) {
                int sign = d < 6 ? (d / 2 == a ? 1 - 2 * (d & 1) : 0) : 1 - 2 * ((d - 6) >> a & 1);
                point[a] = place[a] + step * sign / length;
            }
            if (vec3_distance_squared(point, home) > reach * reach)
                continue;
            if (is_better(mesh, &star, point, &best))
                memcpy(chosen, point, sizeof chosen);
        }
        if (best > before)
            memcpy(place, chosen, sizeof chosen), moved = true;
        else
            step *= 0.5;
    }
    return moved;
}

typedef struct Smoothing {
    TetMesh *mesh;
    const uint8_t *on_surface;
    double target;
    TetStars stars;
    double *home;     /* [vertex_count * 3] where the vertices were at first */
    double *edges;    /* [vertex_count] mean length at each */
    uint8_t *good;    /* [tet_count] at the target when last seen, and not moved since */
    uint8_t *settled; /* [vertex_count] found no better place, and nothing around it has moved since */
} Smoothing;

/* Whether the tet needs no more work. */
static bool is_good(Smoothing *work, size_t tet) {
    const uint32_t *v = &work->mesh->tet_vertices[4 * tet];
    const double *p = work->mesh->positions;
    if (!work->good[tet])
        work->good[tet] = tet_smallest_sine(&p[3 * (size_t)v[0]], &p[3 * (size_t)v[1]], &p[3 * (size_t)v[2]],
                                            &p[3 * (size_t)v[3]]) >= work->target;
    return work->good[tet];
}

/* Seeks a better place for a vertex unless there is surely none; whether it has moved. */
static bool move_vertex(Smoothing *work, uint32_t vertex) {
    if (work->settled[vertex])
        return false;
    double edge = work->edges[vertex], reach = work->on_surface[vertex] ? SURFACE_REACH * edge : edge;
    if (!improve(work->mesh, &work->stars, vertex, &work->home[3 * (size_t)vertex], edge, reach, work->target)) {
        work->settled[vertex] = 1;
        return false;
    }
    for (uint32_t i = work->stars.starts[vertex]; i < work->stars.starts[vertex + 1]; ++i) {
        size_t tet = work->stars.tets[i];
        work->good[tet] = 0;
        for (size_t k = 0; k < 4; ++k)
            work->settled[work->mesh->tet_vertices[4 * tet + k]] = 0;
    }
    return true;
}

JnStatus tet_smooth(TetMesh *mesh, const uint8_t *on_surface, double target, int sweeps, JnMessage *message) {
    Smoothing work = {.mesh = mesh, .on_surface = on_surface, .target = target};
    JnStatus status = tet_stars_build(mesh, &work.stars, message);
    if (status != JN_OK)
        return status;
    work.home = array_new(3 * (size_t)mesh->vertex_count, sizeof *work.home);
    work.edges = array_new(mesh->vertex_count, sizeof *work.edges);
    work.good = array_new(mesh->tet_count, 1);
    work.settled = array_new(mesh->vertex_count, 1);
    if (work.home && work.edges && work.good && work.settled) {
        memcpy(work.home, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *work.home);
        for (uint32_t v = 0; v < mesh->vertex_count; ++v)
            work.edges[v] = mean_edge(mesh, &work.stars, v);
    } else {
        status = status_no_memory(message, "the tets of the simulation mesh");
    }
    bool moved = true;
    for (int sweep = 0; status == JN_OK && moved && sweep < sweeps; ++sweep) {
        moved = false;
        for (size_t t = 0; t < mesh->tet_count; ++t)
            for (size_t k = 0; k < 4 && !is_good(&work, t); ++k)
                moved |= move_vertex(&work, mesh->tet_vertices[4 * t + k]);
    }
    free(work.home);
    free(work.edges);
    free(work.good);
    free(work.settled);
    tet_stars_free(&work.stars);
    return status;
}
