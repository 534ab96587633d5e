/* The order of accuracy of every method on a nonlinear body, by refinement against Runge-Kutta 4 with tiny steps. */
#include "harness.h"
#include "small_system.h"

#include <stdio.h>

enum { NUMBERS = 60 };
static const double SECONDS = 0.3;

static double distance(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < NUMBERS; ++i)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

/* Of second order; those that keep modes too: without any, as here, they are the same. */
static bool is_semi_implicit(const Integrator *method) {
    const char *name = method->entry.name;
    return strncmp(name, "sbdf2", 5) == 0 || strncmp(name, "ssdirk", 6) == 0 || strncmp(name, "str_sbdf2", 9) == 0;
}

/* Steps of the coarsest run. The errors of exponential methods of order 4 are near rounding in finer ones. */
static int coarsest(const Integrator *method) {
    return method->order < 4 ? 120 : strcmp(method->entry.name, "rk4") == 0 ? 300 : 100;
}

/* Checks the order of every method, by the error at three step sizes. raw: the elements keep their true stiffness, on
   which the order of the semi-implicit methods depends; else all are projected. */
static void check_orders(const SmallBar *bar, int semi_implicit_order, bool raw) {
    double truth[NUMBERS], q[NUMBERS], v[NUMBERS];
    SmallSystem small;
    CHECK(small_system_bar(&small, bar));
    CHECK(small_system_open(&small, raw ? STIFFNESS_RAW : STIFFNESS_PROJECTED, NULL) == JN_OK);
    const void *found;
    CHECK(table_find(&integrator_table, "rk4", "test", &found, NULL) == JN_OK);
    CHECK(small_system_run(&small, found, SECONDS, 6000, truth, v));
    for (uint32_t m = 0; m < integrator_table.count; ++m) {
        const Integrator *method = (const Integrator *)integrator_table.items + m;
        int coarse = coarsest(method);
        double errors[3];
        for (int k = 0; k < 3; ++k) {
            CHECK(small_system_run(&small, method, SECONDS, coarse << k, q, v));
            errors[k] = distance(q, truth);
        }
        double order = log2(errors[1] / errors[2]);
        printf("%-20s errors %.3e %.3e %.3e, orders %.3f %.3f\n", method->entry.name, errors[0], errors[1], errors[2],
               log2(errors[0] / errors[1]), order);
        int expected = is_semi_implicit(method) ? semi_implicit_order : method->order;
        /* exprb42 is of fifth order where forces depend on positions only */
        int highest = strcmp(method->entry.name, "exprb42") == 0 ? 5 : expected;
        CHECK(order > expected - 0.2 && order < highest + 0.2);
    }
    small_system_free(&small);
}

TEST(order_of_methods_with_pins_at_rest) {
    check_orders(&(SmallBar){0}, 2, true);
}

LONG_TEST(order_of_methods_with_moving_pins_and_drag) {
    check_orders(&(SmallBar){.swing = 0.05, .mass_damping = 1}, 2, true);
}

/* One Newton step takes the damping matrix from where it starts: that it changes on the way is an error of first order,
   whatever the method. */
LONG_TEST(order_of_methods_with_moving_pins_and_stiffness_damping) {
    check_orders(&(SmallBar){.swing = 0.05, .stiffness_damping = 0.01}, 1, true);
}

LONG_TEST(order_of_methods_with_consistent_mass) {
    check_orders(&(SmallBar){.swing = 0.05, .consistent_mass = 1}, 2, true);
}

/* One Newton step with a projected matrix is one with a wrong matrix: an error of first order again. */
TEST(order_of_methods_with_projected_stiffness) {
    check_orders(&(SmallBar){.swing = 0.05}, 1, false);
}
