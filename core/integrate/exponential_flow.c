#include "integrate/exponential_internal.h"

#include "base/status.h"
#include "base/vectors.h"
#include "linear/connected.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Derivatives by time are differences over this part of the step. */
static const double TIME_PART = 1e-3;
/* Motions below this part of the size of everything are rounding. */
static const double ROUNDING = 1e-15;

/* ------------------------------------------------------------------------------------------------ begin, end */

JnStatus exponential_flow_create(View *view, KrylovKind kind, ExponentialFlow **out, JnMessage *message) {
    ExponentialFlow *flow = calloc(1, sizeof *flow);
    *out = NULL;
    if (!flow)
        return status_no_memory(message, "the integrator");
    double **const vectors[] = {&flow->q,
                                &flow->v,
                                &flow->acceleration,
                                &flow->jerk,
                                &flow->drift,
                                &flow->x,
                                &flow->y,
                                &flow->force,
                                &flow->product,
                                &flow->scaled[0],
                                &flow->scaled[1],
                                &flow->scaled[2],
                                &flow->scaled[3],
                                &flow->pin_velocity[0],
                                &flow->pin_velocity[1],
                                &flow->pin_velocity[2],
                                &flow->pin_velocity[3],
                                &flow->pin_velocity[4]};
    size_t vector_count = sizeof vectors / sizeof *vectors - (view->system->mass_blocks ? 0 : PIN_TIMES);
    flow->view = view;
    flow->kind = kind;
    flow->count = (size_t)view->system->vertex_count * 3;
    flow->memory = vectors_make(vectors, vector_count, flow->count);
    flow->pieces = malloc(((size_t)view->system->vertex_count + 1) * sizeof *flow->pieces);
    JnStatus status = flow->memory && flow->pieces ? JN_OK : status_no_memory(message, "the integrator");
    if (status == JN_OK) {
        flow->piece_count = connected_parts(&view->system->pattern, flow->pieces);
        flow->piece_velocities = malloc(((size_t)flow->piece_count + 1) * sizeof *flow->piece_velocities);
        status = flow->piece_velocities ? JN_OK : status_no_memory(message, "the integrator");
    }
    if (status == JN_OK)
        status = jacobian_create(view, &flow->stiffness, message);
    if (status == JN_OK)
        status = jacobian_create(view, &flow->damping, message);
    if (status == JN_OK)
        status = jacobian_create(view, &flow->beside, message);
    if (status == JN_OK)
        status = phi_combiner_create(&flow->combiner, message);
    if (status == JN_OK)
        *out = flow;
    else
        exponential_flow_destroy(flow);
    return status;
}

void exponential_flow_destroy(ExponentialFlow *flow) {
    if (!flow)
        return;
    jacobian_destroy(flow->stiffness);
    jacobian_destroy(flow->damping);
    jacobian_destroy(flow->beside);
    phi_combiner_destroy(flow->combiner);
    free(flow->pieces);
    free(flow->piece_velocities);
    free(flow->memory);
    free(flow);
}

/* The longest side of the box around all vertices, m. */
static double extent(const double *q, size_t count) {
    double longest = 0;
    for (size_t axis = 0; axis < 3 && count > 0; ++axis) {
        double low = q[axis], high = q[axis];
        for (size_t i = axis; i < count; i += 3) {
            low = fmin(low, q[i]);
            high = fmax(high, q[i]);
        }
        longest = fmax(longest, high - low);
    }
    return longest;
}

/* ------------------------------------------------------------------------------------------------ forces */

/* Puts pins where they are at the view's moment. */
static void place_pins(const ExponentialFlow *flow, double *q, double *v) {
    for (size_t i = 0; i < flow->count; ++i)
        if (!view_is_free(flow->view, i / 3)) {
            q[i] = flow->view->prescribed_positions[i];
            v[i] = flow->view->prescribed_velocities[i];
        }
}

