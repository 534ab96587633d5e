/* Newton's driver on whole bodies: what it returns satisfies the equations, computed anew from the public functions of
   the system; hard starts; failures that say so. */
#include "baking.h"
#include "harness.h"
#include "views.h"
#include "random.h"

#include "bake/bake_internal.h"
#include "integrate/newton.h"

/* A bake after its first frame, whose system the tests use directly. */
typedef struct Ready {
    OneBody scene;
    JnBake *bake;
    Newton *newton;
    size_t n;
    double *q0, *v0, *y, *x, *w, *force, *inertia;
} Ready;

static JnStatus ready_begin(Ready *ready, JnMessage *message) {
    JnStatus status = jn_bake_begin(&ready->scene.desc, &ready->bake, message);
    if (status == JN_OK)
        status = advance(ready->bake, message);
    if (status == JN_OK)
        status = newton_create(ready->bake->motion.view, &ready->newton, message);
    if (status != JN_OK)
        return status;
    ready->n = 3 * (size_t)ready->bake->model.vertex_count;
    double **arrays[] = {&ready->q0, &ready->v0, &ready->y, &ready->x, &ready->w, &ready->force, &ready->inertia};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        *arrays[i] = calloc(ready->n, sizeof(double));
    memcpy(ready->q0, ready->bake->motion.state.q, ready->n * sizeof(double));
    return JN_OK;
}

static void ready_end(Ready *ready) {
    double *arrays[] = {ready->q0, ready->v0, ready->y, ready->x, ready->w, ready->force, ready->inertia};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        free(arrays[i]);
    newton_destroy(ready->newton);
    jn_bake_end(ready->bake, NULL);
    one_body_free(&ready->scene);
}

/* The largest part of a M (x - y) - f(x, w) - g over the free vertices, as a part of the mean vertex's weight. */
static double equation_error(Ready *ready, const NewtonProblem *problem) {
    View *view = ready->bake->motion.view;
    const System *system = view->system;
    double worst = 0, mass = 0;
    for (size_t i = 0; i < ready->n; ++i) {
        ready->w[i] = problem->velocity_scale * (ready->x[i] - problem->velocity_origin[i]);
        ready->inertia[i] = problem->mass * (ready->x[i] - problem->inertia_target[i]);
    }
    forces_of(view, ready->x, ready->w, ready->force);
    system_multiply_mass(system, ready->inertia, ready->w);
    for (uint32_t v = 0; v < system->vertex_count; ++v)
        mass += system->masses[v] / system->vertex_count;
    for (size_t i = 0; i < ready->n; ++i) {
        double g = problem->extra_force ? problem->extra_force[i] : 0;
        if (view_is_free(view, i / 3))
            worst = fmax(worst, fabs(ready->w[i] - ready->force[i] - g));
    }
    return worst / (9.81 * mass);
}

/* A soft beam in a pose and motion far from rest. */
static JnStatus wild_beam(Ready *ready, double damping, JnMessage *message) {
    memset(ready, 0, sizeof *ready);
    one_body_init(&ready->scene, tet_box_make(8, 2, 2, 0.1));
    one_body_pin(&ready->scene);
    ready->scene.body.material.young_modulus = 2e4;
    ready->scene.body.material.stiffness_damping = damping;
    ready->scene.body.material.mass_damping = damping * 10;
    ready->scene.desc.gravity[1] = -9.81;
    JnStatus status = ready_begin(ready, message);
    uint64_t seed = 5;
    for (size_t i = 0; status == JN_OK && i < ready->n; ++i)
        if (!ready->bake->motion.view->roles[i / 3]) {
            double along = ready->q0[i - i % 3];
            ready->q0[i] += (i % 3 == 1 ? 0.6 * along * along : 0) + 0.01 * random_signed(&seed);
            ready->v0[i] = (i % 3 == 2 ? 5 * along : 0) + 0.5 * random_signed(&seed);
        }
    return status;
}

TEST(newton_solves_backward_euler_midpoint_and_trapezoidal_equations) {
    static const double dampings[] = {0, 0.02};
    for (int d = 0; d < 2; ++d)
        for (int method = 0; method < 2; ++method) {
            Ready ready;
            JnMessage message;
            NewtonReport report;
            double h = 1.0 / 48;
            CHECK(wild_beam(&ready, dampings[d], &message) == JN_OK);
            double *middle = calloc(ready.n, sizeof *middle), *old_force = calloc(ready.n, sizeof *old_force);
            forces_of(ready.bake->motion.view, ready.q0, ready.v0, old_force);
            for (size_t i = 0; i < ready.n; ++i) {
                ready.y[i] = ready.q0[i] + h * ready.v0[i];
                ready.x[i] = ready.bake->motion.view->roles[i / 3] ? ready.q0[i] : ready.y[i];
                middle[i] = ready.q0[i] + h / 2 * ready.v0[i];
            }
            const NewtonProblem problems[] = {{1 / (h * h), ready.y, 1 / h, ready.q0, NULL, NULL, NULL},
                                              {4 / (h * h), ready.y, 2 / h, middle, old_force, NULL, NULL}};
            CHECK(equation_error(&ready, &problems[method]) > 0.1);
            CHECK(newton_solve(ready.newton, ready.bake->motion.view, &problems[method], &newton_usual_limits, ready.x,
                               &report, &message) == JN_OK);
            CHECK(report.converged && report.residual < 1e-8);
            CHECK_NEAR(equation_error(&ready, &problems[method]), 0, 1e-4);
            CHECK(report.factorizations <= 6);
            free(middle);
            free(old_force);
            ready_end(&ready);
        }
}

