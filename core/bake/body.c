/* A body of the desc, made ready on its own: simulation mesh, embedded points, what is cached of it. */
#include "bake/bake_internal.h"

#include "base/math3.h"
#include "base/status.h"
#include "geometry/mesher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void body_place_points(const double *points, uint32_t count, const double transform[12], double metres_per_unit,
                       double *out) {
    for (size_t p = 0; p < count; ++p) {
        affine_apply(transform, points + 3 * p, out + 3 * p);
        for (size_t i = 3 * p; i < 3 * p + 3; ++i)
            out[i] *= metres_per_unit;
    }
}

/* Tets as given, placed in the scene; a mirroring transform turns every tet over, so two corners swap back. */
static JnStatus place_tets(const JnBody *desc, double metres_per_unit, Body *body, JnMessage *message) {
    JnStatus status = tetmesh_copy(&desc->tets, &body->mesh, message);
    if (status != JN_OK)
        return status;
    body_place_points(desc->tets.positions, desc->tets.vertex_count, desc->transform, metres_per_unit,
                      body->mesh.positions);
    double linear[9];
    for (int i = 0; i < 9; ++i)
        linear[i] = desc->transform[4 * (i / 3) + i % 3];
    for (size_t t = 0; mat3_det(linear) < 0 && t < body->mesh.tet_count; ++t) {
        uint32_t swapped = body->mesh.tet_vertices[4 * t];
        body->mesh.tet_vertices[4 * t] = body->mesh.tet_vertices[4 * t + 1];
        body->mesh.tet_vertices[4 * t + 1] = swapped;
    }
    return JN_OK;
}

/* Points of their own, carried by given tets or by tets that the mesher makes. */
static JnStatus embed_surface(const JnBody *desc, double metres_per_unit, Body *body, JnMessage *message) {
    double *points = malloc(((size_t)desc->surface.vertex_count * 3 + 1) * sizeof *points);
    if (!points)
        return status_no_memory(message, "the surface");
    body_place_points(desc->surface.positions, desc->surface.vertex_count, desc->transform, metres_per_unit, points);
    JnStatus status;
    if (desc->tets.tet_count) {
        status = place_tets(desc, metres_per_unit, body, message);
        if (status == JN_OK)
            status = embedding_build(&body->mesh, points, desc->surface.vertex_count, &body->embedding, message);
    } else {
        const void *mesher = NULL;
        JnSurface placed = desc->surface;
        placed.positions = points;
        status = table_find(&mesher_table, desc->mesher, "body.mesher", &mesher, message);
        if (status == JN_OK)
            status = ((const Mesher *)mesher)->build(&placed, desc->resolution, &body->mesh, &body->embedding, message);
    }
    free(points);
    return status;
}

/* Points that are the vertices of the given tets. */
static JnStatus use_tets(const JnBody *desc, double metres_per_unit, Body *body, JnMessage *message) {
    JnStatus status = place_tets(desc, metres_per_unit, body, message);
    if (status != JN_OK)
        return status;
    body->vertex_of_point = malloc((size_t)desc->tets.vertex_count * sizeof(uint32_t));
    if (!body->vertex_of_point)
        return status_no_memory(message, "the body's points");
    for (uint32_t v = 0; v < desc->tets.vertex_count; ++v)
        body->vertex_of_point[v] = v;
    return embedding_identity(&body->mesh, body->vertex_of_point, desc->tets.vertex_count, &body->embedding, message);
}

/* The surface as it came: same order of vertices, same faces, same uvs. */
static JnStatus keep_surface(const JnSurface *surface, Body *body, JnMessage *message) {
    body->cached_count = surface->vertex_count;
    body->face_count = surface->face_count;
    body->corner_count = surface->corner_count;
    body->face_sizes = malloc(((size_t)surface->face_count + 1) * sizeof(int32_t));
    body->face_vertices = malloc(((size_t)surface->corner_count + 1) * sizeof(int32_t));
    if (surface->uvs)
        body->uvs = malloc(((size_t)surface->corner_count * 2 + 1) * sizeof(float));
    if (!body->face_sizes || !body->face_vertices || (surface->uvs && !body->uvs))
        return status_no_memory(message, "the surface");
    memcpy(body->face_sizes, surface->face_sizes, (size_t)surface->face_count * sizeof(int32_t));
    memcpy(body->face_vertices, surface->face_vertices, (size_t)surface->corner_count * sizeof(int32_t));
    if (surface->uvs)
        memcpy(body->uvs, surface->uvs, (size_t)surface->corner_count * 2 * sizeof(float));
    return JN_OK;
}

