/* Exponential integrators: exact where the motion is linear, whatever the step; cut where it turns too fast; as precise
   as asked for where they choose their own steps. */
#include "baking.h"
#include "harness.h"
#include "small_system.h"

#include "bake/bake_internal.h"
#include "exponential/small_motion.h"
#include "integrate/exponential_flow.h"

#include <stdio.h>

static const char *const methods[] = {"ere", "exprb42", "epirk4s3", "epirk_adaptive", "gautschi"};
enum { METHODS = sizeof methods / sizeof *methods, FREE = 48 };

static const Integrator *find(const char *name) {
    const void *found = NULL;
    table_find(&integrator_table, name, "test", &found, NULL);
    return found;
}

/* ------------------------------------------------------------------------------------------------ linear motion */

typedef struct LinearBar {
    SmallSystem small;
    double stiffness[FREE * FREE], damping[FREE * FREE]; /* M^-1/2 K M^-1/2 of the free unknowns, which come last */
    double roots[FREE];                                  /* of their masses */
} LinearBar;

/* Dense matrices of the bar in the modelled pose, in which the linear law has the same ones for every pose. */
static bool take_matrices(LinearBar *bar) {
    SmallSystem *small = &bar->small;
    Jacobian *matrix;
    double x[60] = {0}, y[60];
    bool ok = jacobian_create(small->view, &matrix, NULL) == JN_OK;
    view_set_time(small->view, 0, 0);
    for (int which = 0; ok && which < 2; ++which) {
        const JacobianScales scales = {0, which, 1 - which, CONTACTS_HERE};
        ok = jacobian_assemble(matrix, small->rest, NULL, &scales, STIFFNESS_RAW, NULL, NULL) == JN_OK;
        for (size_t j = 0, column = 0; ok && j < 60; ++j) {
            if (!view_is_free(small->view, j / 3))
                continue;
            x[j] = 1;
            jacobian_multiply(matrix, x, y);
            x[j] = 0;
            double *to = which ? bar->damping : bar->stiffness;
            bar->roots[column] = sqrt(small->system.masses[j / 3]);
            for (size_t i = 0, row = 0; i < 60; ++i)
                if (view_is_free(small->view, i / 3))
                    to[row++ * FREE + column] =
                        y[i] / sqrt(small->system.masses[i / 3]) / sqrt(small->system.masses[j / 3]);
            ++column;
        }
    }
    jacobian_destroy(matrix);
    return ok;
}

/* A bar of the linear law, whose matrices are the same in every pose, from a bent pose with a velocity, by one step of
   h: against the dense solution, mode by mode or by the exponential of the whole. */
static void check_linear(double h, double stiffness_damping, double young_modulus) {
    LinearBar bar;
    const SmallBar desc = {.stiffness_damping = stiffness_damping, .law = "linear", .young_modulus = young_modulus};
    CHECK(small_system_bar(&bar.small, &desc));
    CHECK(take_matrices(&bar));
    double velocity[FREE], force[FREE], moved[FREE], gained[FREE], start_q[60], start_v[60], f[60];
    for (size_t i = 0; i < 60; ++i) {
        bool is_free = view_is_free(bar.small.view, i / 3);
        start_q[i] = bar.small.rest[i] + (is_free ? 0.01 * sin(3.0 * (double)i) : 0);
        start_v[i] = is_free ? cos(2.0 * (double)i) : 0;
    }
    view_set_time(bar.small.view, 0, 0);
    CHECK(view_force(bar.small.view, ALL_TERM_ROLES, start_q, start_v, f, NULL) == JN_OK);
    for (size_t i = 0, row = 0; i < 60; ++i)
        if (view_is_free(bar.small.view, i / 3)) {
            velocity[row] = bar.roots[row] * start_v[i];
            force[row] = f[i] / bar.roots[row];
            ++row;
        }
    const SmallMotion exact = {
        FREE, bar.stiffness, stiffness_damping > 0 ? bar.damping : NULL, velocity, {force, NULL, NULL, NULL}};
    CHECK(small_motion_solve(&exact, &h, 1, moved, gained, NULL) == JN_OK);
    for (size_t m = 0; m < METHODS; ++m) {
        const Integrator *method = find(methods[m]);
        double q[60], v[60], off = 0, size = 0, speed = 0, off_speed = 0, done = 0;
        void *self;
        StepReport report;
        State state = {q, v, 0};
        memcpy(q, start_q, sizeof q);
        memcpy(v, start_v, sizeof v);
        const MethodOptions options = {.variant = method->variant, .tolerance = 1e-13, .guarded = true};
        CHECK(method->prepare(bar.small.view, &options, &self, NULL) == JN_OK);
        for (; done < h * (1 - 1e-9); done += report.h)
            CHECK(method->step(self, bar.small.view, &state, h - done, &report, NULL) == JN_OK);
        method->destroy(self);
        for (size_t i = 0, row = 0; i < 60; ++i)
            if (view_is_free(bar.small.view, i / 3)) {
                off = fmax(off, fabs(q[i] - start_q[i] - moved[row] / bar.roots[row]));
                off_speed = fmax(off_speed, fabs(v[i] - start_v[i] - gained[row] / bar.roots[row]));
                size = fmax(size, fabs(q[i] - start_q[i]));
                speed = fmax(speed, fabs(v[i] - start_v[i]));
                ++row;
            }
        printf("h %g s, E %.0e Pa, damping %g s: %-16s off by %.1e of the positions, %.1e of the velocities\n", h,
               young_modulus, stiffness_damping, methods[m], off / size, off_speed / speed);
        CHECK(off < 1e-9 * size && off_speed < 1e-9 * speed);
    }
    small_system_free(&bar.small);
}

