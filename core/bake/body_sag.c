/* What gravity does to a body by linear theory, K u = M g about its modelled shape, to judge size, density and
   stiffness together before the bake. Pieces that nothing holds are taken to stand on their lowest points. The shapes u
   under an acceleration along each axis also give the slowest wobble: the lowest frequency of a vibration made of them,
   by Rayleigh's quotient a little above the true one. */
#include "bake/bake_internal.h"

#include "base/math3.h"
#include "base/status.h"
#include "integrate/method_damping.h"
#include "linear/connected.h"
#include "linear/solver.h"
#include "system/jacobian.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A brush of fibres is not judged. */
enum { PARTS_MOST = 100 };
/* A body that sags by more than this part of its size is limp; the advice is for the other. */
static const double LIMP = 1, USUAL_SAG = 0.1;
/* A wobble of so many swings a frame looks rigid; the advice is for one of so many Hz, which is plainly seen. */
static const double UNSEEN = 5, USUAL_WOBBLE = 3;
/* What stands, stands on points that are at least so far apart, in parts of its size, if it has them: a soft ball
   flattens. */
static const double USUAL_FOOT = 0.25;
/* And on points around its centre of mass, at least so far from it to all sides, in parts of its size. */
static const double LEAST_FOOTING = 0.05;
static const double SETTLED = 0.01;

typedef struct Work {
    JnBake *bake;
    const Body *body;
    double *rest;    /* [vertex_count * 3] */
    double *loads;   /* [3][vertex_count * 3] M times an acceleration of 1 along each axis */
    double *shapes;  /* [3][vertex_count * 3] */
    uint8_t *fixed;  /* [vertex_count] */
    uint32_t *parts; /* [vertex_count] */
    Jacobian *matrix;
    Solver *solver;
    double size; /* m: the longest side of the body */
} Work;

static void work_free(Work *work) {
    free(work->rest);
    free(work->loads);
    free(work->shapes);
    free(work->fixed);
    free(work->parts);
    if (work->matrix)
        jacobian_destroy(work->matrix);
    solver_destroy(work->solver);
}

static const double *vertex_at(const Work *work, size_t vertex) {
    return work->rest + 3 * (work->body->first_vertex + vertex);
}

static void measure(Work *work) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t v = 0; v < work->body->mesh.vertex_count; ++v)
        for (int i = 0; i < 3; ++i) {
            low[i] = fmin(low[i], vertex_at(work, v)[i]);
            high[i] = fmax(high[i], vertex_at(work, v)[i]);
        }
    for (int i = 0; i < 3; ++i)
        work->size = fmax(work->size, high[i] - low[i]);
}

/* ------------------------------------------------------------------------------------------------ what holds it */

typedef bool (*Chooser)(const Work *work, size_t vertex, double limit);

static bool is_held(const Work *work, size_t v, double unused) {
    (void)unused;
    return work->fixed[work->body->first_vertex + v] || work->body->goal_rates[v] > 0 || work->body->pin_rates[v] > 0;
}

static double depth(const Work *work, size_t v) {
    return vec3_dot(vertex_at(work, v), work->bake->settings.gravity);
}

static bool is_low(const Work *work, size_t v, double limit) {
    return depth(work, v) >= limit;
}

/* The width of the chosen vertices of a part across their longest distance, m. With more than 0 it cannot turn about
   them. */
static double foot_width(const Work *work, uint32_t part, Chooser chosen, double limit) {
    size_t n = work->body->mesh.vertex_count, first = n, second = n;
    double farthest = 0, widest = 0;
    for (int pass = 0; pass < 3; ++pass)
        for (size_t v = 0; v < n; ++v) {
            if (work->parts[work->body->first_vertex + v] != part || !chosen(work, v, limit))
                continue;
            double from[3], along[3], across[3];
            if (pass == 0 && first == n)
                first = v;
            vec3_sub(vertex_at(work, v), vertex_at(work, first), from);
            if (pass == 1 && vec3_length(from) > farthest) {
                farthest = vec3_length(from);
                second = v;
            }
            if (pass < 2 || second == n)
                continue;
            vec3_sub(vertex_at(work, second), vertex_at(work, first), along);
            vec3_cross(along, from, across);
            widest = fmax(widest, vec3_length(across) / farthest);
        }
    return widest > 1e-3 * work->size ? widest : 0;
}

