/* Rounds of the slow part, with how the fast ones answer, and the small steps of these, until they agree. */
#include "region/regional_internal.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

/* The impulse on the borders agrees with what the slow part was solved for to the first part of all momentum there, or
   the second part of the impulses that cancel in it, */
static const double IMPULSE_PART = 1e-8, ROUNDING_PART = 1e-12;
/* after at most so many rounds; after the second number, old answers are found anew. */
enum { ROUNDS_MOST = 30, PATIENCE = 12 };
/* Along ways: at most so many rounds, two of which may not contract less; the slow part is solved to the first part of
   all forces or the second part of what the last round changed, whichever is less. */
enum { ALONG_MOST = 15 };
static const double ALONG_SLOWEST = 0.25, ROUGHLY_FULLY = 1e-5, ROUND_PART = 1e-3;
/* Where a set touches something: what touches is looked for anew until impulses agree to the first part; it is solved
   for to the second part of what they are off; the slow part is solved roughly while they are off by more than the
   third. Normal forces of friction are renewed in the first rounds. All take small steps instead if impulses are still
   off by the fourth part after as many rounds as would bring them there, or do not agree after the most, or contact of
   the slow part has taken more linear solves than the last number for each of those small steps. */
static const double KEEPING_PART = 3e-2, CONTACT_PART = 1e-3, ROUGH_PART = 1e-5, HOPELESS_PART = 0.1;
enum { RENEWING_ROUNDS = 12, HOPEFUL_ROUNDS = 10, TOUCHING_ROUNDS_MOST = 24, SLOW_SOLVES_MOST = 3 };

/* ------------------------------------------------------------------------------------------------ small steps */

/* The small steps of all sets with the slow velocities. */
static JnStatus run_parts(Regional *regional, StepReport *report, JnMessage *message) {
    JnStatus status = JN_OK;
    memset(regional->impulse, 0, regional->count * sizeof(double));
    regional->squares = 0;
    for (FastPart *part = regional->parts; status == JN_OK && part < regional->parts + regional->sets.count; ++part)
        status = regional->in_turn ? regional_run_newton(regional, part, &report->newton_iterations, message)
                                   : regional_run_linear(regional, part, message);
    return status;
}

/* The same as the last time, with other velocities of the borders, by the ends that are kept: then the impulse is the
   one foretold. false: some set does not keep them, and nothing has changed. */
static bool move_parts(Regional *regional) {
    bool moved = !regional_is_touching(regional);
    for (size_t i = 0; i < regional->count; ++i)
        regional->scratch[i] = regional->slow_velocity[i] - regional->last[i];
    for (uint32_t k = 0; k < regional->sets.count; ++k)
        moved &= fast_region_keeps_ends(regional->parts[k].region);
    for (uint32_t k = 0; moved && k < regional->sets.count; ++k)
        fast_region_move_end(regional->parts[k].region, regional->scratch, regional->parts[k].velocities,
                             regional->parts[k].moved);
    if (moved)
        memcpy(regional->impulse, regional->predicted, regional->count * sizeof(double));
    return moved;
}

/* Lets the slow view see how the sets answer around the slow velocities that they were last run with. */
static void set_answer(Regional *regional) {
    for (size_t i = 0; i < regional->count; ++i)
        regional->end[i] = regional->start[i] + regional->h * regional->slow_velocity[i];
    memcpy(regional->last, regional->slow_velocity, regional->count * sizeof(double));
    for (uint32_t k = 0; k < regional->sets.count; ++k)
        regional->answers[k] = regional->parts[k].region->answer;
    border_answer_set(regional->slow, &(BorderAnswer){regional->answers, regional->sets.count, regional->border,
                                                      regional->impulse, regional->end, regional->h});
}

/* The impulse that the answer foretells for the slow velocities. */
static void predict_impulse(Regional *regional) {
    for (size_t i = 0; i < regional->count; ++i)
        regional->scratch[i] = regional->border[i / 3] ? regional->slow_velocity[i] - regional->last[i] : 0;
    memset(regional->force, 0, regional->count * sizeof(double));
    for (uint32_t k = 0; k < regional->sets.count; ++k)
        pair_blocks_multiply(&regional->answers[k], regional->scratch, regional->force);
    for (size_t i = 0; i < regional->count; ++i)
        regional->predicted[i] = regional->impulse[i] - regional->force[i];
}

