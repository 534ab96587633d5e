/* The frame loop: a frame is finished completely or undone. */
#include "bake/bake_internal.h"

#include "base/math3.h"
#include "base/os/os.h"
#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static JnStatus write_sample(JnBake *bake, JnMessage *message) {
    double since = os_clock_seconds();
    JnStatus status = bake->output.cache ? cache_write_sample(bake, message) : JN_OK;
    bake->counts.output_seconds += os_clock_seconds() - since;
    return status;
}

/* The time steps from the last finished frame to the current one, and the samples among them. */
JnStatus simulate_interval(JnBake *bake, bool write, JnMessage *message) {
    const Settings *settings = &bake->settings;
    double start = inputs_interval_start(bake), h = 1 / (settings->fps * settings->steps_per_frame);
    uint32_t steps_per_sample = settings->steps_per_frame / settings->samples_per_frame;
    JnStatus status = JN_OK;
    bool cut = travel_cut(bake);
    if (inputs_jump(bake) || cut)
        bake->model.stepper->restart(bake->motion.integrator_self, RESTART_JUMP);
    for (uint32_t step = 0; status == JN_OK && step < settings->steps_per_frame; ++step) {
        bake->motion.state.time = start + step * h;
        status = bake_step(bake, h, message);
        if (write && status == JN_OK && (step + 1) % steps_per_sample == 0)
            status = write_sample(bake, message);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ a frame */

/* The frame is finished: it is kept in the cache, and the next one starts from here. */
static JnStatus finish_frame(JnBake *bake, JnMessage *message) {
    double since = os_clock_seconds();
    JnContactFrame contact;
    JnStatus status = contact_frame_end(bake, &contact, message);
    if (status == JN_OK) /* the frame's last sample is this state */
        status = bake->output.cache ? cache_commit(bake, message) : warped_update(bake, false, message);
    if (status == JN_OK) {
        for (uint32_t b = 0; b < bake->model.body_count; ++b)
            cache_body_points(bake, b, bake->motion.written[b], NULL);
        inputs_end_frame(bake);
        bake->counts.contact_frame = contact;
        ++bake->motion.frames_done;
        bake->motion.at_finished_frame = true;
        /* the frame is kept even without its checkpoint: jn_bake_end reports that it could not be written */
        if (bake->output.cache && bake->motion.frames_done < bake->settings.frame_count)
            checkpoint_save(bake, &bake->output.checkpoint_message);
    }
    bake->counts.output_seconds += os_clock_seconds() - since;
    return status;
}

/* Says so if a point starts deep inside a collider. */
static void note_deep_start(JnBake *bake) {
    ContactReport report = contact_frame_report(bake);
    double x[3];
    if (!(report.depth > CONTACT_DEEP_PART * bake->model.points.bounding_size))
        return;
    point_set_value(&bake->model.points, report.point, bake->motion.state.q, x);
    const Embedding *embedding = &bake->model.points.embedding;
    snprintf(bake->output.note, sizeof bake->output.note,
             "'%s' starts %.3g m inside colliders[%u], deepest at (%.3g, %.3g, %.3g) m: it is pushed out slowly in the "
             "first frames; move one of them, or switch settle on to begin with where it comes to rest",
             bake_body_of_vertex(bake, embedding->vertices[4 * (size_t)report.point])->name, report.depth,
             report.collider, x[0], x[1], x[2]);
}

static JnStatus run_frame(JnBake *bake, JnMessage *message) {
    JnStatus status;
    contact_frame_begin(bake);
    if (bake->motion.frames_done == 0) {
        /* contacts of the start pose are reported with it */
        StepStart start = {bake->motion.state.q, bake->motion.state.v, 0, false};
        status = inputs_start_state(bake, message);
        if (status == JN_OK)
            status = keep_shapes(bake, message);
        if (status == JN_OK)
            status = settle_bodies(bake, message);
        if (status == JN_OK)
            status = view_begin_step(bake->motion.view, &start, message);
        if (status == JN_OK)
            note_deep_start(bake);
        if (status == JN_OK)
            status = preroll_run(bake, message);
        if (status == JN_OK)
            status = write_sample(bake, message);
    } else {
        status = simulate_interval(bake, true, message);
    }
    return status == JN_OK ? finish_frame(bake, message) : status;
}

/* Goes back to the last finished frame. */
static void undo_frame(JnBake *bake) {
    bake->motion.lost =
        !frame_archive(bake, memory_archive_load(&bake->scratch.frame_start)) || keep_shape_apply(bake, NULL) != JN_OK;
    if (bake->output.cache)
        cache_drop(bake);
}

JnStatus jn_bake_advance(JnBake *bake, const JnFrameInput *input, JnMessage *message) {
    if (!bake)
        return status_fail(message, JN_ERR_ARGUMENT, "bake is NULL: begin one by jn_bake_begin");
    status_clear(message);
    JnStatus status = validate_frame_input(bake, input, message);
    if (status != JN_OK)
        return status;
    if (bake->motion.lost)
        return status_fail(message, JN_ERR_MEMORY,
                           "frame %g failed, and there was no memory to go back to the one before: end the bake, free "
                           "memory and resume it",
                           input->frame);
    if (bake->cancelled)
        return status_fail(message, JN_ERR_CANCELLED, "the bake was cancelled before frame %g", input->frame);
    double since = os_clock_seconds();
    watch_next_frame(bake);
    bake->motion.at_finished_frame = false;
    status = inputs_begin_frame(bake, input, message);
    bake->counts.input_seconds += os_clock_seconds() - since;
    if (status == JN_OK && !frame_archive(bake, memory_archive_save(&bake->scratch.frame_start)))
        status = status_no_memory(message, "a copy of the motion's state");
    if (status == JN_OK) {
        status = run_frame(bake, message);
        if (status != JN_OK)
            undo_frame(bake);
    }
    watch_next_frame(bake);
    bake->counts.total_seconds += os_clock_seconds() - since;
    return status;
}