/* drift = the mean velocity of the pins of each piece, flow->v, in its free vertices. */
static void find_drift(ExponentialFlow *flow) {
    const System *system = flow->view->system;
    memset(flow->piece_velocities, 0, flow->piece_count * sizeof *flow->piece_velocities);
    for (size_t v = 0; v < system->vertex_count; ++v) {
        double *sum = flow->piece_velocities[flow->pieces[v]];
        for (size_t i = 0; i < 3 && !view_is_free(flow->view, v); ++i)
            sum[i] += system->masses[v] * flow->v[3 * v + i];
        sum[3] += view_is_free(flow->view, v) ? 0 : system->masses[v];
    }
    for (size_t p = 0; p < flow->piece_count; ++p)
        for (int i = 0; i < 3 && flow->piece_velocities[p][3] > 0; ++i)
            flow->piece_velocities[p][i] /= flow->piece_velocities[p][3];
    for (size_t i = 0; i < flow->count; ++i)
        flow->drift[i] = view_is_free(flow->view, i / 3) ? flow->piece_velocities[flow->pieces[i / 3]][i % 3] : 0;
}

static void find_pin_velocities(ExponentialFlow *flow) {
    for (int k = 0; k < PIN_TIMES; ++k) {
        double then = flow->time + flow->h * k / (PIN_TIMES - 1);
        view_set_time(flow->view, then, then);
        for (size_t i = 0; i < flow->count; ++i)
            flow->pin_velocity[k][i] = view_is_free(flow->view, i / 3) ? 0 : flow->view->prescribed_velocities[i];
    }
}

/* The derivative at s, from 0 to PIN_TIMES - 1, of the polynomial through a value of 1 at k and 0 at the other times.
 */
static double basis_slope(int k, double s) {
    double sum = 0;
    for (int left_out = 0; left_out < PIN_TIMES; ++left_out) {
        double product = 1;
        for (int j = 0; j < PIN_TIMES; ++j)
            if (j != k)
                product *= (j == left_out ? 1 : s - j) / (k - j);
        sum += left_out == k ? 0 : product;
    }
    return sum;
}

/* force -= M a of accelerating pins, `part` of the step after its start. */
static void subtract_pin_inertia(ExponentialFlow *flow, double part, double *force) {
    double *acceleration = flow->scaled[0], *inertia = flow->scaled[1];
    memset(acceleration, 0, flow->count * sizeof *acceleration);
    for (int k = 0; k < PIN_TIMES; ++k) {
        double slope = basis_slope(k, part * (PIN_TIMES - 1)) * (PIN_TIMES - 1) / flow->h;
        for (size_t i = 0; i < flow->count; ++i)
            acceleration[i] += slope * flow->pin_velocity[k][i];
    }
    system_multiply_mass(flow->view->system, acceleration, inertia);
    for (size_t i = 0; i < flow->count; ++i)
        force[i] -= inertia[i];
}

/* The accelerations of free vertices at u_0 + (x, y), both may be NULL, the given part of the step after its start. */
static JnStatus accelerate(ExponentialFlow *flow, double part, const double *x, const double *y, double *acceleration,
                           JnMessage *message) {
    double then = flow->time + part * flow->h;
    view_set_time(flow->view, then, then);
    for (size_t i = 0; i < flow->count; ++i) {
        flow->x[i] = flow->q[i] + part * flow->h * flow->drift[i] + (x ? x[i] : 0);
        flow->y[i] = flow->v[i] + (y ? y[i] : 0);
    }
    place_pins(flow, flow->x, flow->y);
    JnStatus status = view_force(flow->view, ALL_BUT_CONTACT, flow->x, flow->y, acceleration, message);
    if (status != JN_OK)
        return status;
    if (flow->view->system->mass_blocks)
        subtract_pin_inertia(flow, part, acceleration);
    return view_divide_by_mass(flow->view, acceleration, message);
}

/* jerk = M^-1 dF/dt at u_0 as it drifts, by differences of third order. The first is 0 where nothing depends on
   time. */
