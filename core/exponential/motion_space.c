#include "exponential/motion_space.h"

#include "base/status.h"
#include "base/vectors.h"
#include "exponential/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS_MOST = 2 * SPACE_MOST + FORCING_TERMS + 1 };
/* What is left of a vector after it was made orthogonal is noise below this part of it. */
static const double NOISE = 1e-13;

typedef struct Pair { /* (x, y) = (V a, V b) */
    double a[SPACE_MOST], b[SPACE_MOST];
} Pair;

struct MotionSpace {
    const MotionMatrices *matrices;
    double duration;
    size_t size;
    /* basis vectors v, K v and D v, [n], allocated when they are first needed; `damped` with the first damping */
    double *v[SPACE_MOST], *stiff[SPACE_MOST], *damped[SPACE_MOST];
    double stiffness[SPACE_MOST * SPACE_MOST], damping[SPACE_MOST * SPACE_MOST]; /* V'KV, V'DV; rows of SPACE_MOST */
    Pair pairs[PAIRS_MOST];
    size_t pair_count, next; /* pairs made, and the first of them that has not been followed up */
    double velocity[SPACE_MOST], forcing[FORCING_TERMS][SPACE_MOST];
    bool has_velocity, has_forcing[FORCING_TERMS];
    double *vector, *product, *rest; /* [n] scratch */
    double *memory;                  /* of these */
    size_t n;
};

JnStatus motion_space_create(MotionSpace **out, JnMessage *message) {
    *out = calloc(1, sizeof **out);
    return *out ? JN_OK : status_no_memory(message, "a Krylov space");
}

static void free_columns(MotionSpace *space) {
    for (size_t k = 0; k < SPACE_MOST; ++k) {
        free(space->v[k]);
        free(space->stiff[k]);
        free(space->damped[k]);
        space->v[k] = space->stiff[k] = space->damped[k] = NULL;
    }
}

void motion_space_destroy(MotionSpace *space) {
    if (!space)
        return;
    free_columns(space);
    free(space->memory);
    free(space);
}

static JnStatus prepare_scratch(MotionSpace *space, JnMessage *message) {
    double **const vectors[] = {&space->vector, &space->product, &space->rest};
    if (space->memory && space->n == space->matrices->n)
        return JN_OK;
    free_columns(space);
    free(space->memory);
    space->n = space->matrices->n;
    space->memory = vectors_make(vectors, sizeof vectors / sizeof *vectors, space->n);
    return space->memory ? JN_OK : status_no_memory(message, "a Krylov space");
}

static bool prepare_vector(double **vector, size_t n) {
    if (!*vector)
        *vector = malloc((n + 1) * sizeof **vector);
    return *vector != NULL;
}

static JnStatus prepare_column(MotionSpace *space, size_t k, JnMessage *message) {
    bool ok = prepare_vector(&space->v[k], space->n) && prepare_vector(&space->stiff[k], space->n) &&
              (!space->matrices->damping.apply || prepare_vector(&space->damped[k], space->n));
    return ok ? JN_OK : status_no_memory(message, "a Krylov space");
}

void motion_space_begin(MotionSpace *space, const MotionMatrices *matrices, double duration) {
    space->matrices = matrices;
    space->duration = duration;
    space->size = space->pair_count = space->next = 0;
    space->has_velocity = false;
    memset(space->has_forcing, 0, sizeof space->has_forcing);
}

size_t motion_space_size(const MotionSpace *space) {
    return space->size;
}

/* ------------------------------------------------------------------------------------------------ the basis */

static JnStatus apply(const Operator *operator, const double * x, double *y, JnMessage *message) {
    return operator->apply(operator->self, x, y, message);
}

void motion_space_expand(const MotionSpace *space, const double *coefficients, double *x) {
    memset(x, 0, space->n * sizeof *x);
    add_columns(space->n, space->v, coefficients, space->size, x);
}

