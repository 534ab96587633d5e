/* Phi functions in Krylov spaces, against references with 60 digits and, in spaces smaller than the system, against the
   dense solution. */
#include "harness.h"
#include "phi_references.h"

#include "exponential/dense_exponential.h"
#include "exponential/phi_combination.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A dense system with a diagonal mass. */
typedef struct Dense {
    size_t n;
    const double *masses, *stiffness, *damping;
    double shift, *scratch;
    int products;
} Dense;

static void multiply(size_t n, const double *A, const double *x, double *y) {
    for (size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (size_t j = 0; j < n; ++j)
            sum += A[i * n + j] * x[j];
        y[i] = sum;
    }
}

static JnStatus apply_stiffness(void *self, const double *x, double *y, JnMessage *message) {
    Dense *dense = self;
    (void)message;
    ++dense->products;
    multiply(dense->n, dense->stiffness, x, y);
    return JN_OK;
}

static JnStatus apply_damping(void *self, const double *x, double *y, JnMessage *message) {
    const Dense *dense = self;
    (void)message;
    multiply(dense->n, dense->damping, x, y);
    return JN_OK;
}

static JnStatus apply_mass(void *self, const double *x, double *y, JnMessage *message) {
    const Dense *dense = self;
    (void)message;
    for (size_t i = 0; i < dense->n; ++i)
        y[i] = dense->masses[i] * x[i];
    return JN_OK;
}

static JnStatus apply_inverse_mass(void *self, const double *x, double *y, JnMessage *message) {
    const Dense *dense = self;
    (void)message;
    for (size_t i = 0; i < dense->n; ++i)
        y[i] = x[i] / dense->masses[i];
    return JN_OK;
}

/* Elimination without pivots: good enough, because the space needs this only roughly. */
static JnStatus apply_shifted_inverse(void *self, const double *x, double *y, JnMessage *message) {
    const Dense *dense = self;
    size_t n = dense->n;
    double *A = dense->scratch, s = dense->shift;
    (void)message;
    for (size_t i = 0; i < n * n; ++i)
        A[i] = s * s * dense->stiffness[i] + (dense->damping ? s * dense->damping[i] : 0) +
               (i % (n + 1) == 0 ? dense->masses[i / n] : 0);
    memcpy(y, x, n * sizeof *y);
    for (size_t k = 0; k < n; ++k)
        for (size_t i = k + 1; i < n; ++i) {
            double factor = A[i * n + k] / A[k * n + k];
            for (size_t j = k; factor != 0 && j < n; ++j)
                A[i * n + j] -= factor * A[k * n + j];
            y[i] -= factor * y[k];
        }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; ++j)
            y[k] -= A[k * n + j] * y[j];
        y[k] /= A[k * n + k];
    }
    return JN_OK;
}

static MotionMatrices matrices_of(Dense *dense, bool rational) {
    size_t n = dense->n;
    return (MotionMatrices){.n = n,
                            .stiffness = {n, apply_stiffness, dense},
                            .damping = {n, dense->damping ? apply_damping : NULL, dense},
                            .mass = {n, apply_mass, dense},
                            .inverse_mass = {n, apply_inverse_mass, dense},
                            .shifted_inverse = {n, rational ? apply_shifted_inverse : NULL, dense},
                            .shift = dense->shift};
}

static double largest(const double *x, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; ++i)
        most = fmax(most, fabs(x[i]));
    return most;
}

static double largest_difference(const double *a, const double *b, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; ++i)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* ------------------------------------------------------------------------------- all of a small system */

