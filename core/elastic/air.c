#include "elastic/loads.h"

#include "base/math3.h"
#include "base/status.h"

#include <stdlib.h>

typedef struct Air {
    const PointSet *points;
    const StepInputs *inputs;
    double *drag; /* [point_count] N s/m: rho/2 area |u.n| at the start of the step */
} Air;

static void begin_step(void *self, const StepStart *start) {
    Air *air = self;
    for (uint32_t p = 0; p < air->points->embedding.point_count; ++p) {
        const double *area_normal = air->points->area_normals + 3 * (size_t)p;
        double area = vec3_length(area_normal), velocity[3], relative[3];
        point_set_value(air->points, p, start->v, velocity);
        vec3_sub(air->inputs->wind, velocity, relative);
        air->drag[p] =
            area > 0 ? 0.5 * air->inputs->air_density * fabs(vec3_dot(relative, area_normal)) : 0;
    }
}

static void evaluate(void *self, const Evaluation *e) {
    const Air *air = self;
    for (uint32_t p = 0; p < air->points->embedding.point_count; ++p) {
        if (air->drag[p] == 0)
            continue;
        double normal[3], velocity[3] = {0, 0, 0}, relative[3], f[3], H[9];
        const double *area_normal = air->points->area_normals + 3 * (size_t)p;
        double area = vec3_length(area_normal);
        for (int i = 0; i < 3; ++i)
            normal[i] = area_normal[i] / area;
        if (e->v)
            point_set_value(air->points, p, e->v, velocity);
        vec3_sub(air->inputs->wind, velocity, relative);
        double push = air->drag[p] * vec3_dot(relative, normal);
        for (int i = 0; i < 3; ++i) {
            f[i] = push * normal[i];
            for (int j = 0; j < 3; ++j)
                H[3 * i + j] = e->damping_scale * air->drag[p] * normal[i] * normal[j];
        }
        if (e->force)
            point_set_add_force(air->points, p, f, e->force);
        if (e->matrix)
            point_set_add_block(air->points, p, H, e->matrix);
    }
}

static void destroy(void *self) {
    Air *air = self;
    free(air->drag);
    free(air);
}

JnStatus air_create(const PointSet *points, const StepInputs *inputs, ForceTerm *term, JnMessage *message) {
    Air *air = calloc(1, sizeof *air);
    double *drag = calloc((size_t)points->embedding.point_count + 1, sizeof *drag);
    if (!air || !drag) {
        free(air);
        free(drag);
        return status_no_memory(message, "the air's pressure");
    }
    *air = (Air){points, inputs, drag};
    *term = (ForceTerm){"air", false, air, begin_step, evaluate, destroy};
    return JN_OK;
}