static JnStatus find_jerk(ExponentialFlow *flow, JnMessage *message) {
    static const double weights[] = {18, -9, 2};
    double *later = flow->force, per_time = 1 / (6 * TIME_PART * flow->h);
    flow->driven = false;
    memset(flow->jerk, 0, flow->count * sizeof(double));
    for (int k = 0; k < 3 && (k == 0 || flow->driven); ++k) {
        JnStatus status = accelerate(flow, (k + 1) * TIME_PART, NULL, NULL, later, message);
        if (status != JN_OK)
            return status;
        for (size_t i = 0; i < flow->count; ++i) {
            flow->jerk[i] += weights[k] * (later[i] - flow->acceleration[i]) * per_time;
            flow->driven |= flow->jerk[i] != 0;
        }
    }
    return JN_OK;
}

JnStatus exponential_flow_linearize_as_in(ExponentialFlow *flow, const State *state, double h, const double *pose,
                                          JnMessage *message) {
    flow->time = state->time;
    flow->h = h;
    memcpy(flow->q, state->q, flow->count * sizeof(double));
    memcpy(flow->v, state->v, flow->count * sizeof(double));
    if (flow->view->system->mass_blocks)
        find_pin_velocities(flow);
    view_set_time(flow->view, state->time, state->time);
    place_pins(flow, flow->q, flow->v);
    double mass = 0;
    for (size_t v = 0; v < flow->view->system->vertex_count; ++v)
        mass += flow->view->system->masses[v];
    find_drift(flow);
    flow->extent = extent(flow->q, flow->count);
    flow->scale = flow->extent * sqrt(mass);
    JnStatus status = accelerate(flow, 0, NULL, NULL, flow->acceleration, message);
    if (status == JN_OK)
        status = find_jerk(flow, message);
    if (status != JN_OK)
        return status;
    view_set_time(flow->view, state->time, state->time);
    return exponential_flow_assemble(flow, pose ? pose : flow->q, !pose, message);
}

JnStatus exponential_flow_linearize(ExponentialFlow *flow, const State *state, double h, JnMessage *message) {
    return exponential_flow_linearize_as_in(flow, state, h, NULL, message);
}

/* ------------------------------------------------------------------------------------------------ matrix functions */

double exponential_flow_scale(const ExponentialFlow *flow) {
    return flow->scale;
}

/* What PhiProblem.least is at least, so that rounding is not resolved. */
static double least_size(const ExponentialFlow *flow, double tolerance) {
    return ROUNDING * flow->scale / tolerance;
}

/* A problem with no vectors yet. */
static PhiProblem make_problem(const ExponentialFlow *flow, const double *times, size_t count, double tolerance) {
    return (PhiProblem){.matrices = &flow->matrices,
                        .times = times,
                        .time_count = count,
                        .tolerance = tolerance,
                        .least = least_size(flow, tolerance),
                        .rational_cost = flow->rational_cost,
                        .polynomial_cost = flow->polynomial_cost,
                        .polynomial_vectors = flow->polynomial_vectors * times[count - 1] / flow->h};
}

/* The start's velocities of free vertices, relative to their drift. */
static const double *free_velocities(ExponentialFlow *flow) {
    for (size_t i = 0; i < flow->count; ++i)
        flow->x[i] = view_is_free(flow->view, i / 3) ? flow->v[i] - flow->drift[i] : 0;
    return flow->x;
}

JnStatus exponential_flow_advance(ExponentialFlow *flow, const double *parts, size_t count, double tolerance,
                                  double *const *x, double *const *y, PhiReport *report, JnMessage *message) {
    double times[PHI_TIMES_MOST];
    for (size_t k = 0; k < count; ++k)
        times[k] = parts[k] * flow->h;
    PhiProblem problem = make_problem(flow, times, count, tolerance);
    problem.velocity = free_velocities(flow);
    problem.acceleration[0] = flow->acceleration;
    problem.acceleration[1] = flow->driven ? flow->jerk : NULL;
    return phi_combine(flow->combiner, &problem, x, y, report, message);
}

