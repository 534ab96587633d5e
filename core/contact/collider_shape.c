#include "contact/collider_shape.h"

#include "base/math3.h"
#include "base/status.h"
#include "geometry/mesh.h"

#include <stdlib.h>
#include <string.h>

JnStatus shape_check_point(const double point[3], const char *place, const char *field, JnMessage *message) {
    if (vec3_finite(point))
        return JN_OK;
    return status_fail(message, JN_ERR_ARGUMENT, "%s.%s is (%g, %g, %g): give three finite numbers", place, field,
                       point[0], point[1], point[2]);
}

JnStatus shape_check_length(double length, const char *place, const char *field, JnMessage *message) {
    if (length > 0 && isfinite(length))
        return JN_OK;
    return status_fail(message, JN_ERR_ARGUMENT, "%s.%s is %g: give a length above 0", place, field, length);
}

JnStatus shape_keep(JnStatus status, const void *from, size_t size, void **shape, JnMessage *message) {
    *shape = status == JN_OK ? malloc(size) : NULL;
    if (status != JN_OK)
        return status;
    if (!*shape)
        return status_no_memory(message, "a collider");
    memcpy(*shape, from, size);
    return JN_OK;
}

double shape_scale(const double m[12]) {
    return sqrt(m[0] * m[0] + m[4] * m[4] + m[8] * m[8]);
}

double shape_round_distance(const double center[3], double radius, const double x[3], double normal[3]) {
    double offset[3];
    vec3_sub(x, center, offset);
    double distance = vec3_length(offset);
    for (int i = 0; i < 3; ++i)
        normal[i] = distance > 0 ? offset[i] / distance : i == 0;
    return distance - radius;
}

void shape_direction_across(const double axis[3], double out[3]) {
    int least = 0;
    for (int i = 1; i < 3; ++i)
        least = fabs(axis[i]) < fabs(axis[least]) ? i : least;
    const double other[3] = {least == 0, least == 1, least == 2};
    vec3_cross(axis, other, out);
    double length = vec3_length(out);
    for (int i = 0; i < 3; ++i)
        out[i] /= length;
}

enum { OUTLINE_RINGS = 9, OUTLINE_SIDES = 32 };

JnStatus shape_round_outline(const double ends[2][3], double radius, JnMesh *mesh, JnMessage *message) {
    const double pi = acos(-1);
    const uint32_t rings = 2 * OUTLINE_RINGS, faces = (rings - 1) * OUTLINE_SIDES;
    double axis[3], across[2][3];
    vec3_sub(ends[1], ends[0], axis);
    double length = vec3_length(axis);
    for (int i = 0; i < 3; ++i)
        axis[i] = length > 0 ? axis[i] / length : i == 1;
    shape_direction_across(axis, across[0]);
    vec3_cross(axis, across[0], across[1]);
    JnStatus status = mesh_set_vertex_count(mesh, rings * OUTLINE_SIDES, message);
    if (status == JN_OK)
        status = mesh_set_face_counts(mesh, faces, 4 * faces, message);
    if (status != JN_OK)
        return status;
    for (uint32_t v = 0; v < rings * OUTLINE_SIDES; ++v) {
        uint32_t ring = v / OUTLINE_SIDES, end = ring / OUTLINE_RINGS;
        double up = 0.5 * pi * ((double)(ring % OUTLINE_RINGS) / (OUTLINE_RINGS - 1) - (end ? 0 : 1));
        double around = 2 * pi * (v % OUTLINE_SIDES) / OUTLINE_SIDES;
        for (int i = 0; i < 3; ++i)
            mesh->positions[3 * (size_t)v + (size_t)i] =
                ends[end][i] +
                radius * (sin(up) * axis[i] + cos(up) * (cos(around) * across[0][i] + sin(around) * across[1][i]));
    }
    for (uint32_t f = 0; f < faces; ++f) {
        uint32_t ring = f / OUTLINE_SIDES * OUTLINE_SIDES, side = f % OUTLINE_SIDES, next = (side + 1) % OUTLINE_SIDES;
        const uint32_t corners[4] = {ring + side, ring + next, ring + OUTLINE_SIDES + next,
                                     ring + OUTLINE_SIDES + side};
        mesh->face_sizes[f] = 4;
        memcpy(mesh->face_vertices + 4 * (size_t)f, corners, sizeof corners);
    }
    return JN_OK;
}
