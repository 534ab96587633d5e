/* The hybrid methods against formulas: the oscillator in closed form, the published step of SIERE written densely, the
   spectral radius on kept modes, and the printed forms of the others, which grow. */
#include "dense_solve.h"
#include "harness.h"
#include "small_system.h"

#include "integrate/kept_modes.h"
#include "integrate/method_damping.h"
#include "integrate/oscillator.h"
#include "linear/dense_eigen.h"

#include <complex.h>

/* ------------------------------------------------------------------------------------------------ the oscillator */

/* One time step after the other must be the same as both at once, for any stiffness and damping. */
TEST(oscillator_in_two_steps_is_where_it_is_in_one) {
    static const double stiffnesses[] = {0, 1e-12, 1e-3, 0.25, 0.3, 1, 40, 1e4, 1e8, -1e-9, -0.3, -0.9};
    static const double dampings[] = {0, 1e-9, 0.1, 1, 1.0000001, 2, 5, 100, 1e5};
    for (size_t a = 0; a < sizeof stiffnesses / sizeof *stiffnesses; ++a)
        for (size_t b = 0; b < sizeof dampings / sizeof *dampings; ++b)
            for (double t = 0.01; t < 2; t *= 3) {
                double k = stiffnesses[a], d = dampings[b], v = 0.7, f = -1.3;
                Oscillation half = oscillator_advance(k, d, t), whole = oscillator_advance(k, d, 2 * t);
                double x = half.position * v + half.displacement * f, u = half.velocity * v + half.position * f;
                double there = x + half.position * u + half.displacement * (f - k * x);
                double fast = half.velocity * u + half.position * (f - k * x);
                double scale = fabs(v) * t + fabs(f) * t * t, quick = fabs(v) + fabs(f) * t;
                double grow = k < 0 ? exp(2 * t * sqrt(-k)) : 1;
                CHECK_NEAR(whole.position * v + whole.displacement * f, there,
                           1e-13 * grow * scale * (1 + t * sqrt(fabs(k))));
                CHECK_NEAR(whole.velocity * v + whole.position * f, fast,
                           1e-13 * grow * quick * (1 + t * sqrt(fabs(k))));
            }
}

TEST(oscillator_without_stiffness_is_a_body_in_drag) {
    Oscillation free_fall = oscillator_advance(0, 0, 0.3), drag = oscillator_advance(0, 8, 0.3);
    CHECK_NEAR(free_fall.position, 0.3, 1e-16);
    CHECK_NEAR(free_fall.velocity, 1, 0);
    CHECK_NEAR(free_fall.displacement, 0.045, 1e-17);
    CHECK_NEAR(drag.position, (1 - exp(-2.4)) / 8, 1e-16);
    CHECK_NEAR(drag.displacement, 0.3 / 8 - (1 - exp(-2.4)) / 64, 1e-16);
}

/* ------------------------------------------------------------------------------------------------ SIERE, Eq. (10) */

enum { VERTICES = 20, FREE = 48, KEPT = 5, TWICE = 2 * FREE };

/* h phi_1(h J) g for J = (0 1; -lambda 0), by its series. */
static void phi_1(double lambda, double h, const double g[2], double out[2]) {
    double term[2] = {h * g[0], h * g[1]};
    out[0] = out[1] = 0;
    for (int k = 1; k < 60; ++k) {
        out[0] += term[0];
        out[1] += term[1];
        double next[2] = {h * term[1] / (k + 1), -h * lambda * term[0] / (k + 1)};
        memcpy(term, next, sizeof term);
    }
}