/* By how much the impulse is another one than the slow part was solved for, as part of the momentum of the borders and
   of all that pushes them. */
static double impulse_off(const Regional *regional) {
    double off = 0, all = pow(ROUNDING_PART / IMPULSE_PART, 2) * regional->squares;
    for (size_t i = 0; i < regional->count; ++i)
        if (regional->border[i / 3]) {
            double difference = regional->impulse[i] - regional->predicted[i];
            double momentum = regional->slow->system->masses[i / 3] * regional->slow_velocity[i];
            off += difference * difference;
            all += regional->impulse[i] * regional->impulse[i] + momentum * momentum;
        }
    return off > 0 ? sqrt(off / all) : 0;
}

/* ------------------------------------------------------------------------------------------------ the slow part */

/* scratch = J_k + W z_k. */
static void find_answer_to_rest(Regional *regional) {
    memcpy(regional->scratch, regional->impulse, regional->count * sizeof(double));
    for (uint32_t k = 0; k < regional->sets.count; ++k)
        pair_blocks_multiply(&regional->answers[k], regional->slow_velocity, regional->scratch);
}

/* The matrix of the slow part, and its right-hand side but for how the sets answer, in regional->bare. */
static JnStatus prepare_linear(Regional *regional, JnMessage *message) {
    View *slow = regional->slow;
    double h = regional->h;
    const JacobianScales scales = {1, h, h * h, CONTACTS_GIVEN};
    view_set_reach(slow, &(ContactReach){h, 1, h, 0}, regional->start, NULL);
    JnStatus status = jacobian_give_contacts(slow->jacobian, regional->slow_velocity, message);
    if (status == JN_OK)
        status = jacobian_update(slow->jacobian, regional->start, NULL, &scales, view_treatment(slow), regional->force,
                                 message);
    if (status != JN_OK)
        return status;
    system_multiply_mass(slow->system, regional->start_velocity, regional->momentum);
    find_answer_to_rest(regional);
    for (size_t i = 0; i < regional->count; ++i)
        regional->bare[i] = regional->momentum[i] + h * regional->force[i] - regional->scratch[i];
    return JN_OK;
}

/* One linear solve, as in si.c: (M + h D + h^2 K + W) z = M v_0 + h f(q_0) + J_k + W z_k. new_matrix: the answers or
   the start of the step are new. roughly: another round will follow. */
static JnStatus solve_linear(Regional *regional, bool new_matrix, bool roughly, JnMessage *message) {
    JnStatus status = new_matrix ? prepare_linear(regional, message) : JN_OK;
    if (status != JN_OK)
        return status;
    find_answer_to_rest(regional);
    for (size_t i = 0; i < regional->count; ++i)
        regional->force[i] = regional->bare[i] + regional->scratch[i];
    const LinearStep step = {.b = regional->force, .known = regional->known, .good_guess = true, .roughly = roughly};
    return contact_rounds_solve(regional->rounds, regional->slow, &step, regional->slow_velocity, message);
}

/* Backward Euler, as in be.c, with the answer of the sets among the forces. again: it was solved before in this step,
   with the same answer but for its impulse. */
static JnStatus solve_fully(Regional *regional, const NewtonLimits *limits, bool again, StepReport *report,
                            JnMessage *message) {
    View *slow = regional->slow;
    double h = regional->h, *x = regional->scratch, *target = regional->momentum, *rate = regional->force;
    NewtonReport solved;
    for (size_t i = 0; i < regional->count; ++i) {
        target[i] = regional->start[i] + h * regional->start_velocity[i];
        x[i] = regional->start[i] + h * (view_is_free(slow, i / 3) ? regional->slow_velocity[i] : regional->known[i]);
        rate[i] = -regional->start[i] / h;
    }
    view_set_reach(slow, &(ContactReach){1, 1 / h, 1, 0}, NULL, rate);
    const NewtonProblem problem = {.mass = 1 / (h * h),
                                   .inertia_target = target,
                                   .velocity_scale = 1 / h,
                                   .velocity_origin = regional->start,
                                   .before = regional->start};
    if (again && !view_may_touch(slow))
        newton_keep_matrix(regional->newton);
    JnStatus status = newton_solve(regional->newton, slow, &problem, limits, x, &solved, message);
    report->newton_iterations += solved.iterations;
    report->residual = solved.residual;
    for (size_t i = 0; i < regional->count; ++i)
        regional->slow_velocity[i] = (x[i] - regional->start[i]) / h;
    return status;
}

