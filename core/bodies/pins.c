/* Painted pins. A full weight prescribes the vertex. A weight w below that is a spring to the animation whose rate, per
   mass, is

       9.81 / (HALF_PIN_SAG L) (w / (1 - w))^2 / s,      L the size of the body, s the share of it that the region
   holds,

   so that it grows smoothly from 0 to that of a rigid pin. What hangs from nothing but a pin of 0.5 sags by
   HALF_PIN_SAG of the body's size under Earth's gravity, whatever its mass, its material and its mesh, and however
   small the spot is that is painted. */
#include "bodies/body.h"

#include "base/status.h"
#include "elastic/tet_elements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From this weight on a pin is full: springs as stiff cannot be told from it. */
static const float FULL = 0.999f;
static const double HALF_PIN_SAG = 0.1, EARTH_GRAVITY = 9.81 /* m/s2 */;
/* The share of a vertex that must be painted to pin it. */
static const double HALF = 0.5;
/* The share of a body from which on it counts as held whole: where weights vary, shares are a little below 1. */
static const double WHOLE = 0.95;
/* Extended weights below this are rounding. */
static const double LEAST_WEIGHT = 1e-9;

/* Stiffness of the stiffest pin that is a spring, per mass, 1/s2: a body that hangs by such pins on a hundredth of its
   mass sags by a micrometre. */
static const double FIRM_RATE = 1e9;

double body_pin_rate(const Body *body, double weight) {
    double ratio = weight / (1 - weight);
    return weight < 1 ? fmin(EARTH_GRAVITY / (HALF_PIN_SAG * body->point_extent) * ratio * ratio, FIRM_RATE)
                      : FIRM_RATE;
}

bool body_pin_is_firm(const Body *body, uint32_t vertex) {
    return body->pin_rates[vertex] >= FIRM_RATE;
}

/* A pin region, extended from the points to the vertices. */
typedef struct PinMaps {
    float *full, *squares;       /* [point_count] 1 or 0; the squared weights */
    double *full_shares;         /* [vertex_count] */
    double *weights, *coverages; /* [vertex_count] the weight of the painted points around a vertex, and their share */
} PinMaps;

/* The mean weight of what is painted around a vertex is that of the points with their weights, so that where the paint
   ends it stays what was painted and the share falls to 0; scaling a map scales its weights and leaves the shares. */
static JnStatus extend(const JnRegion *region, const Body *body, PinMaps *maps, JnMessage *message) {
    InverseEmbedding *follow = body->inverse_embedding;
    for (uint32_t p = 0; p < body->point_count; ++p) {
        maps->full[p] = region->weights[p] >= FULL ? 1 : 0;
        maps->squares[p] = region->weights[p] * region->weights[p];
    }
    JnStatus status = inverse_embedding_weights(follow, maps->full, maps->full_shares, message);
    if (status == JN_OK)
        status = inverse_embedding_weights(follow, region->weights, maps->coverages, message);
    if (status == JN_OK)
        status = inverse_embedding_weights(follow, maps->squares, maps->weights, message);
    for (uint32_t v = 0; status == JN_OK && v < body->mesh.vertex_count; ++v) {
        bool is_painted = maps->coverages[v] > LEAST_WEIGHT && maps->weights[v] > LEAST_WEIGHT * maps->coverages[v];
        maps->weights[v] = is_painted ? fmin(maps->weights[v] / maps->coverages[v], 1) : 0;
        maps->coverages[v] = is_painted ? fmin(maps->coverages[v] / maps->weights[v], 1) : 0;
    }
    return status;
}

/* What the region holds: exactly, and by springs. */
typedef struct Held {
    uint8_t *exactly; /* [vertex_count] */
    double *rates;    /* [vertex_count] 1/s2 */
} Held;

/* What of a vertex the region holds, and how hard. */
typedef struct Grip {
    double share; /* 0 to 1 */
    double rate;  /* 1/s2, as if the region held all of the body */
    bool exact;
} Grip;

/* Grips the vertices that paint covers to more than half, full pins exactly, the others the harder the more it covers.
 */
static void grip_covered(const PinMaps *maps, const Body *body, Grip *grips) {
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v) {
        if (maps->full_shares[v] >= HALF)
            grips[v] = (Grip){.share = 1, .exact = true};
        else if (maps->coverages[v] > HALF)
            grips[v] = (Grip){.share = 2 * maps->coverages[v] - 1,
                              .rate = body_pin_rate(body, fmin(maps->weights[v], (double)FULL))};
    }
}

/* If a spot is so small that no vertex around a point is covered, all of them are held: a painted pin must hold,
   however coarse the simulation mesh is. */