/* u1 - u0 of Eq. (10) of Chen, Sheen, Ascher, Pai 2020, as printed, in the free unknowns. */
static void published_step(const double *M, const double *K, const double *f, const double *v, double h,
                           double du[TWICE]) {
    static double U[FREE * FREE], mass[FREE * FREE], values[FREE], P[FREE * FREE], PKP[FREE * FREE], A[TWICE * TWICE];
    memcpy(U, K, sizeof U);
    memset(mass, 0, sizeof mass);
    for (size_t i = 0; i < FREE; ++i)
        mass[i * FREE + i] = M[i];
    dense_eigen(FREE, U, mass, values, NULL);
    for (size_t i = 0; i < FREE; ++i)
        for (size_t j = 0; j < FREE; ++j) { /* P = U U'M */
            P[i * FREE + j] = PKP[i * FREE + j] = 0;
            for (size_t k = 0; k < KEPT; ++k) {
                P[i * FREE + j] += U[k * FREE + i] * U[k * FREE + j] * M[j];
                PKP[i * FREE + j] += values[k] * U[k * FREE + i] * U[k * FREE + j] * M[j];
            }
        }
    /* I - h J_H, J_H = (0 1; -K/M 0) - (0 P; -U L U'M 0) */
    memset(A, 0, sizeof A);
    memset(du, 0, TWICE * sizeof *du);
    for (size_t i = 0; i < FREE; ++i) {
        A[i * TWICE + i] = A[(FREE + i) * TWICE + FREE + i] = 1;
        for (size_t j = 0; j < FREE; ++j) {
            A[i * TWICE + FREE + j] -= h * ((i == j) - P[i * FREE + j]);
            A[(FREE + i) * TWICE + j] += h * (K[i * FREE + j] / M[i] - PKP[i * FREE + j]);
            du[i] += h * ((i == j) - P[i * FREE + j]) * v[j];
            du[FREE + i] += h * ((i == j) - P[i * FREE + j]) * f[j] / M[j];
        }
    }
    for (size_t k = 0; k < KEPT; ++k) {
        double g[2] = {0, 0}, moved[2];
        for (size_t i = 0; i < FREE; ++i) {
            g[0] += U[k * FREE + i] * M[i] * v[i];
            g[1] += U[k * FREE + i] * f[i];
        }
        phi_1(values[k], h, g, moved);
        for (size_t i = 0; i < FREE; ++i) {
            du[i] += U[k * FREE + i] * moved[0];
            du[FREE + i] += U[k * FREE + i] * moved[1];
        }
    }
    dense_solve(A, du, TWICE, 1);
}

TEST(siere_is_the_published_step_where_modes_are_exact) {
    SmallSystem small;
    static double M[FREE], K[FREE * FREE], f[FREE], v0[FREE], du[TWICE];
    double q[3 * VERTICES], v[3 * VERTICES], force[3 * VERTICES], unit[3 * VERTICES], column[3 * VERTICES], h = 0.01;
    const void *found;
    void *self;
    StepReport report;
    Jacobian *stiffness;
    CHECK(small_system_bar(&small, &(SmallBar){0}));
    CHECK(small_system_open(&small, STIFFNESS_RAW, NULL) == JN_OK);
    size_t count = 0, numbers[FREE];
    for (size_t i = 0; i < 3 * VERTICES; ++i) {
        double x = small.rest[i - i % 3];
        q[i] = small.rest[i] + 0.05 * x * x * (1 + (double)(i % 3)) + 0.002 * sin(3 * (double)i) * (x > 0);
        v[i] = x * (0.3 + 0.1 * cos(7 * (double)i));
        if (view_is_free(small.view, i / 3))
            numbers[count++] = i;
    }
    CHECK(count == FREE);
    view_set_time(small.view, 0, h);
    CHECK(jacobian_create(small.view, &stiffness, NULL) == JN_OK);
    CHECK(view_begin_step(small.view, &(StepStart){q, v, h, false}, NULL) == JN_OK);
    CHECK(jacobian_assemble(stiffness, q, NULL, &(JacobianScales){.stiffness = 1}, STIFFNESS_RAW, force, NULL) ==
          JN_OK);
    for (size_t j = 0; j < FREE; ++j) {
        memset(unit, 0, sizeof unit);
        unit[numbers[j]] = 1;
        jacobian_multiply(stiffness, unit, column);
        for (size_t i = 0; i < FREE; ++i)
            K[i * FREE + j] = column[numbers[i]];
        M[j] = small.system.masses[numbers[j] / 3];
        f[j] = force[numbers[j]];
        v0[j] = v[numbers[j]];
    }
    published_step(M, K, f, v0, h, du);
    double start[FREE];
    for (size_t i = 0; i < FREE; ++i)
        start[i] = q[numbers[i]];
    CHECK(table_find(&integrator_table, "siere", "test", &found, NULL) == JN_OK);
    const Integrator *siere = found;
    State state = {q, v, 0};
    CHECK(siere->prepare(small.view, &(MethodOptions){.variant = siere->variant, .mode_count = KEPT}, &self, NULL) ==
          JN_OK);
    CHECK(siere->step(self, small.view, &state, h, &report, NULL) == JN_OK);
    double largest = 0;
    for (size_t i = 0; i < TWICE; ++i)
        largest = fmax(largest, fabs(du[i]));
    for (size_t i = 0; i < FREE; ++i) {
        CHECK_NEAR(q[numbers[i]] - start[i], du[i], 1e-10 * largest);
        CHECK_NEAR(v[numbers[i]] - v0[i], du[FREE + i], 1e-10 * largest);
    }
    siere->destroy(self);
    jacobian_destroy(stiffness);
    small_system_free(&small);
}

