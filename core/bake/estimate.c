/* Estimates the cost of a bake from its own first frames: they are simulated as in the bake, and only the files are
   left out. So integrator, cut steps, contact, animation and reuse of factors are in the measured times. */
#include "bake/bake_internal.h"

#include "base/os/os.h"
#include "base/status.h"
#include "settings/validate.h"

#include <math.h>
#include <stdio.h>

/* Length of the trial: one frame, so that a large scene costs no more than that; a few steps if frames have only one;
   and more if the first is quick, as many as fit into TRIAL_SECONDS, up to half of the bake. Motion changes its cost
   when something touches or breaks loose, and in small scenes there is time to see it. */
enum { LEAST_STEPS = 3, MOST_FRAMES = 200 };
static const double QUICK_FRAME_SECONDS = 0.2, TRIAL_SECONDS = 2;
/* Least number of steps that share a factor in the long run if all of the trial's do. */
static const double STEPS_PER_FACTOR = 10;

/* What the files cost, which the trial does not write, as measured on a local disk: in each frame for opening, renaming
   and flushing, and for each byte of cache and checkpoint. */
static const double SECONDS_PER_FRAME_WRITTEN = 3e-4, SECONDS_PER_BYTE_WRITTEN = 0.9e-9;
/* Memory of the cache's writer: its buffers and its map of samples. The same for any number of frames. */
static const double CACHE_MEMORY_BYTES = 2e6;

typedef struct Factors { /* made so far */
    uint32_t count;
    double seconds;
} Factors;

typedef struct Trial {
    JnBake *bake;
    JnScene *scene;              /* with the inputs of the frames; NULL: nothing moves */
    double start_seconds;        /* until the first frame is done */
    uint32_t frame_count;        /* simulated after the first */
    double seconds[MOST_FRAMES]; /* [frame_count] of each */
    double total_seconds;        /* of all of those */
    Factors start, first, end;   /* after the start pose, the first of those frames and the last */
} Trial;

static JnStatus advance(const Trial *trial, JnMessage *message) {
    JnFrameInput input;
    jn_frame_input_init(&input, sizeof input);
    input.frame = jn_bake_next_frame(trial->bake);
    JnStatus status = trial->scene ? jn_scene_frame(trial->scene, input.frame, &input, sizeof input, message) : JN_OK;
    return status == JN_OK ? jn_bake_advance(trial->bake, &input, message) : status;
}

static Factors factors(const JnBake *bake) {
    JnStatistics statistics = {.struct_size = sizeof statistics};
    jn_bake_statistics(bake, &statistics, NULL);
    return (Factors){statistics.factor_count, statistics.factor_seconds};
}

/* Whether the trial has another frame. */
static bool goes_on(const Trial *trial) {
    const Settings *settings = &trial->bake->settings;
    uint32_t done = trial->frame_count, there = settings->frame_count - 1;
    if (done >= there || done >= MOST_FRAMES)
        return false;
    if (done == 0 || (uint64_t)done * settings->steps_per_frame < LEAST_STEPS)
        return true;
    return trial->seconds[0] < QUICK_FRAME_SECONDS && 2 * done < there &&
           trial->total_seconds + trial->seconds[done - 1] <= TRIAL_SECONDS;
}

static JnStatus run_frames(Trial *trial, JnMessage *message) {
    JnStatus status = JN_OK;
    trial->start = factors(trial->bake);
    while (status == JN_OK && goes_on(trial)) {
        double since = os_clock_seconds(), *seconds = &trial->seconds[trial->frame_count];
        status = advance(trial, message);
        *seconds = os_clock_seconds() - since;
        trial->total_seconds += *seconds;
        trial->end = factors(trial->bake);
        if (trial->frame_count++ == 0)
            trial->first = trial->end;
    }
    return status;
}

