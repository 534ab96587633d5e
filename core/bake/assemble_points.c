/* The points of all bodies, as the artist sees them, with the surface and the fibres between them. */
#include "bake/assemble_internal.h"

#include "base/math3.h"
#include "base/status.h"
#include "geometry/polygon.h"

#include <stdlib.h>

static uint32_t triangle_total(const JnBake *bake) {
    uint32_t count = 0;
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        count += bake->model.bodies[b].corner_count - 2 * bake->model.bodies[b].face_count;
    return count;
}

/* Splits the faces of all bodies into triangles of points, by the shape they have at rest. False if out of memory. */
static bool join_triangles(JnBake *bake) {
    uint32_t *triangle = bake->model.triangles, most = 0;
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        most = bake->model.bodies[b].corner_count > most ? bake->model.bodies[b].corner_count : most;
    uint32_t *corners = malloc(((size_t)most + 1) * sizeof *corners);
    bool done = corners != NULL;
    for (uint32_t b = 0; done && b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        const int32_t *face = body->face_vertices;
        for (uint32_t f = 0; done && f < body->face_count; face += body->face_sizes[f++]) {
            uint32_t size = (uint32_t)body->face_sizes[f];
            for (uint32_t k = 0; k < size; ++k)
                corners[k] =
                    body->first_point + (body->cached_points ? body->cached_points[face[k]] : (uint32_t)face[k]);
            done = polygon_triangulate(bake->model.rest_points, corners, size, triangle);
            triangle += 3 * (size_t)(size - 2);
        }
    }
    free(corners);
    return done;
}

/* Adds a third of the area of every triangle to each of its points, and the areas of curves. */
static void add_areas(JnBake *bake, const double *rest_points) {
    for (size_t t = 0; t < bake->model.points.triangle_count; ++t) {
        const uint32_t *corners = bake->model.triangles + 3 * t;
        double ab[3], ac[3], cross[3];
        vec3_sub(rest_points + 3 * (size_t)corners[1], rest_points + 3 * (size_t)corners[0], ab);
        vec3_sub(rest_points + 3 * (size_t)corners[2], rest_points + 3 * (size_t)corners[0], ac);
        vec3_cross(ab, ac, cross);
        for (int c = 0; c < 3; ++c)
            bake->model.areas[corners[c]] += vec3_length(cross) / 6;
    }
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        for (uint32_t p = 0; body->curve_areas && p < body->point_count; ++p)
            bake->model.areas[body->first_point + p] += body->curve_areas[p];
    }
}

/* The neighbours of all points on fibres. */
static JnStatus join_fibres(JnBake *bake, JnMessage *message) {
    if (bake->model.rod_count == 0)
        return JN_OK;
    uint32_t *neighbours = bake->model.curve_neighbours =
        malloc(((size_t)bake->model.point_count * 2 + 1) * sizeof *neighbours);
    if (!neighbours)
        return status_no_memory(message, "the fibres");
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        for (size_t k = 0; k < 2 * (size_t)body->point_count; ++k)
            *neighbours++ =
                body->first_point + (body->section_neighbours ? body->section_neighbours[k] : (uint32_t)(k / 2));
    }
    bake->model.points.curve_neighbours = bake->model.curve_neighbours;
    return JN_OK;
}

JnStatus assemble_points(JnBake *bake, const double *rest, JnMessage *message) {
    size_t points = bake->model.point_count;
    Embedding *embedding = &bake->model.points.embedding;
    embedding->point_count = bake->model.point_count;
    embedding->vertices = malloc((points * 4 + 1) * sizeof(uint32_t));
    embedding->weights = malloc((points * 4 + 1) * sizeof(double));
    bake->model.points.triangle_count = triangle_total(bake);
    bake->model.triangles = malloc(((size_t)bake->model.points.triangle_count * 3 + 1) * sizeof(uint32_t));
    bake->model.areas = calloc(points + 1, sizeof(double));
    bake->model.rest_points = malloc((points * 3 + 1) * sizeof(double));
    if (!embedding->vertices || !embedding->weights || !bake->model.triangles || !bake->model.areas ||
        !bake->model.rest_points)
        return status_no_memory(message, "the bodies' points");
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        size_t first = 4 * (size_t)body->first_point;
        for (size_t k = 0; k < 4 * (size_t)body->point_count; ++k) {
            embedding->vertices[first + k] = body->first_vertex + body->embedding.vertices[k];
            embedding->weights[first + k] = body->embedding.weights[k];
        }
        bake->model.points.bounding_size = fmax(bake->model.points.bounding_size, body->bounding_size);
    }
    embedding_apply(embedding, rest, bake->model.rest_points);
    if (!join_triangles(bake))
        return status_no_memory(message, "the bodies' triangles");
    add_areas(bake, bake->model.rest_points);
    bake->model.points.triangles = bake->model.triangles;
    bake->model.points.areas = bake->model.areas;
    return join_fibres(bake, message);
}
