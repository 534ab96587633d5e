/* The classical explicit Runge-Kutta method of order 4, the reference that other methods are compared with. It cuts a
   step into as many equal parts as stability needs: it is stable while h w < 2.78 for the highest natural frequency w
   and h d < 2.78 for the largest damping rate d, which are found by power iteration on M^-1 K and M^-1 D at the start
   of the step. With consistent mass, accelerating pinned vertices exert inertial forces on their neighbours: their
   acceleration is that of the parabola through their velocities at the start, the middle and the end of a part. Parts
   in which anything may touch are taken by another method: what is fast enough crosses a thin wall within one of its
   own, with no stage inside. */
#include "integrate/stage.h"
#include "integrate/touching_steps.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ONE_STEP_FAMILY(rk4);

/* h w and h d together stay below this. */
static const double STABLE = 2;
/* Safety factor: power iteration approaches the largest eigenvalue from below. */
static const double MISSED = 1.1;
enum { POWER_ITERATIONS = 30, PARTS_MOST = 1000000, STAGES = 4, PIN_TIMES = 3 };

static const double times[STAGES] = {0, 0.5, 0.5, 1}, weights[STAGES] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

typedef struct Rk4 {
    size_t count;                              /* vertex_count * 3 */
    double *q, *v;                             /* of the stage */
    double *slope_v[STAGES], *slope_q[STAGES]; /* accelerations and velocities of the stages */
    double *vector, *product;                  /* of the power iteration */
    double
        *pin_velocity[PIN_TIMES]; /* of pinned vertices at the start, middle and end of a part; consistent mass only */
    double *memory;               /* of all these */
    Jacobian *matrix;             /* of the power iteration: K, then D */
    TouchingSteps *touching;
} Rk4;

JnStatus rk4_prepare(View *view, const MethodOptions *options, void **out, JnMessage *message) {
    (void)options;
    *out = NULL;
    Rk4 *rk4 = calloc(1, sizeof *rk4);
    if (!rk4)
        return status_no_memory(message, "the integrator");
    rk4->count = (size_t)view->system->vertex_count * 3;
    double **vectors[] = {
        &rk4->q,          &rk4->v,          &rk4->vector,          &rk4->product,         &rk4->slope_v[0],
        &rk4->slope_v[1], &rk4->slope_v[2], &rk4->slope_v[3],      &rk4->slope_q[0],      &rk4->slope_q[1],
        &rk4->slope_q[2], &rk4->slope_q[3], &rk4->pin_velocity[0], &rk4->pin_velocity[1], &rk4->pin_velocity[2]};
    rk4->memory = vectors_make(vectors, sizeof vectors / sizeof vectors[0], rk4->count);
    JnStatus status =
        rk4->memory ? jacobian_create(view, &rk4->matrix, message) : status_no_memory(message, "the integrator");
    if (status == JN_OK)
        status = touching_steps_create(view, &rk4->touching, message);
    if (status == JN_OK)
        *out = rk4;
    else
        rk4_destroy(rk4);
    return status;
}

/* The largest eigenvalue of M^-1 A by magnitude, A = rk4->matrix, in the lumped mass, which is above that in the
   consistent one by at most a factor of 5. */
static double largest_eigenvalue(Rk4 *rk4, const View *view) {
    double eigenvalue = 0;
    uint64_t random = 1;
    for (size_t i = 0; i < rk4->count; ++i) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        rk4->vector[i] = !view_is_free(view, i / 3) ? 0 : (double)(random >> 40) / (1 << 23) - 1;
    }
    for (int iteration = 0; iteration < POWER_ITERATIONS; ++iteration) {
        double square = 0;
        for (size_t i = 0; i < rk4->count; ++i)
            square += rk4->vector[i] * rk4->vector[i];
        if (!(square > 0))
            return 0;
        double scale = 1 / sqrt(square);
        for (size_t i = 0; i < rk4->count; ++i)
            rk4->vector[i] *= scale;
        jacobian_multiply(rk4->matrix, rk4->vector, rk4->product);
        eigenvalue = 0;
        for (size_t i = 0; i < rk4->count; ++i) {
            rk4->vector[i] = !view_is_free(view, i / 3) ? 0 : rk4->product[i] / view->system->masses[i / 3];
            eigenvalue += rk4->vector[i] * rk4->vector[i];
        }
        eigenvalue = sqrt(eigenvalue);
    }
    return eigenvalue * (view->system->mass_blocks ? 5 : 1);
}

/* The number of parts that a step of h is cut into. */
static JnStatus count_parts(Rk4 *rk4, View *view, const State *state, double h, uint32_t *parts, JnMessage *message) {
    JnStatus status = stage_begin(view, &(StageTimes){state->time, state->time + h, state->time + h, false}, state->q,
                                  state->v, message);
    if (status != JN_OK)
        return status;
    const JacobianScales stiffness = {.stiffness = 1, .contacts = CONTACTS_GIVEN},
                         damping = {.damping = 1, .contacts = CONTACTS_GIVEN};
    double frequency = 0, damping_rate = 0;
    jacobian_drop_contacts(rk4->matrix);
    status = jacobian_assemble(rk4->matrix, state->q, NULL, &stiffness, STIFFNESS_RAW, NULL, message);
    if (status == JN_OK) {
        frequency = sqrt(largest_eigenvalue(rk4, view));
        status = jacobian_assemble(rk4->matrix, state->q, NULL, &damping, STIFFNESS_RAW, NULL, message);
    }
    if (status != JN_OK)
        return status;
    damping_rate = largest_eigenvalue(rk4, view);
    double needed = ceil(MISSED * h * (frequency + damping_rate) / STABLE);
    if (!(needed <= PARTS_MOST))
        return status_fail(message, JN_ERR_DIVERGED,
                           "Runge-Kutta 4 would need %.3g steps in %g s to be stable: choose an implicit integrator",
                           needed, h);
    *parts = needed < 1 ? 1 : (uint32_t)needed;
    return JN_OK;
}

