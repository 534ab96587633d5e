#include "exponential/phi_combination.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first space is looked at with so many vectors, then each time that it has grown by this part. */
enum { FIRST_LOOK = 6 };
static const double LOOK_GROWTH = 0.3;
/* The time is divided into at most so many parts; a part is found by at most so many halvings, and so many more steps
   between the longest that is precise and the shortest that is not. */
enum { PARTS_MOST = 4096, HALVINGS_MOST = 12, BISECTIONS = 2 };
/* The next part is tried with this multiple of the length of the last, and looked at first with this part of its
   vectors. */
static const double LONGER = 1.1, FEWER = 0.9;

struct PhiCombiner {
    MotionSpace *space;
    MotionMatrices matrices; /* with the rational space given up, or not */
    size_t n;
    double *velocity, *acceleration[FORCING_TERMS]; /* of the part */
    double *x, *y;                                  /* u where the part starts */
    double *force, *response;                       /* scratch */
    double *memory;                                 /* of these */
    double moved[(PHI_TIMES_MOST + 2) * SPACE_MOST], gained[(PHI_TIMES_MOST + 2) * SPACE_MOST];
};

JnStatus phi_combiner_create(PhiCombiner **out, JnMessage *message) {
    PhiCombiner *combiner = calloc(1, sizeof *combiner);
    *out = NULL;
    if (!combiner)
        return status_no_memory(message, "the phi functions");
    JnStatus status = motion_space_create(&combiner->space, message);
    if (status == JN_OK)
        *out = combiner;
    else
        phi_combiner_destroy(combiner);
    return status;
}

void phi_combiner_destroy(PhiCombiner *combiner) {
    if (!combiner)
        return;
    motion_space_destroy(combiner->space);
    free(combiner->memory);
    free(combiner);
}

static JnStatus prepare(PhiCombiner *combiner, size_t n, JnMessage *message) {
    double **const vectors[] = {&combiner->velocity,
                                &combiner->acceleration[0],
                                &combiner->acceleration[1],
                                &combiner->acceleration[2],
                                &combiner->acceleration[3],
                                &combiner->x,
                                &combiner->y,
                                &combiner->force,
                                &combiner->response};
    if (combiner->memory && combiner->n == n)
        return JN_OK;
    free(combiner->memory);
    combiner->n = n;
    combiner->memory = vectors_make(vectors, sizeof vectors / sizeof *vectors, n);
    return combiner->memory ? JN_OK : status_no_memory(message, "the phi functions");
}

static JnStatus apply(const Operator *operator, const double * x, double *y, JnMessage *message) {
    return operator->apply(operator->self, x, y, message);
}

/* acceleration[0] -= M^-1 (K x + D y) of u where the part starts. */
static JnStatus subtract_response(PhiCombiner *combiner, const MotionMatrices *matrices, JnMessage *message) {
    double *force = combiner->force, *response = combiner->response;
    JnStatus status = apply(&matrices->stiffness, combiner->x, force, message);
    if (status == JN_OK && matrices->damping.apply) {
        status = apply(&matrices->damping, combiner->y, response, message);
        for (size_t i = 0; i < combiner->n; ++i)
            force[i] += response[i];
    }
    if (status == JN_OK)
        status = apply(&matrices->inverse_mass, force, response, message);
    for (size_t i = 0; status == JN_OK && i < combiner->n; ++i)
        combiner->acceleration[0][i] -= response[i];
    return status;
}

/* The starting vectors of a part from t on: b_1 + J u(t), and the forces as powers of the time since t. */
static JnStatus start_part(PhiCombiner *combiner, const PhiProblem *problem, double t, double duration,
                           JnMessage *message) {
    static const double factorial[FORCING_TERMS] = {1, 1, 2, 6};
    const MotionMatrices *matrices = &combiner->matrices;
    size_t n = combiner->n;
    bool has[FORCING_TERMS] = {t > 0}, moves = problem->velocity || t > 0;
    JnStatus status = JN_OK;
    for (int k = 0; k < FORCING_TERMS; ++k) {
        double *sum = combiner->acceleration[k];
        memset(sum, 0, n * sizeof *sum);
        for (int j = k; j < FORCING_TERMS; ++j) {
            double factor = pow(t, j - k) / factorial[j - k];
            has[k] |= problem->acceleration[j] && factor != 0;
            for (size_t i = 0; problem->acceleration[j] && i < n; ++i)
                sum[i] += factor * problem->acceleration[j][i];
        }
    }
    for (size_t i = 0; i < n; ++i)
        combiner->velocity[i] = (problem->velocity ? problem->velocity[i] : 0) + (t > 0 ? combiner->y[i] : 0);
    if (t > 0)
        status = subtract_response(combiner, matrices, message);
    motion_space_begin(combiner->space, matrices, duration);
    for (int k = 0; status == JN_OK && k < FORCING_TERMS; ++k)
        if (has[k] || (k == 0 && moves))
            status = motion_space_start(combiner->space, k, k == 0 && moves ? combiner->velocity : NULL,
                                        has[k] ? combiner->acceleration[k] : NULL, message);
    return status;
}

