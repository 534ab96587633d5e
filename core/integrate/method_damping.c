/* A linear method computes the next (q, v), v in units of omega, from the last one and from its history. The history is
   not read but identified from the states: the next state is a linear function of the first few of

       q_n  v_n  v_n-1  q_n-1  v_n-2  q_n-2  ...

   two for a one-step method, three for one that keeps an acceleration, four for BDF2. Their number is the smallest for
   which a function fitted to some steps of two runs predicts all further steps. The matrix that advances these numbers
   by one step has the spectral radius of the method. */
#include "integrate/method_damping.h"

#include "base/status.h"
#include "elastic/loads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 2, DIMENSION_MOST = 8, STEPS = DIMENSION_MOST + 2 };

/* Tolerance on the prediction of further steps, relative to the states that lead there, or to the first state where a
   fast-decaying oscillation has fallen to rounding. With a larger tolerance a multistep method at small h omega would
   be taken for a one-step one, because all methods are nearly equal there. */
static const double LINEAR = 1e-10, ROUNDING = 1e-12;

/* -------------------------------------------------------------------------------- one mass, one spring */

/* Vertex 0 oscillates with an amplitude of 1 m. Vertex 1 is pinned at a distance of SIZE and exerts no force: solvers
   use their distance as the length scale of their tolerance, which must be neither 0 nor so large that it hides a
   decayed oscillation. */
enum { VERTICES = 2 };
static const double SIZE = 1e-3; /* m */

typedef struct Oscillator {
    System system;
    View *view;
    double stiffness; /* N/m */
    double q[3 * VERTICES], v[3 * VERTICES];
} Oscillator;

static JnStatus create_moment(void *owner, Moment *moment, JnMessage *message) {
    (void)owner;
    return moment_create(VERTICES, 1, moment, message);
}

static void fill_moment(void *owner, double time_before, double time, Moment *moment) {
    (void)time_before, (void)time;
    moment->goal_stiffness[0] = ((Oscillator *)owner)->stiffness;
    moment->targets[4] = SIZE;
}

static void free_moment(void *owner, Moment *moment) {
    (void)owner;
    moment_free(moment);
}

/* `oscillator` must keep its address afterwards. */
static JnStatus open_oscillator(Oscillator *oscillator, double omega, JnMessage *message) {
    System *system = &oscillator->system;
    static const uint32_t edge[VERTICES] = {0, 1};
    static const uint8_t roles[VERTICES] = {VERTEX_FREE, VERTEX_PINNED};
    const VertexGroups edges = {1, VERTICES, NULL, edge};
    *oscillator = (Oscillator){.stiffness = omega * omega, .q = {[4] = SIZE}};
    system->vertex_count = VERTICES;
    system->world =
        (World){.create_moment = create_moment, .fill = fill_moment, .free_moment = free_moment, .owner = oscillator};
    system->masses = calloc(VERTICES, sizeof(double));
    if (!system->masses)
        return status_no_memory(message, "the damping of a method");
    system->masses[0] = system->masses[1] = 1;
    JnStatus status = block_matrix_build(VERTICES, &edges, 1, &system->pattern, message);
    if (status == JN_OK)
        status = system_keep_term(system, goals_create(VERTICES, system_next_term(system), message), message);
    if (status == JN_OK)
        status = view_create(&(ViewDesc){.system = system, .roles = roles}, &oscillator->view, message);
    return status == JN_OK ? view_make_jacobian(oscillator->view, true, message) : status;
}

static void close_oscillator(Oscillator *oscillator) {
    view_destroy(oscillator->view);
    system_free(&oscillator->system);
}

/* One step of h, in as many parts as the method takes. */
static JnStatus step(const Integrator *method, void *self, Oscillator *oscillator, State *state, double h,
                     JnMessage *message) {
    double left = h;
    while (left > 1e-9 * h) {
        StepReport report = {0};
        JnStatus status = method->step(self, oscillator->view, state, left, &report, message);
        if (status != JN_OK)
            return status;
        if (!(report.h > 0))
            return status_fail(message, JN_ERR_DIVERGED, "%s takes no step of %g s", method->entry.name, h);
        left -= report.h;
    }
    return JN_OK;
}