JnStatus exponential_flow_change(ExponentialFlow *flow, double part, const double *x, const double *y, double *change,
                                 JnMessage *message) {
    double *response = flow->force;
    JnStatus status = accelerate(flow, part, x, y, change, message);
    if (status != JN_OK)
        return status;
    jacobian_multiply(flow->stiffness, x, response);
    if (flow->damped) {
        jacobian_multiply(flow->damping, y, flow->product);
        for (size_t i = 0; i < flow->count; ++i)
            response[i] += flow->product[i];
    }
    status = view_divide_by_mass(flow->view, response, message);
    for (size_t i = 0; status == JN_OK && i < flow->count; ++i)
        change[i] += response[i] - flow->acceleration[i];
    return status;
}

JnStatus exponential_flow_remainder(ExponentialFlow *flow, double part, const double *x, const double *y,
                                    double *remainder, JnMessage *message) {
    JnStatus status = exponential_flow_change(flow, part, x, y, remainder, message);
    for (size_t i = 0; status == JN_OK && flow->driven && i < flow->count; ++i)
        remainder[i] -= part * flow->h * flow->jerk[i];
    return status;
}

JnStatus exponential_flow_respond(ExponentialFlow *flow, const double *const *r, double tolerance, double least,
                                  double *x, double *y, PhiReport *report, JnMessage *message) {
    PhiProblem problem = make_problem(flow, &flow->h, 1, tolerance);
    problem.least = fmax(problem.least, least);
    double power = 1;
    for (int k = 0; k < FORCING_TERMS; ++k, power /= flow->h) {
        for (size_t i = 0; r[k] && i < flow->count; ++i)
            flow->scaled[k][i] = power * r[k][i];
        problem.acceleration[k] = r[k] ? flow->scaled[k] : NULL;
    }
    return phi_combine(flow->combiner, &problem, &x, &y, report, message);
}

JnStatus exponential_flow_move(ExponentialFlow *flow, const double *extra, double tolerance, double *x, double *y,
                               JnMessage *message) {
    PhiReport report;
    for (size_t i = 0; i < flow->count; ++i)
        flow->scaled[0][i] = flow->acceleration[i] + extra[i];
    PhiProblem problem = make_problem(flow, &flow->h, 1, tolerance);
    problem.velocity = free_velocities(flow);
    problem.acceleration[0] = flow->scaled[0];
    return phi_combine(flow->combiner, &problem, &x, &y, &report, message);
}

JnStatus exponential_flow_sines(ExponentialFlow *flow, const double *d, double tolerance, double *once, double *twice,
                                JnMessage *message) {
    const double times[2] = {flow->h, 2 * flow->h};
    double *const x[2] = {once, twice}, *const y[2] = {flow->x, flow->y};
    MotionMatrices undamped = flow->matrices;
    undamped.damping.apply = NULL;
    PhiReport report;
    PhiProblem problem = make_problem(flow, times, 2, tolerance);
    problem.matrices = &undamped;
    problem.velocity = d;
    JnStatus status = phi_combine(flow->combiner, &problem, x, y, &report, message);
    for (size_t i = 0; status == JN_OK && i < flow->count; ++i) {
        once[i] /= times[0];
        twice[i] /= times[1];
    }
    return status;
}

void exponential_flow_carry(const ExponentialFlow *flow, double *pose) {
    for (size_t i = 0; i < flow->count; ++i)
        pose[i] += flow->h * flow->piece_velocities[flow->pieces[i / 3]][i % 3];
}

void exponential_flow_end(ExponentialFlow *flow, const double *x, const double *y, State *state) {
    for (size_t i = 0; i < flow->count; ++i) {
        state->q[i] = flow->q[i] + flow->h * flow->drift[i] + x[i];
        state->v[i] = flow->v[i] + y[i];
    }
    view_set_time(flow->view, flow->time, flow->time + flow->h);
    place_pins(flow, state->q, state->v);
    state->time = flow->time + flow->h;
}
