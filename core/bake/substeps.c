/* A time step that fails, or is not accurate enough, is cut in two, and its parts again, until they succeed; after that
   the parts grow back. Parts are the step divided by powers of two, so the end times of steps do not change.

   In a method without numerical damping, frequencies too high for the step persist as ringing of single elements, until
   one of them collapses. Resolving them would take steps hundreds of times shorter. So a short part at which such a
   method fails is taken by an L-stable method, which damps these frequencies, and is counted; with fibres, every
   part. */
#include "bake/bake_internal.h"

#include "base/math3.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE = 1 << SUBSTEP_LEVELS };
/* From this level on, parts that cross what they must not are kept: what is pressed through a thing by the animation
   cannot be held by shorter parts. */
enum { CROSSING_LEVEL = 5 };
/* Parts grow if the error after growth would still be below the tolerance by this factor. */
static const double ROOM = 4;
/* A vertex that leaves its body by this many body sizes in one step has diverged. */
static const double WILDEST_STEP = 100;

/* ------------------------------------------------------------------------------------------------ undo */

static JnStatus keep_part_start(JnBake *bake, JnMessage *message) {
    memcpy(bake->scratch.part_positions, bake->motion.state.q, (size_t)bake->model.vertex_count * 3 * sizeof(double));
    return step_archive(bake, memory_archive_save(&bake->scratch.part_start))
               ? JN_OK
               : status_no_memory(message, "a copy of the motion's state");
}

static void restore_part_start(JnBake *bake) {
    step_archive(bake, memory_archive_load(&bake->scratch.part_start));
}

/* ------------------------------------------------------------------------------------------------ one part */

static void mean_velocity(const JnBake *bake, const Body *body, double mean[3]) {
    mean[0] = mean[1] = mean[2] = 0;
    for (size_t v = body->first_vertex; v < (size_t)body->first_vertex + body->mesh.vertex_count; ++v)
        for (size_t i = 0; i < 3; ++i)
            mean[i] += bake->motion.state.v[3 * v + i] / body->mesh.vertex_count;
}

/* A diverged state must not be written to the cache. */
static JnStatus check_body_motion(const JnBake *bake, const Body *body, double h, JnMessage *message) {
    double mean[3], limit = WILDEST_STEP * body->bounding_size / h;
    const double *before = bake->scratch.part_positions;
    mean_velocity(bake, body, mean);
    for (size_t v = body->first_vertex; v < (size_t)body->first_vertex + body->mesh.vertex_count; ++v) {
        double relative[3];
        vec3_sub(bake->motion.state.v + 3 * v, mean, relative);
        if (vec3_length(relative) < limit && vec3_finite(bake->motion.state.q + 3 * v))
            continue;
        return status_fail(
            message, JN_ERR_DIVERGED,
            "the motion of '%s' diverged in frame %g, at (%.3g, %.3g, %.3g) m: use more steps_per_frame, a "
            "stiffer material or more damping",
            body->name, jn_bake_next_frame(bake), before[3 * v], before[3 * v + 1], before[3 * v + 2]);
    }
    return JN_OK;
}

/* Which method takes a part: the chosen one, or the stand-in. */
typedef enum Stepper { CHOSEN, STAND_IN } Stepper;

static const Integrator *method_of(const JnBake *bake, Stepper stepper) {
    return stepper == CHOSEN ? bake->model.stepper : integrator_stand_in;
}

/* Whether parts of the present length are kept even if they cross what they must not. */
static bool may_cross(const JnBake *bake) {
    return bake->motion.cutting.level >= CROSSING_LEVEL || !bake->settings.safeguards;
}

static bool any_pinned(const JnBake *bake) {
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        if (!view_is_free(bake->motion.view, v))
            return true;
    return false;
}

/* Gives pins the velocity that they have in the coming step of h: where their animation has a corner, that is another
   one than in the last, and methods take forces of damping at its start. With a consistent mass they would leave out
   the impulse of that. */
static void turn_pins(JnBake *bake, double h) {
    View *view = bake->motion.view;
    State *state = &bake->motion.state;
    if (bake->model.system.mass_blocks || !any_pinned(bake))
        return;
    view_set_time(view, state->time, state->time + h);
    for (size_t i = 0; i < (size_t)bake->model.vertex_count * 3; ++i)
        if (!view_is_free(view, i / 3))
            state->v[i] = view->prescribed_velocities[i];
}