/* states[n] = (q, v / omega) after n steps from `start`. */
static JnStatus run(const Integrator *method, const MethodOptions *options, double h, double omega,
                    const double start[2], double states[STEPS + 1][2], JnMessage *message) {
    Oscillator oscillator;
    void *self = NULL;
    JnStatus status = open_oscillator(&oscillator, omega, message);
    if (status == JN_OK)
        status = method->prepare(oscillator.view, options, &self, message);
    oscillator.q[0] = start[0];
    oscillator.v[0] = start[1] * omega;
    State state = {oscillator.q, oscillator.v, 0};
    for (int n = 0; status == JN_OK && n <= STEPS; ++n) {
        states[n][0] = state.q[0];
        states[n][1] = state.v[0] / omega;
        if (!isfinite(states[n][0]) || !isfinite(states[n][1]))
            status = status_fail(message, JN_ERR_DIVERGED, "%s makes no number of steps of %g s at %g Hz",
                                 method->entry.name, h, omega / (2 * acos(-1)));
        else if (n < STEPS)
            status = step(method, self, &oscillator, &state, h, message);
    }
    if (self)
        method->destroy(self);
    close_oscillator(&oscillator);
    return status;
}

/* -------------------------------------------------------------------------------- the update matrix */

typedef double Runs[RUNS][STEPS + 1][2];

/* The first step for which all these numbers exist. */
static uint32_t first_step(uint32_t dimension) {
    return (dimension - 1) / 2;
}

/* The numbers that step n to n + 1 depends on. */
static void window(double states[STEPS + 1][2], uint32_t n, uint32_t dimension, double *out) {
    for (uint32_t k = 0; k < dimension; ++k)
        out[k] = k < 2 ? states[n][k] : states[n - k / 2][1 - k % 2];
}

/* Solves W a = x for two right-hand sides by elimination with pivots; W: [n * n] by rows. false: W is singular. */
static bool solve(double *W, double (*x)[2], uint32_t n) {
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t pivot = k;
        for (uint32_t i = k + 1; i < n; ++i)
            if (fabs(W[i * n + k]) > fabs(W[pivot * n + k]))
                pivot = i;
        if (!(fabs(W[pivot * n + k]) > 0))
            return false;
        for (uint32_t j = 0; pivot != k && j < n; ++j) {
            double swapped = W[k * n + j];
            W[k * n + j] = W[pivot * n + j];
            W[pivot * n + j] = swapped;
        }
        for (uint32_t c = 0; pivot != k && c < 2; ++c) {
            double swapped = x[k][c];
            x[k][c] = x[pivot][c];
            x[pivot][c] = swapped;
        }
        for (uint32_t i = 0; i < n; ++i) {
            double factor = i == k ? 0 : W[i * n + k] / W[k * n + k];
            for (uint32_t j = k; j < n; ++j)
                W[i * n + j] -= factor * W[k * n + j];
            for (uint32_t c = 0; c < 2; ++c)
                x[i][c] -= factor * x[k][c];
        }
    }
    for (uint32_t k = 0; k < n; ++k)
        for (uint32_t c = 0; c < 2; ++c)
            x[k][c] /= W[k * n + k];
    return true;
}

/* a[k][c]: the coefficient of number k of the window in component c of the next state, fitted to as many steps as there
   are unknowns. */
