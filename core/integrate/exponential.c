/* Exponential integrators: the linear part of the motion is exact, whatever its frequencies, so there is no numerical
   damping; what is nonlinear enters through R (exponential_flow.h). With phi_k the functions of h J:

       ere       u_1 = u_0 + h phi_1 F                                  (exponential Rosenbrock-Euler)
       exprb42   u_1 = u_0 + h phi_1 F + 32/9 h phi_3 R(U at 3/4)       (Luan 2017)
       epirk4s3  u_1 = u_0 + h phi_1 F + h phi_3 r_3 + h phi_4 r_4,     (Michels, Luan and Tokman 2017, Eq. 20)
                 r_3 = 1892 R_2 + 1458 (R_3 - 2 R_2),   r_4 = -42336 R_2 - 34992 (R_3 - 2 R_2),

   with U the exponential Euler steps to a part of the step, R_2 = R(U at 1/8), R_3 = R(U at 1/9). All of phi_1 F, at
   every part, comes out of one Krylov space, and what the remainders add out of another.

   epirk_adaptive is epirk4s3 with steps of its own length. Its error is estimated by the difference to
   u_0 + h phi_1 F + 128 h phi_3 R_2, which has order 3.

   Remainders tell whether a step is too long for its linear part: if they would move more than a part of it, the step
   fails, and the caller cuts it. A step in which anything may touch is taken by SDIRK, because the response of an
   exact oscillation to a constant force is not definite: at a whole number of periods there is none, and no force of
   contact would hold. */
#include "integrate/exponential_flow.h"
#include "integrate/methods.h"
#include "integrate/touching_steps.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

MULTISTEP_FAMILY(exponential);

/* Of the matrix functions, relative to the step, unless the options say otherwise. */
static const double TOLERANCE = 1e-8;
/* Remainders, those that a method has or that it leaves out, may add this part of the linear motion. (A body that turns
   by an angle in a step is lengthened by it to second order, so this is a tenth of a radian.) */
static const double REMAINDER_MOST = 0.05;
/* Where everything moves by less than this part of its size, that is no matter. */
static const double STILL = 1e-9;
/* And the estimated error of epirk4s3, whose coefficients are so large that it grows suddenly, this part. */
static const double ERROR_MOST = 0.01;
/* Responses that are only estimates are found to this part of the step. */
static const double ESTIMATE = 1e-3;
/* epirk_adaptive: error of a step, relative to the size of the bodies, unless the options say otherwise; factor on the
   length that the last error suggests; how much the length may change at once; how often it may shrink. */
static const double ERROR_TOLERANCE = 1e-4, SAFETY = 0.9, SHRINK = 0.2, GROW = 3;
enum { SHRINKS_MOST = 30 };
enum { STAGES_MOST = 3 };

typedef struct Exponential {
    int variant;
    bool guarded;
    double tolerance, error_tolerance, length;
    double next; /* epirk_adaptive: the length of its next step, s; 0: not known */
    size_t count;
    ExponentialFlow *flow;
    TouchingSteps *touching;
    double *x[STAGES_MOST], *y[STAGES_MOST]; /* linear motion to each stage, the last of which is the step's end */
    double *remainder[2], *combined[2];
    double *added_x, *added_y;
    double *memory; /* of these */
} Exponential;

JnStatus exponential_prepare(View *view, const MethodOptions *options, void **out, JnMessage *message) {
    Exponential *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return status_no_memory(message, "the integrator");
    double **const vectors[] = {&self->x[0],        &self->x[1],        &self->x[2],         &self->y[0],
                                &self->y[1],        &self->y[2],        &self->remainder[0], &self->remainder[1],
                                &self->combined[0], &self->combined[1], &self->added_x,      &self->added_y};
    self->variant = options->variant;
    self->guarded = options->guarded;
    self->tolerance = options->tolerance > 0 ? options->tolerance : TOLERANCE;
    self->error_tolerance = options->error_tolerance > 0 ? options->error_tolerance : ERROR_TOLERANCE;
    self->length = options->length;
    self->count = (size_t)view->system->vertex_count * 3;
    self->memory = vectors_make(vectors, sizeof vectors / sizeof *vectors, self->count);
    JnStatus status = self->memory ? JN_OK : status_no_memory(message, "the integrator");
    if (status == JN_OK)
        status = exponential_flow_create(view, KRYLOV_BY_COUNTS, &self->flow, message);
    if (status == JN_OK)
        status = touching_steps_create(view, &self->touching, message);
    if (status == JN_OK)
        *out = self;
    else
        exponential_destroy(self);
    return status;
}

/* ------------------------------------------------------------------------------------------------ stages */

static JnStatus fail_too_long(double h, double part, JnMessage *message) {
    return status_fail(message, JN_ERR_DIVERGED,
                       "in a time step of %g s the motion bends off its linear part by %.0f %%: use more "
                       "steps_per_frame, or safeguards",
                       h, 100 * part);
}

