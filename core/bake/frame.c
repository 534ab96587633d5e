/* The frame loop: one frame at a time, all of it or nothing. */
#include "bake/bake_internal.h"

#include "base/math3.h"
#include "base/os/os.h"
#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------- the last good state */

/* Keeps all that the frame may change, the integrator's history included. */
static JnStatus back_up(JnBake *bake, JnMessage *message) {
    size_t n = (size_t)bake->vertex_count * 3, history = bake->integrator->saved_size(bake->integrator_self);
    if (history > bake->history_capacity) {
        void *grown = realloc(bake->history_backup, history);
        if (!grown)
            return status_no_memory(message, "the state before the frame");
        bake->history_backup = grown;
        bake->history_capacity = history;
    }
    memcpy(bake->state_backup, bake->state.q, n * sizeof(double));
    memcpy(bake->state_backup + n, bake->state.v, n * sizeof(double));
    bake->integrator->save(bake->integrator_self, bake->history_backup);
    bake->history_size = history;
    bake->steps_backup = bake->steps_done;
    return JN_OK;
}

static void restore(JnBake *bake) {
    size_t n = (size_t)bake->vertex_count * 3;
    memcpy(bake->state.q, bake->state_backup, n * sizeof(double));
    memcpy(bake->state.v, bake->state_backup + n, n * sizeof(double));
    if (bake->frames_done > 0)
        bake->state.time = inputs_frame_time(bake, bake->frames_done - 1);
    bake->steps_done = bake->steps_backup;
    /* a history that does not come back begins anew */
    if (bake->integrator->load(bake->integrator_self, bake->history_backup, bake->history_size, NULL) != JN_OK)
        bake->integrator->restart(bake->integrator_self, RESTART_CUT_STEP);
}

/* ------------------------------------------------------------------------------------------------ steps */

/* A vertex that leaves its body by this many body sizes in one step has diverged. */
static const double WILDEST_STEP = 100;

static void mean_velocity(const JnBake *bake, const Body *body, double mean[3]) {
    mean[0] = mean[1] = mean[2] = 0;
    for (size_t v = body->first_vertex; v < (size_t)body->first_vertex + body->mesh.vertex_count; ++v)
        for (size_t i = 0; i < 3; ++i)
            mean[i] += bake->state.v[3 * v + i] / body->mesh.vertex_count;
}

/* What is not a motion any more must not reach the cache. */
static JnStatus check_body_motion(const JnBake *bake, const Body *body, double h, JnMessage *message) {
    double mean[3], limit = WILDEST_STEP * body->bounding_size / h;
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
            body->name, jn_bake_next_frame(bake), bake->state_backup[3 * v], bake->state_backup[3 * v + 1],
            bake->state_backup[3 * v + 2]);
    }
    return JN_OK;
}

JnStatus bake_step(JnBake *bake, double h, JnMessage *message) {
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
    }
    for (uint32_t b = 0; status == JN_OK && b < bake->body_count; ++b)
        status = check_body_motion(bake, &bake->bodies[b], h, message);
    return status;
}

static JnStatus write_sample(JnBake *bake, JnMessage *message) {
    double since = os_clock_seconds();
    JnStatus status = bake->cache ? cache_write_sample(bake, message) : JN_OK;
    bake->output_seconds += os_clock_seconds() - since;
    return status;
}

/* The time steps from the last finished frame to the one under way, with the samples on them. */
static JnStatus simulate_frame(JnBake *bake, JnMessage *message) {
    const Settings *settings = &bake->settings;
    double start = inputs_frame_time(bake, bake->frames_done - 1), h = 1 / (settings->fps * settings->steps_per_frame);
    uint32_t steps_per_sample = settings->steps_per_frame / settings->samples_per_frame;
    JnStatus status = JN_OK;
    for (uint32_t step = 0; status == JN_OK && step < settings->steps_per_frame; ++step) {
        if (bake->cancelled)
            return status_fail(message, JN_ERR_CANCELLED, "cancelled before frame %g was done",
                               jn_bake_next_frame(bake));
        bake->state.time = start + step * h;
        status = bake_step(bake, h, message);
        if (status == JN_OK && (step + 1) % steps_per_sample == 0)
            status = write_sample(bake, message);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ a frame */

/* The frame is done: it counts in the cache, and the next one starts from here. */
static JnStatus finish_frame(JnBake *bake, JnMessage *message) {
    double since = os_clock_seconds();
    JnStatus status = bake->cache ? cache_commit(bake, message) : JN_OK;
    if (status == JN_OK) {
        for (uint32_t b = 0; b < bake->body_count; ++b)
            cache_body_points(bake, b, bake->written[b], NULL);
        inputs_accept(bake);
        ++bake->frames_done;
        /* without its checkpoint the frame still counts: jn_bake_end tells that it could not be written */
        if (bake->cache && bake->frames_done < bake->settings.frame_count)
            checkpoint_save(bake, &bake->checkpoint_message);
        else if (bake->cache)
            checkpoint_remove(bake);
    }
    bake->output_seconds += os_clock_seconds() - since;
    return status;
}

static JnStatus run_frame(JnBake *bake, JnMessage *message) {
    JnStatus status;
    if (bake->frames_done == 0) {
        status = inputs_start_state(bake, message);
        if (status == JN_OK)
            status = write_sample(bake, message);
    } else {
        status = simulate_frame(bake, message);
    }
    return status == JN_OK ? finish_frame(bake, message) : status;
}

JnStatus jn_bake_advance(JnBake *bake, const JnFrameInput *input, JnMessage *message) {
    if (!bake)
        return status_fail(message, JN_ERR_ARGUMENT, "bake is NULL: begin one by jn_bake_begin");
    status_clear(message);
    JnStatus status = validate_frame_input(bake, input, message);
    if (status != JN_OK)
        return status;
    if (bake->cancelled)
        return status_fail(message, JN_ERR_CANCELLED, "the bake was cancelled before frame %g", input->frame);
    double since = os_clock_seconds();
    status = inputs_take(bake, input, message);
    bake->input_seconds += os_clock_seconds() - since;
    if (status == JN_OK)
        status = back_up(bake, message);
    if (status == JN_OK) {
        status = run_frame(bake, message);
        if (status != JN_OK) {
            restore(bake);
            if (bake->cache)
                cache_drop(bake);
        }
    }
    bake->total_seconds += os_clock_seconds() - since;
    return status;
}
