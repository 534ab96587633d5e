/* The Gautschi-type integrator (Hochbruck and Lubich 1999; for elastic bodies, Michels, Sobottka and Weber 2014): with
   the stiffness K and the damping D of one pose, which stays the same from step to step,

       M q'' + D q' + K d = g(d),   d = q - pose,   g all other forces,

   positions are exact for a force g that is constant over the step, velocities for one that goes from g at its start to
   g at its end. g is evaluated at filtered positions f(h W) d, W the root of M^-1 K, f(z) = sin(z)/z (1 + sin(z/2)^2 /
   3), which takes out what would resonate with the step. That product is 7/6 sin(z)/z - 1/6 sin(2z)/(2z).

   The pose is that of the first step, and of the first after a step that failed. Steps in which anything may touch are
   SDIRK's. */
#include "integrate/exponential_flow.h"
#include "integrate/touching_steps.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

MULTISTEP_FAMILY(gautschi);

static const double TOLERANCE = 1e-8;

typedef struct Gautschi {
    size_t count;
    double tolerance;
    double *pose;
    uint64_t has_pose;    /* saved and loaded as plain bytes */
    double *d, *filtered; /* positions less the pose, and what the filter leaves of them */
    double *twice;        /* scratch of the filter */
    double *change[2];    /* of g by the filter at the start; of g over the step */
    double *x, *y;        /* increments of the step */
    double *added_x, *added_y, *zero;
    double *memory; /* of these */
    ExponentialFlow *flow;
    TouchingSteps *touching;
} Gautschi;

JnStatus gautschi_prepare(View *view, const MethodOptions *options, void **out, JnMessage *message) {
    Gautschi *self = calloc(1, sizeof *self);
    *out = NULL;
    if (!self)
        return status_no_memory(message, "the integrator");
    double **const vectors[] = {&self->pose,      &self->d,         &self->filtered, &self->twice,
                                &self->change[0], &self->change[1], &self->x,        &self->y,
                                &self->added_x,   &self->added_y,   &self->zero};
    self->tolerance = options->tolerance > 0 ? options->tolerance : TOLERANCE;
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
        gautschi_destroy(self);
    return status;
}

/* filtered = f(h W) d - d, where d is q + x - pose in free vertices. */
static JnStatus filter(Gautschi *self, const View *view, const double *q, const double *x, JnMessage *message) {
    for (size_t i = 0; i < self->count; ++i)
        self->d[i] = view_is_free(view, i / 3) ? q[i] + x[i] - self->pose[i] : 0;
    JnStatus status =
        exponential_flow_sines(self->flow, self->d, self->tolerance, self->filtered, self->twice, message);
    for (size_t i = 0; status == JN_OK && i < self->count; ++i)
        self->filtered[i] = 7.0 / 6 * self->filtered[i] - 1.0 / 6 * self->twice[i] - self->d[i];
    return status;
}

static JnStatus advance(Gautschi *self, const View *view, const State *state, double h, JnMessage *message) {
    PhiReport report;
    JnStatus status = exponential_flow_linearize_as_in(self->flow, state, h, self->pose, message);
    if (status == JN_OK)
        status = filter(self, view, state->q, self->zero, message);
    if (status == JN_OK)
        status = exponential_flow_change(self->flow, 0, self->filtered, self->zero, self->change[0], message);
    if (status == JN_OK)
        status = exponential_flow_move(self->flow, self->change[0], self->tolerance, self->x, self->y, message);
    /* the pose drifts as the body does, so that their difference does not */
    if (status == JN_OK)
        status = filter(self, view, state->q, self->x, message);
    for (size_t i = 0; i < self->count; ++i)
        self->filtered[i] += self->x[i];
    if (status == JN_OK)
        status = exponential_flow_change(self->flow, 1, self->filtered, self->y, self->change[1], message);
    for (size_t i = 0; i < self->count; ++i)
        self->change[1][i] -= self->change[0][i];
    const double *r[FORCING_TERMS] = {NULL, self->change[1], NULL, NULL};
    if (status == JN_OK)
        status =
            exponential_flow_respond(self->flow, r, self->tolerance, 0, self->added_x, self->added_y, &report, message);
    for (size_t i = 0; i < self->count; ++i)
        self->y[i] += self->added_y[i];
    return status;
}

JnStatus gautschi_step(void *opaque, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    Gautschi *self = opaque;
    bool touches = false;
    *report = (StepReport){.h = h, .error = NAN, .residual = NAN};
    JnStatus status = touching_steps_begin(self->touching, view, state, h, &touches, message);
    if (status != JN_OK)
        return status;
    if (touches)
        return touching_steps_take(self->touching, view, state, h, report, message);
    if (!self->has_pose)
        memcpy(self->pose, state->q, self->count * sizeof(double));
    self->has_pose = 1;
    status = advance(self, view, state, h, message);
    if (status == JN_OK)
        exponential_flow_end(self->flow, self->x, self->y, state);
    if (status == JN_OK)
        exponential_flow_carry(self->flow, self->pose);
    return status;
}

void gautschi_restart(void *self, RestartReason reason) {
    (void)reason;
    ((Gautschi *)self)->has_pose = 0;
}

bool gautschi_archive(void *opaque, Archive *archive) {
    Gautschi *self = opaque;
    return archive_piece(archive, &self->has_pose, sizeof self->has_pose) &&
           archive_piece(archive, self->pose, self->count * sizeof(double));
}

void gautschi_destroy(void *opaque) {
    Gautschi *self = opaque;
    if (!self)
        return;
    exponential_flow_destroy(self->flow);
    touching_steps_destroy(self->touching);
    free(self->memory);
    free(self);
}
