#include "elastic/loads.h"

#include "base/math3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

typedef struct Air {
    const PointSet *points;
    const StepInputs *inputs;
    double *positions; /* [point_count * 3] at the start of the step */
    double *normals;   /* [point_count * 3] there, outward, of length 1 */
    double *drag;      /* [point_count] N s/m: rho/2 area |u.n| there; 0: no surface */
} Air;

/* normals[p] = a third of the area vectors of the triangles around p. */
static void find_area_vectors(Air *air) {
    memset(air->normals, 0, (size_t)air->points->embedding.point_count * 3 * sizeof(double));
    for (size_t t = 0; t < air->points->triangle_count; ++t) {
        const uint32_t *corners = air->points->triangles + 3 * t;
        const double *a = air->positions + 3 * (size_t)corners[0];
        double ab[3], ac[3], cross[3];
        vec3_sub(air->positions + 3 * (size_t)corners[1], a, ab);
        vec3_sub(air->positions + 3 * (size_t)corners[2], a, ac);
        vec3_cross(ab, ac, cross);
        for (int c = 0; c < 3; ++c)
            for (size_t i = 0; i < 3; ++i)
                air->normals[3 * (size_t)corners[c] + i] += cross[i] / 6;
    }
}

static JnStatus begin_step(void *self, const StepStart *start, JnMessage *message) {
    (void)message;
    Air *air = self;
    embedding_apply(&air->points->embedding, start->q, air->positions);
    find_area_vectors(air);
    for (uint32_t p = 0; p < air->points->embedding.point_count; ++p) {
        double *normal = air->normals + 3 * (size_t)p, velocity[3], relative[3], area = vec3_length(normal);
        point_set_value(air->points, p, start->v, velocity);
        vec3_sub(air->inputs->wind, velocity, relative);
        air->drag[p] = 0.5 * air->inputs->air_density * fabs(vec3_dot(relative, normal));
        for (int i = 0; i < 3; ++i)
            normal[i] = area > 0 ? normal[i] / area : 0;
    }
    return JN_OK;
}

static void evaluate(void *self, const Evaluation *e) {
    const Air *air = self;
    for (uint32_t p = 0; p < air->points->embedding.point_count; ++p) {
        if (air->drag[p] == 0)
            continue;
        const double *normal = air->normals + 3 * (size_t)p;
        double velocity[3] = {0, 0, 0}, relative[3], f[3], H[9];
        if (e->v)
            point_set_value(air->points, p, e->v, velocity);
        vec3_sub(air->inputs->wind, velocity, relative);
        double push = air->drag[p] * vec3_dot(relative, normal);
        for (int i = 0; i < 3; ++i) {
            f[i] = push * normal[i];
            for (int j = 0; j < 3; ++j)
                H[3 * i + j] = e->damping_scale * air->drag[p] * normal[i] * normal[j];
        }
        if (e->energy &&
            !e->stored_energy) { /* at rest the wind pushes with one force wherever the point is, within a step */
            double x[3];
            point_set_value(air->points, p, e->q, x);
            *e->energy -= air->drag[p] * vec3_dot(air->inputs->wind, normal) * vec3_dot(normal, x);
        }
        if (e->force)
            point_set_add_force(air->points, p, f, e->force);
        if (e->matrix)
            point_set_add_block(air->points, p, H, e->matrix);
    }
}

static void destroy(void *self) {
    Air *air = self;
    free(air->positions);
    free(air->normals);
    free(air->drag);
    free(air);
}

JnStatus air_create(const PointSet *points, const StepInputs *inputs, ForceTerm *term, JnMessage *message) {
    size_t n = (size_t)points->embedding.point_count;
    Air *air = calloc(1, sizeof *air);
    if (!air)
        return status_no_memory(message, "the air's pressure");
    *air = (Air){points, inputs, calloc(3 * n + 1, sizeof(double)), calloc(3 * n + 1, sizeof(double)),
                 calloc(n + 1, sizeof(double))};
    if (!air->positions || !air->normals || !air->drag) {
        destroy(air);
        return status_no_memory(message, "the air's pressure");
    }
    *term = (ForceTerm){"air", true, air, begin_step, evaluate, NULL, destroy};
    return JN_OK;
}