/* The products of the newest vector, and its rows and columns of the small matrices. */
static JnStatus take_products(MotionSpace *space, size_t last, JnMessage *message) {
    const MotionMatrices *matrices = space->matrices;
    bool damped = matrices->damping.apply != NULL;
    double row[SPACE_MOST], damping_row[SPACE_MOST];
    JnStatus status = apply(&matrices->stiffness, space->v[last], space->stiff[last], message);
    if (status == JN_OK && damped)
        status = apply(&matrices->damping, space->v[last], space->damped[last], message);
    if (status != JN_OK)
        return status;
    dot_columns(space->n, space->v, last + 1, space->stiff[last], row);
    if (damped)
        dot_columns(space->n, space->v, last + 1, space->damped[last], damping_row);
    for (size_t k = 0; k <= last; ++k) {
        space->stiffness[k * SPACE_MOST + last] = space->stiffness[last * SPACE_MOST + k] = row[k];
        if (damped)
            space->damping[k * SPACE_MOST + last] = space->damping[last * SPACE_MOST + k] = damping_row[k];
    }
    return JN_OK;
}

/* Makes x, which is overwritten, a vector of the basis, unless it is in it or the basis is full. coefficients:
   [SPACE_MOST] of x in the basis. *full: it had no room for it. */
static JnStatus take_vector(MotionSpace *space, double *x, double coefficients[SPACE_MOST], bool *full,
                            JnMessage *message) {
    const MotionMatrices *matrices = space->matrices;
    double before = 0, length = 0;
    memset(coefficients, 0, SPACE_MOST * sizeof *coefficients);
    *full = false;
    for (int pass = 0; pass < 3; ++pass) {
        JnStatus status = apply(&matrices->mass, x, space->product, message);
        if (status != JN_OK)
            return status;
        double square = column_dot(space->n, x, space->product), parts[SPACE_MOST];
        length = sqrt(fmax(0, square));
        if (pass == 0)
            before = length;
        if (!isfinite(square))
            return status_fail(message, JN_ERR_DIVERGED,
                               "the motion within a time step is not finite: use more "
                               "steps_per_frame");
        if (!(length > NOISE * before))
            return JN_OK;
        if (pass == 2)
            break;
        dot_columns(space->n, space->v, space->size, space->product, parts);
        for (size_t k = 0; k < space->size; ++k) {
            coefficients[k] += parts[k];
            parts[k] = -parts[k];
        }
        add_columns(space->n, space->v, parts, space->size, x);
    }
    if (space->size == SPACE_MOST) {
        *full = true;
        return JN_OK;
    }
    JnStatus status = prepare_column(space, space->size, message);
    if (status != JN_OK)
        return status;
    for (size_t i = 0; i < space->n; ++i)
        space->v[space->size][i] = x[i] / length;
    status = take_products(space, space->size, message);
    if (status == JN_OK)
        coefficients[space->size++] = length;
    return status;
}

/* ------------------------------------------------------------------------------------------------ pairs */

static double pair_dot(const Pair *p, const Pair *q, size_t size) {
    return vector_dot(p->a, q->a, size) + vector_dot(p->b, q->b, size);
}

/* Keeps what is new in the pair, if anything is. */
static void take_pair(MotionSpace *space, const Pair *given) {
    if (space->pair_count == PAIRS_MOST)
        return;
    Pair *pair = &space->pairs[space->pair_count];
    *pair = *given;
    double before = sqrt(pair_dot(pair, pair, space->size));
    for (int pass = 0; pass < 2; ++pass)
        for (size_t p = 0; p < space->pair_count; ++p) {
            const Pair *other = &space->pairs[p];
            double part = pair_dot(pair, other, space->size);
            for (size_t k = 0; k < space->size; ++k) {
                pair->a[k] -= part * other->a[k];
                pair->b[k] -= part * other->b[k];
            }
        }
    double length = sqrt(pair_dot(pair, pair, space->size));
    if (!(length > 1e3 * NOISE * before))
        return;
    for (size_t k = 0; k < SPACE_MOST; ++k) {
        pair->a[k] /= length;
        pair->b[k] /= length;
    }
    ++space->pair_count;
}

