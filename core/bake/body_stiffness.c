/* Converts the wobble that an artist wants to Young's modulus. The square of the lowest natural frequency is
   proportional to the modulus where nothing but the material resists: the frequency of a trial then gives it in one
   step. Goals and springs of given stiffness add a part that does not depend on it: lambda = a E + g, solved by the
   secant through the last two trials. */
#include "bake/bake_internal.h"

#include "base/status.h"
#include "bodies/material_damping.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS_MOST = 12 };
static const double CLOSE_ENOUGH = 1e-3; /* relative, of the frequency squared */
static const double SOFTEST = 1, STIFFEST = 1e13;

/* A body on its way: moduli and the squares of the angular frequencies of the last two trials. */
typedef struct Search {
    double wanted;     /* the square of the angular frequency */
    double modulus[2]; /* Pa: the last one first */
    double lambda[2];  /* 1/s2 */
    uint32_t trials;
    bool found;
} Search;

static bool is_converted(const JnBody *body) {
    return !isnan(body->material.wobble_frequency);
}

/* Whether the material alone resists. */
static bool is_proportional(const JnBody *desc, const Body *body) {
    const JnSprings *springs = &desc->springs;
    bool own = isnan(springs->structural) && isnan(springs->shear) && isnan(springs->bending) &&
               isnan(springs->torsion_modulus);
    for (uint32_t v = 0; own && v < body->mesh.vertex_count; ++v)
        own = body->goal_rates[v] == 0 && body->pin_rates[v] == 0;
    return own;
}

static JnStatus fail_beyond(const JnBody *desc, const char *place, double other, JnMessage *message) {
    if (other > 0)
        return status_fail(message, JN_ERR_ARGUMENT,
                           "%s.material.wobble_frequency is %g Hz, but goals and springs alone make '%.80s' wobble at "
                           "%.3g Hz: weaken them, or ask for a faster wobble",
                           place, desc->material.wobble_frequency, desc->name, sqrt(other) / (2 * acos(-1)));
    return status_fail(
        message, JN_ERR_ARGUMENT,
        "%s.material.wobble_frequency is %g Hz, but no stiffness from %g to %g Pa lets '%.80s' wobble so: "
        "its size may be wrong by its unit",
        place, desc->material.wobble_frequency, SOFTEST, STIFFEST, desc->name);
}

/* The next modulus to try, after a trial with search->modulus[0] gave search->lambda[0]. */
static JnStatus next_modulus(Search *search, const JnBody *desc, const char *place, double *modulus,
                             JnMessage *message) {
    double E = search->modulus[0], lambda = search->lambda[0], next = E * search->wanted / lambda, other = 0;
    if (search->trials > 1) {
        double slope = (lambda - search->lambda[1]) / (E - search->modulus[1]);
        other = lambda - slope * E;
        next = slope > 0 ? (search->wanted - other) / slope : -1;
    }
    if (!(next >= SOFTEST && next <= STIFFEST))
        return fail_beyond(desc, place, next < SOFTEST ? other : 0, message);
    *modulus = next;
    return JN_OK;
}

/* Takes the frequency of one body in the trial, and sets its modulus for the next or for the bake. */
static JnStatus learn(JnBake *trial, const JnBody *desc, uint32_t b, Search *search, double *modulus,
                      JnMessage *message) {
    char place[PLACE_CAPACITY];
    double omega;
    snprintf(place, sizeof place, "bodies[%u]", b);
    JnStatus status = bake_slowest_wobble(trial, b, &omega, NULL, message);
    if (status != JN_OK)
        return status;
    if (!(omega > 0))
        return status_fail(message, JN_ERR_ARGUMENT,
                           "%s.material: '%.80s' has no vertex that is free to vibrate: give young_modulus instead",
                           place, desc->name);
    search->modulus[1] = search->modulus[0];
    search->lambda[1] = search->lambda[0];
    search->modulus[0] = *modulus;
    search->lambda[0] = omega * omega;
    ++search->trials;
    search->found = fabs(omega * omega / search->wanted - 1) < CLOSE_ENOUGH;
    if (search->found)
        return JN_OK;
    search->found = is_proportional(desc, &trial->model.bodies[b]);
    return next_modulus(search, desc, place, modulus, message);
}