/* Linear motion to the parts of the step. *size: what remainders are compared with. */
static JnStatus advance_linearly(Exponential *self, const double *parts, size_t count, double *size,
                                 JnMessage *message) {
    PhiReport report;
    JnStatus status =
        exponential_flow_advance(self->flow, parts, count, self->tolerance, self->x, self->y, &report, message);
    *size = fmax(report.size, STILL * exponential_flow_scale(self->flow));
    return status;
}

/* Adds (added_x, added_y) = h phi_3 r_3 + h phi_4 r_4 to the linear motion of the last stage. */
static JnStatus add_remainders(Exponential *self, int last, const double *r_3, const double *r_4, double h,
                               double linear_size, JnMessage *message) {
    const double *r[FORCING_TERMS] = {NULL, NULL, r_3, r_4};
    PhiReport added;
    JnStatus status = exponential_flow_respond(self->flow, r, self->tolerance, linear_size, self->added_x,
                                               self->added_y, &added, message);
    if (status != JN_OK)
        return status;
    if (self->guarded && added.size > REMAINDER_MOST * linear_size)
        return fail_too_long(h, added.size / linear_size, message);
    for (size_t i = 0; i < self->count; ++i) {
        self->x[last][i] += self->added_x[i];
        self->y[last][i] += self->added_y[i];
    }
    return JN_OK;
}

/* Whether what ere leaves out, about 2 h phi_3 R at the step's end, is small. */
static JnStatus check_left_out(Exponential *self, double h, double linear_size, JnMessage *message) {
    JnStatus status = exponential_flow_remainder(self->flow, 1, self->x[0], self->y[0], self->remainder[0], message);
    for (size_t i = 0; i < self->count; ++i)
        self->combined[0][i] = 2 * self->remainder[0][i];
    const double *r[FORCING_TERMS] = {NULL, NULL, self->combined[0], NULL};
    PhiReport left_out;
    if (status == JN_OK)
        status = exponential_flow_respond(self->flow, r, ESTIMATE, linear_size, self->added_x, self->added_y, &left_out,
                                          message);
    if (status == JN_OK && left_out.size > REMAINDER_MOST * linear_size)
        status = fail_too_long(h, left_out.size / linear_size, message);
    return status;
}

static JnStatus step_ere(Exponential *self, double h, JnMessage *message) {
    static const double parts[] = {1};
    double linear_size;
    JnStatus status = advance_linearly(self, parts, 1, &linear_size, message);
    return status == JN_OK && self->guarded ? check_left_out(self, h, linear_size, message) : status;
}

static JnStatus step_exprb42(Exponential *self, double h, JnMessage *message) {
    static const double parts[] = {3.0 / 4, 1};
    double linear_size;
    JnStatus status = advance_linearly(self, parts, 2, &linear_size, message);
    if (status == JN_OK)
        status = exponential_flow_remainder(self->flow, parts[0], self->x[0], self->y[0], self->remainder[0], message);
    for (size_t i = 0; status == JN_OK && i < self->count; ++i)
        self->combined[0][i] = 32.0 / 9 * self->remainder[0][i];
    return status == JN_OK ? add_remainders(self, 1, self->combined[0], NULL, h, linear_size, message) : status;
}

/* The difference of epirk4s3 to the embedded method, of which r_3, r_4 and R_2 are given; r_3 is overwritten. error:
   the largest of a position, m. */
static JnStatus estimate_error(Exponential *self, double *r_3, const double *r_4, const double *R_2, double h,
                               double linear_size, double *error, JnMessage *message) {
    const double *r[FORCING_TERMS] = {NULL, NULL, r_3, r_4};
    PhiReport difference;
    for (size_t i = 0; i < self->count; ++i)
        r_3[i] -= 128 * R_2[i];
    JnStatus status = exponential_flow_respond(self->flow, r, fmin(ESTIMATE, 0.1 * self->error_tolerance), linear_size,
                                               self->added_x, self->added_y, &difference, message);
    *error = 0;
    for (size_t i = 0; status == JN_OK && i < self->count; ++i)
        *error = fmax(*error, fabs(self->added_x[i]));
    if (status == JN_OK && self->guarded && difference.size > ERROR_MOST * linear_size)
        status = fail_too_long(h, difference.size / linear_size, message);
    return status;
}

