/* Equilibrium under gravity, pins, goals and contact before the first frame: minimal E(x), reached in rounds

       x_k+1 = argmin E(x) + |x - x_k|^2_M / (2 h^2)

   whose h grows from a frame to minutes. Each is an implicit step from zero velocity, so that soft bodies move
   gradually to equilibrium instead of jumping, and a body that may slide freely on the floor has a unique solution. The
   last rounds are plain Newton steps. Contacts are updated in each round. Friction and damping are not involved: they
   exert no force at rest. */
#include "bake/start_view.h"

#include "base/math3.h"
#include "base/status.h"
#include "integrate/newton.h"

#include <stdlib.h>
#include <string.h>

static const double GROWTH = 4, LONGEST_ROUND = 1000 /* s */, ROUND_THAT_COUNTS = 10 /* s */;
enum { ROUNDS_MOST = 120 };
/* A vertex that has moved by this many body sizes is falling, not settling. */
static const double FARTHEST = 100;

static bool is_held(const JnBake *bake, uint32_t body_index, uint32_t vertex) {
    (void)vertex;
    return !bake->model.bodies[body_index].settle;
}

static bool something_holds(const JnBake *bake, const Body *body) {
    if (bake->model.collider_count > 0 || body->attached)
        return true;
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
        if (body->pinned_vertices[v] || body->goal_rates[v] > 0 || body->pin_rates[v] > 0)
            return true;
    return false;
}

/* A body with loads and without supports has no equilibrium. */
static JnStatus check_held(JnBake *bake, const Body *body, const double *force, JnMessage *message) {
    double sum[3] = {0, 0, 0}, weight = 0;
    for (size_t v = body->first_vertex; v < (size_t)body->first_vertex + body->mesh.vertex_count; ++v) {
        for (size_t i = 0; i < 3; ++i)
            sum[i] += force[3 * v + i];
        weight += bake->model.system.masses[v];
    }
    if (something_holds(bake, body) || vec3_length(sum) <= 1e-6 * weight)
        return JN_OK;
    return status_fail(
        message, JN_ERR_ARGUMENT,
        "'%s' cannot settle, because nothing holds it: pin a part of it, give it a goal or a collider to "
        "rest on, or switch settle off",
        body->name);
}

typedef struct Settling {
    JnBake *bake;
    View *view; /* bodies that do not settle are not solved for */
    Newton *newton;
    double *x, *before, *zero; /* [vertex_count * 3] */
    NewtonReport report;
} Settling;

/* Whether a body has moved so far that it must be falling. */
static const Body *find_fallen(const Settling *settling) {
    const JnBake *bake = settling->bake;
    for (const Body *body = bake->model.bodies; body < bake->model.bodies + bake->model.body_count; ++body)
        for (size_t v = body->first_vertex; v < (size_t)body->first_vertex + body->mesh.vertex_count; ++v) {
            double moved[3];
            vec3_sub(settling->x + 3 * v, bake->motion.state.q + 3 * v, moved);
            if (!(vec3_length(moved) <= FARTHEST * body->bounding_size))
                return body;
        }
    return NULL;
}

static JnStatus fail(const Settling *settling, JnMessage *message) {
    const Body *fallen = find_fallen(settling);
    if (fallen)
        return status_fail(message, JN_ERR_DIVERGED,
                           "'%s' keeps falling or sliding instead of settling: pin a part of it, put it on a level "
                           "collider, or switch settle off",
                           fallen->name);
    const double *at = settling->x + 3 * (size_t)settling->report.worst_vertex;
    return status_fail(message, JN_ERR_DIVERGED,
                       "'%s' did not settle: its forces are still out of balance by %.2g of their size, most at (%.3g, "
                       "%.3g, %.3g) m: make it stiffer, pin more of it, or switch settle off",
                       bake_body_of_vertex(settling->bake, settling->report.worst_vertex)->name,
                       settling->report.residual, at[0], at[1], at[2]);
}

/* One round from x with the length h. JN_ERR_DIVERGED: x is unchanged; a shorter round may succeed. */
static JnStatus run_round(Settling *settling, double h, JnMessage *message) {
    size_t bytes = (size_t)settling->bake->model.vertex_count * 3 * sizeof(double);
    memcpy(settling->before, settling->x, bytes);
    JnStatus status = view_begin_step(settling->view, &(StepStart){settling->x, settling->zero, 0, false}, message);
    if (status != JN_OK)
        return status;
    NewtonProblem problem = {.mass = 1 / (h * h), .inertia_target = settling->before};
    status = newton_solve(settling->newton, settling->view, &problem, &newton_usual_limits, settling->x,
                          &settling->report, message);
    if (status == JN_ERR_DIVERGED)
        memcpy(settling->x, settling->before, bytes);
    return status;
}

static JnStatus run_rounds(Settling *settling, JnMessage *message) {
    JnBake *bake = settling->bake;
    double h = 1 / bake->settings.fps;
    for (int round = 0; round < ROUNDS_MOST; ++round) {
        if (bake->cancelled)
            return status_fail(message, JN_ERR_CANCELLED, "cancelled before the bodies had settled");
        JnStatus status = run_round(settling, h, message);
        if (status != JN_OK && status != JN_ERR_DIVERGED)
            return status;
        /* a long round without any change has started from equilibrium */
        if (status == JN_OK && settling->report.iterations == 0 && h >= ROUND_THAT_COUNTS)
            return JN_OK;
        if (find_fallen(settling))
            break;
        h = status == JN_OK ? fmin(GROWTH * h, LONGEST_ROUND) : h / (GROWTH * GROWTH);
    }
    return fail(settling, message);
}

static JnStatus settle_chosen(Settling *settling, JnMessage *message) {
    JnBake *bake = settling->bake;
    size_t n = (size_t)bake->model.vertex_count * 3;
    settling->x = malloc((n + 1) * sizeof(double));
    settling->before = malloc((n + 1) * sizeof(double));
    settling->zero = calloc(n + 1, sizeof(double));
    if (!settling->x || !settling->before || !settling->zero)
        return status_no_memory(message, "the start pose");
    JnStatus status = newton_create(settling->view, &settling->newton, message);
    if (status == JN_OK)
        status = view_begin_step(settling->view, &(StepStart){bake->motion.state.q, settling->zero, 0, false}, message);
    if (status == JN_OK)
        status = view_force(settling->view, ALL_TERM_ROLES, bake->motion.state.q, NULL, settling->before, message);
    memcpy(settling->x, bake->motion.state.q, n * sizeof(double));
    for (uint32_t b = 0; status == JN_OK && b < bake->model.body_count; ++b)
        if (bake->model.bodies[b].settle)
            status = check_held(bake, &bake->model.bodies[b], settling->before, message);
    if (status == JN_OK)
        status = run_rounds(settling, message);
    if (status == JN_OK)
        memcpy(bake->motion.state.q, settling->x, n * sizeof(double));
    return status;
}

JnStatus settle_bodies(JnBake *bake, JnMessage *message) {
    bool any = false;
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        any |= bake->model.bodies[b].settle;
    if (!any)
        return JN_OK;
    Settling settling = {.bake = bake};
    JnStatus status =
        start_view_create(bake, is_held, ALL_TERM_ROLES, bake->motion.view->jacobian, &settling.view, message);
    if (status == JN_OK)
        status = settle_chosen(&settling, message);
    newton_destroy(settling.newton);
    view_destroy(settling.view);
    free(settling.x);
    free(settling.before);
    free(settling.zero);
    return status;
}