/* What a frame costs after the trial: the mean of its later half, as the start is often not typical. */
static double later_frame_seconds(const Trial *trial) {
    uint32_t count = trial->frame_count, from = count / 2;
    double sum = 0;
    if (count == 0)
        return trial->start_seconds;
    for (uint32_t i = from; i < count; ++i)
        sum += trial->seconds[i];
    double per_frame = sum / (count - from);
    /* a factor that was made at first and never again is expected to serve as long again as it has */
    if (trial->first.count == trial->start.count + 1 && trial->end.count == trial->first.count) {
        double factor = trial->first.seconds - trial->start.seconds;
        double steps_per_frame = trial->bake->settings.steps_per_frame;
        per_frame -= from == 0 ? factor : 0;
        per_frame += factor * steps_per_frame / fmax(2 * count * steps_per_frame, STEPS_PER_FACTOR);
    }
    return per_frame;
}

/* Writing the cache and the checkpoint of one frame. The checkpoint has the same content as the copy in memory that a
   failed frame is undone with. */
static double output_seconds(const JnBake *bake) {
    double bytes = bake->settings.samples_per_frame * cache_sample_bytes(bake) + (double)bake->scratch.frame_start.size;
    return SECONDS_PER_FRAME_WRITTEN + SECONDS_PER_BYTE_WRITTEN * bytes;
}

static JnStatus fill_estimate(const Trial *trial, JnEstimate *estimate, JnMessage *message) {
    const JnBake *bake = trial->bake;
    JnStatistics statistics = {.struct_size = sizeof statistics};
    JnStatus status = jn_bake_statistics(bake, &statistics, message);
    if (status != JN_OK)
        return status;
    double later_count = bake->settings.frame_count - 1.0;
    double samples = 1 + later_count * bake->settings.samples_per_frame;
    double per_frame = later_frame_seconds(trial), output = output_seconds(bake);
    *estimate = (JnEstimate){.struct_size = sizeof *estimate,
                             .vertex_count = bake->model.vertex_count,
                             .tet_count = bake->model.tet_count,
                             .spring_count = bake->model.spring_count + bake->model.rod_count,
                             .point_count = statistics.point_count,
                             .unknown_count = statistics.unknown_count,
                             .trial_frame_count = trial->frame_count,
                             .seconds_per_frame = per_frame + output,
                             .total_seconds = trial->start_seconds + trial->total_seconds +
                                              per_frame * (later_count - trial->frame_count) +
                                              output * bake->settings.frame_count,
                             .memory_bytes = statistics.peak_bytes + CACHE_MEMORY_BYTES,
                             .cache_bytes = samples * cache_sample_bytes(bake),
                             .integrator = statistics.integrator,
                             .steps_per_frame = statistics.steps_per_frame,
                             .kept_modes = statistics.kept_modes};
    snprintf(estimate->note, sizeof estimate->note, "%s", jn_bake_note(bake));
    snprintf(estimate->choice, sizeof estimate->choice, "%s", jn_bake_choice(bake));
    return JN_OK;
}

static JnStatus estimate_bake(const JnBakeDesc *desc, JnScene *scene, JnEstimate *estimate, JnMessage *message) {
    if (!estimate || estimate->struct_size != sizeof *estimate)
        return status_fail(message, estimate ? JN_ERR_STRUCT_SIZE : JN_ERR_ARGUMENT,
                           "give a JnEstimate whose struct_size is %zu", sizeof *estimate);
    JnStatus status = validate_desc(desc, message);
    if (status != JN_OK)
        return status;
    JnBakeDesc unwritten = *desc;
    unwritten.output_path = NULL;
    unwritten.resume = 0;
    Trial trial = {.scene = scene};
    double since = os_clock_seconds();
    status = bake_prepare(&unwritten, &trial.bake, message);
    if (status != JN_OK)
        return status;
    status = advance(&trial, message);
    trial.start_seconds = os_clock_seconds() - since;
    if (status == JN_OK)
        status = run_frames(&trial, message);
    if (status == JN_OK)
        status = fill_estimate(&trial, estimate, message);
    jn_bake_end(trial.bake, NULL);
    return status;
}

JnStatus jn_bake_estimate(const JnBakeDesc *desc, JnEstimate *estimate, JnMessage *message) {
    return estimate_bake(desc, NULL, estimate, message);
}

JnStatus jn_scene_estimate(JnScene *scene, const JnBakeDesc *desc, JnEstimate *estimate, JnMessage *message) {
    if (!scene)
        return status_fail(message, JN_ERR_ARGUMENT, "scene is NULL: load one by jn_scene_load");
    return estimate_bake(desc, scene, estimate, message);
}