static bool fit(Runs runs, uint32_t n, double a[DIMENSION_MOST][2]) {
    double W[DIMENSION_MOST * DIMENSION_MOST];
    for (uint32_t row = 0; row < n; ++row) {
        double *numbers = W + (size_t)row * n, scale = 0;
        uint32_t r = row % RUNS, s = first_step(n) + row / RUNS;
        window(runs[r], s, n, numbers);
        /* scale each equation: fast-decaying states must not be lost in rounding */
        for (uint32_t k = 0; k < n; ++k)
            scale = fmax(scale, fabs(numbers[k]));
        for (uint32_t k = 0; k < n && scale > 0; ++k)
            numbers[k] /= scale;
        for (uint32_t c = 0; c < 2; ++c)
            a[row][c] = runs[r][s + 1][c] / (scale > 0 ? scale : 1);
    }
    return solve(W, a, n);
}

static bool predicts(Runs runs, uint32_t n, double a[DIMENSION_MOST][2]) {
    for (uint32_t r = 0; r < RUNS; ++r)
        for (uint32_t s = first_step(n); s < STEPS; ++s) {
            double numbers[DIMENSION_MOST], next[2] = {0, 0}, scale = 0;
            window(runs[r], s, n, numbers);
            for (uint32_t k = 0; k < n; ++k) {
                scale = fmax(scale, fabs(numbers[k]));
                next[0] += a[k][0] * numbers[k];
                next[1] += a[k][1] * numbers[k];
            }
            for (uint32_t c = 0; c < 2; ++c)
                if (!(fabs(next[c] - runs[r][s + 1][c]) <= LINEAR * scale + ROUNDING))
                    return false;
        }
    return true;
}

double spectral_radius(const double *matrix, uint32_t n) {
    /* rho = lim |A^k|^(1/k), along k = 1, 2, 4, ...: exact to rounding long before the last */
    double power[DIMENSION_MOST * DIMENSION_MOST], square[DIMENSION_MOST * DIMENSION_MOST], logarithm = 0;
    memcpy(power, matrix, (size_t)n * n * sizeof *power);
    for (int doubling = 0; doubling <= 60; ++doubling) {
        double norm = 0;
        for (uint32_t i = 0; i < n * n; ++i)
            norm = fmax(norm, fabs(power[i]));
        if (!(norm > 0))
            return norm;
        logarithm += ldexp(log(norm), -doubling);
        for (uint32_t i = 0; i < n * n; ++i)
            power[i] /= norm;
        for (uint32_t i = 0; i < n; ++i)
            for (uint32_t j = 0; j < n; ++j) {
                square[i * n + j] = 0;
                for (uint32_t k = 0; k < n; ++k)
                    square[i * n + j] += power[i * n + k] * power[k * n + j];
            }
        memcpy(power, square, (size_t)n * n * sizeof *power);
    }
    return exp(logarithm);
}

JnStatus method_damping(const Integrator *method, const MethodOptions *options, double h, double omega,
                        MethodDamping *damping, JnMessage *message) {
    static const double starts[RUNS][2] = {{1, 0}, {0, 1}};
    Runs runs;
    for (int r = 0; r < RUNS; ++r) {
        JnStatus status = run(method, options, h, omega, starts[r], runs[r], message);
        if (status != JN_OK)
            return status;
    }
    for (uint32_t n = 2; n <= DIMENSION_MOST; ++n) {
        double a[DIMENSION_MOST][2], ahead[DIMENSION_MOST * DIMENSION_MOST] = {0};
        if (!fit(runs, n, a) || !predicts(runs, n, a))
            continue;
        for (uint32_t k = 0; k < n; ++k) {
            ahead[k] = a[k][0];
            ahead[n + k] = a[k][1];
        }
        /* older entries are shifted: v_n-1 is the old v_n, q_n-1 the old q_n, the others move by two places */
        for (uint32_t k = 2; k < n; ++k)
            ahead[k * n + (k == 2 ? 1 : k == 3 ? 0 : k - 2)] = 1;
        double rho = spectral_radius(ahead, n);
        *damping = (MethodDamping){rho, -2 * log(rho) / (h * omega), n};
        return JN_OK;
    }
    return status_fail(message, JN_ERR_DIVERGED, "%s does not step a spring of %g Hz in a linear way: %g s is too long",
                       method->entry.name, omega / (2 * acos(-1)), h);
}
