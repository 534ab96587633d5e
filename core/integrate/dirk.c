/* Two-stage diagonally implicit Runge-Kutta methods (Ascher, Larionov, Sheen, Pai 2021, Eqs. 8 and 9): the
   trapezoidal rule to a time within the step, then a backward differentiation over both parts,

       u_m = u_0 + c_1 (F(u_0) + F(u_m)),   u_1 = u_0 + w (u_m - u_0) + c_2 F(u_1).

   TR-BDF2 goes to the middle. SDIRK goes to (2 - sqrt 2) h, which makes c_1 = c_2, so that both stages have the same
   matrix. The semi-implicit forms take one Newton step a stage; that of SDIRK keeps the first stage's matrix for the
   second. With fibres they solve each stage fully: the stages share forces, and those of a linearized turn are wrong by
   as much as keeps it on its circle.

   Contact acts at the step's end in both stages, for the first as extrapolated from it. So it is the same force in both
   unless other forces change much within the step.

   The hybrid forms do so in the complement of the kept modes (modal_split.h), which move in closed form from the step's
   start. Where the stages have matrices of their own and take one Newton step, so have they: the modes of the second
   one start at its known state. With fibres, which a straight motion would stretch, none are kept. */
#include "integrate/methods.h"
#include "integrate/stage.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

MULTISTEP_FAMILY(dirk);

typedef struct Dirk {
    double stage_time; /* time of the first stage, in steps */
    double weight;     /* w */
    double last;       /* c_2, in steps */
    bool fully, share_factor;
    ModalSplit *split;                                             /* NULL: no modes are kept */
    bool borrows;                                                  /* it is another's */
    double *start_force, *position, *velocity, *x, *v, *q_1, *v_1; /* [vertex_count * 3] */
    double *memory;                                                /* of these */
    StageSolver *solver;
} Dirk;

JnStatus dirk_prepare(View *view, const MethodOptions *options, void **out, JnMessage *message) {
    Dirk *dirk = calloc(1, sizeof *dirk);
    *out = NULL;
    if (!dirk)
        return status_no_memory(message, "the integrator");
    /* the hybrid forms come in the order of the others */
    bool hybrid = options->variant >= DIRK_TR_BDF2ERE;
    int variant = options->variant - (hybrid ? DIRK_TR_BDF2ERE : 0);
    bool singly = variant == DIRK_SDIRK || variant == DIRK_SSDIRK;
    dirk->stage_time = singly ? 2 - sqrt(2) : 0.5;
    dirk->weight = singly ? sqrt(2) / 2 / (2 - sqrt(2)) : 4.0 / 3;
    dirk->last = singly ? 1 - sqrt(2) / 2 : 1.0 / 3;
    dirk->fully = variant == DIRK_TR_BDF2 || variant == DIRK_SDIRK || view_has_turns(view);
    dirk->share_factor = variant == DIRK_SSDIRK;
    double **vectors[] = {&dirk->start_force, &dirk->position, &dirk->velocity, &dirk->x,
                          &dirk->v,           &dirk->q_1,      &dirk->v_1};
    dirk->memory = vectors_make(vectors, sizeof vectors / sizeof vectors[0], (size_t)view->system->vertex_count * 3);
    JnStatus status =
        dirk->memory ? stage_solver_create(view, &dirk->solver, message) : status_no_memory(message, "the integrator");
    if (status == JN_OK && hybrid && !view_has_turns(view))
        status = modal_split_create(view, options, &dirk->split, message);
    if (status == JN_OK)
        *out = dirk;
    else
        dirk_destroy(dirk);
    return status;
}