JnStatus motion_space_start(MotionSpace *space, int power, const double *velocity, const double *acceleration,
                            JnMessage *message) {
    Pair pair = {{0}, {0}};
    bool full = false;
    double scale = space->duration;
    JnStatus status = prepare_scratch(space, message);
    if (status == JN_OK && velocity) {
        memcpy(space->vector, velocity, space->n * sizeof(double));
        status = take_vector(space, space->vector, space->velocity, &full, message);
        space->has_velocity = true;
        memcpy(pair.a, space->velocity, sizeof pair.a);
    }
    if (status == JN_OK && acceleration) {
        memcpy(space->vector, acceleration, space->n * sizeof(double));
        status = take_vector(space, space->vector, space->forcing[power], &full, message);
        space->has_forcing[power] = true;
        for (size_t k = 0; k < SPACE_MOST; ++k)
            pair.b[k] = scale * space->forcing[power][k];
    }
    if (status == JN_OK)
        take_pair(space, &pair);
    return status;
}

static bool any(const double coefficients[SPACE_MOST], size_t size) {
    for (size_t k = 0; k < size; ++k)
        if (coefficients[k] != 0)
            return true;
    return false;
}

/* The pair that follows (x, y) in the Krylov space of J, in units of the duration. */
static JnStatus follow_polynomially(MotionSpace *space, const Pair *pair, Pair *next, bool *full, JnMessage *message) {
    double t = space->duration;
    bool damped = space->matrices->damping.apply && any(pair->b, space->size);
    memcpy(next->a, pair->b, sizeof next->a);
    memset(next->b, 0, sizeof next->b);
    *full = false;
    if (!damped && !any(pair->a, space->size))
        return JN_OK;
    memset(space->vector, 0, space->n * sizeof(double));
    add_columns(space->n, space->stiff, pair->a, space->size, space->vector);
    for (size_t i = 0; i < space->n; ++i)
        space->vector[i] *= t;
    if (damped)
        add_columns(space->n, space->damped, pair->b, space->size, space->vector);
    JnStatus status = apply(&space->matrices->inverse_mass, space->vector, space->rest, message);
    for (size_t i = 0; i < space->n; ++i)
        space->rest[i] *= -t;
    return status == JN_OK ? take_vector(space, space->rest, next->b, full, message) : status;
}

/* The one that follows in the Krylov space of (1 - s J)^-1. */
static JnStatus follow_rationally(MotionSpace *space, const Pair *pair, Pair *next, bool *full, JnMessage *message) {
    double t = space->duration, shift = space->matrices->shift / t;
    double *y = space->vector, *right = space->product;
    motion_space_expand(space, pair->b, y);
    JnStatus status = apply(&space->matrices->mass, y, right, message);
    if (status != JN_OK)
        return status;
    memset(y, 0, space->n * sizeof *y);
    add_columns(space->n, space->stiff, pair->a, space->size, y);
    for (size_t i = 0; i < space->n; ++i)
        right[i] -= shift * t * t * y[i];
    status = apply(&space->matrices->shifted_inverse, right, y, message);
    if (status == JN_OK)
        status = take_vector(space, y, next->b, full, message);
    for (size_t k = 0; k < SPACE_MOST; ++k)
        next->a[k] = pair->a[k] + shift * next->b[k];
    return status;
}

