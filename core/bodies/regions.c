/* Applies painted maps to a body: per-vertex fields, smooth inside the solid. */
#include "bodies/body.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void apply_goal(const JnRegion *region, const double *vertex_weights, Body *body) {
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
        body->goal_rates[v] += region->value * vertex_weights[v];
    body->has_targets = true;
}

/* Stiffness factors are blended geometrically: a weight of 0.5 with a factor of 100 gives 10, not 50. */
static void apply_stiffness(const JnRegion *region, const double *vertex_weights, Body *body) {
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
        body->stiffness_factors[v] *= pow(region->value, vertex_weights[v]);
}

static void apply_density(const JnRegion *region, const double *vertex_weights, Body *body) {
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
        body->density_factors[v] *= 1 + vertex_weights[v] * (region->value - 1);
}

static void apply_damping(const JnRegion *region, const double *vertex_weights, Body *body) {
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
        body->damping_factors[v] *= 1 + vertex_weights[v] * (region->value - 1);
}

/* The painted amount replaces the value below it, blended by the weight. */
static void apply_rest_follows(const JnRegion *region, const double *vertex_weights, Body *body) {
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
        body->rest_follows[v] += vertex_weights[v] * (region->value - body->rest_follows[v]);
    body->rest_moves |= region->value > 0;
    body->has_targets |= region->value > 0;
}

/* The painted amount replaces the value below it, blended by the weight, at the points: it acts on what is cached. */
static JnStatus apply_simulation(const JnRegion *region, Body *body, JnMessage *message) {
    if (!body->simulation) {
        body->simulation = malloc(((size_t)body->point_count + 1) * sizeof(double));
        if (!body->simulation)
            return status_no_memory(message, "the painted maps");
        for (uint32_t p = 0; p < body->point_count; ++p)
            body->simulation[p] = 1;
    }
    for (uint32_t p = 0; p < body->point_count; ++p)
        body->simulation[p] += (double)region->weights[p] * (region->value - body->simulation[p]);
    body->has_targets = true;
    return JN_OK;
}

/* Vertices of this weight and more are in a fast region. */
static const double FAST_WEIGHT = 0.5;

static void apply_fast(const JnRegion *region, const double *vertex_weights, Body *body) {
    uint32_t ratio = (uint32_t)region->value;
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
        if (vertex_weights[v] >= FAST_WEIGHT && ratio > body->fast_ratios[v]) {
            body->fast_ratios[v] = ratio;
            body->has_fast |= ratio > 1;
        }
}

/* The effects on the vertices' maps, by their name in the table of region effects. */
static const struct {
    const char *name;
    void (*apply)(const JnRegion *region, const double *vertex_weights, Body *body);
} effects[] = {{"goal", apply_goal},       {"stiffness", apply_stiffness},       {"density", apply_density},
               {"damping", apply_damping}, {"rest_follows", apply_rest_follows}, {"fast", apply_fast}};

static bool allocate_maps(Body *body) {
    size_t n = (size_t)body->mesh.vertex_count + 1;
    body->stiffness_factors = malloc(n * sizeof(double));
    body->density_factors = malloc(n * sizeof(double));
    body->damping_factors = malloc(n * sizeof(double));
    body->rest_follows = malloc(n * sizeof(double));
    body->goal_rates = calloc(n, sizeof(double));
    body->pin_rates = calloc(n, sizeof(double));
    body->pinned_vertices = calloc(n, 1);
    body->fast_ratios = calloc(n, sizeof(uint32_t));
    body->pinned_points = calloc((size_t)body->point_count + 1, 1);
    return body->stiffness_factors && body->density_factors && body->damping_factors && body->rest_follows &&
           body->goal_rates && body->pin_rates && body->pinned_vertices && body->pinned_points && body->fast_ratios;
}

JnStatus body_apply_regions(const JnBody *desc, const char *place, Body *body, JnMessage *message) {
    double *vertex_weights = malloc(((size_t)body->mesh.vertex_count + 1) * sizeof(double));
    JnStatus status = JN_OK;
    if (!allocate_maps(body) || !vertex_weights)
        status = status_no_memory(message, "the painted maps");
    for (uint32_t v = 0; status == JN_OK && v < body->mesh.vertex_count; ++v) {
        body->stiffness_factors[v] = body->mesh.stiffness_factors ? body->mesh.stiffness_factors[v] : 1;
        body->density_factors[v] = body->mesh.density_factors ? body->mesh.density_factors[v] : 1;
        body->damping_factors[v] = 1;
        body->rest_follows[v] = desc->rest_follows_animation;
    }
    body->has_targets = body->rest_moves = desc->rest_follows_animation > 0;
    body->has_releasable_pins = desc->releasable_pins != 0;
    for (uint32_t r = 0; status == JN_OK && r < desc->region_count; ++r) {
        if (strcmp(desc->regions[r].effect, "pin") == 0) {
            status = body_apply_pin(&desc->regions[r], body, message);
            continue;
        }
        if (strcmp(desc->regions[r].effect, "attach") == 0) {
            status = body_apply_attach(&desc->regions[r], body, message);
            continue;
        }
        if (strcmp(desc->regions[r].effect, "simulation") == 0) {
            status = apply_simulation(&desc->regions[r], body, message);
            continue;
        }
        status = inverse_embedding_weights(body->inverse_embedding, desc->regions[r].weights, vertex_weights, message);
        size_t e = 0, count = sizeof effects / sizeof effects[0];
        while (e < count && strcmp(effects[e].name, desc->regions[r].effect) != 0)
            ++e;
        if (status == JN_OK && e == count)
            status = status_fail(message, JN_ERR_NOT_BUILT, "%s: the region effect '%.80s' is not yet built", place,
                                 desc->regions[r].effect);
        if (status == JN_OK)
            effects[e].apply(&desc->regions[r], vertex_weights, body);
    }
    free(vertex_weights);
    return status;
}