/* Advances by h, in as many steps as the integrator needs. */
static JnStatus advance(JnBake *bake, Stepper stepper, double h, JnMessage *message) {
    void *self = stepper == CHOSEN ? bake->motion.integrator_self : bake->motion.stand_in_self;
    View *view = bake->motion.view;
    double left = h;
    JnStatus status = JN_OK;
    if (travel_carry(bake, h))
        method_of(bake, stepper)->restart(self, RESTART_JUMP);
    /* a method may take a shorter step than requested: then step again */
    while (status == JN_OK && left > 1e-9 * h) {
        StepReport report = {.error = NAN, .residual = NAN};
        view->may_cross = may_cross(bake);
        turn_pins(bake, left);
        status = method_of(bake, stepper)->step(self, view, &bake->motion.state, left, &report, message);
        if (status == JN_OK)
            status = view_check_way(view, bake->motion.state.q, view->may_cross, message);
        if (status == JN_OK && !(report.h > 0))
            status = status_fail(message, JN_ERR_DIVERGED, "the time step shrank to nothing in frame %g",
                                 jn_bake_next_frame(bake));
        left -= report.h;
        ++bake->motion.steps_done;
        bake->counts.newton_iterations += report.newton_iterations;
        bake->counts.last_residual = report.residual;
    }
    for (uint32_t b = 0; status == JN_OK && b < bake->model.body_count; ++b)
        status = check_body_motion(bake, &bake->model.bodies[b], h, message);
    return status;
}

/* The largest distance between the positions here and in `other`, as part of each body's size. */
static double relative_distance(const JnBake *bake, const double *other) {
    double largest = 0;
    for (uint32_t b = 0; b < bake->model.body_count; ++b) {
        const Body *body = &bake->model.bodies[b];
        for (size_t v = body->first_vertex; v < (size_t)body->first_vertex + body->mesh.vertex_count; ++v) {
            double apart[3];
            vec3_sub(bake->motion.state.q + 3 * v, other + 3 * v, apart);
            largest = fmax(largest, vec3_length(apart) / body->bounding_size);
        }
    }
    return largest;
}

/* Advances by h twice, whole and in two halves, and keeps the halves. *error: of the whole step, from their
   difference. */
static JnStatus advance_twice(JnBake *bake, Stepper stepper, double h, double *error, JnMessage *message) {
    size_t n = (size_t)bake->model.vertex_count * 3;
    double start = bake->motion.state.time;
    JnStatus status = advance(bake, stepper, h, message);
    if (status != JN_OK)
        return status;
    memcpy(bake->scratch.whole_step, bake->motion.state.q, n * sizeof(double));
    restore_part_start(bake);
    status = advance(bake, stepper, 0.5 * h, message);
    if (status == JN_OK) {
        bake->motion.state.time = start + 0.5 * h;
        status = advance(bake, stepper, 0.5 * h, message);
    }
    *error = relative_distance(bake, bake->scratch.whole_step) / (pow(2, method_of(bake, stepper)->order) - 1);
    return status;
}

/* ------------------------------------------------------------------------------------------------ trying a part */

/* Whether the part just tried is accepted. Smaller parts may help if the integrator failed, but not if out of
   memory. */
typedef enum Verdict { PART_GOOD, PART_GOOD_WITH_ROOM, PART_TOO_LONG, PART_HOPELESS } Verdict;

/* A part that was tried. */
typedef struct Attempt {
    Verdict verdict;
    JnStatus status;
    const char *reason; /* if it was too long: why, as the end of a sentence */
    bool driven;        /* spurious energy was detected, but external work is large */
} Attempt;

/* The number of parts that must succeed before they grow, because a failed try costs a step: the first number at first,
   doubled each time that growing fails immediately, at most the second. */
enum { PARTS_BEFORE_GROWTH = 4, PARTS_BEFORE_GROWTH_MOST = 64 };
/* Steps that gain energy are cut at most this often where external work makes the test uncertain. */
enum { DRIVEN_LEVELS = 4 };
/* From this level on, parts at which methods without numerical damping fail are taken by the stand-in. */
enum { STAND_IN_LEVEL = 2 };