/* Whether the low vertices of a part surround the point below its centre of mass, at least `margin` metres from it to
   all sides, so that it does not fall over. */
static bool surrounds_centre(const Work *work, uint32_t part, double limit, double margin) {
    enum { DIRECTIONS = 16 };
    const double *gravity = work->bake->settings.gravity, *masses = work->bake->model.system.masses;
    size_t n = work->body->mesh.vertex_count, first = work->body->first_vertex;
    double centre[3] = {0, 0, 0}, mass = 0, sides[2][3];
    for (size_t v = 0; v < n; ++v) {
        double share = work->parts[first + v] == part ? masses[first + v] : 0;
        for (int i = 0; i < 3; ++i)
            centre[i] += share * vertex_at(work, v)[i];
        mass += share;
    }
    for (int i = 0; i < 3; ++i)
        centre[i] /= mass;
    int smallest = fabs(gravity[0]) < fabs(gravity[1]) ? 0 : 1;
    smallest = fabs(gravity[2]) < fabs(gravity[smallest]) ? 2 : smallest;
    vec3_cross(gravity, (const double[3]){smallest == 0, smallest == 1, smallest == 2}, sides[0]);
    vec3_cross(gravity, sides[0], sides[1]);
    for (int k = 0; k < DIRECTIONS; ++k) {
        double angle = 2 * acos(-1) * k / DIRECTIONS, direction[3], farthest = -INFINITY;
        double parts[2] = {cos(angle) / vec3_length(sides[0]), sin(angle) / vec3_length(sides[1])};
        for (int i = 0; i < 3; ++i)
            direction[i] = parts[0] * sides[0][i] + parts[1] * sides[1][i];
        for (size_t v = 0; v < n; ++v)
            if (work->parts[first + v] == part && is_low(work, v, limit))
                farthest = fmax(farthest, vec3_dot(vertex_at(work, v), direction) - vec3_dot(centre, direction));
        if (!(farthest > margin))
            return false;
    }
    return true;
}

/* Where the lowest points end on which a part that nothing holds stands; NAN if it cannot stand. One that is modelled
   tilted is taken to have sunk until it stands, and one that would fall over, as on a chin, until it does not. */
static double foot_limit(const Work *work, uint32_t part) {
    static const double layers[] = {0.02, 0.05, 0.1, 0.2, 0.35, 0.5};
    enum { FEET = 4 }; /* so many of them are feet, the others are for what has none */
    double lowest = -INFINITY, highest = INFINITY, chosen = NAN;
    for (size_t v = 0; v < work->body->mesh.vertex_count; ++v)
        if (work->parts[work->body->first_vertex + v] == part) {
            lowest = fmax(lowest, depth(work, v));
            highest = fmin(highest, depth(work, v));
        }
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; ++i) {
        double limit = lowest - layers[i] * (lowest - highest), width = foot_width(work, part, is_low, limit);
        if (i == FEET && !isnan(chosen) && surrounds_centre(work, part, chosen, 0))
            return chosen;
        chosen = isnan(chosen) && width > 0 ? limit : chosen;
        if (width >= USUAL_FOOT * work->size && surrounds_centre(work, part, limit, LEAST_FOOTING * work->size))
            return limit;
    }
    return chosen;
}

/* Fixes the points on which a part stands; false if it cannot. */
static bool stand(Work *work, uint32_t part) {
    double limit = foot_limit(work, part);
    for (size_t v = 0; !isnan(limit) && v < work->body->mesh.vertex_count; ++v)
        if (work->parts[work->body->first_vertex + v] == part && is_low(work, v, limit))
            work->fixed[work->body->first_vertex + v] = 1;
    return !isnan(limit);
}

