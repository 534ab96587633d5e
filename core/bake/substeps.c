/* A time step that fails, or is not accurate enough, is cut in two, and its parts again, until they succeed; after that
   the parts grow back. Parts are the step divided by powers of two, so steps end exactly where they would have.

   A method without damping keeps what is too fast for the step as a ringing of single elements, until one of them
   collapses. To resolve that would take steps hundreds of times shorter. So a short part at which such a method fails
   is left to one that damps what is that fast, and counted. */
#include "bake/bake_internal.h"

#include "base/math3.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WHOLE = 1 << SUBSTEP_LEVELS };
/* Parts grow where the error leaves this much room beyond what the growth itself costs. */
static const double ROOM = 4;
/* A vertex that leaves its body by this many body sizes in one step has diverged. */
static const double WILDEST_STEP = 100;

/* ------------------------------------------------------------------------------------------------ undo */

JnStatus state_copy_keep(JnBake *bake, StateCopy *copy, JnMessage *message) {
    Remembered remembered = bake->integrator->remembered(bake->integrator_self);
    size_t n = (size_t)bake->vertex_count * 3, history = remembered_size(&remembered);
    if (!copy->positions || history > copy->history_capacity) {
        double *positions = copy->positions ? copy->positions : malloc((2 * n + 1) * sizeof *positions);
        void *grown = realloc(copy->history, history + 1);
        copy->positions = positions;
        if (grown) {
            copy->history = grown;
            copy->history_capacity = history;
        }
        if (!positions || !grown)
            return status_no_memory(message, "a copy of the motion's state");
    }
    memcpy(copy->positions, bake->state.q, n * sizeof(double));
    memcpy(copy->positions + n, bake->state.v, n * sizeof(double));
    copy->time = bake->state.time;
    copy->energy = bake->energy;
    copy->history_size = history;
    remembered_save(&remembered, copy->history);
    return JN_OK;
}

void state_copy_restore(JnBake *bake, const StateCopy *copy) {
    size_t n = (size_t)bake->vertex_count * 3;
    Remembered remembered = bake->integrator->remembered(bake->integrator_self);
    memcpy(bake->state.q, copy->positions, n * sizeof(double));
    memcpy(bake->state.v, copy->positions + n, n * sizeof(double));
    bake->state.time = copy->time;
    bake->energy = copy->energy;
    /* a history that does not come back begins anew */
    if (remembered_load(&remembered, copy->history, copy->history_size, NULL) != JN_OK)
        bake->integrator->restart(bake->integrator_self, RESTART_CUT_STEP);
}

void state_copy_free(StateCopy *copy) {
    free(copy->positions);
    free(copy->history);
    memset(copy, 0, sizeof *copy);
}

/* ------------------------------------------------------------------------------------------------ one part */

static void mean_velocity(const JnBake *bake, const Body *body, double mean[3]) {
    mean[0] = mean[1] = mean[2] = 0;
    for (size_t v = body->first_vertex; v < (size_t)body->first_vertex + body->mesh.vertex_count; ++v)
        for (size_t i = 0; i < 3; ++i)
            mean[i] += bake->state.v[3 * v + i] / body->mesh.vertex_count;
}

/* What is not a motion any more must not reach the cache. */
static JnStatus check_body_motion(const JnBake *bake, const Body *body, double h, JnMessage *message) {
    double mean[3], limit = WILDEST_STEP * body->bounding_size / h;
    const double *before = bake->part_start.positions;
    mean_velocity(bake, body, mean);
    for (size_t v = body->first_vertex; v < (size_t)body->first_vertex + body->mesh.vertex_count; ++v) {
        double relative[3];
        vec3_sub(bake->state.v + 3 * v, mean, relative);
        if (vec3_length(relative) < limit && vec3_finite(bake->state.q + 3 * v))
            continue;
        return status_fail(
            message, JN_ERR_DIVERGED,
            "the motion of '%s' diverged in frame %g, at (%.3g, %.3g, %.3g) m: use more steps_per_frame, a "
            "stiffer material or more damping",
            body->name, jn_bake_next_frame(bake), before[3 * v], before[3 * v + 1], before[3 * v + 2]);
    }
    return JN_OK;
}

/* Who takes a part: the chosen method, or the one that stands in for it. */
typedef enum Taker { CHOSEN, STAND_IN } Taker;

static const Integrator *method_of(const JnBake *bake, Taker taker) {
    return taker == CHOSEN ? bake->integrator : integrator_stand_in;
}

