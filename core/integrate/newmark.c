/* Newmark's method with average acceleration, and generalized alpha (Chung and Hulbert 1993), which weights the two
   ends of the step so that the highest frequencies are damped by the spectral radius per step and the low ones hardly
   at all:

       (1 - alpha_m) M a_1 + alpha_m M a_0 = (1 - alpha_f) f_1 + alpha_f f_0,
       q_1 = q_0 + h v_0 + h^2 ((1/2 - beta) a_0 + beta a_1),   v_1 = v_0 + h ((1 - gamma) a_0 + gamma a_1).

   The accelerations, without those by contact, are the method's history. Contact is a constant force in the step, so
   its part of q_1 should be half of h times its part of v_1, but with generalized alpha it is beta / gamma of it: a
   point that friction holds would move against what pulls it, ring, and slip. So generalized alpha leaves steps in
   which anything may touch to another method, and starts anew after them. */
#include "integrate/methods.h"
#include "integrate/stage.h"
#include "integrate/touching_steps.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

MULTISTEP_FAMILY(newmark);

typedef struct Newmark {
    double alpha_m, alpha_f, beta, gamma;
    size_t count; /* vertex_count * 3 */
    uint64_t has_acceleration;
    double *acceleration;                                      /* [count] m/s2, at the step's start, without contact */
    double *start_force, *extra, *position, *velocity, *x, *v; /* [count] */
    double *memory;                                            /* of all these */
    StageSolver *solver;
    TouchingSteps *touching; /* NULL: it solves for contact itself */
} Newmark;

JnStatus newmark_prepare(View *view, const MethodOptions *options, void **out, JnMessage *message) {
    Newmark *newmark = calloc(1, sizeof *newmark);
    *out = NULL;
    if (!newmark)
        return status_no_memory(message, "the integrator");
    double rho = options->spectral_radius;
    if (options->variant == NEWMARK_GENERALIZED_ALPHA) {
        newmark->alpha_m = (2 * rho - 1) / (rho + 1);
        newmark->alpha_f = rho / (rho + 1);
    }
    double shift = newmark->alpha_m - newmark->alpha_f;
    newmark->gamma = 0.5 - shift;
    newmark->beta = 0.25 * (1 - shift) * (1 - shift);
    newmark->count = (size_t)view->system->vertex_count * 3;
    double **vectors[] = {&newmark->acceleration, &newmark->start_force, &newmark->extra, &newmark->position,
                          &newmark->velocity,     &newmark->x,           &newmark->v};
    newmark->memory = vectors_make(vectors, sizeof vectors / sizeof vectors[0], newmark->count);
    JnStatus status = newmark->memory ? stage_solver_create(view, &newmark->solver, message)
                                      : status_no_memory(message, "the integrator");
    if (status == JN_OK && options->variant == NEWMARK_GENERALIZED_ALPHA)
        status = touching_steps_create(view, &newmark->touching, message);
    if (status == JN_OK)
        *out = newmark;
    else
        newmark_destroy(newmark);
    return status;
}

/* M a = f at the step's start. */
static JnStatus find_acceleration(Newmark *newmark, View *view, JnMessage *message) {
    double *a = newmark->acceleration;
    memcpy(a, newmark->start_force, newmark->count * sizeof *a);
    return view_divide_by_mass(view, a, message);
}

/* The stage of the step's end. */
static Stage describe_stage(Newmark *newmark, View *view, const State *state, double h) {
    double end = 1 - newmark->alpha_f;
    Stage stage = {.lambda = newmark->beta * h * h,
                   .kappa = newmark->gamma * h,
                   .inertia = (1 - newmark->alpha_m) / end,
                   .position = newmark->position,
                   .velocity = newmark->velocity,
                   .extra = newmark->extra,
                   .strength = (1 - newmark->alpha_m) / end / newmark->gamma,
                   .calmed_over = h};
    system_multiply_mass(view->system, newmark->acceleration, newmark->extra);
    for (size_t i = 0; i < newmark->count; ++i) {
        double a = newmark->acceleration[i];
        newmark->extra[i] = (newmark->alpha_f * newmark->start_force[i] - newmark->alpha_m * newmark->extra[i]) / end;
        stage.position[i] = state->q[i] + h * state->v[i] + h * h * (0.5 - newmark->beta) * a;
        stage.velocity[i] = state->v[i] + h * (1 - newmark->gamma) * a;
    }
    return stage;
}

JnStatus newmark_step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    Newmark *newmark = self;
    size_t bytes = newmark->count * sizeof(double);
    bool touches = false;
    JnStatus status = JN_OK;
    *report = (StepReport){.h = h, .error = NAN, .residual = NAN};
    if (newmark->touching)
        status = touching_steps_begin(newmark->touching, view, state, h, &touches, message);
    if (status == JN_OK && touches) {
        newmark->has_acceleration = 0;
        return touching_steps_take(newmark->touching, view, state, h, report, message);
    }
    memcpy(newmark->x, state->q, bytes);
    if (status == JN_OK)
        status = stage_start_force(view, state, newmark->start_force, message);
    if (status == JN_OK && !newmark->has_acceleration)
        status = find_acceleration(newmark, view, message);
    newmark->has_acceleration = 1;
    if (status == JN_OK)
        status = stage_begin(view, &(StageTimes){state->time, state->time + h, state->time + h, false}, state->q,
                             state->v, message);
    if (status != JN_OK)
        return status;
    Stage stage = describe_stage(newmark, view, state, h);
    status = stage_solve(newmark->solver, view, &stage, state->q, newmark->x, newmark->v, report, message);
    if (status != JN_OK)
        return status;
    double *by_contact = newmark->start_force;
    status = stage_contact_acceleration(view, newmark->x, by_contact, message);
    for (size_t i = 0; i < newmark->count; ++i)
        newmark->acceleration[i] = (newmark->v[i] - stage.velocity[i]) / stage.kappa - by_contact[i] / stage.inertia;
    view_calm(view, newmark->x, newmark->v);
    memcpy(state->q, newmark->x, bytes);
    memcpy(state->v, newmark->v, bytes);
    state->time += h;
    return status;
}

void newmark_restart(void *self, RestartReason reason) {
    (void)reason;
    ((Newmark *)self)->has_acceleration = 0;
}

bool newmark_archive(void *self, Archive *archive) {
    Newmark *newmark = self;
    return archive_piece(archive, &newmark->has_acceleration, sizeof newmark->has_acceleration) &&
           archive_piece(archive, newmark->acceleration, newmark->count * sizeof(double));
}

void newmark_destroy(void *self) {
    Newmark *newmark = self;
    if (!newmark)
        return;
    free(newmark->memory);
    stage_solver_destroy(newmark->solver);
    touching_steps_destroy(newmark->touching);
    free(newmark);
}