/* Sets `fixed`. false: a piece can neither be held nor stand. *stands: some piece stands. */
static bool hold(Work *work, uint32_t *stands) {
    const Body *body = work->body;
    memset(work->fixed, 1, work->bake->model.vertex_count);
    memcpy(work->fixed + body->first_vertex, work->bake->motion.view->roles + body->first_vertex,
           body->mesh.vertex_count);
    connected_parts(&work->matrix->linear->matrix, work->parts);
    bool held = true;
    uint32_t done = UINT32_MAX, count = 0; /* parts are numbered by their first vertices */
    for (size_t v = 0; held && v < body->mesh.vertex_count; ++v) {
        uint32_t part = work->parts[body->first_vertex + v];
        if (done != UINT32_MAX && part <= done)
            continue;
        done = part;
        held = ++count <= PARTS_MOST;
        if (!held || foot_width(work, part, is_held, 0) > 0)
            continue;
        held = stand(work, part);
        *stands = 1;
    }
    return held;
}

/* ------------------------------------------------------------------------------------------------ shapes */

static JnStatus open_work(Work *work, JnMessage *message) {
    size_t n = (size_t)work->bake->model.vertex_count * 3;
    work->rest = malloc((n + 1) * sizeof(double));
    work->loads = calloc(3 * n + 1, sizeof(double));
    work->shapes = calloc(3 * n + 1, sizeof(double));
    work->fixed = malloc(n / 3 + 1);
    work->parts = malloc((n / 3 + 1) * sizeof *work->parts);
    if (!work->rest || !work->loads || !work->shapes || !work->fixed || !work->parts)
        return status_no_memory(message, "the sag of a body");
    bake_modelled_positions(work->bake, work->rest);
    measure(work);
    for (size_t i = 0; i < n; ++i)
        work->loads[i % 3 * n + i] = work->bake->model.system.masses[i / 3];
    JnStatus status = jacobian_create(work->bake->motion.view, &work->matrix, message);
    if (status == JN_OK)
        status = jacobian_assemble(work->matrix, work->rest, NULL, &(JacobianScales){.stiffness = 1}, STIFFNESS_RAW,
                                   NULL, message);
    return status;
}

/* *found: whether the body is held and stiff, so that it has shapes. */
static JnStatus find_shapes(Work *work, uint32_t *stands, bool *found, JnMessage *message) {
    *found = hold(work, stands);
    if (!*found)
        return JN_OK;
    const SolverDesc desc = {.pattern = &work->matrix->linear->matrix, .fixed = work->fixed};
    JnStatus status = solver_create(&desc, &work->solver, message);
    if (status == JN_OK)
        status = solver_factor(work->solver, &work->matrix->linear->matrix, NULL, found, message);
    if (status == JN_OK && *found)
        status = solver_solve(work->solver, work->loads, work->shapes, 3, message);
    return status;
}

/* m: the largest displacement under gravity. */
static double largest_sag(const Work *work) {
    size_t n = (size_t)work->bake->model.vertex_count * 3;
    const double *g = work->bake->settings.gravity;
    double largest = 0;
    for (size_t v = 0; v < work->bake->model.vertex_count; ++v) {
        double u[3] = {0, 0, 0};
        for (size_t i = 0; i < 3; ++i)
            for (size_t k = 0; k < 3; ++k)
                u[i] += g[k] * work->shapes[k * n + 3 * v + i];
        largest = fmax(largest, vec3_length(u));
    }
    return largest;
}

/* rad/s: the lowest stationary value of c'Ac / c'Mc over the three shapes, found by inverse iteration; NaN if there is
   none. */
static double lowest_frequency(const Work *work) {
    size_t n = (size_t)work->bake->model.vertex_count * 3;
    double stiffness[9] = {0}, mass[9] = {0}, inverse[9], c[3] = {1, 0.9, 0.8}, lambda = NAN;
    for (size_t j = 0; j < 3; ++j)
        for (size_t k = 0; k < 3; ++k)
            for (size_t i = 0; i < n; ++i) {
                double x = work->shapes[j * n + i];
                stiffness[3 * j + k] += x * work->loads[k * n + i];
                mass[3 * j + k] += x * work->bake->model.system.masses[i / 3] * work->shapes[k * n + i];
            }
    if (!mat3_inverse(stiffness, inverse))
        return NAN;
    for (int step = 0; step < 100; ++step) {
        double heavy[3], next[3];
        mat3_mul_vec(mass, c, heavy);
        mat3_mul_vec(inverse, heavy, next);
        double length = vec3_length(next);
        lambda = vec3_length(c) / length;
        for (int i = 0; i < 3; ++i)
            c[i] = next[i] / length;
    }
    return sqrt(lambda);
}

