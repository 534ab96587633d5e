#include "elastic/loads.h"

#include "base/math3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

/* The drag of a fibre is that of a cylinder across the air: rho/2 C d |u| u per length, with u the part of the relative
   velocity across it. C is 1 for a wire in a wind, and rises slowly to 2 for a hair in a breeze. */
static const double FIBRE_DRAG = 1;

typedef struct Air {
    const PointSet *points;
} Air;

typedef struct AirLag {
    double *positions; /* [point_count * 3] at the start of the step */
    double *normals;   /* [point_count * 3] there, of length 1: outward; on fibres, along them */
    double *drag;      /* [point_count] N s/m: rho/2 area |u| there, of the part of u that pushes; 0: no surface */
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

/* normals[p] = the way from the point before to the point after, on fibres. */
static void find_fibre_directions(const Air *air, AirLag *lag) {
    for (uint32_t p = 0; p < air->points->embedding.point_count; ++p)
        if (point_set_on_fibre(air->points, p)) {
            const uint32_t *neighbours = air->points->curve_neighbours + 2 * (size_t)p;
            vec3_sub(lag->positions + 3 * (size_t)neighbours[1], lag->positions + 3 * (size_t)neighbours[0],
                     lag->normals + 3 * (size_t)p);
        }
}

/* The part of the relative velocity u that pushes: along the normal of a surface, across a fibre. */
static void pushing_part(const Air *air, const AirLag *lag, uint32_t p, const double u[3], double part[3]) {
    const double *normal = lag->normals + 3 * (size_t)p;
    double along = vec3_dot(u, normal);
    bool on_fibre = point_set_on_fibre(air->points, p);
    for (int i = 0; i < 3; ++i)
        part[i] = on_fibre ? u[i] - along * normal[i] : along * normal[i];
}

static JnStatus begin_step(const void *self, void *lagged, const StepScope *scope, const StepStart *start,
                           JnMessage *message) {
    (void)message;
    const Air *air = self;
    AirLag *lag = lagged;
    embedding_apply(&air->points->embedding, start->q, lag->positions);
    find_area_vectors(air, lag);
    find_fibre_directions(air, lag);
    for (uint32_t p = 0; p < air->points->embedding.point_count; ++p) {
        double *normal = lag->normals + 3 * (size_t)p, length = vec3_length(normal);
        double area = point_set_on_fibre(air->points, p) ? FIBRE_DRAG * air->points->areas[p] : length;
        double velocity[3], relative[3], part[3];
        for (int i = 0; i < 3; ++i)
            normal[i] = length > 0 ? normal[i] / length : 0;
        point_set_value(air->points, p, start->v, velocity);
        vec3_sub(scope->moment->wind, velocity, relative);
        pushing_part(air, lag, p, relative, part);
        lag->drag[p] = 0.5 * scope->moment->air_density * area * vec3_length(part);
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
        double velocity[3] = {0, 0, 0}, relative[3], f[3], H[9];
        if (e->v)
            point_set_value(air->points, p, e->v, velocity);
        vec3_sub(e->moment->wind, velocity, relative);
        pushing_part(air, lag, p, relative, f);
        for (int i = 0; i < 3; ++i) {
            const double axis[3] = {i == 0, i == 1, i == 2};
            f[i] *= lag->drag[p];
            pushing_part(air, lag, p, axis, H + 3 * i);
            for (int j = 0; j < 3; ++j)
                H[3 * i + j] *= e->damping_scale * lag->drag[p];
        }
        if (e->energy && !e->stored_energy) { /* within a step the force of the wind on a point at rest is constant,
                                                 whatever its position */
            double x[3], part[3];
            point_set_value(air->points, p, e->q, x);
            pushing_part(air, lag, p, e->moment->wind, part);
            *e->energy -= lag->drag[p] * vec3_dot(part, x);
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
