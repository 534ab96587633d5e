/* Converts an artist's damping to Rayleigh damping, and reports it. Rayleigh damping D = a K + b M gives a mode of
   angular frequency w the damping ratio a w / 2 + b / (2 w), so that its amplitude decays as exp(-ratio w t). A given
   ratio, or time in which the amplitude decays to a hundredth, determines a for the given b: mass damping would also
   slow free fall. */
#include "bake/bake_internal.h"

#include "base/status.h"
#include "bodies/material_damping.h"
#include "integrate/method_damping.h"
#include "linear/modes.h"
#include "system/jacobian.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A vibration is settled when its amplitude has decayed to this fraction. */
static const double SETTLED = 0.01;

static double angular(double frequency) {
    return 2 * acos(-1) * frequency;
}

/* ------------------------------------------------------------------------------------------------ the lowest mode */

typedef struct Wobble {
    double omega; /* rad/s; 0: no elastic mode */
    double ratio; /* its damping ratio, including painted damping */
} Wobble;

/* The lowest mode of the vertices that are not `fixed`. scratch: [vertex_count * 3]. */
static JnStatus find_wobble(JnBake *bake, const double *rest, const uint8_t *fixed, double *scratch, Wobble *wobble,
                            JnMessage *message) {
    const System *system = &bake->model.system;
    Jacobian *matrix;
    Modes modes = {0};
    *wobble = (Wobble){0, 0};
    JnStatus status = jacobian_create(bake->motion.view, &matrix, message);
    if (status != JN_OK)
        return status;
    ModesProblem problem = {&matrix->linear->matrix, system->masses, system->mass_blocks, fixed, rest, true, 0};
    status = jacobian_assemble(matrix, rest, NULL, &(JacobianScales){.stiffness = 1}, STIFFNESS_RAW, NULL, message);
    if (status == JN_OK)
        status = modes_solve(&problem, 1, &modes, message);
    if (status == JN_OK && modes.count > 0 && modes.eigenvalues[0] > 0) {
        size_t n = (size_t)bake->model.vertex_count * 3;
        const double *shape = modes.shapes;
        wobble->omega = sqrt(modes.eigenvalues[0]);
        status = jacobian_assemble(matrix, rest, NULL, &(JacobianScales){.damping = 1}, STIFFNESS_RAW, NULL, message);
        jacobian_multiply(matrix, shape, scratch);
        for (size_t i = 0; i < n; ++i)
            wobble->ratio += shape[i] * scratch[i] / (2 * wobble->omega);
    }
    modes_free(&modes);
    jacobian_destroy(matrix);
    return status;
}

/* The lowest elastic mode of one body about its modelled shape, goals included. */
static JnStatus slowest_wobble(JnBake *bake, const Body *body, Wobble *wobble, JnMessage *message) {
    size_t n = (size_t)bake->model.vertex_count * 3;
    double *rest = malloc((2 * n + 1) * sizeof *rest);
    uint8_t *fixed = malloc((size_t)bake->model.vertex_count + 1);
    JnStatus status = rest && fixed ? JN_OK : status_no_memory(message, "the lowest mode");
    if (status == JN_OK) {
        bake_modelled_positions(bake, rest);
        memset(fixed, 1, bake->model.vertex_count);
        memcpy(fixed + body->first_vertex, bake->motion.view->roles + body->first_vertex, body->mesh.vertex_count);
        status = find_wobble(bake, rest, fixed, rest + n, wobble, message);
    }
    free(rest);
    free(fixed);
    return status;
}

JnStatus bake_slowest_wobble(JnBake *bake, uint32_t body_index, double *omega, double *ratio, JnMessage *message) {
    Wobble wobble;
    JnStatus status = slowest_wobble(bake, &bake->model.bodies[body_index], &wobble, message);
    *omega = status == JN_OK ? wobble.omega : 0;
    if (ratio)
        *ratio = status == JN_OK ? wobble.ratio : 0;
    return status;
}

/* ------------------------------------------------------------------------------------------------ conversion */