/* ------------------------------------------------------------------------------------------------ spectral radii */

static const char *const hybrids[][2] = {
    {"siere", "si"}, {"sbdf2ere", "sbdf2"}, {"ssdirkere", "ssdirk"},  {"str_sbdf2ere", "str_sbdf2"},
    {"beere", "be"}, {"bdf2ere", "bdf2"},   {"tr_bdf2ere", "tr_bdf2"}};
enum { HYBRIDS = sizeof hybrids / sizeof *hybrids };

static const Integrator *method_called(const char *name) {
    const void *found = NULL;
    table_find(&integrator_table, name, "test", &found, NULL);
    return found;
}

/* The mass moves in three directions: one mode is asked for, and its cluster of three is kept. */
TEST(hybrid_methods_keep_all_of_a_kept_mode_at_any_step) {
    for (size_t m = 0; m < HYBRIDS; ++m)
        for (double z = 0.01; z <= 100; z *= 2.7) {
            const Integrator *method = method_called(hybrids[m][0]);
            MethodDamping damping;
            MethodOptions options = {.variant = method->variant, .mode_count = 1};
            CHECK(method_damping(method, &options, 0.02, z / 0.02, &damping, NULL) == JN_OK);
            CHECK_NEAR(damping.spectral_radius, 1, 1e-9);
        }
}

/* The largest root of s^2 - b s - c = 0. */
static double largest_root(double complex b, double complex c) {
    double complex root = csqrt(b * b + 4 * c);
    return fmax(cabs((b + root) / 2), cabs((b - root) / 2));
}

/* Ascher, Larionov, Sheen, Pai 2021, Eqs. (21), (22) and (26) on a kept mode, where H = 0, as printed: u' = i w u. */
TEST(printed_hybrids_grow_on_kept_modes_where_ours_do_not) {
    double complex z = 1 * I, grown = cexp(z) - 1;
    double bdf2ere = largest_root((4 + 2 * grown) / 3, -1.0 / 3);
    double complex middle = 1 + 0.5 * z / (1 - z / 4);
    double complex late = 2 * (cexp(z / 2) - 1);
    double str_sbdf2ere = cabs(middle + (middle - 1 + late * middle) / 3);
    printf("(21), (22): %.4f, (26): %.4f at h w = 1\n", bdf2ere, str_sbdf2ere);
    CHECK_NEAR(bdf2ere, 1.115, 5e-4);
    CHECK(str_sbdf2ere > 1.05);
}

/* ------------------------------------------------------------------------------------------------ without modes */

TEST(hybrid_methods_without_modes_are_their_base_to_the_bit) {
    double q[2][3 * VERTICES], v[2][3 * VERTICES];
    for (size_t m = 0; m < HYBRIDS; ++m) {
        for (int k = 0; k < 2; ++k) {
            SmallSystem small;
            CHECK(small_system_bar(&small, &(SmallBar){.swing = 0.05, .stiffness_damping = 0.01}));
            CHECK(small_system_run(&small, method_called(hybrids[m][k]), 0.2, 20, q[k], v[k]));
            small_system_free(&small);
        }
        CHECK(memcmp(q[0], q[1], sizeof q[0]) == 0 && memcmp(v[0], v[1], sizeof v[0]) == 0);
    }
}
