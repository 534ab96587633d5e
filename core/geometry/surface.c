#include "geometry/surface.h"
#include "geometry/array.h"
#include "geometry/polygon.h"
#include "geometry/vec3.h"
#include "base/status.h"

#include <stdlib.h>

static JnStatus check_arrays(const JnSurface *surface, const char *place, JnMessage *message) {
    if (!surface || surface->vertex_count == 0 || surface->face_count == 0)
        return status_fail(message, JN_ERR_MESH, "%s: the surface is empty (%u vertices, %u faces)", place,
                           surface ? surface->vertex_count : 0, surface ? surface->face_count : 0);
    const char *missing = !surface->positions       ? "positions"
                          : !surface->face_sizes    ? "face_sizes"
                          : !surface->face_vertices ? "face_vertices"
                                                    : NULL;
    if (missing)
        return status_fail(message, JN_ERR_ARGUMENT, "%s: %s is NULL, but vertex_count is %u and face_count %u", place,
                           missing, surface->vertex_count, surface->face_count);
    return JN_OK;
}

static JnStatus check_faces(const JnSurface *surface, const char *place, JnMessage *message) {
    // sizes first: they determine how far face_vertices may be read
    uint64_t corner_count = 0;
    for (uint32_t f = 0; f < surface->face_count; ++f) {
        if (surface->face_sizes[f] < 3)
            return status_fail(message, JN_ERR_MESH, "%s: face %u has %u corners: a face has at least 3", place, f,
                               surface->face_sizes[f]);
        corner_count += surface->face_sizes[f];
    }
    if (corner_count != surface->corner_count)
        return status_fail(message, JN_ERR_ARGUMENT, "%s: face_sizes add up to %llu corners, but corner_count is %u",
                           place, (unsigned long long)corner_count, surface->corner_count);
    for (uint32_t f = 0, c = 0; f < surface->face_count; ++f)
        for (uint32_t i = 0; i < surface->face_sizes[f]; ++i, ++c)
            if (surface->face_vertices[c] >= surface->vertex_count)
                return status_fail(message, JN_ERR_MESH, "%s: face %u names vertex %u, but there are %u vertices",
                                   place, f, surface->face_vertices[c], surface->vertex_count);
    return JN_OK;
}

JnStatus surface_check(const JnSurface *surface, const char *place, JnMessage *message) {
    JnStatus status = check_arrays(surface, place, message);
    if (status != JN_OK)
        return status;
    for (uint32_t v = 0; v < surface->vertex_count; ++v) {
        const double *p = &surface->positions[3 * (size_t)v];
        if (!vec3_in_reach(p))
            return status_fail(
                message, JN_ERR_MESH,
                "%s: vertex %u is at (%g, %g, %g): every coordinate must be a finite number within %g of 0", place, v,
                p[0], p[1], p[2], VEC3_FARTHEST);
    }
    return check_faces(surface, place, message);
}

JnStatus surface_triangulate(const JnSurface *surface, uint32_t **triangles, uint32_t *triangle_count,
                             JnMessage *message) {
    *triangle_count = surface->corner_count - 2 * surface->face_count;
    *triangles = array_new(3 * (size_t)*triangle_count, sizeof **triangles);
    if (!*triangles) {
        *triangle_count = 0;
        return status_no_memory(message, "the triangles of a surface");
    }
    uint32_t *out = *triangles;
    const uint32_t *corners = surface->face_vertices;
    bool done = true;
    for (uint32_t f = 0; done && f < surface->face_count; ++f) {
        uint32_t size = surface->face_sizes[f];
        done = polygon_triangulate(surface->positions, corners, size, out);
        corners += size;
        out += 3 * (size_t)(size - 2);
    }
    if (done)
        return JN_OK;
    free(*triangles);
    *triangles = NULL;
    *triangle_count = 0;
    return status_no_memory(message, "the triangles of a surface");
}