/* Tries the desc until every wobble is as wanted. bodies: those of `trial`, whose moduli are set. */
static JnStatus search_moduli(const JnBakeDesc *desc, const JnBakeDesc *trial, JnBody *bodies, Search *searches,
                              JnMessage *message) {
    for (int attempt = 0; attempt < TRIALS_MOST; ++attempt) {
        JnBake *bake;
        bool all = true;
        JnStatus status = bake_prepare(trial, &bake, message);
        for (uint32_t b = 0; status == JN_OK && b < desc->body_count; ++b)
            if (is_converted(&desc->bodies[b]) && !searches[b].found) {
                status = learn(bake, &desc->bodies[b], b, &searches[b], &bodies[b].material.young_modulus, message);
                all &= searches[b].found;
            }
        if (status != JN_OK) {
            jn_bake_end(bake, NULL);
            return status;
        }
        jn_bake_end(bake, NULL);
        if (all)
            return JN_OK;
    }
    return status_fail(message, JN_ERR_DIVERGED,
                       "no stiffness was found for the wobble_frequency that a material asks for: give young_modulus");
}

/* A trial has neither output nor contact nor damping: only the stiffness counts. */
static void strip(JnBakeDesc *trial, JnBody *bodies) {
    trial->bodies = bodies;
    trial->colliders = NULL;
    trial->collider_count = 0;
    trial->fields = NULL;
    trial->field_count = 0;
    trial->output_path = NULL;
    trial->resume = 0;
    for (uint32_t b = 0; b < trial->body_count; ++b) {
        JnMaterial *material = &bodies[b].material;
        material->wobble_frequency = material->settle_seconds = NAN;
        material->damping_ratio = material->damping_frequency = NAN;
        material->stiffness_damping = material->mass_damping = 0;
    }
}

JnStatus stiffness_convert(const JnBakeDesc *desc, JnBody **converted, JnMessage *message) {
    bool any = false;
    *converted = NULL;
    for (uint32_t b = 0; b < desc->body_count; ++b)
        any |= is_converted(&desc->bodies[b]);
    if (!any)
        return JN_OK;
    JnBody *bodies = malloc(desc->body_count * sizeof *bodies), *trials = malloc(desc->body_count * sizeof *trials);
    Search *searches = calloc(desc->body_count, sizeof *searches);
    JnStatus status = bodies && trials && searches ? JN_OK : status_no_memory(message, "the stiffness of a wobble");
    if (status == JN_OK) {
        memcpy(bodies, desc->bodies, desc->body_count * sizeof *bodies);
        memcpy(trials, desc->bodies, desc->body_count * sizeof *trials);
        JnBakeDesc trial = *desc;
        strip(&trial, trials);
        for (uint32_t b = 0; b < desc->body_count; ++b)
            searches[b].wanted = pow(2 * acos(-1) * desc->bodies[b].material.wobble_frequency, 2);
        status = search_moduli(desc, &trial, trials, searches, message);
    }
    for (uint32_t b = 0; status == JN_OK && b < desc->body_count; ++b) {
        JnMaterial *material = &bodies[b].material;
        if (!is_converted(&bodies[b]))
            continue;
        material->young_modulus = trials[b].material.young_modulus;
        /* the slowest wobble, which damping refers to, is known now */
        if (damping_is_converted(material) && isnan(material->damping_frequency))
            material->damping_frequency = material->wobble_frequency;
    }
    free(trials);
    free(searches);
    if (status == JN_OK)
        *converted = bodies;
    else
        free(bodies);
    return status;
}