TEST(exponential_methods_are_exact_on_a_linear_body_at_any_step) {
    check_linear(0.001, 0, 2e4);
    check_linear(0.05, 0, 2e4);
    check_linear(2, 0, 2e4);
    check_linear(0.01, 0, 1e9);
    check_linear(0.05, 0.01, 2e4);
    check_linear(1, 0.1, 2e4);
}

/* ------------------------------------------------------------------------------------------------ Krylov spaces */

/* One linear step of h from where the bake is, in spaces of one kind. */
static JnStatus step_linearly(JnBake *bake, KrylovKind kind, double h, double *x, PhiReport *report) {
    static const double parts[] = {1};
    View *view = bake->motion.view;
    const State *state = &bake->motion.state;
    double *y = malloc(3 * (size_t)bake->model.vertex_count * sizeof *y);
    ExponentialFlow *flow = NULL;
    view_set_time(view, state->time, state->time + h);
    JnStatus status = view_begin_step(view, &(StepStart){state->q, state->v, h, false}, NULL);
    if (status == JN_OK)
        status = exponential_flow_create(view, kind, &flow, NULL);
    if (status == JN_OK)
        status = exponential_flow_linearize(flow, state, h, NULL);
    if (status == JN_OK)
        status = exponential_flow_advance(flow, parts, 1, 1e-4, &x, &y, report, NULL);
    exponential_flow_destroy(flow);
    free(y);
    return status;
}

/* A damped bar that is held at one end and pushed. */
static bool open_pushed_bar(OneBody *scene, double young_modulus, JnBake **bake) {
    one_body_init(scene, tet_box_make(8, 3, 3, 0.05));
    one_body_pin(scene);
    scene->body.material.young_modulus = young_modulus;
    scene->body.material.stiffness_damping = 0.01;
    scene->desc.gravity[1] = -9.81;
    scene->desc.fps = 100;
    scene->desc.steps_per_frame = 1;
    if (jn_bake_begin(&scene->desc, bake, NULL) != JN_OK || advance_frames(*bake, 6, NULL) != JN_OK)
        return false;
    for (size_t i = 1; i < 3 * (size_t)(*bake)->model.vertex_count; i += 3)
        (*bake)->motion.state.v[i] = pow((*bake)->motion.state.q[i - 1], 2);
    return true;
}

/* Polynomial spaces grow with stiffness and damping. Rational ones find the same positions. Counts choose them where
   that pays, and where polynomial ones would be endless. */
TEST(exponential_steps_of_a_stiff_body_are_the_same_in_both_kinds_of_spaces) {
    static const double moduli[] = {1e6, 1e8, 1e10};
    PhiReport polynomial[3] = {{0}}, rational[3], chosen[3];
    for (int k = 0; k < 3; ++k) {
        OneBody scene;
        JnBake *bake;
        CHECK(open_pushed_bar(&scene, moduli[k], &bake));
        size_t n = 3 * (size_t)bake->model.vertex_count;
        double *x = malloc(3 * n * sizeof *x), off = 0, size = 0;
        CHECK(step_linearly(bake, KRYLOV_RATIONAL, 0.01, x, &rational[k]) == JN_OK);
        CHECK(step_linearly(bake, KRYLOV_BY_COUNTS, 0.01, x + n, &chosen[k]) == JN_OK);
        CHECK(k == 2 || step_linearly(bake, KRYLOV_POLYNOMIAL, 0.01, x + 2 * n, &polynomial[k]) == JN_OK);
        for (size_t i = 0; i < n; ++i) {
            off = fmax(off, fabs(x[n + i] - x[i]));
            off = fmax(off, k == 2 ? 0 : fabs(x[2 * n + i] - x[i]));
            size = fmax(size, fabs(x[i]));
        }
        printf(
            "E %.0e Pa: polynomial %u vectors in %u parts, rational %u and %u solves, chosen %u and %u; %.1e apart\n",
            moduli[k], polynomial[k].vectors, polynomial[k].parts, rational[k].vectors, rational[k].solves,
            chosen[k].vectors, chosen[k].solves, off / size);
        CHECK(off < 3e-4 * size);
        free(x);
        jn_bake_end(bake, NULL);
        one_body_free(&scene);
    }
    CHECK(polynomial[1].vectors > 8 * polynomial[0].vectors && rational[1].vectors < polynomial[1].vectors / 20);
    CHECK(chosen[0].solves == 0 && chosen[2].solves > 0 && rational[2].vectors < 2 * rational[1].vectors);
}