/* ------------------------------------------------------------------------------------------------ rounds */

/* What is left between the impulse and the one that the slow part was solved with goes to the borders, so that momentum
   is exact. */
static void give_rest(Regional *regional) {
    for (size_t i = 0; i < regional->count; ++i)
        if (regional->border[i / 3])
            regional->slow_velocity[i] +=
                (regional->impulse[i] - regional->predicted[i]) / regional->slow->system->masses[i / 3];
}

static void count_rounds(Regional *regional, int rounds) {
    SolverReport slow;
    solver_report(regional->slow->jacobian->linear->solver, &slow);
    for (FastPart *part = regional->parts; part < regional->parts + regional->sets.count; ++part) {
        part->counts.latest = rounds * (fast_region_run_flops(part->region) + 4 * slow.factor_entries);
        part->counts.spent += part->counts.latest;
        ++part->counts.steps;
    }
}

/* Old answers have not led to an agreement. */
static JnStatus renew_answers(Regional *regional, JnMessage *message) {
    JnStatus status = JN_OK;
    for (uint32_t k = 0; status == JN_OK && k < regional->sets.count; ++k)
        if (regional->parts[k].counts.steps > 0)
            status = regional_find_answer(regional, &regional->parts[k], message);
    return status;
}

/* How the rounds of a step go. */
typedef struct Rounds {
    int count;
    double off;           /* after the last one */
    bool roughly;         /* the last one was solved roughly */
    uint64_t slow_solves; /* of contact of the slow part, in all of them */
} Rounds;

/* An answer to other matrices needs a second round in any case. */
static bool answers_are_old(const Regional *regional) {
    bool old = false;
    for (uint32_t k = 0; k < regional->sets.count; ++k)
        old |= !fast_region_answer_is_exact(regional->parts[k].region);
    return old;
}

static JnStatus take_round(Regional *regional, Rounds *rounds, StepReport *report, JnMessage *message) {
    JnStatus status = JN_OK;
    bool new_answers = rounds->count == 0, touching = regional_is_touching(regional);
    bool roughly = touching ? rounds->off > ROUGH_PART : new_answers && answers_are_old(regional);
    if (rounds->count > 0)
        agreement_combine(&regional->agreement, regional->slow_velocity, regional->impulse, regional->predicted);
    if (rounds->count == PATIENCE && !touching) {
        status = renew_answers(regional, message);
        new_answers = true;
    }
    if (new_answers)
        agreement_restart(&regional->agreement, rounds->count == 0 && touching && regional->touching.h == regional->h);
    set_answer(regional);
    uint64_t solves_before = regional->slow->system->contact_rounds;
    if (status == JN_OK)
        status = regional->rule == RULE_SEMI_IMPLICIT
                     ? solve_linear(regional, new_answers, roughly, message)
                     : solve_fully(regional, newton_step_limits(regional->slow), false, report, message);
    uint64_t solves = regional->slow->system->contact_rounds - solves_before;
    regional->keeps_touches = rounds->off < KEEPING_PART;
    regional->contact_off = CONTACT_PART * fmin(1, rounds->off);
    regional->holds_friction = rounds->count >= RENEWING_ROUNDS;
    if (status == JN_OK) {
        predict_impulse(regional);
        if (!move_parts(regional))
            status = run_parts(regional, report, message);
    }
    *rounds = (Rounds){rounds->count + 1, impulse_off(regional), roughly, rounds->slow_solves + solves};
    return status;
}

/* ------------------------------------------------------------------------------------------------ along the ways */

/* How far the solution along the ways is. */
typedef struct Along {
    int count;        /* of rounds */
    double off;       /* as part of all forces or impulses: what the last round changed, */
    double earlier;   /* and the one before it */
    double tolerance; /* with which the slow part was solved in the last */
} Along;

/* The slow part with the answers of the sets, these with forces that are linear along their last ways, and the forces
   along the new ways: one iteration of Newton's method on all equations of the large step, with old matrices. */
