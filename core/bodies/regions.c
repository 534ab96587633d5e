/* Applies painted maps to a body: per-vertex fields, smooth inside the solid. */
#include "bodies/body.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A point or vertex with at least this weight is pinned. */
static const double PIN_THRESHOLD = 0.5;

/* Stiffness of a releasable pin per mass, 1/s2: a body that hangs by pins on a hundredth of its mass sags by a
   micrometre. */
static const double RELEASABLE_PIN_RATE = 1e9;

/* Pins the vertices that the map covers. If a spot is so small that no vertex around a point reaches the limit, all of
   them are pinned: a painted pin must hold, however coarse the simulation mesh is. */
static void apply_pin(const JnRegion *region, const double *vertex_weights, Body *body) {
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
        if (vertex_weights[v] >= PIN_THRESHOLD)
            body->pinned_vertices[v] = 1;
    for (uint32_t p = 0; p < body->point_count; ++p) {
        if ((double)region->weights[p] < PIN_THRESHOLD)
            continue;
        body->pinned_points[p] = 1;
        body->has_targets = true;
        const uint32_t *corners = body->embedding.vertices + 4 * (size_t)p;
        const double *shares = body->embedding.weights + 4 * (size_t)p;
        bool held = false;
        for (int a = 0; a < 4; ++a)
            held |= shares[a] != 0 && body->pinned_vertices[corners[a]];
        for (int a = 0; !held && a < 4; ++a)
            if (shares[a] != 0)
                body->pinned_vertices[corners[a]] = 1;
    }
}

/* Releasable pins are springs, not prescribed vertices. */
static void make_pins_releasable(Body *body) {
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
        body->pin_rates[v] = body->pinned_vertices[v] ? RELEASABLE_PIN_RATE : 0;
    memset(body->pinned_vertices, 0, body->mesh.vertex_count);
    memset(body->pinned_points, 0, body->point_count);
}

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

/* The effects, by their name in the table of region effects. */
static const struct {
    const char *name;
    void (*apply)(const JnRegion *region, const double *vertex_weights, Body *body);
} effects[] = {{"pin", apply_pin},         {"goal", apply_goal},       {"stiffness", apply_stiffness},
               {"density", apply_density}, {"damping", apply_damping}, {"rest_follows", apply_rest_follows}};

static bool allocate_maps(Body *body) {
    size_t n = (size_t)body->mesh.vertex_count + 1;
    body->stiffness_factors = malloc(n * sizeof(double));
    body->density_factors = malloc(n * sizeof(double));
    body->damping_factors = malloc(n * sizeof(double));
    body->rest_follows = malloc(n * sizeof(double));
    body->goal_rates = calloc(n, sizeof(double));
    body->pin_rates = calloc(n, sizeof(double));
    body->pinned_vertices = calloc(n, 1);
    body->pinned_points = calloc((size_t)body->point_count + 1, 1);
    return body->stiffness_factors && body->density_factors && body->damping_factors && body->rest_follows &&
           body->goal_rates && body->pin_rates && body->pinned_vertices && body->pinned_points;
}

JnStatus body_apply_regions(const JnBody *desc, const char *place, Body *body, JnMessage *message) {
    double *vertex_weights = malloc(((size_t)body->mesh.vertex_count + 1) * sizeof(double));
    JnStatus status = JN_OK;
    if (!allocate_maps(body) || !vertex_weights)
        status = status_no_memory(message, "the painted maps");
    for (uint32_t v = 0; status == JN_OK && v < body->mesh.vertex_count; ++v) {
        body->stiffness_factors[v] = body->density_factors[v] = body->damping_factors[v] = 1;
        body->rest_follows[v] = desc->rest_follows_animation;
    }
    body->has_targets = body->rest_moves = desc->rest_follows_animation > 0;
    body->has_releasable_pins = desc->releasable_pins != 0;
    for (uint32_t r = 0; status == JN_OK && r < desc->region_count; ++r) {
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
    if (status == JN_OK && desc->releasable_pins)
        make_pins_releasable(body);
    free(vertex_weights);
    return status;
}