JnStatus motion_space_grow(MotionSpace *space, size_t count, bool *whole, JnMessage *message) {
    size_t target = space->size + count;
    bool full = false;
    while (space->size < target && space->next < space->pair_count && !full) {
        const Pair pair = space->pairs[space->next++];
        Pair next;
        JnStatus status = space->matrices->shifted_inverse.apply
                              ? follow_rationally(space, &pair, &next, &full, message)
                              : follow_polynomially(space, &pair, &next, &full, message);
        if (status != JN_OK)
            return status;
        if (!full)
            take_pair(space, &next);
    }
    *whole = space->next == space->pair_count && !full;
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ the motion */

JnStatus motion_space_solve(const MotionSpace *space, const double *times, size_t time_count, double *moved,
                            double *gained, JnMessage *message) {
    size_t n = space->size;
    bool damped = space->matrices->damping.apply != NULL;
    double *matrices = malloc((2 * n * n + 1) * sizeof *matrices);
    if (!matrices)
        return status_no_memory(message, "the motion of a subspace");
    for (size_t i = 0; i < n; ++i)
        for (size_t j = 0; j < n; ++j) {
            matrices[i * n + j] = space->stiffness[i * SPACE_MOST + j];
            matrices[(n + i) * n + j] = damped ? space->damping[i * SPACE_MOST + j] : 0;
        }
    SmallMotion motion = {.n = n,
                          .stiffness = matrices,
                          .damping = damped ? matrices + n * n : NULL,
                          .velocity = space->has_velocity ? space->velocity : NULL};
    for (int k = 0; k < FORCING_TERMS; ++k)
        motion.forcing[k] = space->has_forcing[k] ? space->forcing[k] : NULL;
    JnStatus status = small_motion_solve(&motion, times, time_count, moved, gained, message);
    free(matrices);
    return status;
}

/* In a rational space, what is left out may be stiff and still move little. The response w to it in a step of backward
   Euler of s tells its frequency and its rate of damping, as quotients of w; a force in tune with a mode of the
   frequency f moves it by at most t / f times the force, and one with a damping rate of d by t / d. left is
   overwritten. */
static JnStatus estimate_by_response(MotionSpace *space, double t, double *left, double *error, JnMessage *message) {
    const MotionMatrices *matrices = space->matrices;
    double *w = space->rest, s = matrices->shift, stiff, damped = 0;
    JnStatus status = apply(&matrices->shifted_inverse, left, w, message);
    if (status == JN_OK)
        status = apply(&matrices->mass, w, left, message);
    double square = column_dot(space->n, w, left);
    if (status == JN_OK)
        status = apply(&matrices->stiffness, w, left, message);
    stiff = fmax(0, column_dot(space->n, w, left));
    if (status == JN_OK && matrices->damping.apply) {
        status = apply(&matrices->damping, w, left, message);
        damped = fmax(0, column_dot(space->n, w, left));
    }
    *error = 0;
    if (status != JN_OK || !(square > 0))
        return status;
    double frequency = sqrt(stiff / square), rate = damped / square;
    double force = sqrt(square) * (1 + s * rate + s * s * frequency * frequency);
    *error = force * fmin(0.5 * t * t, t / fmax(frequency, rate));
    return JN_OK;
}

JnStatus motion_space_error(MotionSpace *space, double t, const double *moved, const double *gained, double *error,
                            JnMessage *message) {
    const MotionMatrices *matrices = space->matrices;
    bool damped = matrices->damping.apply != NULL;
    double force[SPACE_MOST], *left = space->vector, *response = space->rest;
    for (size_t i = 0; i < space->size; ++i) {
        force[i] = vector_dot(space->stiffness + i * SPACE_MOST, moved, space->size);
        if (damped)
            force[i] += vector_dot(space->damping + i * SPACE_MOST, gained, space->size);
    }
    /* what K x + D y has outside of the space */
    motion_space_expand(space, force, response);
    JnStatus status = apply(&matrices->mass, response, left, message);
    for (size_t i = 0; i < space->n; ++i)
        left[i] = -left[i];
    add_columns(space->n, space->stiff, moved, space->size, left);
    if (damped)
        add_columns(space->n, space->damped, gained, space->size, left);
    /* in a polynomial space: a force r that is left out moves by at most t^2 r / 2, and is worth a velocity of t r */
    bool rational = matrices->shifted_inverse.apply != NULL;
    if (status == JN_OK)
        status = apply(&matrices->inverse_mass, left, response, message);
    if (status == JN_OK)
        *error = (rational ? 0.5 : 1) * t * t * sqrt(fmax(0, column_dot(space->n, left, response)));
    if (status != JN_OK || !rational)
        return status;
    double response_error = INFINITY;
    status = estimate_by_response(space, t, left, &response_error, message);
    *error = fmin(*error, response_error);
    return status;
}

double motion_space_norm(const MotionSpace *space, double t, const double *moved, const double *gained) {
    double length = vector_length(moved, space->size);
    return space->matrices->shifted_inverse.apply ? length : hypot(length, t * vector_length(gained, space->size));
}
