/* The force term of the fields: M (a - s (x - x_0)) and -M r v, with a, s and r as force_field.c has them at x_0, where
   the step begins. */
#include "elastic/force_field.h"

#include "base/math3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

typedef struct ForceFields {
    uint32_t vertex_count, field_count;
    const double *masses;
    const ForceField *fields;
} ForceFields;

typedef struct FieldLag {
    double *accelerations; /* [vertex_count * 3] m/s2 */
    double *rates;         /* [vertex_count] 1/s */
    double *springs;       /* [vertex_count] 1/s2 */
    double *starts;        /* [vertex_count * 3] m */
} FieldLag;

static JnStatus begin_step(const void *self, void *lagged, const StepScope *scope, const StepStart *start,
                           JnMessage *message) {
    (void)message;
    const ForceFields *all = self;
    FieldLag *lag = lagged;
    for (uint32_t v = 0; v < all->vertex_count; ++v) {
        size_t k = 3 * (size_t)v;
        if (!element_subset_has(&scope->subset, &v, 1))
            continue;
        memset(lag->accelerations + k, 0, 3 * sizeof *lag->accelerations);
        memcpy(lag->starts + k, start->q + k, 3 * sizeof *lag->starts);
        lag->rates[v] = lag->springs[v] = 0;
        for (uint32_t f = 0; f < all->field_count; ++f)
            force_field_add(&all->fields[f], &scope->moment->fields[f], start->q + k, vec3_length(start->v + k),
                            lag->accelerations + k, &lag->rates[v], &lag->springs[v]);
    }
    return JN_OK;
}

static JnStatus evaluate(void *self, const void *lagged, Evaluation *e, JnMessage *message) {
    (void)message;
    const ForceFields *all = self;
    const FieldLag *lag = lagged;
    double part = e->moment->load_part;
    for (uint32_t v = 0; v < all->vertex_count; ++v) {
        double slowing = all->masses[v] * lag->rates[v], spring = part * all->masses[v] * lag->springs[v];
        if (!element_subset_has(&e->subset, &v, 1))
            continue;
        for (size_t i = 0; i < 3; ++i) {
            size_t k = 3 * (size_t)v + i;
            double f = part * all->masses[v] * lag->accelerations[k], way = e->q[k] - lag->starts[k];
            if (e->energy)
                *e->energy += 0.5 * spring * way * way - f * e->q[k];
            if (e->force)
                e->force[k] += f - spring * way - (e->v ? slowing * e->v[k] : 0);
        }
        if (e->matrix && (slowing > 0 || spring > 0)) {
            double d = e->damping_scale * slowing + e->stiffness_scale * spring;
            block_matrix_add(e->matrix, v, v, (const double[9]){d, 0, 0, 0, d, 0, 0, 0, d});
        }
    }
    return JN_OK;
}

static void lag_destroy(void *lagged) {
    FieldLag *lag = lagged;
    if (!lag)
        return;
    free(lag->accelerations);
    free(lag->rates);
    free(lag->springs);
    free(lag->starts);
    free(lag);
}

/* Nothing acts until a step begins. */
static void *lag_create(const void *self) {
    const ForceFields *all = self;
    size_t n = all->vertex_count;
    FieldLag *lag = calloc(1, sizeof *lag);
    if (!lag)
        return NULL;
    *lag = (FieldLag){calloc(3 * n + 1, sizeof(double)), calloc(n + 1, sizeof(double)), calloc(n + 1, sizeof(double)),
                      calloc(3 * n + 1, sizeof(double))};
    if (lag->accelerations && lag->rates && lag->springs && lag->starts)
        return lag;
    lag_destroy(lag);
    return NULL;
}

static void add_holding(const void *self, const void *lagged, double *stiffness) {
    const ForceFields *all = self;
    for (uint32_t v = 0; v < all->vertex_count; ++v)
        stiffness[v] += all->masses[v] * ((const FieldLag *)lagged)->springs[v];
}

static const TermOperations operations = {.name = "fields",
                                          .role = TERM_FIELDS,
                                          .has_potential = true,
                                          .evaluate = evaluate,
                                          .destroy = free,
                                          .lag_create = lag_create,
                                          .lag_destroy = lag_destroy,
                                          .begin_step = begin_step,
                                          .add_holding = add_holding};

JnStatus force_fields_create(uint32_t vertex_count, const double *masses, const ForceField *fields,
                             uint32_t field_count, ForceTerm *term, JnMessage *message) {
    ForceFields *all = malloc(sizeof *all);
    if (!all)
        return status_no_memory(message, "the fields of force");
    *all = (ForceFields){vertex_count, field_count, masses, fields};
    *term = (ForceTerm){&operations, all};
    return JN_OK;
}