TEST(newton_finds_the_equilibrium_of_a_beam_that_hangs_down) {
    Ready ready;
    JnMessage message;
    NewtonReport report;
    memset(&ready, 0, sizeof ready);
    one_body_init(&ready.scene, tet_box_make(16, 2, 2, 0.05));
    one_body_pin(&ready.scene);
    ready.scene.body.material.young_modulus = 5e3;
    ready.scene.desc.gravity[1] = -9.81;
    CHECK(ready_begin(&ready, &message) == JN_OK);
    memcpy(ready.x, ready.q0, ready.n * sizeof(double));
    NewtonProblem problem = {.mass = 0};
    CHECK(newton_solve(ready.newton, ready.bake->motion.view, &problem, &newton_usual_limits, ready.x, &report,
                       &message) == JN_OK);
    forces_of(ready.bake->motion.view, ready.x, NULL, ready.force);
    double tip = 0, worst = 0;
    for (size_t i = 0; i < ready.n; ++i) {
        if (i % 3 == 1)
            tip = fmin(tip, ready.x[i]);
        if (!ready.bake->motion.view->roles[i / 3])
            worst = fmax(worst, fabs(ready.force[i]));
    }
    /* it hangs straight down, stretched by its own weight, more than its length of 0.8 */
    CHECK(tip < -1);
    CHECK_NEAR(worst, 0, 1e-6);
    ready_end(&ready);
}

TEST(newton_from_a_random_heap_of_inverted_tets_converges) {
    Ready ready;
    JnMessage message;
    NewtonReport report;
    uint64_t seed = 3;
    double h = 1.0 / 24;
    CHECK(wild_beam(&ready, 0, &message) == JN_OK);
    for (size_t i = 0; i < ready.n; ++i) {
        ready.y[i] = ready.q0[i];
        if (!ready.bake->motion.view->roles[i / 3])
            ready.x[i] = 0.5 * random_signed(&seed);
        else
            ready.x[i] = ready.q0[i];
    }
    NewtonProblem problem = {1 / (h * h), ready.y, 1 / h, ready.q0, NULL, NULL, NULL};
    CHECK(newton_solve(ready.newton, ready.bake->motion.view, &problem, &newton_usual_limits, ready.x, &report,
                       &message) == JN_OK);
    CHECK(report.cuts > 0);
    CHECK_NEAR(equation_error(&ready, &problem), 0, 1e-4);
    ready_end(&ready);
}

/* A stiff beam whose vertices ring at random, far too fast for the step: where they would fly, elements are inside out.
 *potential: what the solve has minimised, J. */
static void solve_ringing_beam(uint64_t seed, bool from_before, NewtonReport *report, double *potential) {
    Ready ready;
    JnMessage message;
    double h = 1.0 / 50;
    CHECK(wild_beam(&ready, 0, &message) == JN_OK);
    for (size_t i = 0; i < ready.n; ++i) {
        bool fixed = ready.bake->motion.view->roles[i / 3];
        ready.y[i] = ready.q0[i] + (fixed ? 0 : h * 10 * random_signed(&seed));
        ready.x[i] = ready.y[i];
    }
    NewtonProblem problem = {1 / (h * h), ready.y, 1 / h, ready.q0, NULL, from_before ? ready.q0 : NULL, NULL};
    CHECK(newton_solve(ready.newton, ready.bake->motion.view, &problem, &newton_usual_limits, ready.x, report,
                       &message) == JN_OK);
    CHECK_NEAR(equation_error(&ready, &problem), 0, 1e-4);
    *potential = potential_of(ready.bake->motion.view, ready.x);
    for (size_t i = 0; i < ready.n; ++i)
        *potential += 0.5 * problem.mass * ready.bake->model.system.masses[i / 3] * (ready.x[i] - ready.y[i]) *
                      (ready.x[i] - ready.y[i]);
    ready_end(&ready);
}

TEST(newton_begins_where_the_step_began_if_the_flight_ends_inside_out) {
    uint32_t iterations[2] = {0, 0};
    for (uint64_t seed = 7; seed < 12; ++seed) {
        NewtonReport flight, before;
        double by_flight, by_before;
        solve_ringing_beam(seed, false, &flight, &by_flight);
        solve_ringing_beam(seed, true, &before, &by_before);
        printf("from the flight %u iterations to %.6g J, from the start of the step %u to %.6g J\n", flight.iterations,
               by_flight, before.iterations, by_before);
        CHECK(by_before <= by_flight * (1 + 1e-9));
        iterations[0] += flight.iterations;
        iterations[1] += before.iterations;
    }
    CHECK(3 * iterations[1] <= 2 * iterations[0]);
}

