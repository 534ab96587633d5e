/* What is cached of a body: which of its points, and the faces or curves between them. */
#include "bodies/body_kind.h"

#include "base/math3.h"
#include "base/status.h"
#include "geometry/mesh.h"

#include <stdlib.h>
#include <string.h>

JnStatus body_keep_surface(const JnSurface *surface, Body *body, JnMessage *message) {
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

JnStatus body_keep_boundary(const JnTets *mesh, Body *body, JnMessage *message) {
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

JnStatus body_keep_curves(const JnCurves *curves, Body *body, JnMessage *message) {
    body->cached_count = curves->corner_count;
    body->curve_count = curves->curve_count;
    body->curve_sizes = malloc(((size_t)curves->curve_count + 1) * sizeof(int32_t));
    body->cached_points = malloc(((size_t)curves->corner_count + 1) * sizeof(uint32_t));
    if (!body->curve_sizes || !body->cached_points)
        return status_no_memory(message, "the curves");
    memcpy(body->curve_sizes, curves->curve_sizes, (size_t)curves->curve_count * sizeof(int32_t));
    memcpy(body->cached_points, curves->curve_vertices, (size_t)curves->corner_count * sizeof(uint32_t));
    return JN_OK;
}

uint32_t body_cached_point(const Body *body, uint32_t vertex) {
    return body->cached_points ? body->cached_points[vertex] : vertex;
}

static JnStatus copy_faces(const Body *body, JnMesh *mesh, JnMessage *message) {
    JnStatus status = mesh_set_face_counts(mesh, body->face_count, body->corner_count, message);
    for (uint32_t f = 0; status == JN_OK && f < body->face_count; ++f)
        mesh->face_sizes[f] = (uint32_t)body->face_sizes[f];
    for (uint32_t k = 0; status == JN_OK && k < body->corner_count; ++k)
        mesh->face_vertices[k] = (uint32_t)body->face_vertices[k];
    return status;
}

static JnStatus copy_curves(const Body *body, JnMesh *mesh, JnMessage *message) {
    JnStatus status = mesh_set_curve_counts(mesh, body->curve_count, body->cached_count, message);
    for (uint32_t k = 0; status == JN_OK && k < body->curve_count; ++k)
        mesh->curve_sizes[k] = (uint32_t)body->curve_sizes[k];
    for (uint32_t v = 0; status == JN_OK && v < body->cached_count; ++v)
        mesh->curve_vertices[v] = v;
    return status;
}

JnStatus body_cached_mesh(const Body *body, const double *points, const double transform[12], JnMesh **mesh,
                          JnMessage *message) {
    *mesh = calloc(1, sizeof **mesh);
    JnStatus status =
        *mesh ? mesh_set_vertex_count(*mesh, body->cached_count, message) : status_no_memory(message, "a mesh");
    for (uint32_t v = 0; status == JN_OK && v < body->cached_count; ++v)
        affine_apply(transform, points + 3 * (size_t)body_cached_point(body, v), (*mesh)->positions + 3 * (size_t)v);
    if (status == JN_OK)
        status = body->curve_count ? copy_curves(body, *mesh, message) : copy_faces(body, *mesh, message);
    if (status != JN_OK) {
        jn_mesh_free(*mesh);
        *mesh = NULL;
    }
    return status;
}
