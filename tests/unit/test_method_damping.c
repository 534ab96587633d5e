/* The damping of methods, found by running them, against what is known of them in closed form. */
#include "harness.h"

#include "integrate/method_damping.h"

static const Integrator *find_method(const char *name) {
    const void *item = NULL;
    table_find(&integrator_table, name, "here", &item, NULL);
    return item;
}

TEST(spectral_radius_of_known_matrices) {
    const double turn[4] = {0, -0.5, 0.5, 0}, defective[4] = {1, 1, 0, 1}, nilpotent[4] = {0, 1, 0, 0};
    const double three[9] = {0.2, 5, -1, 0, -0.9, 7, 0, 0, 0.3};
    CHECK_NEAR(spectral_radius(turn, 2), 0.5, 1e-15);
    CHECK_NEAR(spectral_radius(defective, 2), 1, 1e-14);
    CHECK(spectral_radius(nilpotent, 2) == 0);
    CHECK_NEAR(spectral_radius(three, 3), 0.9, 1e-14);
}

TEST(euler_methods_damp_as_the_formula_says) {
    static const char *const names[] = {"si", "be"};
    const double omegas[] = {1e-3, 0.1, 1, 30, 1e4}, h = 0.01;
    const MethodOptions options = {0};
    for (int m = 0; m < 2; ++m)
        for (size_t k = 0; k < sizeof omegas / sizeof omegas[0]; ++k) {
            MethodDamping found;
            JnMessage message;
            double x = h * omegas[k];
            CHECK(method_damping(find_method(names[m]), &options, h, omegas[k], &found, &message) == JN_OK);
            CHECK(found.dimension == 2);
            CHECK_NEAR(found.damping, log1p(x * x) / x, 1e-8);
        }
}

TEST(every_method_of_the_table_has_a_damping_and_conservative_ones_have_none) {
    for (uint32_t m = 0; m < integrator_table.count; ++m) {
        const Integrator *method = (const Integrator *)table_at(&integrator_table, m);
        const MethodOptions options = {.variant = method->variant, .spectral_radius = 0.8};
        const char *name = method->entry.name;
        for (double x = 0.1; x < 2; x *= 2) {
            MethodDamping found;
            JnMessage message = {0};
            JnStatus status = method_damping(method, &options, 0.01, x / 0.01, &found, &message);
            if (status != JN_OK || found.spectral_radius > 1 + 1e-9)
                printf("%s at h omega = %g: rho = %.17g %s\n", name, x, found.spectral_radius, message.text);
            CHECK(status == JN_OK);
            CHECK(found.spectral_radius <= 1 + 1e-9 && found.spectral_radius > 0.3);
            if (strcmp(name, "trapezoidal") == 0 || strcmp(name, "midpoint") == 0)
                CHECK_NEAR(found.damping, 0, 1e-8);
        }
    }
}

/* ------------------------------------------------------------------------------------------------ a two-step method */

/* BDF2 on q'' = -k q with the k of the goal, started by one step of backward Euler. */
typedef struct TwoStep {
    double q, v;
    int has_past;
} TwoStep;

static JnStatus two_step_prepare(View *view, const MethodOptions *options, void **self, JnMessage *message) {
    (void)view, (void)options, (void)message;
    *self = calloc(1, sizeof(TwoStep));
    return JN_OK;
}

static JnStatus two_step_step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    TwoStep *past = self;
    const double at[6] = {1, 0, 0, 0, 1, 0}, q0 = state->q[0], v0 = state->v[0];
    double force[6];
    view_set_time(view, state->time, state->time + h);
    JnStatus status = view_force(view, ALL_TERM_ROLES, at, NULL, force, message);
    if (status != JN_OK)
        return status;
    double k = -force[0], b = past->has_past ? 2.0 / 3 : 1;
    double q = past->has_past ? (4 * q0 - past->q) / 3 : q0, v = past->has_past ? (4 * v0 - past->v) / 3 : v0;
    state->v[0] = (v - b * h * k * q) / (1 + b * h * b * h * k);
    state->q[0] = q + b * h * state->v[0];
    state->time += h;
    *past = (TwoStep){q0, v0, 1};
    *report = (StepReport){.h = h};
    return JN_OK;
}

TEST(multistep_method_is_seen_with_its_history) {
    const Integrator bdf2 = {
        .entry = {"bdf2", "BDF2", "test"}, .prepare = two_step_prepare, .step = two_step_step, .destroy = free};
    const MethodOptions options = {0};
    for (double x = 0.05; x < 20; x *= 3) {
        MethodDamping found;
        JnMessage message;
        CHECK(method_damping(&bdf2, &options, 0.02, x / 0.02, &found, &message) == JN_OK);
        CHECK(found.dimension == 4);
        /* roots of z^2 (3 - 2 i x) - 4 z + 1, whose largest is (2 + sqrt(1 + 2 i x)) / (3 - 2 i x) */
        double re = sqrt((sqrt(1 + 4 * x * x) + 1) / 2), im = x / re;
        double rho = sqrt(((2 + re) * (2 + re) + im * im) / (9 + 4 * x * x));
        CHECK(rho < 1);
        CHECK_NEAR(found.spectral_radius, rho, 1e-9);
        CHECK_NEAR(found.damping, -2 * log(rho) / x, 1e-8);
    }
}

static JnStatus cubic_step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    (void)self, (void)view, (void)message;
    state->q[0] += h * state->q[0] * state->q[0] * state->q[0] - h * state->v[0];
    *report = (StepReport){.h = h};
    return JN_OK;
}

TEST(method_that_is_not_linear_is_refused) {
    const Integrator cubic = {
        .entry = {"cubic", "Cubic", "test"}, .prepare = two_step_prepare, .step = cubic_step, .destroy = free};
    const MethodOptions options = {0};
    MethodDamping found;
    JnMessage message;
    CHECK(method_damping(&cubic, &options, 0.1, 1, &found, &message) == JN_ERR_DIVERGED);
    CHECK_STR_HAS(message.text, "cubic");
}
