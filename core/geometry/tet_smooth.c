#include "geometry/tet_smooth.h"
#include "geometry/array.h"
#include "geometry/tet_quality.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTIONS = 14, TRIES = 24 };
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

double tet_star_sine(const TetMesh *mesh, const TetStars *stars, uint32_t vertex, const double point[3], double least) {
    double smallest = INFINITY;
    for (uint32_t i = stars->starts[vertex]; i < stars->starts[vertex + 1] && smallest > least; ++i) {
        const uint32_t *v = &mesh->tet_vertices[4 * (size_t)stars->tets[i]];
        const double *p[4];
        for (int k = 0; k < 4; ++k)
            p[k] = v[k] == vertex ? point : &mesh->positions[3 * (size_t)v[k]];
        double sine = tet_smallest_sine(p[0], p[1], p[2], p[3]);
        smallest = sine < smallest ? sine : smallest;
    }
    return smallest;
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

/* Seeks a better place for a vertex along fixed directions, with shrinking steps, within `reach` of `home`. */
static bool improve(TetMesh *mesh, const TetStars *stars, uint32_t vertex, const double home[3], double edge,
                    double reach, double target) {
    double *place = &mesh->positions[3 * (size_t)vertex];
    double best = tet_star_sine(mesh, stars, vertex, place, -INFINITY);
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
            double sine = tet_star_sine(mesh, stars, vertex, point, best);
            if (sine > best) {
                best = sine;
                memcpy(chosen, point, sizeof chosen);
            }
        }
        if (best > before)
            memcpy(place, chosen, sizeof chosen), moved = true;
        else
            step *= 0.5;
    }
    return moved;
}

JnStatus tet_smooth(TetMesh *mesh, const uint8_t *on_surface, double target, int sweeps, JnMessage *message) {
    TetStars stars;
    JnStatus status = tet_stars_build(mesh, &stars, message);
    if (status != JN_OK)
        return status;
    double *home = array_new(3 * (size_t)mesh->vertex_count, sizeof *home);
    double *edges = array_new(mesh->vertex_count, sizeof *edges);
    if (home && edges) {
        memcpy(home, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *home);
        for (uint32_t v = 0; v < mesh->vertex_count; ++v)
            edges[v] = mean_edge(mesh, &stars, v);
    } else {
        status = status_no_memory(message, "the tets of the simulation mesh");
    }
    bool moved = true;
    for (int sweep = 0; status == JN_OK && moved && sweep < sweeps; ++sweep) {
        moved = false;
        for (size_t t = 0; t < mesh->tet_count; ++t) {
            const uint32_t *v = &mesh->tet_vertices[4 * t];
            for (int k = 0; k < 4; ++k) {
                if (tet_smallest_sine(&mesh->positions[3 * (size_t)v[0]], &mesh->positions[3 * (size_t)v[1]],
                                      &mesh->positions[3 * (size_t)v[2]], &mesh->positions[3 * (size_t)v[3]]) >= target)
                    break;
                uint32_t vertex = v[k];
                double reach = on_surface[vertex] ? SURFACE_REACH * edges[vertex] : edges[vertex];
                moved |= improve(mesh, &stars, vertex, &home[3 * (size_t)vertex], edges[vertex], reach, target);
            }
        }
    }
    free(home);
    free(edges);
    tet_stars_free(&stars);
    return status;
}
