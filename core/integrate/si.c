/* Semi-implicit backward Euler (Baraff and Witkin 1998; Ascher, Larionov, Sheen, Pai 2021, Eq. 6): one Newton step of
   backward Euler,

       (M + h D + h^2 K) v1 = M v0 + h f(q0, 0),   q1 = q0 + h v1,

   with f(q0, 0) the force at rest and D the derivative of all velocity-dependent forces, which is the published form (M
   + h D + h^2 K) dv = h (f(q0, v0) - h K v0) without its product K v0. Pinned vertices move to their targets; their
   coupling to the free vertices goes to the right-hand side. Contact is solved for fully (contact_rounds.h), from where
   it is at extrapolated velocities. The velocities of the last steps lead to an initial guess for the iterative solver
   (guess.h). The method itself needs no history.

   SIERE (Chen, Sheen, Ascher, Pai 2020) does so in the complement of the kept modes, which advance in closed form
   (modal_split.h). What is solved for is then the mean velocity of the step, z = (q1 - q0) / h, which in the complement
   is v1:

       (M + h D + h^2 K) z = M v0 + h (f(q0, 0) - D U (v1 - z)_modes)   where U'M z = (their displacement) / h.

   For exact eigenvectors this is the published Eq. (10). */
#include "integrate/contact_rounds.h"
#include "integrate/guess.h"
#include "integrate/integrator.h"
#include "integrate/methods.h"

#include "base/status.h"
#include "base/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

MULTISTEP_FAMILY(si);

typedef struct History { /* saved and loaded as plain bytes */
    double h;            /* of the latest step; 0: there is none */
    uint64_t count;      /* number of earlier velocities, one such step apart */
} History;
enum { EARLIER = 4, DIRECTIONS = EARLIER + 1 };

typedef struct SemiImplicit {
    size_t count;                   /* vertex_count * 3 */
    double *memory;                 /* of the vectors */
    double *force;                  /* then the right-hand side */
    double *velocity;               /* at the step's end: a guess, then the solution */
    double *pin_velocity;           /* of pinned vertices, 0 elsewhere */
    double *momentum;               /* M v0 */
    double *earlier[EARLIER];       /* the velocity at the start of the last step, of the one before, ... */
    double *directions[DIRECTIONS]; /* scratch of the guess, */
    double *products;               /* [DIRECTIONS + 1][count] */
    History history;
    ContactRounds *rounds;
    ModalSplit *split; /* of SIERE; NULL: there are no modes */
} SemiImplicit;

JnStatus si_prepare(View *view, const MethodOptions *options, void **out, JnMessage *message) {
    SemiImplicit *si = calloc(1, sizeof *si);
    *out = NULL;
    if (si) {
        double **vectors[4 + EARLIER + DIRECTIONS] = {&si->force, &si->velocity, &si->pin_velocity, &si->momentum};
        for (size_t k = 0; k < EARLIER; ++k)
            vectors[4 + k] = &si->earlier[k];
        for (size_t k = 0; k < DIRECTIONS; ++k)
            vectors[4 + EARLIER + k] = &si->directions[k];
        si->count = (size_t)view->system->vertex_count * 3;
        si->memory = vectors_make(vectors, sizeof vectors / sizeof *vectors, si->count);
        si->products = malloc(((DIRECTIONS + 1) * si->count + 1) * sizeof(double));
    }
    JnStatus status = si && si->memory && si->products ? contact_rounds_create(view, &si->rounds, message)
                                                       : status_no_memory(message, "the integrator");
    if (status == JN_OK && options->variant == SI_SIERE)
        status = modal_split_create(view, options, &si->split, message);
    if (status == JN_OK)
        *out = si;
    else
        si_destroy(si);
    return status;
}

static uint64_t known_earlier(const SemiImplicit *si, double h) {
    return si->history.h == h ? si->history.count : 0;
}

/* The next velocity, extrapolated from the last ones, linearly or quadratically. */
static void extrapolate_velocity(const SemiImplicit *si, const double *v, double h, double *guess) {
    const uint64_t known = known_earlier(si, h);
    const double *before = si->earlier[0], *then = si->earlier[1];
    for (size_t i = 0; i < si->count; ++i)
        guess[i] = known == 0 ? v[i] : known == 1 ? 2 * v[i] - before[i] : 3 * (v[i] - before[i]) + then[i];
}

/* What the velocity v and the last ones span. */
static GuessSpan span_last(const SemiImplicit *si, const double *v, double h) {
    const uint32_t known = (uint32_t)known_earlier(si, h);
    for (uint32_t k = 0; k <= known; ++k)
        memcpy(si->directions[k], k == 0 ? v : si->earlier[k - 1], si->count * sizeof *v);
    return (GuessSpan){si->directions, known + 1, si->products};
}

/* The best guess of it in that span. */
static void guess_velocity(const SemiImplicit *si, const View *view, const double *v, double h, bool pins_move,
                           double *guess) {
    const ModalSplit *split = si->split && si->split->modes->used.count > 0 ? si->split : NULL;
    GuessProblem problem = {.b = si->force,
                            .known = pins_move ? si->pin_velocity : NULL,
                            .modes = split ? &split->modes->used : NULL,
                            .targets = split ? split->target : NULL};
    GuessSpan span = span_last(si, v, h);
    guess_find(view, &problem, &span, guess);
}

static void remember_velocity(SemiImplicit *si, const double *v, double h) {
    double *oldest = si->earlier[EARLIER - 1];
    memmove(si->earlier + 1, si->earlier, (EARLIER - 1) * sizeof *si->earlier);
    si->earlier[0] = oldest;
    memcpy(oldest, v, si->count * sizeof *v);
    si->history.count = si->history.h != h ? 1 : si->history.count < EARLIER ? si->history.count + 1 : EARLIER;
    si->history.h = h;
}

