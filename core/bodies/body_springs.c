/* Shared by the kinds of bodies that are made of springs. */
#include "bodies/body_kind.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

JnStatus body_use_points(const JnBody *desc, double metres_per_unit, Body *body, JnMessage *message) {
    uint32_t count = body_point_count(desc);
    JnTets vertices = {count, 0, body_points(desc), NULL};
    JnStatus status = tetmesh_copy(&vertices, &body->mesh, message);
    if (status == JN_OK)
        status = embedding_of_vertices(count, &body->embedding, message);
    if (status != JN_OK)
        return status;
    body_place_points(vertices.positions, count, desc->transform, metres_per_unit, body->mesh.positions);
    body->vertex_of_point = malloc(((size_t)count + 1) * sizeof *body->vertex_of_point);
    if (!body->vertex_of_point)
        return status_no_memory(message, "the body's points");
    for (uint32_t v = 0; v < count; ++v)
        body->vertex_of_point[v] = v;
    return JN_OK;
}

JnStatus body_reserve_springs(uint32_t count, Body *body, JnMessage *message) {
    body->springs = malloc(((size_t)count + 1) * sizeof *body->springs);
    body->spring_masses = calloc((size_t)body->mesh.vertex_count + 1, sizeof *body->spring_masses);
    return body->springs && body->spring_masses ? JN_OK : status_no_memory(message, "the springs");
}

JnStatus body_add_spring(const JnBody *desc, Spring spring, const char *place, Body *body, JnMessage *message) {
    if (!(spring.rest_length > 0))
        return status_fail(message, JN_ERR_MESH,
                           "%s '%.80s': vertices %u and %u are at the same position, so the spring between them has no "
                           "length: merge them, or move them apart",
                           place, desc->name, spring.vertices[0], spring.vertices[1]);
    spring.linear = desc->springs.linear;
    spring.cubic = desc->springs.cubic;
    spring.stiffness_damping = body->material.stiffness_damping;
    body->springs[body->spring_count++] = spring;
    return JN_OK;
}

JnStatus body_check_masses(const Body *body, const char *place, JnMessage *message) {
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
        if (!(body->spring_masses[v] > 0) || !isfinite(body->spring_masses[v]))
            return status_fail(message, JN_ERR_MESH,
                               "%s '%s': vertex %u would have a mass of %g kg: remove vertices that belong to nothing, "
                               "and faces without area",
                               place, body->name, v, body->spring_masses[v]);
    return JN_OK;
}

static double plain(double factor) {
    return factor;
}

/* The mean of a painted map over the spring, in the scale `scale`: half the weight to each of its ends. */
static double mean_of(const double *map, double (*scale)(double), const Spring *spring) {
    const uint32_t *v = spring->vertices;
    double far_end = spring->stencil == SPRING_TO_TRIANGLE
                         ? (scale(map[v[1]]) + scale(map[v[2]]) + scale(map[v[3]])) / 3
                         : scale(map[v[1]]);
    return 0.5 * (scale(map[v[0]]) + far_end);
}

/* A section is painted as a whole. */
static void paint_rod(const Body *body, RodSegment *rod) {
    uint32_t a = rod->sections[0], b = rod->sections[1];
    double factor = sqrt(body->stiffness_factors[a] * body->stiffness_factors[b]);
    rod->stiffness.stretch *= factor;
    rod->stiffness.shear *= factor;
    rod->stiffness.bending *= factor;
    rod->stiffness.twist *= factor;
    rod->stiffness.section *= factor;
    rod->stiffness_damping *= 0.5 * (body->damping_factors[a] + body->damping_factors[b]);
    rod->rest_follows = 0.5 * (body->rest_follows[a] + body->rest_follows[b]);
}

void body_paint_springs(Body *body) {
    for (uint32_t v = 0; body->spring_masses && v < body->mesh.vertex_count; ++v)
        body->spring_masses[v] *= body->density_factors[v];
    for (uint32_t k = 0; k < body->spring_count; ++k) {
        Spring *spring = &body->springs[k];
        spring->stiffness *= exp(mean_of(body->stiffness_factors, log, spring));
        spring->stiffness_damping *= mean_of(body->damping_factors, plain, spring);
        spring->rest_follows = mean_of(body->rest_follows, plain, spring);
    }
    for (uint32_t k = 0; k < body->rod_count; ++k)
        paint_rod(body, &body->rods[k]);
}