TEST(newton_with_short_limits_gives_up_a_search_that_wanders) {
    static const NewtonLimits hurried = {1e-8, 1e-8, 60, 1};
    Ready ready;
    JnMessage message;
    NewtonReport report;
    double h = 1.0 / 24;
    CHECK(wild_beam(&ready, 0, &message) == JN_OK);
    for (size_t i = 0; i < ready.n; ++i)
        ready.x[i] = ready.y[i] = ready.q0[i] + h * ready.v0[i];
    NewtonProblem problem = {1 / (h * h), ready.y, 1 / h, ready.q0, NULL, NULL, NULL};
    CHECK(newton_solve(ready.newton, ready.bake->motion.view, &problem, &hurried, ready.x, &report, &message) ==
          JN_ERR_DIVERGED);
    CHECK(report.iterations == 1);
    CHECK_STR_HAS(message.text, "did not converge in 1 iterations");
    ready_end(&ready);
}

TEST(newton_without_a_solution_says_so_and_where) {
    /* a body that nothing holds has no equilibrium */
    Ready ready;
    JnMessage message;
    NewtonReport report;
    memset(&ready, 0, sizeof ready);
    one_body_init(&ready.scene, tet_box_make(3, 2, 2, 0.1));
    ready.scene.desc.gravity[1] = -9.81;
    CHECK(ready_begin(&ready, &message) == JN_OK);
    memcpy(ready.x, ready.q0, ready.n * sizeof(double));
    NewtonProblem problem = {.mass = 0};
    CHECK(newton_solve(ready.newton, ready.bake->motion.view, &problem, &newton_usual_limits, ready.x, &report,
                       &message) == JN_ERR_DIVERGED);
    CHECK(!report.converged && report.residual > 0.1 && report.worst_vertex < ready.bake->model.vertex_count);
    CHECK_STR_HAS(message.text, "out of balance");
    for (size_t i = 0; i < ready.n; ++i)
        CHECK(isfinite(ready.x[i]));
    ready_end(&ready);
}

TEST(newton_with_a_start_that_is_not_finite_fails) {
    Ready ready;
    JnMessage message;
    NewtonReport report;
    CHECK(wild_beam(&ready, 0.01, &message) == JN_OK);
    memcpy(ready.x, ready.q0, ready.n * sizeof(double));
    ready.x[ready.n - 1] = NAN;
    NewtonProblem problem = {1, ready.q0, 1, ready.q0, NULL, NULL, NULL};
    CHECK(newton_solve(ready.newton, ready.bake->motion.view, &problem, &newton_usual_limits, ready.x, &report,
                       &message) == JN_ERR_DIVERGED);
    CHECK(!report.converged);
    /* unless it is known where the step began */
    problem.before = ready.q0;
    ready.x[ready.n - 1] = NAN;
    CHECK(newton_solve(ready.newton, ready.bake->motion.view, &problem, &newton_usual_limits, ready.x, &report,
                       &message) == JN_OK);
    CHECK_NEAR(equation_error(&ready, &problem), 0, 1e-4);
    ready_end(&ready);
}

TEST(force_at_rest_is_minus_the_derivative_of_energy_with_wind_and_a_sliding_floor) {
    /* what a line search relies on, with all that the step lags held still */
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(2, 1, 1, 0.1));
    scene.desc.gravity[1] = -9.81;
    scene.desc.wind[0] = 6;
    scene.desc.air_density = 1.2;
    scene.desc.frame_count = 3;
    scene.desc.collider_count = 1;
    scene.collider.friction = 0.8;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    for (int frame = 0; frame < 3; ++frame) {
        JnFrameInput input;
        JnColliderInput floor;
        jn_frame_input_init(&input, sizeof input);
        jn_collider_input_init(&floor, sizeof floor);
        floor.has_transform = 1;
        floor.transform[3] = 0.02 * frame;
        input.colliders = &floor;
        input.collider_count = 1;
        input.frame = jn_bake_next_frame(bake);
        CHECK(jn_bake_advance(bake, &input, &message) == JN_OK);
    }
    CHECK(view_has_potential(bake->motion.view) && view_may_touch(bake->motion.view));
    size_t n = 3 * (size_t)bake->model.vertex_count;
    double *force = malloc(n * sizeof *force), *q = bake->motion.state.q, dragged = 0, step = 1e-7;
    forces_of(bake->motion.view, q, NULL, force);
    for (size_t i = 0; i < n; ++i) {
        double at = q[i];
        q[i] = at + step;
        double above = potential_of(bake->motion.view, q);
        q[i] = at - step;
        double below = potential_of(bake->motion.view, q);
        q[i] = at;
        CHECK_NEAR(force[i], -(above - below) / (2 * step), 1e-5);
        dragged += i % 3 == 0 ? force[i] : 0;
    }
    CHECK(fabs(dragged) > 0.1); /* wind and floor both push along x, all else cancels */
    free(force);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}