static void grip_spots(const JnRegion *region, const PinMaps *maps, const Body *body, Grip *grips) {
    for (uint32_t p = 0; p < body->point_count; ++p) {
        if (region->weights[p] <= 0)
            continue;
        bool is_full = maps->full[p] > 0, is_held = false;
        const uint32_t *corners = body->embedding.vertices + 4 * (size_t)p;
        const double *shares = body->embedding.weights + 4 * (size_t)p;
        for (int a = 0; a < 4; ++a)
            is_held |= shares[a] != 0 && (grips[corners[a]].exact || (!is_full && maps->coverages[corners[a]] > HALF));
        for (int a = 0; !is_held && a < 4; ++a) {
            Grip *grip = &grips[corners[a]];
            if (shares[a] == 0)
                continue;
            grip->share = 1;
            grip->exact |= is_full;
            grip->rate = fmax(grip->rate, body_pin_rate(body, (double)region->weights[p]));
        }
    }
}

/* The share of the body that is held: by volume, or by mass where it is not made of elements. */
static double held_share(const Body *body, const Grip *grips) {
    double held = 0, all = 0;
    for (uint32_t t = 0; t < body->element_count; ++t) {
        const uint32_t *tet = body->mesh.tet_vertices + 4 * (size_t)t;
        double volume = tet_volume(body->mesh.positions, tet);
        for (int a = 0; a < 4; ++a)
            held += volume / 4 * grips[tet[a]].share;
        all += volume;
    }
    for (uint32_t v = 0; body->spring_masses && v < body->mesh.vertex_count; ++v) {
        held += body->spring_masses[v] * grips[v].share;
        all += body->spring_masses[v];
    }
    return fmin(held / (WHOLE * all), 1);
}

static void hold(const Body *body, const Grip *grips, double share, Held held) {
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
        if (grips[v].exact)
            held.exactly[v] = 1;
        else if (grips[v].share > 0)
            held.rates[v] += fmin(grips[v].share * grips[v].rate / share, FIRM_RATE);
}

static JnStatus hold_region(const JnRegion *region, const Body *body, Held held, JnMessage *message) {
    size_t points = (size_t)body->point_count + 1, vertices = (size_t)body->mesh.vertex_count + 1;
    PinMaps maps = {.full = malloc(points * sizeof(float)),
                    .squares = malloc(points * sizeof(float)),
                    .full_shares = malloc(vertices * sizeof(double)),
                    .weights = malloc(vertices * sizeof(double)),
                    .coverages = malloc(vertices * sizeof(double))};
    Grip *grips = calloc(vertices, sizeof *grips);
    JnStatus status = maps.full && maps.squares && maps.full_shares && maps.weights && maps.coverages && grips
                          ? extend(region, body, &maps, message)
                          : status_no_memory(message, "the pins");
    if (status == JN_OK) {
        grip_covered(&maps, body, grips);
        grip_spots(region, &maps, body, grips);
        hold(body, grips, held_share(body, grips), held);
    }
    free(maps.full);
    free(maps.squares);
    free(maps.full_shares);
    free(maps.weights);
    free(maps.coverages);
    free(grips);
    return status;
}

JnStatus body_apply_pin(const JnRegion *region, Body *body, JnMessage *message) {
    JnStatus status = hold_region(region, body, (Held){body->pinned_vertices, body->pin_rates}, message);
    for (uint32_t p = 0; status == JN_OK && p < body->point_count; ++p)
        body->pinned_points[p] |= region->weights[p] >= FULL;
    body->has_targets |= status == JN_OK;
    return status;
}

JnStatus body_apply_attach(const JnRegion *region, Body *body, JnMessage *message) {
    size_t vertices = (size_t)body->mesh.vertex_count + 1, name = strlen(region->to) + 1;
    AttachMap *map = calloc(1, sizeof *map + name);
    uint8_t *exactly = calloc(vertices, 1);
    if (map)
        map->rates = calloc(vertices, sizeof *map->rates);
    JnStatus status = map && exactly && map->rates ? hold_region(region, body, (Held){exactly, map->rates}, message)
                                                   : status_no_memory(message, "what is attached");
    if (status == JN_OK) {
        for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
            map->rates[v] = exactly[v] ? FIRM_RATE : map->rates[v];
        memcpy(map->to, region->to, name);
        map->next = body->attached;
        body->attached = map;
    } else if (map) {
        free(map->rates);
        free(map);
    }
    free(exactly);
    return status;
}

void body_make_pins_releasable(Body *body) {
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
        if (body->pinned_vertices[v])
            body->pin_rates[v] = FIRM_RATE;
    memset(body->pinned_vertices, 0, body->mesh.vertex_count);
    memset(body->pinned_points, 0, body->point_count);
}