static JnStatus take_round_along(Regional *regional, Along *along, StepReport *report, JnMessage *message) {
    NewtonLimits limits = *newton_step_limits(regional->slow);
    double before = along->off;
    along->tolerance = fmax(limits.residual, fmin(ROUGHLY_FULLY, ROUND_PART * before));
    limits.residual = limits.step = along->tolerance;
    set_answer(regional);
    JnStatus status = solve_fully(regional, &limits, along->count > 0, report, message);
    if (status == JN_OK) {
        predict_impulse(regional);
        status = run_parts(regional, report, message);
    }
    along->off = impulse_off(regional);
    for (uint32_t k = 0; status == JN_OK && k < regional->sets.count; ++k) {
        status = regional_follow_again(regional, &regional->parts[k], message);
        along->off = fmax(along->off, regional->parts[k].way_off);
    }
    along->earlier = before;
    ++along->count;
    return status;
}

/* *done: false if that does not converge well. */
static JnStatus solve_along_ways(Regional *regional, bool *done, StepReport *report, JnMessage *message) {
    double finest = newton_step_limits(regional->slow)->residual;
    Along along = {0, INFINITY, INFINITY, INFINITY};
    double last_but_one = INFINITY;
    JnStatus status = run_parts(regional, report, message);
    *done = false;
    while (status == JN_OK && !*done && along.count < ALONG_MOST && !(along.off > ALONG_SLOWEST * last_but_one)) {
        last_but_one = along.earlier;
        status = take_round_along(regional, &along, report, message);
        *done = along.off <= IMPULSE_PART && along.tolerance <= finest;
        if (status == JN_OK && !*done)
            status = run_parts(regional, report, message);
    }
    if (*done)
        count_rounds(regional, along.count);
    return status;
}

/* ------------------------------------------------------------------------------------------------ all together */

static bool is_hopeless(const Regional *regional, const Rounds *rounds) {
    uint32_t ratio = regional->sets.sets[regional->sets.count - 1].ratio;
    return rounds->count == TOUCHING_ROUNDS_MOST || rounds->slow_solves > SLOW_SOLVES_MOST * (uint64_t)ratio ||
           (rounds->count >= HOPEFUL_ROUNDS && rounds->off > HOPELESS_PART);
}

/* Notes for the next large step how many rounds this one took. */
static void count_all_rounds(Regional *regional, bool touching, int count) {
    if (!touching) {
        count_rounds(regional, count);
        return;
    }
    regional->touching.h = regional->h;
    regional->touching.rounds = 0.5 * (regional->touching.rounds + count);
    retry_succeeded(&regional->touching.retry);
}

/* Rounds of the slow part and of the sets until their impulses agree. */
static JnStatus solve_in_rounds(Regional *regional, StepReport *report, JnMessage *message) {
    Rounds rounds = {0, INFINITY, false, 0};
    bool touching = regional_is_touching(regional);
    regional->keeps_touches = regional->holds_friction = false;
    regional->contact_off = CONTACT_PART;
    regional->forgets_pushes = true;
    JnStatus status = run_parts(regional, report, message);
    regional->forgets_pushes = false;
    while (status == JN_OK && !regional->touches && (rounds.off > IMPULSE_PART || rounds.roughly)) {
        if (touching && is_hopeless(regional, &rounds)) {
            regional->touches = true;
            break;
        }
        if (rounds.count == ROUNDS_MOST)
            return status_fail(
                message, JN_ERR_DIVERGED,
                "fast regions and the rest did not come to an agreement in %d rounds: impulses differ by "
                "%.2g of their size: use more steps_per_frame",
                ROUNDS_MOST, rounds.off);
        status = take_round(regional, &rounds, report, message);
    }
    if (touching && status == JN_ERR_DIVERGED) {
        status_clear(message);
        status = JN_OK;
        regional->touches = true;
    }
    if (status == JN_OK && !regional->touches)
        count_all_rounds(regional, touching, rounds.count);
    return status;
}

JnStatus regional_solve_together(Regional *regional, StepReport *report, JnMessage *message) {
    JnStatus status = JN_OK;
    bool done = false;
    if (regional->rule == RULE_BACKWARD_EULER) {
        status = solve_along_ways(regional, &done, report, message);
        /* where that leads nowhere, small steps one after the other */
        if (status == JN_ERR_DIVERGED || (status == JN_OK && !done)) {
            memcpy(regional->slow_velocity, regional->expected, regional->count * sizeof(double));
            regional->in_turn = true;
            status_clear(message);
            status = JN_OK;
        }
    }
    if (status == JN_OK && !done)
        status = solve_in_rounds(regional, report, message);
    if (status == JN_OK && !regional->touches)
        give_rest(regional);
    return status;
}