/* ------------------------------------------------------------------------------------------------ rotation */

/* A free block that spins, in steps of `angle`, for 0.6 s: the part of its angular momentum that is left. */
static double spun(const char *method, double angle, uint32_t *cuts) {
    OneBody scene;
    JnBake *bake;
    double left = 0, first = 0;
    one_body_init(&scene, tet_box_make(3, 3, 3, 0.1));
    scene.body.material.young_modulus = 1e5;
    scene.desc.fps = 50;
    scene.desc.steps_per_frame = 1;
    scene.desc.frame_count = 31;
    scene.desc.integrator = method;
    if (jn_bake_begin(&scene.desc, &bake, NULL) != JN_OK)
        return NAN;
    JnStatus status = advance_frames(bake, 1, NULL);
    for (int frame = 0; status == JN_OK && frame <= 30; ++frame) {
        double momentum = 0;
        for (size_t k = 0; k < bake->model.vertex_count; ++k) {
            double *q = bake->motion.state.q + 3 * k, *v = bake->motion.state.v + 3 * k, x = q[0] - 0.15,
                   y = q[1] - 0.15;
            if (frame == 0) {
                v[0] = -50 * angle * y;
                v[1] = 50 * angle * x;
            }
            momentum += bake->model.system.masses[k] * (x * v[1] - y * v[0]);
        }
        first = frame == 0 ? momentum : first;
        left = momentum / first;
        status = frame < 30 ? advance(bake, NULL) : status;
    }
    JnStatistics statistics = {.struct_size = sizeof statistics};
    jn_bake_statistics(bake, &statistics, NULL);
    *cuts = statistics.cut_steps;
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return status == JN_OK ? left : NAN;
}

/* The linear part of a turn goes straight on, and what is stiff brings it back at the expense of the spin. Unguarded, a
   block that turns by 0.2 rad a step keeps half of its angular momentum with ere, and methods of fourth order end at
   0.4 rad. The fast block here turns twice around. */
TEST(exponential_methods_cut_steps_that_turn_too_far) {
    for (size_t m = 0; m + 1 < METHODS; ++m) {
        uint32_t slow_cuts, fast_cuts;
        double slow = spun(methods[m], 0.02, &slow_cuts), fast = spun(methods[m], 0.4, &fast_cuts);
        printf("%-16s 0.02 rad a step: %.5f left, %u cuts; 0.4 rad: %.5f left, %u cuts\n", methods[m], slow, slow_cuts,
               fast, fast_cuts);
        double loss = strcmp(methods[m], "ere") == 0 ? 0.05 : 0.02;
        CHECK(fabs(slow - 1) < loss && fabs(fast - 1) < 3 * loss);
        CHECK(slow_cuts == 0);
        CHECK(fast_cuts > 0 || strcmp(methods[m], "epirk_adaptive") == 0);
    }
}

/* ------------------------------------------------------------------------------------------------ steps of its own */

/* The end of a swinging bar after a second, in frames of `h` of epirk_adaptive. *steps: how many it took. */
static bool swing(double tolerance, double h, double *q, uint32_t *steps) {
    SmallSystem small;
    const Integrator *method = find("epirk_adaptive");
    void *self = NULL;
    double v[60] = {0}, time = 0;
    if (!small_system_bar(&small, &(SmallBar){.swing = 0.1}))
        return false;
    memcpy(q, small.rest, 60 * sizeof *q);
    State state = {q, v, 0};
    const MethodOptions options = {
        .variant = method->variant, .tolerance = 1e-12, .error_tolerance = tolerance, .length = 0.4};
    JnStatus status = method->prepare(small.view, &options, &self, NULL);
    *steps = 0;
    for (double end = h; status == JN_OK && time < 1 - 1e-9; end += h)
        while (status == JN_OK && time < end - 1e-9) {
            StepReport report;
            state.time = time;
            status = method->step(self, small.view, &state, end - time, &report, NULL);
            time += report.h;
            ++*steps;
        }
    if (self)
        method->destroy(self);
    small_system_free(&small);
    return status == JN_OK;
}

TEST(adaptive_epirk_is_as_precise_as_asked_for) {
    double truth[60], q[60];
    uint32_t steps, before = 0;
    CHECK(swing(1e-10, 0.1, truth, &steps));
    static const double tolerances[] = {1e-3, 1e-5, 1e-7};
    for (size_t k = 0; k < 3; ++k) {
        double off = 0;
        CHECK(swing(tolerances[k], 0.1, q, &steps));
        for (int i = 0; i < 60; ++i)
            off = fmax(off, fabs(q[i] - truth[i]) / 0.4);
        printf("tolerance %.0e: off by %.1e of the bar's length after %u steps\n", tolerances[k], off, steps);
        CHECK(off < tolerances[k] * steps && steps > before);
        before = steps;
    }
    CHECK(before < 400);
}
