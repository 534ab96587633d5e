#include "exponential/small_motion.h"

#include "base/status.h"
#include "exponential/dense_exponential.h"
#include "linear/dense_eigen.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ without damping */

/* Below this magnitude of w the series is used, in which no digits cancel. */
static const double SERIES = 9;
enum { SERIES_TERMS = 16 };

void oscillation_functions(double w, double psi[FORCING_TERMS + 2]) {
    static const double factorial[] = {1, 1, 2, 6, 24, 120};
    if (fabs(w) < SERIES) {
        for (int j = FORCING_TERMS; j < FORCING_TERMS + 2; ++j) {
            double sum = 0;
            for (int i = SERIES_TERMS; i > 0; --i)
                sum = -w / ((2 * i + j - 1.0) * (2 * i + j)) * (1 + sum);
            psi[j] = (1 + sum) / factorial[j];
        }
        for (int j = FORCING_TERMS - 1; j >= 0; --j)
            psi[j] = 1 / factorial[j] - w * psi[j + 2];
        return;
    }
    double root = sqrt(fabs(w)), half = w > 0 ? sin(root / 2) : sinh(root / 2);
    psi[0] = w > 0 ? cos(root) : cosh(root);
    psi[1] = (w > 0 ? sin(root) : sinh(root)) / root;
    psi[2] = 2 * half * half / fabs(w);
    for (int j = 3; j < FORCING_TERMS + 2; ++j)
        psi[j] = (1 / factorial[j - 2] - psi[j - 2]) / w;
}

/* out = Q' x, the rows of `modes` being the columns of Q. */
static void to_modes(size_t n, const double *modes, const double *x, double *out) {
    for (size_t i = 0; i < n; ++i) {
        double sum = 0;
        for (size_t j = 0; x && j < n; ++j)
            sum += modes[i * n + j] * x[j];
        out[i] = sum;
    }
}

static void from_modes(size_t n, const double *modes, const double *x, double *out) {
    memset(out, 0, n * sizeof *out);
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j)
            out[j] += modes[i * n + j] * x[i];
}

static JnStatus solve_modes(const SmallMotion *motion, const double *times, size_t time_count, double *moved,
                            double *gained, JnMessage *message) {
    size_t n = motion->n;
    double *modes = malloc((n * n + (FORCING_TERMS + 4) * n) * sizeof *modes);
    if (!modes)
        return status_no_memory(message, "the motion of a subspace");
    double *values = modes + n * n, *velocity = values + n, *forcing = velocity + n,
           *position = forcing + FORCING_TERMS * n, *change = position + n;
    memcpy(modes, motion->stiffness, n * n * sizeof *modes);
    JnStatus status = dense_eigen(n, modes, NULL, values, message);
    if (status == JN_OK) {
        to_modes(n, modes, motion->velocity, velocity);
        for (int k = 0; k < FORCING_TERMS; ++k)
            to_modes(n, modes, motion->forcing[k], forcing + (size_t)k * n);
    }
    for (size_t s = 0; status == JN_OK && s < time_count; ++s) {
        double t = times[s];
        for (size_t i = 0; i < n; ++i) {
            double psi[FORCING_TERMS + 2], w = values[i] * t * t, power = t;
            oscillation_functions(w, psi);
            position[i] = t * psi[1] * velocity[i];
            change[i] = -w * psi[2] * velocity[i];
            for (int k = 0; k < FORCING_TERMS; ++k, power *= t) {
                position[i] += power * t * psi[k + 2] * forcing[(size_t)k * n + i];
                change[i] += power * psi[k + 1] * forcing[(size_t)k * n + i];
            }
        }
        from_modes(n, modes, position, moved + s * n);
        from_modes(n, modes, change, gained + s * n);
    }
    free(modes);
    return status;
}

/* ------------------------------------------------------------------------------------------------ with damping */

/* The first-order form over the time t, with t z' as the second half and the powers of time as further unknowns, whose
   forces are divided by `scale`; [m * m] by rows, m = 2 n + FORCING_TERMS. */
static void write_augmented(const SmallMotion *motion, double t, double scale, double *a) {
    size_t n = motion->n, m = 2 * n + FORCING_TERMS;
    memset(a, 0, m * m * sizeof *a);
    for (size_t i = 0; i < n; ++i) {
        double *row = a + (n + i) * m, power = t * t;
        a[i * m + n + i] = 1;
        for (size_t j = 0; j < n; ++j) {
            row[j] = -t * t * motion->stiffness[i * n + j];
            row[n + j] = -t * motion->damping[i * n + j];
        }
        a[i * m + 2 * n] = motion->velocity ? t * motion->velocity[i] / scale : 0;
        for (size_t k = 0; k < FORCING_TERMS; ++k, power *= t)
            row[2 * n + k] = motion->forcing[k] ? power * motion->forcing[k][i] / scale : 0;
    }
    for (size_t k = 1; k < FORCING_TERMS; ++k)
        a[(2 * n + k) * m + 2 * n + k - 1] = 1;
}

/* The largest force or velocity over the time t, as a length. */
static double forcing_scale(const SmallMotion *motion, double t) {
    double scale = 0, power = t * t;
    for (size_t i = 0; motion->velocity && i < motion->n; ++i)
        scale = fmax(scale, t * fabs(motion->velocity[i]));
    for (int k = 0; k < FORCING_TERMS; ++k, power *= t)
        for (size_t i = 0; motion->forcing[k] && i < motion->n; ++i)
            scale = fmax(scale, power * fabs(motion->forcing[k][i]));
    return scale;
}

static JnStatus solve_exponential(const SmallMotion *motion, const double *times, size_t time_count, double *moved,
                                  double *gained, JnMessage *message) {
    size_t n = motion->n, m = 2 * n + FORCING_TERMS;
    double *a = malloc(m * m * sizeof *a);
    JnStatus status = a ? JN_OK : status_no_memory(message, "the motion of a subspace");
    for (size_t s = 0; status == JN_OK && s < time_count; ++s) {
        double scale = forcing_scale(motion, times[s]);
        bool rests = !(scale > 0);
        write_augmented(motion, times[s], rests ? 1 : scale, a);
        status = dense_exponential(m, a, message);
        for (size_t i = 0; status == JN_OK && i < n; ++i) {
            moved[s * n + i] = rests ? 0 : scale * a[i * m + 2 * n];
            gained[s * n + i] = rests ? 0 : scale * a[(n + i) * m + 2 * n] / times[s];
        }
    }
    free(a);
    return status;
}

JnStatus small_motion_solve(const SmallMotion *motion, const double *times, size_t time_count, double *moved,
                            double *gained, JnMessage *message) {
    JnStatus status = motion->damping ? solve_exponential(motion, times, time_count, moved, gained, message)
                                      : solve_modes(motion, times, time_count, moved, gained, message);
    for (size_t i = 0; status == JN_OK && i < time_count * motion->n; ++i)
        if (!isfinite(moved[i]) || !isfinite(gained[i]))
            status = status_fail(message, JN_ERR_DIVERGED,
                                 "the motion grows beyond all numbers within a time step: use more steps_per_frame");
    return status;
}