/* The error of the motion in the space over the time t, and the norm of u after it. */
static JnStatus look(PhiCombiner *combiner, double t, double *error, double *size, JnMessage *message) {
    const double times[2] = {0.5 * t, t};
    size_t n = motion_space_size(combiner->space);
    double middle, end;
    JnStatus status = motion_space_solve(combiner->space, times, 2, combiner->moved, combiner->gained, message);
    if (status == JN_OK)
        status = motion_space_error(combiner->space, t, combiner->moved, combiner->gained, &middle, message);
    if (status == JN_OK)
        status = motion_space_error(combiner->space, t, combiner->moved + n, combiner->gained + n, &end, message);
    if (status != JN_OK)
        return status;
    *error = fmax(middle, end);
    *size = fmax(motion_space_norm(combiner->space, t, combiner->moved, combiner->gained),
                 motion_space_norm(combiner->space, t, combiner->moved + n, combiner->gained + n));
    return JN_OK;
}

/* Writes u at the times within (t, t + duration], and goes on to the end of the part. */
static JnStatus finish_part(PhiCombiner *combiner, const PhiProblem *problem, double t, double duration, bool last,
                            double *const *x, double *const *y, JnMessage *message) {
    double times[PHI_TIMES_MOST + 1];
    size_t wanted[PHI_TIMES_MOST], count = 0, n = motion_space_size(combiner->space);
    for (size_t s = 0; s < problem->time_count; ++s)
        if (problem->times[s] > t && (last || problem->times[s] <= t + duration)) {
            wanted[count] = s;
            times[count++] = problem->times[s] - t;
        }
    times[count] = duration;
    JnStatus status = motion_space_solve(combiner->space, times, count + 1, combiner->moved, combiner->gained, message);
    if (status != JN_OK)
        return status;
    for (size_t c = 0; c <= count; ++c) {
        bool goes_on = c == count;
        double *to_x = goes_on ? combiner->force : x[wanted[c]], *to_y = goes_on ? combiner->velocity : y[wanted[c]];
        motion_space_expand(combiner->space, combiner->moved + c * n, to_x);
        motion_space_expand(combiner->space, combiner->gained + c * n, to_y);
        for (size_t i = 0; t > 0 && i < combiner->n; ++i) {
            to_x[i] += combiner->x[i];
            to_y[i] += combiner->y[i];
        }
    }
    memcpy(combiner->x, combiner->force, combiner->n * sizeof(double));
    memcpy(combiner->y, combiner->velocity, combiner->n * sizeof(double));
    return JN_OK;
}

/* Whether the rest of the time takes fewer operations with polynomial spaces, if a full rational one is precise for
   `part` of what is left. */
static bool polynomial_is_cheaper(const PhiCombiner *combiner, const PhiProblem *problem, double left, double part) {
    double whole_time = problem->times[problem->time_count - 1];
    return combiner->matrices.shifted_inverse.apply && problem->polynomial_cost > 0 &&
           problem->polynomial_cost * problem->polynomial_vectors * left / whole_time <
               problem->rational_cost * SPACE_MOST * ceil(left / part);
}

/* About the longest time for which the motion in the full space is precise, if its error may be `allowed` times the
   part of *duration that it is; *found: whether there is one. error: that of *duration, then of the time found. */