/* The stiffness damping that the material's settle_seconds or damping_ratio requires at omega. */
static JnStatus convert(const JnMaterial *material, double omega, const char *place, double *stiffness_damping,
                        JnMessage *message) {
    double frequency = omega / angular(1), drag = material->mass_damping / (2 * omega), ratio = material->damping_ratio;
    if (!isnan(material->settle_seconds)) {
        ratio = -log(SETTLED) / (omega * material->settle_seconds);
        if (ratio > 1)
            return status_fail(
                message, JN_ERR_ARGUMENT,
                "%s.material.settle_seconds is %g s, but no damping brings a vibration of %.3g Hz to rest in "
                "less than %.3g s: give more time or a stiffer material, or hold more of it by full pin weights",
                place, material->settle_seconds, frequency, -log(SETTLED) / omega);
    }
    if (drag > ratio)
        return status_fail(
            message, JN_ERR_ARGUMENT,
            "%s.material: mass_damping alone damps the vibration of %.3g Hz by %.3g of critical, more than "
            "the %.3g requested: reduce mass_damping",
            place, frequency, drag, ratio);
    *stiffness_damping = 2 * (ratio - drag) / omega;
    return JN_OK;
}

JnStatus damping_convert(JnBake *bake, JnMessage *message) {
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        Body *body = &bake->model.bodies[b];
        char place[PLACE_CAPACITY];
        snprintf(place, sizeof place, "bodies[%u]", b);
        if (!damping_is_converted(&body->material))
            continue;
        Wobble wobble = {angular(body->material.damping_frequency), 0};
        if (isnan(body->material.damping_frequency)) {
            JnStatus status = slowest_wobble(bake, body, &wobble, message);
            if (status != JN_OK)
                return status;
            if (!(wobble.omega > 0))
                return status_fail(
                    message, JN_ERR_ARGUMENT,
                    "%s.material: '%s' has no vertex that is free to vibrate: give stiffness_damping instead", place,
                    body->name);
            body->material.damping_frequency = wobble.omega / angular(1);
        }
        JnStatus status = convert(&body->material, wobble.omega, place, &body->material.stiffness_damping, message);
        if (status != JN_OK)
            return status;
        system_scale_damping(&bake->model.system, b, body->material.stiffness_damping);
    }
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ report */

JnStatus jn_bake_damping(JnBake *bake, uint32_t body_index, JnDamping *damping, JnMessage *message) {
    if (!bake || !damping || damping->struct_size != sizeof *damping)
        return status_fail(message, bake && damping ? JN_ERR_STRUCT_SIZE : JN_ERR_ARGUMENT,
                           "give a bake and a JnDamping whose struct_size is %zu", sizeof *damping);
    if (body_index >= bake->model.body_count)
        return status_fail(message, JN_ERR_ARGUMENT, "body_index is %u, but the bake has %u bodies", body_index,
                           bake->model.body_count);
    if (bake->motion.frames_done > 0)
        return status_fail(message, JN_ERR_ORDER, "the bake has started: call jn_bake_damping before the first frame");
    status_clear(message);
    const Body *body = &bake->model.bodies[body_index];
    Wobble wobble;
    JnStatus status = slowest_wobble(bake, body, &wobble, message);
    if (status != JN_OK)
        return status;
    *damping = (JnDamping){.struct_size = sizeof *damping,
                           .frequency = wobble.omega / angular(1),
                           .stiffness_damping = body->material.stiffness_damping,
                           .mass_damping = body->material.mass_damping,
                           .material_ratio = wobble.ratio,
                           .method_ratio = 0,
                           .settle_seconds = INFINITY,
                           .young_modulus = body->material.young_modulus};
    if (!(wobble.omega > 0))
        return JN_OK;
    MethodDamping method;
    double h = 1 / (bake->settings.fps * bake->settings.steps_per_frame);
    status = method_damping(bake->model.integrator, &bake->model.method_options, h, wobble.omega, &method, message);
    if (status == JN_ERR_MEMORY)
        return status;
    /* NaN if the method cannot step this mode */
    damping->method_ratio = status == JN_OK ? method.damping / 2 : NAN;
    double ratio = damping->material_ratio + damping->method_ratio;
    if (ratio > 0)
        damping->settle_seconds = -log(SETTLED) / (fmin(ratio, 1) * wobble.omega);
    return status_clear(message);
}