static JnStatus step_epirk4s3(Exponential *self, double h, double *error, JnMessage *message) {
    static const double parts[] = {1.0 / 9, 1.0 / 8, 1};
    double linear_size;
    double *R_3 = self->remainder[0], *R_2 = self->remainder[1], *r_3 = self->combined[0], *r_4 = self->combined[1];
    JnStatus status = advance_linearly(self, parts, 3, &linear_size, message);
    for (int s = 0; status == JN_OK && s < 2; ++s)
        status = exponential_flow_remainder(self->flow, parts[s], self->x[s], self->y[s], self->remainder[s], message);
    for (size_t i = 0; status == JN_OK && i < self->count; ++i) {
        r_3[i] = 1892 * R_2[i] + 1458 * (R_3[i] - 2 * R_2[i]);
        r_4[i] = -42336 * R_2[i] - 34992 * (R_3[i] - 2 * R_2[i]);
    }
    if (status == JN_OK)
        status = add_remainders(self, 2, r_3, r_4, h, linear_size, message);
    if (status == JN_OK && (self->guarded || self->variant == EXPONENTIAL_EPIRK_ADAPTIVE))
        status = estimate_error(self, r_3, r_4, R_2, h, linear_size, error, message);
    return status;
}

/* ------------------------------------------------------------------------------------------------ steps */

/* One step of h from *state. *end: the stage that ends it. *error: an estimate, m, of the methods that have one. */
static JnStatus advance(Exponential *self, const State *state, double h, int *end, double *error, JnMessage *message) {
    JnStatus status = exponential_flow_linearize(self->flow, state, h, message);
    *end = self->variant == EXPONENTIAL_ERE ? 0 : self->variant == EXPONENTIAL_EXPRB42 ? 1 : 2;
    if (status != JN_OK)
        return status;
    switch (self->variant) {
    case EXPONENTIAL_ERE:
        return step_ere(self, h, message);
    case EXPONENTIAL_EXPRB42:
        return step_exprb42(self, h, message);
    default:
        return step_epirk4s3(self, h, error, message);
    }
}

/* What an error is measured by, m: the bodies' size, or that of all vertices. */
static double length_scale(const Exponential *self, const State *state) {
    double largest = self->length;
    for (size_t i = 3; !(self->length > 0) && i < self->count; ++i)
        largest = fmax(largest, fabs(state->q[i] - state->q[i % 3]));
    return largest > 0 ? largest : 1;
}

/* A step of at most h, as long as the error allows. */
static JnStatus advance_adaptively(Exponential *self, View *view, State *state, double h, StepReport *report, int *end,
                                   bool *touched, JnMessage *message) {
    double allowed = self->error_tolerance * length_scale(self, state), error = 0;
    /* equal steps to the end of h, so that the last is not a tiny one */
    double step = self->next > 0 && self->next < h ? h / ceil(h / self->next * (1 - 1e-9)) : h;
    for (int shrinks = 0; shrinks <= SHRINKS_MOST; ++shrinks) {
        JnStatus status = touching_steps_begin(self->touching, view, state, step, touched, message);
        if (status != JN_OK || *touched) {
            report->h = step;
            return status;
        }
        status = advance(self, state, step, end, &error, message);
        if (status != JN_OK && status != JN_ERR_DIVERGED)
            return status;
        double factor = status != JN_OK ? SHRINK : SAFETY * pow(allowed / fmax(error, 1e-6 * allowed), 0.25);
        factor = fmin(fmax(factor, SHRINK), GROW);
        if (status == JN_OK && error <= allowed) {
            /* a step cut short by the end of h tells nothing about longer ones */
            self->next = factor * step;
            *report = (StepReport){.h = step, .error = error, .residual = NAN};
            return JN_OK;
        }
        step *= fmin(factor, SAFETY);
    }
    return status_fail(message, JN_ERR_DIVERGED, "the error of a step does not fall below %g m: raise error_tolerance",
                       allowed);
}

JnStatus exponential_step(void *opaque, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    Exponential *self = opaque;
    bool touched = false;
    int end = 0;
    double error;
    JnStatus status;
    *report = (StepReport){.h = h, .error = NAN, .residual = NAN};
    if (self->variant == EXPONENTIAL_EPIRK_ADAPTIVE) {
        status = advance_adaptively(self, view, state, h, report, &end, &touched, message);
    } else {
        status = touching_steps_begin(self->touching, view, state, h, &touched, message);
        if (status == JN_OK && !touched)
            status = advance(self, state, h, &end, &error, message);
    }
    if (status != JN_OK)
        return status;
    if (touched)
        return touching_steps_take(self->touching, view, state, report->h, report, message);
    exponential_flow_end(self->flow, self->x[end], self->y[end], state);
    return JN_OK;
}

void exponential_restart(void *self, RestartReason reason) {
    (void)reason;
    ((Exponential *)self)->next = 0;
}

bool exponential_archive(void *self, Archive *archive) {
    return archive_piece(archive, &((Exponential *)self)->next, sizeof(double));
}

void exponential_destroy(void *opaque) {
    Exponential *self = opaque;
    if (!self)
        return;
    exponential_flow_destroy(self->flow);
    touching_steps_destroy(self->touching);
    free(self->memory);
    free(self);
}