/* Fails if the part just taken gained energy and this is certain, or a shorter part may avoid it. */
static JnStatus check_energy(JnBake *bake, uint32_t level, bool *driven, JnMessage *message) {
    bool passed = false;
    JnStatus status = energy_check_step(bake, bake->scratch.part_positions, &passed, driven, message);
    if (status != JN_OK || passed)
        return status;
    bool deepest = level >= (*driven ? DRIVEN_LEVELS : SUBSTEP_LEVELS);
    if (deepest || (*driven && !bake->settings.safeguards)) {
        bake->counts.loose_steps += !*driven;
        bake->motion.energy.surplus = 0;
        return JN_OK;
    }
    return status_fail(message, JN_ERR_DIVERGED,
                       "the motion gains energy without a source in frame %g, so it is about to diverge: use more "
                       "steps_per_frame%s",
                       jn_bake_next_frame(bake), bake->settings.safeguards ? "" : ", or safeguards");
}

static Attempt try_part(JnBake *bake, Stepper stepper, double h, uint32_t level, JnMessage *message) {
    double error = 0, tolerance = method_of(bake, stepper)->controls_error ? 0 : bake->settings.error_tolerance;
    Attempt attempt = {PART_HOPELESS, energy_check_start(bake, message), "longer ones do not converge", false};
    if (attempt.status == JN_OK)
        attempt.status = keep_part_start(bake, message);
    if (attempt.status != JN_OK)
        return attempt;
    attempt.status =
        tolerance > 0 ? advance_twice(bake, stepper, h, &error, message) : advance(bake, stepper, h, message);
    if (attempt.status == JN_OK) {
        attempt.status = check_energy(bake, level, &attempt.driven, message);
        attempt.reason = attempt.status == JN_OK ? "longer ones miss the error tolerance"
                                                 : "longer ones would make energy out of nothing";
    }
    bool can_cut = level < SUBSTEP_LEVELS && (bake->settings.safeguards || tolerance > 0);
    if (attempt.status != JN_OK) {
        attempt.verdict = attempt.status == JN_ERR_DIVERGED && can_cut ? PART_TOO_LONG : PART_HOPELESS;
    } else if (error > tolerance && can_cut) {
        attempt.verdict = PART_TOO_LONG;
    } else {
        bool room = ROOM * pow(2, method_of(bake, stepper)->order + 1) * error <= tolerance;
        bake->counts.loose_steps += error > tolerance;
        attempt.verdict = room ? PART_GOOD_WITH_ROOM : PART_GOOD;
    }
    return attempt;
}

/* ------------------------------------------------------------------------------------------------ the stand-in */

/* Whether the stand-in takes every step. Fibres hardly stretch: of such a constraint a method without numerical damping
   makes forces that alternate from step to step and grow, whatever the step's length. */
static bool needs_stand_in(const JnBake *bake) {
    return bake->model.integrator->undamped && bake->settings.safeguards && view_has_turns(bake->motion.view);
}

/* Whether the stand-in should retry a part at which the chosen method has failed. */
static bool wants_stand_in(const JnBake *bake, const Attempt *attempt, uint32_t level) {
    return bake->model.integrator->undamped && bake->settings.safeguards && level >= STAND_IN_LEVEL &&
           attempt->status == JN_ERR_DIVERGED && !attempt->driven;
}

/* Such a part. */
static Attempt try_stand_in(JnBake *bake, double h, uint32_t level, JnMessage *message) {
    MethodOptions options = {.variant = integrator_stand_in->variant};
    Attempt attempt = {PART_HOPELESS, JN_OK, NULL, false};
    if (!bake->motion.stand_in_self)
        attempt.status =
            integrator_stand_in->prepare(bake->motion.view, &options, &bake->motion.stand_in_self, message);
    if (attempt.status == JN_OK)
        attempt = try_part(bake, STAND_IN, h, level, message);
    if (attempt.verdict == PART_GOOD || attempt.verdict == PART_GOOD_WITH_ROOM) {
        bake->model.stepper->restart(bake->motion.integrator_self, RESTART_CUT_STEP);
        ++bake->motion.damped_steps;
    }
    return attempt;
}

/* ------------------------------------------------------------------------------------------------ a step */

static uint32_t parts_before_growth(const Cutting *cutting) {
    return cutting->needed > 0 ? cutting->needed : PARTS_BEFORE_GROWTH;
}

/* Goes back to the start of a part that was tried. */
static void undo(JnBake *bake, JnStatus status) {
    restore_part_start(bake);
    if (status != JN_OK)
        bake->model.stepper->restart(bake->motion.integrator_self, RESTART_CUT_STEP);
    if (status != JN_OK && may_cross(bake))
        view_give_way(bake->motion.view);
}