/* The boundary of the tets in the object's own space, with the vertices that lie on it in their order. */
static JnStatus keep_boundary(const JnTets *mesh, Body *body, JnMessage *message) {
    uint32_t *triangles = NULL, triangle_count = 0;
    JnStatus status = tetmesh_boundary(mesh, &triangles, &triangle_count, message);
    if (status != JN_OK)
        return status;
    body->face_count = triangle_count;
    body->corner_count = triangle_count * 3;
    body->face_sizes = malloc(((size_t)triangle_count + 1) * sizeof(int32_t));
    body->face_vertices = malloc(((size_t)triangle_count * 3 + 1) * sizeof(int32_t));
    body->cached_points = malloc(((size_t)mesh->vertex_count + 1) * sizeof(uint32_t));
    int32_t *cached_of_vertex = malloc(((size_t)mesh->vertex_count + 1) * sizeof *cached_of_vertex);
    if (!body->face_sizes || !body->face_vertices || !body->cached_points || !cached_of_vertex) {
        status = status_no_memory(message, "the surface");
    } else {
        for (uint32_t v = 0; v < mesh->vertex_count; ++v)
            cached_of_vertex[v] = -1;
        for (size_t k = 0; k < body->corner_count; ++k)
            cached_of_vertex[triangles[k]] = 0;
        for (uint32_t v = 0; v < mesh->vertex_count; ++v)
            if (cached_of_vertex[v] == 0) {
                cached_of_vertex[v] = (int32_t)body->cached_count;
                body->cached_points[body->cached_count++] = v;
            }
        for (size_t k = 0; k < body->corner_count; ++k)
            body->face_vertices[k] = cached_of_vertex[triangles[k]];
        for (size_t f = 0; f < triangle_count; ++f)
            body->face_sizes[f] = 3;
    }
    free(triangles);
    free(cached_of_vertex);
    return status;
}

static double find_bounding_size(const TetMesh *mesh) {
    double size = 0;
    for (int i = 0; i < 3; ++i) {
        double low = INFINITY, high = -INFINITY;
        for (size_t v = 0; v < mesh->vertex_count; ++v) {
            low = fmin(low, mesh->positions[3 * v + (size_t)i]);
            high = fmax(high, mesh->positions[3 * v + (size_t)i]);
        }
        size = fmax(size, high - low);
    }
    return size;
}

/* A copy of count doubles; NULL stays NULL. */
static bool copy_doubles(const double *source, size_t count, double **copy) {
    *copy = NULL;
    if (!source)
        return true;
    *copy = malloc((count + 1) * sizeof(double));
    if (*copy)
        memcpy(*copy, source, count * sizeof(double));
    return *copy != NULL;
}

/* Arrays that hold the body's motion; the animated points begin at the rest shape. */
static JnStatus prepare_motion(const JnBody *desc, Body *body, JnMessage *message) {
    size_t n = (size_t)body->point_count * 3;
    const double *rest = desc->surface.vertex_count ? desc->surface.positions : desc->tets.positions;
    body->forces_from = calloc(n + 1, sizeof(double));
    body->forces_to = calloc(n + 1, sizeof(double));
    bool copied = copy_doubles(rest, n, &body->local_from);
    copied &= copy_doubles(rest, n, &body->local_to);
    copied &= copy_doubles(desc->start_positions, n, &body->start_positions);
    copied &= copy_doubles(desc->start_velocities, n, &body->start_velocities);
    if (body->keep_shape)
        copied &= copy_doubles(body->mesh.positions, (size_t)body->mesh.vertex_count * 3, &body->kept_rest);
    if (!copied || !body->forces_from || !body->forces_to)
        return status_no_memory(message, "the body's motion");
    body->keys_from = body->keys_to = (BodyKeys){1, 1, 1};
    memcpy(body->rest_transform, desc->transform, sizeof body->rest_transform);
    memcpy(body->transform_from, desc->transform, sizeof body->transform_from);
    memcpy(body->transform_to, desc->transform, sizeof body->transform_to);
    return JN_OK;
}

JnStatus body_build(const JnBody *desc, double metres_per_unit, const char *place, Body *body, JnMessage *message) {
    memset(body, 0, sizeof *body);
    bool has_surface = desc->surface.vertex_count > 0;
    const void *law = NULL;
    abc_make_name(body->name, sizeof body->name, desc->name);
    JnStatus status = table_find(&material_table, desc->material.law, place, &law, message);
    body->material = desc->material;
    body->material.law = NULL;
    body->settle = desc->settle;
    body->keep_shape = desc->keep_shape;
    body->law = law;
    if (status == JN_OK)
        status = has_surface ? embed_surface(desc, metres_per_unit, body, message)
                             : use_tets(desc, metres_per_unit, body, message);
    body->point_count = body->embedding.point_count;
    if (status == JN_OK)
        status = has_surface ? keep_surface(&desc->surface, body, message) : keep_boundary(&desc->tets, body, message);
    if (status == JN_OK)
        status = prepare_motion(desc, body, message);
    if (status == JN_OK)
        status = follow_create(&body->mesh, &body->embedding, body->vertex_of_point, &body->follow, message);
    if (status == JN_OK) {
        body->bounding_size = find_bounding_size(&body->mesh);
        status = body_apply_regions(desc, place, body, message);
    }
    if (status != JN_OK)
        body_free(body);
    return status;
}

void body_free(Body *body) {
    tetmesh_free(&body->mesh);
    embedding_free(&body->embedding);
    follow_destroy(body->follow);
    void *arrays[] = {body->vertex_of_point,
                      body->cached_points,
                      body->face_sizes,
                      body->face_vertices,
                      body->uvs,
                      body->stiffness_factors,
                      body->density_factors,
                      body->damping_factors,
                      body->rest_follows,
                      body->goal_rates,
                      body->pin_rates,
                      body->pinned_vertices,
                      body->pinned_points,
                      body->local_from,
                      body->local_to,
                      body->forces_from,
                      body->forces_to,
                      body->start_positions,
                      body->start_velocities,
                      body->track.points,
                      body->track.vertices,
                      body->kept_rest};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
    memset(body, 0, sizeof *body);
}
