/* A time step that fails, or is not accurate enough, is cut in two, and its parts again, until they succeed; after that
   the parts grow back. Parts are the step divided by powers of two, so steps end exactly where they would have. */
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
    size_t n = (size_t)bake->vertex_count * 3, history = bake->integrator->saved_size(bake->integrator_self);
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
    bake->integrator->save(bake->integrator_self, copy->history);
    return JN_OK;
}

void state_copy_restore(JnBake *bake, const StateCopy *copy) {
    size_t n = (size_t)bake->vertex_count * 3;
    memcpy(bake->state.q, copy->positions, n * sizeof(double));
    memcpy(bake->state.v, copy->positions + n, n * sizeof(double));
    bake->state.time = copy->time;
    bake->energy = copy->energy;
    /* a history that does not come back begins anew */
    if (bake->integrator->load(bake->integrator_self, copy->history, copy->history_size, NULL) != JN_OK)
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

/* Advances by h, in as many steps as the integrator takes for it. */
static JnStatus take(JnBake *bake, double h, JnMessage *message) {
    double left = h;
    JnStatus status = JN_OK;
    /* a method may take less than it is asked for: then it is asked for the rest */
    while (status == JN_OK && left > 1e-9 * h) {
        StepReport report = {.error = NAN, .residual = NAN};
        status = bake->integrator->step(bake->integrator_self, &bake->system, &bake->state, left, &report, message);
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
static JnStatus take_twice(JnBake *bake, double h, double *error, JnMessage *message) {
    size_t n = (size_t)bake->vertex_count * 3;
    double start = bake->state.time;
    JnStatus status = take(bake, h, message);
    if (status != JN_OK)
        return status;
    memcpy(bake->whole_step, bake->state.q, n * sizeof(double));
    state_copy_restore(bake, &bake->part_start);
    status = take(bake, 0.5 * h, message);
    if (status == JN_OK) {
        bake->state.time = start + 0.5 * h;
        status = take(bake, 0.5 * h, message);
    }
    *error = relative_distance(bake, bake->whole_step) / (pow(2, bake->integrator->order) - 1);
    return status;
}

/* ------------------------------------------------------------------------------------------------ a step */

/* Whether the part that was just tried counts. A failure of the integrator may be cured by smaller parts; a want of
   memory may not. */
typedef enum Verdict { PART_GOOD, PART_GOOD_WITH_ROOM, PART_TOO_LONG, PART_HOPELESS } Verdict;

/* So many parts must succeed before they grow: trying costs a step. */
enum { PARTS_BEFORE_GROWTH = 4 };
/* Steps that gain energy are cut at most this often where outside motion makes that hard to tell. */
enum { DRIVEN_LEVELS = 4 };

/* Fails if the part that was just taken gained energy, and that is sure, or a shorter one may not. */
static JnStatus check_energy(JnBake *bake, uint32_t level, JnMessage *message) {
    bool driven;
    if (energy_check_step(bake, bake->part_start.positions, &driven))
        return JN_OK;
    bool deepest = level >= (driven ? DRIVEN_LEVELS : SUBSTEP_LEVELS);
    if (deepest || (driven && !bake->settings.safeguards)) {
        bake->loose_steps += !driven;
        bake->energy.surplus = 0;
        return JN_OK;
    }
    return status_fail(message, JN_ERR_DIVERGED,
                       "the motion makes energy out of nothing in frame %g, so it is about to diverge: use more "
                       "steps_per_frame%s",
                       jn_bake_next_frame(bake), bake->settings.safeguards ? "" : ", or safeguards");
}

static Verdict try_part(JnBake *bake, double h, uint32_t level, JnStatus *status, JnMessage *message) {
    double error = 0, tolerance = bake->settings.error_tolerance;
    *status = energy_check_start(bake, message);
    if (*status == JN_OK)
        *status = state_copy_keep(bake, &bake->part_start, message);
    if (*status != JN_OK)
        return PART_HOPELESS;
    *status = tolerance > 0 ? take_twice(bake, h, &error, message) : take(bake, h, message);
    if (*status == JN_OK)
        *status = check_energy(bake, level, message);
    bool can_cut = level < SUBSTEP_LEVELS && (bake->settings.safeguards || tolerance > 0);
    if (*status != JN_OK)
        return *status == JN_ERR_DIVERGED && can_cut ? PART_TOO_LONG : PART_HOPELESS;
    if (error > tolerance && can_cut)
        return PART_TOO_LONG;
    bake->loose_steps += error > tolerance;
    return ROOM * pow(2, bake->integrator->order + 1) * error <= tolerance ? PART_GOOD_WITH_ROOM : PART_GOOD;
}

JnStatus bake_step(JnBake *bake, double h, JnMessage *message) {
    double start = bake->state.time;
    uint32_t done = 0, level = bake->substep_level;
    while (done < WHOLE) {
        uint32_t part = (uint32_t)WHOLE >> level;
        JnStatus status;
        if (bake->cancelled)
            return status_fail(message, JN_ERR_CANCELLED, "cancelled before frame %g was done",
                               jn_bake_next_frame(bake));
        bake->state.time = start + h * done / WHOLE;
        Verdict verdict = try_part(bake, h * part / WHOLE, level, &status, message);
        if (verdict == PART_HOPELESS)
            return status;
        if (verdict == PART_TOO_LONG) {
            state_copy_restore(bake, &bake->part_start);
            if (status != JN_OK)
                bake->integrator->restart(bake->integrator_self, RESTART_CUT_STEP);
            ++level;
            ++bake->cut_steps;
            bake->good_parts = 0;
            continue;
        }
        done += part;
        ++bake->good_parts;
        if (verdict == PART_GOOD_WITH_ROOM && bake->good_parts >= PARTS_BEFORE_GROWTH && level > 0 &&
            done % (2 * part) == 0) {
            --level;
            bake->good_parts = 0;
        }
    }
    status_clear(message);
    bake->substep_level = level;
    return JN_OK;
}