/* The part was too long: goes back to its start, for two of half its length. */
static void cut(JnBake *bake, JnStatus status) {
    Cutting *cutting = &bake->motion.cutting;
    undo(bake, status);
    if (cutting->just_grown && 2 * parts_before_growth(cutting) <= PARTS_BEFORE_GROWTH_MOST)
        cutting->needed = 2 * parts_before_growth(cutting);
    *cutting = (Cutting){.level = cutting->level + 1, .needed = cutting->needed};
    ++bake->counts.cut_steps;
}

/* Counts a good part, which ends `done` parts of the smallest length into the step; the next may be longer. */
static void count_good_part(Cutting *cutting, uint32_t done, bool room) {
    uint32_t part = (uint32_t)WHOLE >> cutting->level;
    if (cutting->just_grown)
        cutting->needed = cutting->just_grown = 0;
    ++cutting->good_parts;
    if (room && cutting->good_parts >= parts_before_growth(cutting) && cutting->level > 0 && done % (2 * part) == 0)
        *cutting = (Cutting){.level = cutting->level - 1, .needed = cutting->needed, .just_grown = 1};
}

/* Whether a part failed that cannot be cut any more. */
static bool is_shortest(const JnBake *bake, const Attempt *attempt) {
    return attempt->status == JN_ERR_DIVERGED && bake->settings.safeguards &&
           bake->motion.cutting.level == SUBSTEP_LEVELS;
}

void watch_next_frame(JnBake *bake) {
    bake->watch.frame = jn_bake_next_frame(bake);
    bake->watch.fraction = 0;
    bake->watch.part_count = (uint32_t)1 << bake->motion.cutting.level;
    if (bake->motion.cutting.level == 0)
        bake->watch.reason = NULL;
}

JnStatus jn_bake_frame_progress(const JnBake *bake, JnFrameProgress *progress, JnMessage *message) {
    if (!bake || !progress || progress->struct_size != sizeof *progress)
        return status_fail(message, bake && progress ? JN_ERR_STRUCT_SIZE : JN_ERR_ARGUMENT,
                           "give a bake and a JnFrameProgress whose struct_size is %zu", sizeof *progress);
    status_clear(message);
    *progress = (JnFrameProgress){.struct_size = sizeof *progress,
                                  .part_count = bake->watch.part_count,
                                  .frame = bake->watch.frame,
                                  .fraction = bake->watch.fraction,
                                  .reason = bake->watch.reason};
    return JN_OK;
}

JnStatus bake_step(JnBake *bake, double h, JnMessage *message) {
    double start = bake->motion.state.time;
    uint32_t done = 0;
    View *view = bake->motion.view;
    view->takes_nearest = false;
    while (done < WHOLE) {
        uint32_t level = bake->motion.cutting.level, part = (uint32_t)WHOLE >> level;
        if (bake->cancelled)
            return status_fail(message, JN_ERR_CANCELLED, "cancelled before frame %g was done",
                               jn_bake_next_frame(bake));
        bake->motion.state.time = start + h * done / WHOLE;
        Attempt attempt = needs_stand_in(bake) ? try_stand_in(bake, h * part / WHOLE, level, message)
                                               : try_part(bake, CHOSEN, h * part / WHOLE, level, message);
        if (wants_stand_in(bake, &attempt, level) && !needs_stand_in(bake)) {
            restore_part_start(bake);
            attempt = try_stand_in(bake, h * part / WHOLE, level, message);
        }
        if (attempt.verdict == PART_HOPELESS && (view->takes_nearest || !is_shortest(bake, &attempt)))
            return attempt.status;
        /* what is pressed where there is no room may have no solution: such a part is taken as well as it can be */
        bake->counts.loose_steps += view->takes_nearest;
        view->takes_nearest = attempt.verdict == PART_HOPELESS;
        if (view->takes_nearest) {
            undo(bake, attempt.status);
        } else if (attempt.verdict == PART_TOO_LONG) {
            cut(bake, attempt.status);
            bake->watch.reason = attempt.reason;
        } else {
            done += part;
            contact_frame_step(bake);
            count_good_part(&bake->motion.cutting, done, attempt.verdict == PART_GOOD_WITH_ROOM);
        }
        bake->watch.part_count = (uint32_t)1 << bake->motion.cutting.level;
        bake->watch.fraction = inputs_fraction(bake, start + h * done / WHOLE);
    }
    status_clear(message);
    return JN_OK;
}