static void find_pin_velocities(Rk4 *rk4, View *view, double time, double h) {
    for (int k = 0; k < PIN_TIMES; ++k) {
        double then = time + 0.5 * k * h;
        view_set_time(view, then, then);
        for (size_t i = 0; i < rk4->count; ++i)
            rk4->pin_velocity[k][i] = !view_is_free(view, i / 3) ? view->prescribed_velocities[i] : 0;
    }
}

/* force -= M a of the pinned vertices at time k/2 of the part. */
static void subtract_pin_inertia(Rk4 *rk4, const View *view, int k, double h, double *force) {
    static const double differences[PIN_TIMES][PIN_TIMES] = {{-3, 4, -1}, {-1, 0, 1}, {1, -4, 3}};
    for (size_t i = 0; i < rk4->count; ++i)
        rk4->vector[i] = (differences[k][0] * rk4->pin_velocity[0][i] + differences[k][1] * rk4->pin_velocity[1][i] +
                          differences[k][2] * rk4->pin_velocity[2][i]) /
                         h;
    system_multiply_mass(view->system, rk4->vector, rk4->product);
    for (size_t i = 0; i < rk4->count; ++i)
        force[i] -= rk4->product[i];
}

/* Slopes of stage s at rk4->q, rk4->v, of a part that starts at `start`. */
static JnStatus find_slopes(Rk4 *rk4, View *view, int s, double start, double h, JnMessage *message) {
    double time = start + times[s] * h;
    JnStatus status = stage_begin(view, &(StageTimes){time, time, time, s > 0}, rk4->q, rk4->v, message);
    if (status != JN_OK)
        return status;
    for (size_t i = 0; i < rk4->count; ++i)
        if (!view_is_free(view, i / 3)) {
            rk4->q[i] = view->prescribed_positions[i];
            rk4->v[i] = view->prescribed_velocities[i];
        }
    memcpy(rk4->slope_q[s], rk4->v, rk4->count * sizeof(double));
    status = view_force(view, ALL_TERM_ROLES, rk4->q, rk4->v, rk4->slope_v[s], message);
    if (status != JN_OK)
        return status;
    if (view->system->mass_blocks)
        subtract_pin_inertia(rk4, view, (int)(2 * times[s]), h, rk4->slope_v[s]);
    return view_divide_by_mass(view, rk4->slope_v[s], message);
}

static JnStatus advance_part(Rk4 *rk4, View *view, State *state, double h, JnMessage *message) {
    if (view->system->mass_blocks)
        find_pin_velocities(rk4, view, state->time, h);
    memcpy(rk4->q, state->q, rk4->count * sizeof(double));
    memcpy(rk4->v, state->v, rk4->count * sizeof(double));
    for (int s = 0; s < STAGES; ++s) {
        for (size_t i = 0; s > 0 && i < rk4->count; ++i) {
            rk4->q[i] = state->q[i] + times[s] * h * rk4->slope_q[s - 1][i];
            rk4->v[i] = state->v[i] + times[s] * h * rk4->slope_v[s - 1][i];
        }
        JnStatus status = find_slopes(rk4, view, s, state->time, h, message);
        if (status != JN_OK)
            return status;
    }
    for (size_t i = 0; i < rk4->count; ++i)
        for (int s = 0; s < STAGES; ++s) {
            state->q[i] += weights[s] * h * rk4->slope_q[s][i];
            state->v[i] += weights[s] * h * rk4->slope_v[s][i];
        }
    state->time += h;
    return JN_OK;
}

JnStatus rk4_step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    Rk4 *rk4 = self;
    uint32_t parts = 1, part = 0;
    double start = state->time;
    bool touches = false;
    *report = (StepReport){.h = h, .error = NAN, .residual = NAN};
    JnStatus status = count_parts(rk4, view, state, h, &parts, message);
    while (status == JN_OK && part < parts) {
        status = system_check_cancelled(view->system, message);
        if (status == JN_OK)
            status = touching_steps_begin(rk4->touching, view, state, h / parts, &touches, message);
        if (status != JN_OK || touches)
            break;
        status = advance_part(rk4, view, state, h / parts, message);
        state->time = start + h * ++part / parts;
    }
    if (status == JN_OK && touches && part == 0) {
        report->h = h / parts;
        return touching_steps_take(rk4->touching, view, state, report->h, report, message);
    }
    report->h = h * part / parts; /* what touches is another step */
    view_set_time(view, start, state->time);
    for (size_t i = 0; i < rk4->count; ++i)
        if (!view_is_free(view, i / 3)) {
            state->q[i] = view->prescribed_positions[i];
            state->v[i] = view->prescribed_velocities[i];
        }
    return status;
}

void rk4_destroy(void *self) {
    Rk4 *rk4 = self;
    if (!rk4)
        return;
    jacobian_destroy(rk4->matrix);
    touching_steps_destroy(rk4->touching);
    free(rk4->memory);
    free(rk4);
}