static JnStatus shorten(PhiCombiner *combiner, double allowed, double *duration, double *error, bool *found,
                        JnMessage *message) {
    double part = 1, too_long = 1, size;
    JnStatus status = JN_OK;
    for (int halving = 0; status == JN_OK && *error > allowed * part && halving < HALVINGS_MOST; ++halving) {
        too_long = part;
        part *= 0.5;
        status = look(combiner, part * *duration, error, &size, message);
    }
    *found = status == JN_OK && *error <= allowed * part;
    for (int k = 0; *found && status == JN_OK && k < BISECTIONS; ++k) {
        double middle = 0.5 * (part + too_long), error_there;
        status = look(combiner, middle * *duration, &error_there, &size, message);
        if (status == JN_OK && error_there <= allowed * middle) {
            part = middle;
            *error = error_there;
        } else {
            too_long = middle;
        }
    }
    *duration *= part;
    return status;
}

/* Grows the space until the motion over *duration is precise, or it is full: then it is for what *duration becomes.
   look_at: the number of vectors at which to look first. *again: the part is to be started again, with a polynomial
   space. */
static JnStatus grow(PhiCombiner *combiner, const PhiProblem *problem, double t, size_t look_at, double *duration,
                     PhiReport *report, bool *again, JnMessage *message) {
    double whole_time = problem->times[problem->time_count - 1], tried = *duration, error = 0, size = 0;
    bool whole = false, rational = combiner->matrices.shifted_inverse.apply != NULL;
    *again = false;
    report->vectors += (uint32_t)motion_space_size(combiner->space);
    while (true) {
        size_t before = motion_space_size(combiner->space);
        look_at = look_at < before + 1 ? before + 1 : look_at;
        JnStatus status = motion_space_grow(combiner->space, look_at - before, &whole, message);
        size_t now = motion_space_size(combiner->space);
        report->vectors += (uint32_t)(now - before);
        report->solves += rational ? (uint32_t)(now - before) : 0;
        if (status == JN_OK)
            status = look(combiner, tried, &error, &size, message);
        if (status != JN_OK)
            return status;
        report->size = fmax(report->size, size);
        double allowed = problem->tolerance * fmax(report->size, problem->least) * tried / whole_time;
        if (error <= allowed || whole)
            break;
        if (now == SPACE_MOST) {
            bool found = false;
            status = shorten(combiner, allowed, duration, &error, &found, message);
            *again = status == JN_OK && polynomial_is_cheaper(combiner, problem, whole_time - t, *duration);
            if (status == JN_OK && !found && !*again)
                status = status_fail(message, JN_ERR_DIVERGED,
                                     "the phi functions of the motion at %g s of a step do not converge: use more "
                                     "steps_per_frame",
                                     t);
            if (status != JN_OK || *again)
                return status;
            break;
        }
        look_at = now + 2 + (size_t)(LOOK_GROWTH * (double)now);
        look_at = look_at > SPACE_MOST ? SPACE_MOST : look_at;
    }
    report->error += whole ? 0 : error;
    return JN_OK;
}

JnStatus phi_combine(PhiCombiner *combiner, const PhiProblem *problem, double *const *x, double *const *y,
                     PhiReport *report, JnMessage *message) {
    double whole_time = problem->times[problem->time_count - 1], t = 0, next = whole_time;
    size_t look_at = FIRST_LOOK;
    JnStatus status = prepare(combiner, problem->matrices->n, message);
    combiner->matrices = *problem->matrices;
    *report = (PhiReport){0};
    for (bool last = false; status == JN_OK && !last;) {
        double left = whole_time - t, duration = fmin(left, next);
        bool again = false;
        if (report->parts == PARTS_MOST)
            return status_fail(message, JN_ERR_DIVERGED,
                               "the phi functions of a motion over %g s would take more than %d parts: use more "
                               "steps_per_frame",
                               whole_time, PARTS_MOST);
        status = start_part(combiner, problem, t, duration, message);
        if (status == JN_OK)
            status = grow(combiner, problem, t, look_at, &duration, report, &again, message);
        if (status == JN_OK && again) {
            combiner->matrices.shifted_inverse.apply = NULL;
            report->size = 0; /* in another norm from now on */
            continue;
        }
        last = duration >= left;
        if (status == JN_OK)
            status = finish_part(combiner, problem, t, duration, last, x, y, message);
        ++report->parts;
        t += duration;
        next = LONGER * duration;
        look_at = (size_t)(FEWER * (double)motion_space_size(combiner->space) * fmin(1, (whole_time - t) / duration));
    }
    return status;
}