/* Advances by h, in as many steps as the integrator takes for it. */
static JnStatus take(JnBake *bake, Taker taker, double h, JnMessage *message) {
    void *self = taker == CHOSEN ? bake->integrator_self : bake->stand_in_self;
    double left = h;
    JnStatus status = JN_OK;
    /* a method may take less than it is asked for: then it is asked for the rest */
    while (status == JN_OK && left > 1e-9 * h) {
        StepReport report = {.error = NAN, .residual = NAN};
        status = method_of(bake, taker)->step(self, &bake->system, &bake->state, left, &report, message);
        if (status == JN_OK && !(report.h > 0))
            status = status_fail(message, JN_ERR_DIVERGED, "the time step shrank to nothing in frame %g",
                                 jn_bake_next_frame(bake));
        left -= report.h;
        ++bake->steps_done;
        bake->newton_iterations += report.newton_iterations;
        bake->last_residual = report.residual;
    }
    for (uint32_t b = 0; status == JN_OK && b < bake->body_count; ++b)
        status = check_body_motion(bake, &bake->bodies[b], h, message);
    return status;
}

/* The largest distance between the positions here and in `other`, as part of each body's size. */
static double relative_distance(const JnBake *bake, const double *other) {
    double largest = 0;
    for (uint32_t b = 0; b < bake->body_count; ++b) {
        const Body *body = &bake->bodies[b];
        for (size_t v = body->first_vertex; v < (size_t)body->first_vertex + body->mesh.vertex_count; ++v) {
            double apart[3];
            vec3_sub(bake->state.q + 3 * v, other + 3 * v, apart);
            largest = fmax(largest, vec3_length(apart) / body->bounding_size);
        }
    }
    return largest;
}

/* Advances by h twice, whole and in two halves, and keeps the halves. *error: of the whole one, by their difference. */
static JnStatus advance_twice(JnBake *bake, Taker taker, double h, double *error, JnMessage *message) {
    size_t n = (size_t)bake->vertex_count * 3;
    double start = bake->state.time;
    JnStatus status = take(bake, taker, h, message);
    if (status != JN_OK)
        return status;
    memcpy(bake->whole_step, bake->state.q, n * sizeof(double));
    state_copy_restore(bake, &bake->part_start);
    status = take(bake, taker, 0.5 * h, message);
    if (status == JN_OK) {
        bake->state.time = start + 0.5 * h;
        status = take(bake, taker, 0.5 * h, message);
    }
    *error = relative_distance(bake, bake->whole_step) / (pow(2, method_of(bake, taker)->order) - 1);
    return status;
}

/* ------------------------------------------------------------------------------------------------ trying a part */

/* Whether the part that was just tried counts. A failure of the integrator may be cured by smaller parts; a want of
   memory may not. */
typedef enum Verdict { PART_GOOD, PART_GOOD_WITH_ROOM, PART_TOO_LONG, PART_HOPELESS } Verdict;

/* A part that was tried. */
typedef struct Attempt {
    Verdict verdict;
    JnStatus status;
    bool driven; /* energy seemed to come from nowhere, but much comes from outside */
} Attempt;

/* So many parts must succeed before they grow, because trying costs a step: the first number, twice as many each time
   that growing fails at once, at most the second. */
enum { PARTS_BEFORE_GROWTH = 4, PARTS_BEFORE_GROWTH_MOST = 64 };
/* Steps that gain energy are cut at most this often where outside motion makes that hard to tell. */
enum { DRIVEN_LEVELS = 4 };
/* From here on methods without damping leave to the stand-in what they fail at. */
enum { STAND_IN_LEVEL = 2 };

/* Fails if the part that was just taken gained energy, and that is sure, or a shorter one may not. */
static JnStatus check_energy(JnBake *bake, uint32_t level, bool *driven, JnMessage *message) {
    if (energy_check_step(bake, bake->part_start.positions, driven))
        return JN_OK;
    bool deepest = level >= (*driven ? DRIVEN_LEVELS : SUBSTEP_LEVELS);
    if (deepest || (*driven && !bake->settings.safeguards)) {
        bake->loose_steps += !*driven;
        bake->energy.surplus = 0;
        return JN_OK;
    }
    return status_fail(message, JN_ERR_DIVERGED,
                       "the motion makes energy out of nothing in frame %g, so it is about to diverge: use more "
                       "steps_per_frame%s",
                       jn_bake_next_frame(bake), bake->settings.safeguards ? "" : ", or safeguards");
}