/* ------------------------------------------------------------------------------------------------ report */

static double settling_time(JnBake *bake, const Body *body, double omega) {
    MethodDamping method;
    double h = 1 / (bake->settings.fps * bake->settings.steps_per_frame);
    double ratio = (body->material.stiffness_damping * omega + body->material.mass_damping / omega) / 2;
    if (method_damping(bake->model.integrator, &bake->model.method_options, h, omega, &method, NULL) == JN_OK)
        ratio += method.damping / 2;
    return ratio > 0 ? -log(SETTLED) / (fmin(ratio, 1) * omega) : INFINITY;
}

/* Advice if size, density and stiffness do not seem to belong together. */
static void write_note(const JnBake *bake, const Body *body, JnSag *sag) {
    double part = sag->sag / sag->size, E = sag->young_modulus;
    char by[32] = "more than ten times";
    if (part <= 10)
        snprintf(by, sizeof by, "%.0f %% of", 100 * part);
    sag->note[0] = '\0';
    if (part > LIMP)
        snprintf(
            sag->note, sizeof sag->note,
            "'%.80s', %.3g m long, sags by %s that under its weight: it is limp. If that is not wanted, give it a "
            "young_modulus of %.2g Pa instead of %.2g for a sag of %.0f %%, or check its density of %.3g kg/m3; if "
            "it is not %.3g m long, set units.metres_per_unit, %g now",
            body->name, sag->size, by, E * part / USUAL_SAG, E, 100 * USUAL_SAG, body->material.density, sag->size,
            bake->settings.metres_per_unit);
    else if (sag->frequency > UNSEEN * bake->settings.fps)
        snprintf(
            sag->note, sizeof sag->note,
            "'%.80s', %.3g m long, wobbles at about %.3g Hz, too fast for %g frames a second to show: it will look "
            "rigid. For a wobble of %g Hz give it a young_modulus of %.2g Pa instead of %.2g, or the "
            "wobble_frequency itself; if it is not %.3g m long, set units.metres_per_unit, %g now",
            body->name, sag->size, sag->frequency, bake->settings.fps, USUAL_WOBBLE,
            E * pow(USUAL_WOBBLE / sag->frequency, 2), E, sag->size, bake->settings.metres_per_unit);
}

JnStatus jn_bake_sag(JnBake *bake, uint32_t body_index, JnSag *sag, JnMessage *message) {
    if (!bake || !sag || sag->struct_size != sizeof *sag)
        return status_fail(message, bake && sag ? JN_ERR_STRUCT_SIZE : JN_ERR_ARGUMENT,
                           "give a bake and a JnSag whose struct_size is %zu", sizeof *sag);
    if (body_index >= bake->model.body_count)
        return status_fail(message, JN_ERR_ARGUMENT, "body_index is %u, but the bake has %u bodies", body_index,
                           bake->model.body_count);
    if (bake->motion.frames_done > 0)
        return status_fail(message, JN_ERR_ORDER, "the bake has started: call jn_bake_sag before the first frame");
    status_clear(message);
    Work work = {.bake = bake, .body = &bake->model.bodies[body_index]};
    bool found = false;
    *sag = (JnSag){.struct_size = sizeof *sag,
                   .sag = NAN,
                   .frequency = NAN,
                   .settle_seconds = NAN,
                   .young_modulus = work.body->material.young_modulus};
    JnStatus status = open_work(&work, message);
    sag->size = work.size;
    if (status == JN_OK)
        status = find_shapes(&work, &sag->stands, &found, message);
    double omega = status == JN_OK && found ? lowest_frequency(&work) : NAN;
    if (omega > 0) {
        sag->sag = largest_sag(&work);
        sag->frequency = omega / (2 * acos(-1));
        sag->settle_seconds = settling_time(bake, work.body, omega);
        write_note(bake, work.body, sag);
    }
    work_free(&work);
    return status;
}
