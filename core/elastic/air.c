#include "elastic/loads.h"

#include "base/math3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

typedef struct Air {
    const PointSet *points;
} Air;

typedef struct AirLag {
    double *positions; /* [point_count * 3] at the start of the step */
    double *normals;   /* [point_count * 3] there, outward, of length 1 */
    double *drag;      /* [point_count] N s/m: rho/2 area |u.n| there; 0: no surface */
} AirLag;

/* normals[p] = a third of the area vectors of the triangles around p. */
static void find_area_vectors(const Air *air, AirLag *lag) {
    memset(lag->normals, 0, (size_t)air->points->embedding.point_count * 3 * sizeof(double));
    for (size_t t = 0; t < air->points->triangle_count; ++t) {
        const uint32_t *corners = air->points->triangles + 3 * t;
        const double *a = lag->positions + 3 * (size_t)corners[0];
        double ab[3], ac[3], cross[3];
        vec3_sub(lag->positions + 3 * (size_t)corners[1], a, ab);
        vec3_sub(lag->positions + 3 * (size_t)corners[2], a, ac);
        vec3_cross(ab, ac, cross);
        for (int c = 0; c < 3; ++c)
            for (size_t i = 0; i < 3; ++i)
                lag->normals[3 * (size_t)corners[c] + i] += cross[i] / 6;
    }
}

static JnStatus begin_step(const void *self, void *lagged, const StepScope *scope, const StepStart *start,
                           JnMessage *message) {
    (void)message;
    const Air *air = self;
    AirLag *lag = lagged;
    embedding_apply(&air->points->embedding, start->q, lag->positions);
    find_area_vectors(air, lag);
    for (uint32_t p = 0; p < air->points->embedding.point_count; ++p) {
        double *normal = lag->normals + 3 * (size_t)p, velocity[3], relative[3], area = vec3_length(normal);
        point_set_value(air->points, p, start->v, velocity);
        vec3_sub(scope->moment->wind, velocity, relative);
        lag->drag[p] = 0.5 * scope->moment->air_density * fabs(vec3_dot(relative, normal));
        for (int i = 0; i < 3; ++i)
            normal[i] = area > 0 ? normal[i] / area : 0;
    }
    return JN_OK;
}

static JnStatus evaluate(void *self, const void *lagged, Evaluation *e, JnMessage *message) {
    (void)message;
    const Air *air = self;
    const AirLag *lag = lagged;
    for (uint32_t p = 0; p < air->points->embedding.point_count; ++p) {
        if (lag->drag[p] == 0 || !point_set_in_subset(air->points, p, &e->subset))
            continue;
        const double *normal = lag->normals + 3 * (size_t)p;
        double velocity[3] = {0, 0, 0}, relative[3], f[3], H[9];
        if (e->v)
            point_set_value(air->points, p, e->v, velocity);
        vec3_sub(e->moment->wind, velocity, relative);
        double push = lag->drag[p] * vec3_dot(relative, normal);
        for (int i = 0; i < 3; ++i) {
            f[i] = push * normal[i];
            for (int j = 0; j < 3; ++j)
                H[3 * i + j] = e->damping_scale * lag->drag[p] * normal[i] * normal[j];
        }
        if (e->energy && !e->stored_energy) { /* within a step the force of the wind on a point at rest is constant,
                                                 whatever its position */
            double x[3];
            point_set_value(air->points, p, e->q, x);
            *e->energy -= lag->drag[p] * vec3_dot(e->moment->wind, normal) * vec3_dot(normal, x);
        }
        if (e->force)
            point_set_add_force(air->points, p, f, e->force);
        if (e->matrix)
            point_set_add_block(air->points, p, H, e->matrix);
    }
    return JN_OK;
}

static void lag_destroy(void *lagged) {
    AirLag *lag = lagged;
    if (!lag)
        return;
    free(lag->positions);
    free(lag->normals);
    free(lag->drag);
    free(lag);
}

/* The drag is 0, as without air, until a step begins. */
static void *lag_create(const void *self) {
    const Air *air = self;
    size_t n = (size_t)air->points->embedding.point_count;
    AirLag *lag = calloc(1, sizeof *lag);
    if (!lag)
        return NULL;
    *lag =
        (AirLag){calloc(3 * n + 1, sizeof(double)), calloc(3 * n + 1, sizeof(double)), calloc(n + 1, sizeof(double))};
    if (lag->positions && lag->normals && lag->drag)
        return lag;
    lag_destroy(lag);
    return NULL;
}

static const TermOperations operations = {.name = "air",
                                          .role = TERM_AIR,
                                          .has_potential = true,
                                          .evaluate = evaluate,
                                          .destroy = free,
                                          .lag_create = lag_create,
                                          .lag_destroy = lag_destroy,
                                          .begin_step = begin_step};

JnStatus air_create(const PointSet *points, ForceTerm *term, JnMessage *message) {
    Air *air = malloc(sizeof *air);
    if (!air)
        return status_no_memory(message, "the air's pressure");
    *air = (Air){points};
    *term = (ForceTerm){&operations, air};
    return JN_OK;
}