static Attempt try_part(JnBake *bake, Taker taker, double h, uint32_t level, JnMessage *message) {
    double error = 0, tolerance = bake->settings.error_tolerance;
    Attempt attempt = {PART_HOPELESS, energy_check_start(bake, message), false};
    if (attempt.status == JN_OK)
        attempt.status = state_copy_keep(bake, &bake->part_start, message);
    if (attempt.status != JN_OK)
        return attempt;
    attempt.status = tolerance > 0 ? advance_twice(bake, taker, h, &error, message) : take(bake, taker, h, message);
    if (attempt.status == JN_OK)
        attempt.status = check_energy(bake, level, &attempt.driven, message);
    bool can_cut = level < SUBSTEP_LEVELS && (bake->settings.safeguards || tolerance > 0);
    if (attempt.status != JN_OK) {
        attempt.verdict = attempt.status == JN_ERR_DIVERGED && can_cut ? PART_TOO_LONG : PART_HOPELESS;
    } else if (error > tolerance && can_cut) {
        attempt.verdict = PART_TOO_LONG;
    } else {
        bool room = ROOM * pow(2, method_of(bake, taker)->order + 1) * error <= tolerance;
        bake->loose_steps += error > tolerance;
        attempt.verdict = room ? PART_GOOD_WITH_ROOM : PART_GOOD;
    }
    return attempt;
}

/* ------------------------------------------------------------------------------------------------ the stand-in */

/* Whether a part that the chosen method has failed at is one for the stand-in. */
static bool wants_stand_in(const JnBake *bake, const Attempt *attempt, uint32_t level) {
    return bake->integrator->undamped && bake->settings.safeguards && level >= STAND_IN_LEVEL &&
           attempt->status == JN_ERR_DIVERGED && !attempt->driven;
}

/* Tries such a part again. */
static Attempt try_stand_in(JnBake *bake, double h, uint32_t level, JnMessage *message) {
    MethodOptions options = {integrator_stand_in->variant, 0};
    Attempt attempt = {PART_HOPELESS, JN_OK, false};
    state_copy_restore(bake, &bake->part_start);
    if (!bake->stand_in_self)
        attempt.status = integrator_stand_in->prepare(&bake->system, &options, &bake->stand_in_self, message);
    if (attempt.status == JN_OK)
        attempt = try_part(bake, STAND_IN, h, level, message);
    if (attempt.verdict == PART_GOOD || attempt.verdict == PART_GOOD_WITH_ROOM) {
        bake->integrator->restart(bake->integrator_self, RESTART_CUT_STEP);
        ++bake->damped_steps;
    }
    return attempt;
}

/* ------------------------------------------------------------------------------------------------ a step */

static uint32_t parts_before_growth(const Cutting *cutting) {
    return cutting->needed > 0 ? cutting->needed : PARTS_BEFORE_GROWTH;
}

/* The part was too long: goes back to its start, for two of half its length. */
static void cut(JnBake *bake, JnStatus status) {
    Cutting *cutting = &bake->cutting;
    state_copy_restore(bake, &bake->part_start);
    if (status != JN_OK)
        bake->integrator->restart(bake->integrator_self, RESTART_CUT_STEP);
    if (cutting->just_grown && 2 * parts_before_growth(cutting) <= PARTS_BEFORE_GROWTH_MOST)
        cutting->needed = 2 * parts_before_growth(cutting);
    *cutting = (Cutting){.level = cutting->level + 1, .needed = cutting->needed};
    ++bake->cut_steps;
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

JnStatus bake_step(JnBake *bake, double h, JnMessage *message) {
    double start = bake->state.time;
    uint32_t done = 0;
    while (done < WHOLE) {
        uint32_t level = bake->cutting.level, part = (uint32_t)WHOLE >> level;
        if (bake->cancelled)
            return status_fail(message, JN_ERR_CANCELLED, "cancelled before frame %g was done",
                               jn_bake_next_frame(bake));
        bake->state.time = start + h * done / WHOLE;
        Attempt attempt = try_part(bake, CHOSEN, h * part / WHOLE, level, message);
        if (wants_stand_in(bake, &attempt, level))
            attempt = try_stand_in(bake, h * part / WHOLE, level, message);
        if (attempt.verdict == PART_HOPELESS)
            return attempt.status;
        if (attempt.verdict == PART_TOO_LONG) {
            cut(bake, attempt.status);
            continue;
        }
        done += part;
        count_good_part(&bake->cutting, done, attempt.verdict == PART_GOOD_WITH_ROOM);
    }
    status_clear(message);
    return JN_OK;
}