static void check_references(bool rational) {
    PhiCombiner *combiner;
    double scratch[REFERENCE_SIZE * REFERENCE_SIZE];
    CHECK(phi_combiner_create(&combiner, NULL) == JN_OK);
    for (size_t c = 0; c < sizeof references / sizeof references[0]; ++c) {
        const double longest = references[c].times[1];
        Dense dense = {REFERENCE_SIZE,
                       references[c].masses,
                       references[c].stiffness,
                       references[c].damped ? references[c].damping : NULL,
                       0.5 * longest,
                       scratch,
                       0};
        MotionMatrices matrices = matrices_of(&dense, rational);
        PhiProblem problem = {.matrices = &matrices,
                              .velocity = references[c].velocity,
                              .times = references[c].times,
                              .time_count = 2,
                              .tolerance = 1e-13};
        for (int k = 0; k < REFERENCE_TERMS; ++k)
            problem.acceleration[k] = references[c].forcing[k];
        double x[2][REFERENCE_SIZE], y[2][REFERENCE_SIZE];
        double *const to_x[2] = {x[0], x[1]}, *const to_y[2] = {y[0], y[1]};
        PhiReport report;
        CHECK(phi_combine(combiner, &problem, to_x, to_y, &report, NULL) == JN_OK);
        /* the lowest frequencies are those of the given matrix with the largest one's rounding */
        double square = largest(references[c].stiffness, REFERENCE_SIZE * REFERENCE_SIZE) / 0.5 * longest * longest;
        double allowed = 1e-12 + 4 * DBL_EPSILON * square;
        for (int s = 0; s < 2; ++s) {
            double off_x = largest_difference(x[s], references[c].x[s], REFERENCE_SIZE) /
                           largest(references[c].x[s], REFERENCE_SIZE),
                   off_y = largest_difference(y[s], references[c].y[s], REFERENCE_SIZE) /
                           largest(references[c].y[s], REFERENCE_SIZE);
            printf("%-28s %8.3g s: off by %.1e, %.1e of %.1e; %u vectors\n", references[c].name, references[c].times[s],
                   off_x, off_y, allowed, report.vectors);
            CHECK(off_x < allowed && off_y < allowed);
        }
    }
    phi_combiner_destroy(combiner);
}

TEST(phi_combination_is_exact_in_polynomial_spaces) {
    check_references(false);
}

TEST(phi_combination_is_exact_in_rational_spaces) {
    check_references(true);
}

/* ------------------------------------------------------------------------------- spaces smaller than the system */

enum { LONG = 240 };

/* A chain of equal masses and springs, fixed at one end, which is pulled at the other; it has frequencies up to
   `highest`, and waves that run to and fro. */
static double *chain_stiffness(double highest) {
    double *K = calloc((size_t)LONG * LONG, sizeof *K), k = highest * highest / 4;
    for (size_t i = 0; K && i < LONG; ++i) {
        K[i * LONG + i] = i + 1 < LONG ? 2 * k : k;
        if (i > 0)
            K[i * LONG + i - 1] = K[(i - 1) * LONG + i] = -k;
    }
    return K;
}

typedef struct Measured {
    double off; /* relative error of the positions at the end */
    PhiReport report;
} Measured;

static void measure_chain(double highest, double damping, bool rational, double tolerance, Measured *measured) {
    double *K = chain_stiffness(highest), *D = damping > 0 ? malloc((size_t)LONG * LONG * sizeof *D) : NULL;
    double *scratch = malloc((size_t)LONG * LONG * sizeof *scratch), masses[LONG], velocity[LONG], force[LONG];
    double x[2][LONG], y[2][LONG], exact_x[2 * LONG], exact_y[2 * LONG];
    const double times[2] = {0.125, 1};
    for (size_t i = 0; D && i < (size_t)LONG * LONG; ++i)
        D[i] = damping * K[i];
    for (size_t i = 0; i < LONG; ++i) {
        masses[i] = 1;
        velocity[i] = exp(-0.01 * ((double)i - 80) * ((double)i - 80));
        force[i] = (double)i / LONG;
    }
    Dense dense = {LONG, masses, K, D, 0.5, scratch, 0};
    MotionMatrices matrices = matrices_of(&dense, rational);
    const PhiProblem problem = {.matrices = &matrices,
                                .velocity = velocity,
                                .acceleration = {force, NULL, velocity, NULL},
                                .times = times,
                                .time_count = 2,
                                .tolerance = tolerance};
    PhiCombiner *combiner;
    memset(measured, 0, sizeof *measured);
    double *const to_x[2] = {x[0], x[1]}, *const to_y[2] = {y[0], y[1]};
    CHECK(phi_combiner_create(&combiner, NULL) == JN_OK);
    CHECK(phi_combine(combiner, &problem, to_x, to_y, &measured->report, NULL) == JN_OK);
    const SmallMotion whole = {LONG, K, D, velocity, {force, NULL, velocity, NULL}};
    CHECK(small_motion_solve(&whole, times, 2, exact_x, exact_y, NULL) == JN_OK);
    measured->off = fmax(largest_difference(x[0], exact_x, LONG), largest_difference(x[1], exact_x + LONG, LONG)) /
                    largest(exact_x + LONG, LONG);
    CHECK(rational || dense.products == (int)(measured->report.vectors + measured->report.parts - 1));
    phi_combiner_destroy(combiner);
    free(K);
    free(D);
    free(scratch);
}