/* Velocities that bring the pinned vertices to their targets. Returns whether any of them moves. */
static bool find_pin_velocity(SemiImplicit *si, const View *view, const State *state, double h) {
    bool moves = false;
    for (size_t v = 0; v < view->system->vertex_count; ++v)
        for (size_t i = 3 * v; i < 3 * v + 3; ++i) {
            si->pin_velocity[i] = !view_is_free(view, v) ? (view->prescribed_positions[i] - state->q[i]) / h : 0;
            moves |= si->pin_velocity[i] != 0;
        }
    return moves;
}

/* The targets of the modes, and the right-hand side of the others, from that of all, si->force. */
static JnStatus split_modes(SemiImplicit *si, View *view, const State *state, double h, bool pins_move,
                            const JacobianScales *scales, JnMessage *message) {
    ModalSplit *split = si->split;
    double *force = split->work[0];
    JnStatus status = modal_split_update(
        split, view, &(KeptUpdate){.q = state->q, .v = state->v, .matrix = scales, .h = h, .touching = true}, message);
    if (status != JN_OK)
        return status;
    /* the force on the free vertices, with that of the pins as they will be */
    for (size_t i = 0; i < si->count; ++i)
        force[i] = view_is_free(view, i / 3) ? state->v[i] : 0;
    system_multiply_mass(view->system, force, split->work[1]);
    if (pins_move)
        block_matrix_multiply(&view->jacobian->linear->matrix, si->pin_velocity, force);
    for (size_t i = 0; i < si->count; ++i)
        force[i] = (si->force[i] - split->work[1][i] - (pins_move ? force[i] : 0)) / h;
    modal_split_start(split, state->v, NULL, &(ModalForce){force, NULL}, h);
    modal_split_advance(split, h);
    for (uint32_t k = 0; k < split->modes->used.count; ++k) {
        split->target[k] = split->moved[k] / h;
        split->stiffness[k] = h * h / split->motion[k].displacement;
        split->m[k] = split->moved[k] - (split->modes->damp_all ? h * split->velocity[k] : 0);
    }
    modal_split_add_damping(split, split->m, si->force);
    return JN_OK;
}

JnStatus si_step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    SemiImplicit *si = self;
    double *velocity = si->velocity;
    size_t n = (size_t)view->system->vertex_count * 3;
    view_set_time(view, state->time, state->time + h);
    JnStatus status = view_begin_step(view, &(StepStart){state->q, state->v, h, false}, message);
    if (status != JN_OK)
        return status;
    view_set_reach(view, &(ContactReach){h, 1, h, 0}, state->q, NULL);
    bool pins_move = find_pin_velocity(si, view, state, h);
    extrapolate_velocity(si, state->v, h, velocity);
    status = jacobian_give_contacts(view->jacobian, velocity, message);
    const JacobianScales scales = {1, h, h * h, CONTACTS_GIVEN};
    if (status == JN_OK)
        status = jacobian_update(view->jacobian, state->q, NULL, &scales, view_treatment(view), si->force, message);
    if (status != JN_OK)
        return status;

    /* right-hand side: M v0 + h f */
    system_multiply_mass(view->system, state->v, si->momentum);
    for (size_t i = 0; i < n; ++i)
        si->force[i] = si->momentum[i] + h * si->force[i];
    status = si->split ? split_modes(si, view, state, h, pins_move, &scales, message) : JN_OK;
    ModalSplit *split = si->split && si->split->modes->used.count > 0 ? si->split : NULL;
    const bool touches = view_may_touch(view);
    GuessSpan span = {.count = 0};
    if (touches)
        span = span_last(si, state->v, h);
    else if (status == JN_OK)
        guess_velocity(si, view, state->v, h, pins_move, velocity);
    remember_velocity(si, state->v, h);
    const LinearStep step = {.b = si->force,
                             .known = pins_move ? si->pin_velocity : NULL,
                             .good_guess = true,
                             .span = touches ? &span : NULL,
                             .split = split};
    if (status == JN_OK)
        status = contact_rounds_solve(si->rounds, view, &step, velocity, message);
    if (status != JN_OK)
        return status;

    double *start = si->momentum;
    memcpy(start, state->q, n * sizeof *start);
    for (size_t i = 0; i < n; ++i) {
        state->v[i] = velocity[i];
        state->q[i] = !view_is_free(view, i / 3) ? view->prescribed_positions[i] : state->q[i] + h * velocity[i];
    }
    if (split) {
        modal_split_answer(split, velocity, h);
        modal_split_place(split, split->velocity, state->v);
    }
    /* the velocities stay: the forces of the next step turn them, which keeps momentum */
    view_follow_turns(view, TURN_STEP, start, state->q);
    state->time += h;
    *report = (StepReport){.h = h, .error = NAN, .residual = NAN};
    return JN_OK;
}

void si_restart(void *self, RestartReason reason) {
    (void)reason;
    ((SemiImplicit *)self)->history = (History){0, 0};
}

bool si_archive(void *self, Archive *archive) {
    SemiImplicit *si = self;
    size_t bytes = si->count * sizeof(double);
    bool done = archive_piece(archive, &si->history, sizeof si->history);
    for (size_t k = 0; done && k < EARLIER; ++k)
        done = archive_piece(archive, si->earlier[k], bytes);
    return done && modal_split_archive(si->split, archive);
}

void si_destroy(void *self) {
    SemiImplicit *si = self;
    if (!si)
        return;
    free(si->memory);
    free(si->products);
    contact_rounds_destroy(si->rounds);
    modal_split_destroy(si->split);
    free(si);
}
