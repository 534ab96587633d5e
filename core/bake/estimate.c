/* Estimates the cost of a bake from its first time steps. */
#include "bake/bake_internal.h"

#include "base/os/os.h"
#include "base/status.h"
#include "settings/validate.h"
#include "system/jacobian.h"

/* Length of the trial: a minimum number of steps, more while they are fast. The first one also allocates, and is not
   counted. */
enum { LEAST_STEPS = 3, MOST_STEPS = 30 };
static const double TRIAL_SECONDS = 0.5;
/* Approximate number of steps per factorization for a moving body: the trial is often too short to measure it. */
static const double STEPS_PER_FACTOR = 10;

/* What the writer of the cache takes at most, which the trial has not: its buffers and its map of samples. The same for
   any number of frames. */
static const double CACHE_MEMORY_BYTES = 4e6;

/* The first frame has no steps, but computes the start pose. */
static JnStatus make_first_frame(JnBake *bake, JnMessage *message) {
    JnFrameInput input;
    jn_frame_input_init(&input, sizeof input);
    input.frame = jn_bake_next_frame(bake);
    return jn_bake_advance(bake, &input, message);
}

/* The mean of a few steps from the start pose. */
static JnStatus time_steps(JnBake *bake, double *seconds_per_step, JnMessage *message) {
    JnFrameInput input;
    jn_frame_input_init(&input, sizeof input);
    input.frame = jn_bake_next_frame(bake);
    JnStatus status = inputs_begin_frame(bake, &input, message);
    double h = 1 / (bake->settings.fps * bake->settings.steps_per_frame), since = os_clock_seconds();
    double first_factor = 0;
    int steps = 0;
    while (status == JN_OK && steps <= MOST_STEPS &&
           (steps <= LEAST_STEPS || os_clock_seconds() - since < TRIAL_SECONDS)) {
        if (steps == 1) {
            first_factor = bake->model.system.times.factor;
            since = os_clock_seconds();
        }
        status = bake_step(bake, h, message);
        ++steps;
    }
    *seconds_per_step = (os_clock_seconds() - since) / (steps - 1);
    SolverReport report;
    solver_report(bake->motion.view->jacobian->linear->solver, &report);
    if (report.factor_count <= 1)
        *seconds_per_step += first_factor / STEPS_PER_FACTOR;
    return status;
}

JnStatus jn_bake_estimate(const JnBakeDesc *desc, JnEstimate *estimate, JnMessage *message) {
    if (!estimate || estimate->struct_size != sizeof *estimate)
        return status_fail(message, estimate ? JN_ERR_STRUCT_SIZE : JN_ERR_ARGUMENT,
                           "give a JnEstimate whose struct_size is %zu", sizeof *estimate);
    JnStatus status = validate_desc(desc, message);
    if (status != JN_OK)
        return status;
    JnBakeDesc trial = *desc;
    trial.output_path = NULL;
    trial.resume = 0;
    JnBake *bake;
    double since = os_clock_seconds(), seconds_per_step = 0;
    status = bake_prepare(&trial, &bake, message);
    if (status != JN_OK)
        return status;
    status = make_first_frame(bake, message);
    double start_seconds = os_clock_seconds() - since;
    if (status == JN_OK)
        status = time_steps(bake, &seconds_per_step, message);
    if (status == JN_OK) {
        double samples = 1 + (desc->frame_count - 1.0) * desc->samples_per_frame;
        double per_frame = seconds_per_step * desc->steps_per_frame;
        JnStatistics statistics = {.struct_size = sizeof statistics};
        status = jn_bake_statistics(bake, &statistics, message);
        *estimate = (JnEstimate){.struct_size = sizeof *estimate,
                                 .vertex_count = bake->model.vertex_count,
                                 .tet_count = bake->model.tet_count,
                                 .spring_count = bake->model.spring_count,
                                 .point_count = statistics.point_count,
                                 .unknown_count = statistics.unknown_count,
                                 .seconds_per_frame = per_frame,
                                 .total_seconds = start_seconds + per_frame * (desc->frame_count - 1.0),
                                 .memory_bytes = statistics.peak_bytes + CACHE_MEMORY_BYTES,
                                 .cache_bytes = samples * cache_sample_bytes(bake)};
    }
    jn_bake_end(bake, NULL);
    return status;
}