/* The number of vectors grows with the highest frequency; where they do not fit, the time is divided. */
TEST(phi_combination_divides_the_time_where_the_space_is_full) {
    static const double tolerances[] = {1e-3, 1e-6, 1e-9};
    for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; ++k) {
        Measured soft, stiff;
        measure_chain(10, 0, false, tolerances[k], &soft);
        measure_chain(300, 0, false, tolerances[k], &stiff);
        printf("%.0e: off by %.1e with %u vectors, %.1e with %u in %u parts\n", tolerances[k], soft.off,
               soft.report.vectors, stiff.off, stiff.report.vectors, stiff.report.parts);
        CHECK(soft.off < tolerances[k] && soft.report.parts == 1 && soft.report.vectors < SPACE_MOST);
        CHECK(stiff.off < 3 * tolerances[k] && stiff.report.parts > 2 && stiff.report.vectors < 900);
    }
}

TEST(phi_combination_with_damping_divides_the_time_too) {
    Measured damped;
    measure_chain(150, 1e-3, false, 1e-7, &damped);
    printf("off by %.1e with %u vectors in %u parts\n", damped.off, damped.report.vectors, damped.report.parts);
    CHECK(damped.off < 3e-7 && damped.report.parts > 1);
}

/* Modes that are too fast to be moved much do not count in a rational space: it takes no more vectors for a system a
   hundred times as stiff. */
TEST(phi_combination_in_rational_spaces_takes_no_more_vectors_for_stiffer_systems) {
    Measured polynomial, rational, stiffer;
    measure_chain(1000, 1e-2, false, 1e-3, &polynomial);
    measure_chain(1000, 1e-2, true, 1e-3, &rational);
    measure_chain(1e4, 1e-2, true, 1e-3, &stiffer);
    printf("polynomial %u vectors, rational %u (off by %.1e), ten times the frequency %u (off by %.1e)\n",
           polynomial.report.vectors, rational.report.vectors, rational.off, stiffer.report.vectors, stiffer.off);
    CHECK(rational.off < 3e-3 && stiffer.off < 3e-3);
    CHECK(rational.report.vectors < polynomial.report.vectors / 10);
    CHECK(stiffer.report.vectors <= rational.report.vectors + 8);
    CHECK(rational.report.solves < rational.report.vectors && polynomial.report.solves == 0);
}

/* ------------------------------------------------------------------------------- where it fails */

TEST(phi_combination_of_what_is_not_finite_is_refused) {
    double masses[1] = {1}, K[1] = {-1e12}, scratch[1], velocity[1] = {1}, x[1], y[1], time = 1;
    double *const to_x[1] = {x}, *const to_y[1] = {y};
    Dense dense = {1, masses, K, NULL, 0.5, scratch, 0};
    MotionMatrices matrices = matrices_of(&dense, false);
    PhiProblem problem = {
        .matrices = &matrices, .velocity = velocity, .times = &time, .time_count = 1, .tolerance = 1e-8};
    PhiCombiner *combiner;
    PhiReport report;
    JnMessage message = {0};
    CHECK(phi_combiner_create(&combiner, NULL) == JN_OK);
    CHECK(phi_combine(combiner, &problem, to_x, to_y, &report, &message) == JN_ERR_DIVERGED);
    CHECK(strstr(message.text, "steps_per_frame") != NULL);
    velocity[0] = NAN;
    CHECK(phi_combine(combiner, &problem, to_x, to_y, &report, &message) == JN_ERR_DIVERGED);
    velocity[0] = 0;
    K[0] = 1;
    CHECK(phi_combine(combiner, &problem, to_x, to_y, &report, &message) == JN_OK && x[0] == 0 && y[0] == 0);
    phi_combiner_destroy(combiner);
}

TEST(dense_exponential_of_known_matrices) {
    double rotation[4] = {0, 100, -100, 0}, nilpotent[9] = {0, 1, 2, 0, 0, 3, 0, 0, 0}, large[1] = {1e5};
    CHECK(dense_exponential(2, rotation, NULL) == JN_OK);
    CHECK_NEAR(rotation[0], cos(100), 1e-13);
    CHECK_NEAR(rotation[1], sin(100), 1e-13);
    CHECK(dense_exponential(3, nilpotent, NULL) == JN_OK);
    CHECK_NEAR(nilpotent[2], 2 + 1.5, 1e-15);
    CHECK_NEAR(nilpotent[3], 0, 1e-15);
    CHECK(dense_exponential(1, large, NULL) == JN_ERR_DIVERGED);
}