/* The trapezoidal rule from *state to dirk->x, dirk->v. */
static JnStatus first_stage(Dirk *dirk, View *view, const State *state, double h, StepReport *report,
                            JnMessage *message) {
    size_t n = (size_t)view->system->vertex_count * 3;
    double c = 0.5 * dirk->stage_time * h;
    const StageTimes times = {state->time, state->time + dirk->stage_time * h, state->time + h, false};
    JnStatus status = stage_start_force(view, state, dirk->start_force, message);
    if (status == JN_OK)
        status = stage_begin(view, &times, state->q, state->v, message);
    if (status != JN_OK)
        return status;
    double part = dirk->stage_time;
    const StageEnd end = {{1 / (part * part), 1 - 1 / (part * part), h * (1 - 1 / part)},
                          {2 / (part * part * h), -2 / (part * part * h), 1 - 2 / part},
                          state->q,
                          state->v};
    const StageModes modes = {dirk->split, true, state->q, state->v, dirk->start_force, part * h, h, false};
    Stage stage = {.position = dirk->position,
                   .velocity = dirk->velocity,
                   .extra = dirk->start_force,
                   .strength = 2,
                   .end = &end,
                   .calmed_over = h,
                   .modes = dirk->split ? &modes : NULL};
    for (size_t i = 0; i < n; ++i) {
        stage.position[i] = state->q[i] + c * state->v[i];
        stage.velocity[i] = state->v[i];
    }
    stage_use_rule(&stage, c, n);
    if (!dirk->fully)
        return stage_solve_once(dirk->solver, view, &stage, state->q, false, dirk->x, dirk->v, message);
    return stage_solve(dirk->solver, view, &stage, state->q, dirk->x, dirk->v, report, message);
}

/* The backward differentiation from *state and dirk->x, dirk->v to dirk->q_1, dirk->v_1 at the step's end. */
static JnStatus last_stage(Dirk *dirk, View *view, const State *state, double h, StepReport *report,
                           JnMessage *message) {
    size_t n = (size_t)view->system->vertex_count * 3;
    StageModes modes = {dirk->split, false, state->q, state->v, dirk->start_force, h, h, false};
    if (dirk->split && !dirk->fully && !dirk->share_factor) {
        modes =
            (StageModes){dirk->split, true, dirk->x, dirk->v, dirk->start_force, (1 - dirk->stage_time) * h, h, false};
        JnStatus status = view_force(view, ALL_BUT_CONTACT, dirk->x, dirk->v, dirk->start_force, message);
        if (status != JN_OK)
            return status;
    }
    const StageTimes times = {state->time + dirk->stage_time * h, state->time + h, state->time + h, true};
    JnStatus status = stage_begin(view, &times, dirk->x, dirk->v, message);
    if (status != JN_OK)
        return status;
    Stage stage = {.position = dirk->position,
                   .velocity = dirk->velocity,
                   .strength = 1,
                   .calmed_over = h,
                   .modes = dirk->split ? &modes : NULL};
    for (size_t i = 0; i < n; ++i) {
        stage.position[i] = state->q[i] + dirk->weight * (dirk->x[i] - state->q[i]);
        stage.velocity[i] = state->v[i] + dirk->weight * (dirk->v[i] - state->v[i]);
    }
    stage_use_rule(&stage, dirk->last * h, n);
    if (!dirk->fully)
        return stage_solve_once(dirk->solver, view, &stage, dirk->x, dirk->share_factor, dirk->q_1, dirk->v_1, message);
    return stage_solve(dirk->solver, view, &stage, dirk->x, dirk->q_1, dirk->v_1, report, message);
}

JnStatus dirk_step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    Dirk *dirk = self;
    *report = (StepReport){.h = h, .error = NAN, .residual = NAN};
    JnStatus status = first_stage(dirk, view, state, h, report, message);
    if (status == JN_OK)
        status = last_stage(dirk, view, state, h, report, message);
    if (status == JN_OK)
        view_calm(view, dirk->q_1, dirk->v_1);
    memcpy(state->q, dirk->q_1, (size_t)view->system->vertex_count * 3 * sizeof(double));
    memcpy(state->v, dirk->v_1, (size_t)view->system->vertex_count * 3 * sizeof(double));
    state->time += h;
    return status;
}

void dirk_borrow_modes(void *self, ModalSplit *split) {
    Dirk *dirk = self;
    dirk->split = split;
    dirk->borrows = true;
}

void dirk_restart(void *self, RestartReason reason) {
    (void)self, (void)reason; /* the modes stay */
}

bool dirk_archive(void *self, Archive *archive) {
    return modal_split_archive(((Dirk *)self)->split, archive);
}

void dirk_destroy(void *self) {
    Dirk *dirk = self;
    if (!dirk)
        return;
    free(dirk->memory);
    stage_solver_destroy(dirk->solver);
    if (!dirk->borrows)
        modal_split_destroy(dirk->split);
    free(dirk);
}
