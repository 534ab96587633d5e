/* jounce compare: one scene baked by several integrators, side by side. */
#include "compare_run.h"
#include "error_work.h"
#include "method_list.h"
#include "os.h"
#include "progress.h"
#include "truth.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_CAPACITY = 16 };

/* With --truth: both solve every stage of a step fully, so that their error comes from the size of the steps alone. */
static const char TRUTH_METHOD[] = "tr_bdf2", CHECK_METHOD[] = "sdirk";
enum { TRUTH_ORDER = 2 };
static const double TRUTH_STEPS[] = {1, 2, 4, 8};
enum { TRUTH_STEPS_COUNT = 4, TRUTH_STEPS_FACTOR = 8 };

typedef struct CompareJob {
    const Arguments *arguments;
    bool json, quiet;
    JnScene *scene;
    JnBakeDesc desc;
    MethodList methods;
    uint32_t steps[STEPS_CAPACITY];
    size_t steps_count;
    const char *folder; /* NULL: nothing is written */
    Comparison comparison;
    Truth truth;
    Progress progress;
} CompareJob;

/* -------------------------------------------------------------------------------- set-up */

static ExitCode read_steps(CompareJob *job) {
    const Arguments *arguments = job->arguments;
    double numbers[STEPS_CAPACITY] = {job->desc.steps_per_frame};
    size_t count = option_numbers(arguments, "steps", numbers, STEPS_CAPACITY);
    if (count == 0 && job->comparison.has_truth) {
        count = TRUTH_STEPS_COUNT;
        memcpy(numbers, TRUTH_STEPS, sizeof TRUTH_STEPS);
    }
    job->steps_count = count > 0 ? count : 1;
    bool known = count <= STEPS_CAPACITY;
    for (size_t i = 0; known && i < job->steps_count; ++i) {
        known = numbers[i] >= (count > 0) && numbers[i] <= UINT32_MAX && numbers[i] == floor(numbers[i]);
        job->steps[i] = known ? (uint32_t)numbers[i] : 0;
    }
    if (known)
        return EXIT_DONE;
    return fail(arguments, EXIT_USAGE, "--steps takes at most %d whole numbers of at least 1, not '%s'", STEPS_CAPACITY,
                option_text(arguments, "steps"));
}

static void name_run(CompareRun *run) {
    char modes[16] = "", steps[32] = "";
    if (run->mode_count > 0)
        snprintf(modes, sizeof modes, ":%u", run->mode_count);
    if (run->says_steps)
        snprintf(steps, sizeof steps, ", %u %s", run->steps_per_frame, run->steps_per_frame == 1 ? "step" : "steps");
    snprintf(run->name, sizeof run->name, "%s%s", run->method, modes);
    snprintf(run->label, sizeof run->label, "%s%s%s", run->method, modes, steps);
}

static CompareRun new_run(const char *method, uint32_t mode_count, uint32_t steps_per_frame, bool says_steps) {
    CompareRun run = {.method = method,
                      .mode_count = mode_count,
                      .steps_per_frame = steps_per_frame,
                      .says_steps = says_steps,
                      .status = JN_ERR_CANCELLED,
                      .error = (double)NAN};
    name_run(&run);
    return run;
}

/* The runs with tiny steps. */
static ExitCode make_truth(CompareJob *job) {
    TruthReport *truth = &job->comparison.truth;
    MethodList check = {.names = {CHECK_METHOD}, .count = 1};
    const char *check_text = option_text(job->arguments, "truth-check");
    ExitCode code = check_text ? method_list_read(job->arguments, "truth-check", check_text, true, &check) : EXIT_DONE;
    if (code != EXIT_DONE)
        return code;
    if (check.count != 1 || strcmp(check.names[0], METHOD_AUTO) == 0)
        return fail(job->arguments, EXIT_USAGE, "--truth-check takes one integrator other than %s, not '%s'",
                    METHOD_AUTO, check_text);
    uint32_t most = 0;
    for (size_t s = 0; s < job->steps_count; ++s)
        most = job->steps[s] > most ? job->steps[s] : most;
    uint32_t steps = option_count(job->arguments, "truth-steps",
                                  most < UINT32_MAX / TRUTH_STEPS_FACTOR ? most * TRUTH_STEPS_FACTOR : UINT32_MAX);
    if (steps / 2 <= most)
        return fail(job->arguments, EXIT_USAGE,
                    "--truth-steps %u is less than needed: give more than twice the %u steps that are compared", steps,
                    most);
    if (job->desc.frame_count < 2)
        return fail(job->arguments, EXIT_USAGE, "--truth needs at least two frames: the first is the start pose");
    truth->extrapolated = option_given(job->arguments, "extrapolate");
    if (truth->extrapolated && steps % 2 != 0)
        return fail(job->arguments, EXIT_USAGE, "--extrapolate needs an even number of --truth-steps, not %u", steps);
    truth->runs[TRUTH_COARSE] = new_run(TRUTH_METHOD, 0, steps / 2, true);
    truth->runs[TRUTH_KEPT] = new_run(TRUTH_METHOD, 0, steps, true);
    // not half as many: steps that end at the same times would hit and land alike, and agree too well
    truth->runs[TRUTH_CHECK] = new_run(check.names[0], check.mode_counts[0], steps / 2 + 1, true);
    truth->motion = truth->own_error = (double)NAN;
    return EXIT_DONE;
}

static ExitCode make_runs(CompareJob *job) {
    Comparison *comparison = &job->comparison;
    comparison->runs = calloc(job->methods.count * job->steps_count, sizeof *comparison->runs);
    if (!comparison->runs)
        return fail(job->arguments, EXIT_MEMORY, "out of memory for the runs");
    // auto takes its own number of steps, or that of a scene that is left to it, as in a bake
    const uint32_t given = strcmp(job->desc.integrator, METHOD_AUTO) == 0 ? job->desc.steps_per_frame : 0;
    for (size_t m = 0; m < job->methods.count; ++m)
        if (strcmp(job->methods.names[m], METHOD_AUTO) == 0)
            comparison->runs[comparison->run_count++] = new_run(METHOD_AUTO, job->methods.mode_counts[m], given, true);
        else
            for (size_t s = 0; s < job->steps_count; ++s)
                comparison->runs[comparison->run_count++] =
                    new_run(job->methods.names[m], job->methods.mode_counts[m], job->steps[s], job->steps_count > 1);
    return comparison->has_truth ? make_truth(job) : EXIT_DONE;
}

static ExitCode load(CompareJob *job) {
    const Arguments *arguments = job->arguments;
    const char *scene_path = arguments->positionals[0];
    JnMessage message = {0};
    const char *methods = option_text(arguments, "methods");
    ExitCode code = method_list_read(arguments, "methods", methods ? methods : METHODS_TO_COMPARE, true, &job->methods);
    if (code != EXIT_DONE)
        return code;
    jn_bake_desc_init(&job->desc, sizeof job->desc);
    if (jn_scene_load(scene_path, &job->scene, &message) != JN_OK ||
        jn_scene_desc(job->scene, &job->desc, sizeof job->desc, &message) != JN_OK)
        return fail_message(arguments, &message);
    uint32_t frame_count = option_count(arguments, "frames", job->desc.frame_count);
    if (frame_count > job->desc.frame_count)
        return fail(arguments, EXIT_USAGE, "--frames %u is more than the %u frames of the scene", frame_count,
                    job->desc.frame_count);
    job->desc.frame_count = frame_count;
    job->desc.thread_count = option_count(arguments, "threads", job->desc.thread_count);
    job->comparison.scene_path = scene_path;
    job->comparison.has_truth = option_given(arguments, "truth");
    job->comparison.frame_count = frame_count;
    job->folder = option_text(arguments, "output");
    if (!job->folder && option_given(arguments, "caches"))
        return fail(arguments, EXIT_USAGE, "--caches needs a folder to write them to: give -o FOLDER");
    static const char *const truth_options[] = {"truth-steps", "truth-check", "extrapolate"};
    for (size_t i = 0; i < sizeof truth_options / sizeof *truth_options; ++i)
        if (!job->comparison.has_truth && option_given(arguments, truth_options[i]))
            return fail(arguments, EXIT_USAGE, "--%s needs --truth", truth_options[i]);
    code = read_steps(job);
    if (code == EXIT_DONE && job->folder && !os_folder_make(job->folder))
        code = fail_file(arguments, "make the folder", job->folder);
    return code == EXIT_DONE ? make_runs(job) : code;
}

/* -------------------------------------------------------------------------------- one run */

static void cancel_bake(void *bake) {
    jn_bake_cancel(bake);
}

/* Keeps the frame that is done as the truth, or measures how far from it the frame is. */
static JnStatus meet_truth(CompareJob *job, CompareRun *run, const JnBake *bake, size_t frame,
                           TruthDistance *distance) {
    const TruthReport *truth = &job->comparison.truth;
    if (!job->comparison.has_truth)
        return JN_OK;
    bool first = run == &truth->runs[truth->extrapolated ? TRUTH_COARSE : TRUTH_KEPT];
    if (first && frame == 0 && !truth_open(&job->truth, bake, job->desc.frame_count))
        return JN_ERR_MEMORY;
    if (first)
        return truth_keep(&job->truth, bake, &run->message);
    if (run == &truth->runs[TRUTH_KEPT])
        return truth_extrapolate(&job->truth, bake, frame, TRUTH_ORDER, &run->message);
    return truth_measure(&job->truth, bake, frame, distance, &run->message);
}

static JnStatus bake_frames(CompareJob *job, CompareRun *run, JnBake *bake) {
    JnStatus status = JN_OK;
    TruthDistance distance = {0, 0};
    for (uint32_t done = 0; status == JN_OK && done < job->desc.frame_count; ++done) {
        JnFrameInput input;
        jn_frame_input_init(&input, sizeof input);
        run->failed_frame = jn_bake_next_frame(bake);
        status = os_interrupt_count() > 0 ? JN_ERR_CANCELLED : JN_OK;
        if (status == JN_OK)
            status = jn_scene_frame(job->scene, run->failed_frame, &input, sizeof input, &run->message);
        double since = os_clock_seconds(), worked = os_processor_seconds();
        if (status == JN_OK)
            status = jn_bake_advance(bake, &input, &run->message);
        // the first frame is the start pose: it takes no steps
        run->seconds += done > 0 ? os_clock_seconds() - since : 0;
        run->processor_seconds += done > 0 ? os_processor_seconds() - worked : 0;
        if (status == JN_OK && !history_add(&run->history, bake))
            status = JN_ERR_MEMORY;
        if (status == JN_OK)
            status = meet_truth(job, run, bake, done, &distance);
        if (status == JN_OK)
            progress_frame(&job->progress);
    }
    run->error = truth_distance(&job->truth, &distance);
    return status;
}

static void bake_run(CompareJob *job, CompareRun *run) {
    JnBakeDesc desc = job->desc;
    JnBake *bake = NULL;
    size_t capacity = (job->folder ? strlen(job->folder) : 0) + sizeof run->label + 32;
    char *path = malloc(capacity);
    desc.integrator = run->method;
    desc.kept_modes = run->mode_count > 0 ? run->mode_count : desc.kept_modes;
    desc.steps_per_frame = run->steps_per_frame;
    desc.samples_per_frame = 1;
    desc.resume = 0;
    desc.output_path = NULL;
    if (path && option_given(job->arguments, "caches")) {
        // siere_5_modes_1.abc: colons are not allowed in names of files everywhere
        char modes[32] = "";
        if (run->mode_count > 0)
            snprintf(modes, sizeof modes, "_%u_modes", run->mode_count);
        snprintf(path, capacity, "%s/%s%s_%u.abc", job->folder, run->method, modes, run->steps_per_frame);
        desc.output_path = path;
    }
    run->failed_frame = desc.first_frame;
    run->status = path ? jn_bake_begin(&desc, &bake, &run->message) : JN_ERR_MEMORY;
    if (run->status == JN_OK) {
        os_interrupt_catch(cancel_bake, bake);
        run->status = bake_frames(job, run, bake);
        os_interrupt_catch(NULL, NULL);
        run->statistics.struct_size = sizeof run->statistics;
        jn_bake_statistics(bake, &run->statistics, NULL);
        snprintf(run->choice, sizeof run->choice, "%s", jn_bake_choice(bake));
        run->steps_per_frame = run->statistics.steps_per_frame;
        run->says_steps |= run->steps_per_frame != desc.steps_per_frame;
        name_run(run);
        JnStatus end_status = jn_bake_end(bake, run->status == JN_OK ? &run->message : NULL);
        run->status = run->status == JN_OK ? end_status : run->status;
    }
    free(path);
}

/* -------------------------------------------------------------------------------- the command */

static void say_begin(const CompareJob *job) {
    if (!job->json && !job->quiet)
        printf("Baking %s with %zu %s, %u frames each\n", job->comparison.scene_path, job->comparison.run_count,
               job->comparison.run_count == 1 ? "method" : "methods", job->desc.frame_count);
    fflush(stdout);
}

static void say_run(const CompareJob *job, const CompareRun *run) {
    if (!job->json)
        return;
    cJSON *object = run_json(&job->comparison, run);
    cJSON_AddStringToObject(object, "event", "run");
    print_json(object);
}

/* A comparison without any result is an error; one in which some methods failed is not. */
static ExitCode result_code(const CompareJob *job) {
    bool any = false;
    for (size_t r = 0; r < job->comparison.run_count; ++r) {
        if (job->comparison.runs[r].status == JN_ERR_CANCELLED)
            return EXIT_CANCELLED;
        any |= job->comparison.runs[r].status == JN_OK;
    }
    return any ? EXIT_DONE : fail_message(job->arguments, &job->comparison.runs[0].message);
}

/* Without the truth nothing can be measured: a reference run that fails ends the command. */
static ExitCode run_truth(CompareJob *job) {
    TruthReport *truth = &job->comparison.truth;
    for (int r = truth->extrapolated ? TRUTH_COARSE : TRUTH_KEPT; r < TRUTH_RUNS; ++r) {
        CompareRun *run = &truth->runs[r];
        bake_run(job, run);
        if (run->status == JN_ERR_CANCELLED)
            return EXIT_CANCELLED;
        if (run->status == JN_ERR_MEMORY)
            return fail(job->arguments, EXIT_MEMORY, "out of memory for the truth of %u frames: give fewer --frames",
                        job->desc.frame_count);
        if (run->status != JN_OK)
            return fail(job->arguments, exit_code_of_status(run->status),
                        "there is no truth to compare with: %s failed in frame %.6g: %s", run->label, run->failed_frame,
                        run->message.text);
    }
    truth->motion = truth_motion(&job->truth);
    truth->own_error = truth->runs[TRUTH_CHECK].error;
    if (job->json) {
        cJSON *object = truth_json(&job->comparison);
        cJSON_DeleteItemFromObjectCaseSensitive(object, "cheapest");
        cJSON_AddStringToObject(object, "event", "truth");
        print_json(object);
    }
    return EXIT_DONE;
}

static void say_end(const CompareJob *job) {
    const Comparison *comparison = &job->comparison;
    if (job->json && comparison->has_truth) {
        cJSON *object = cJSON_CreateObject(), *truth = truth_json(comparison);
        cJSON_AddStringToObject(object, "event", "cheapest");
        cJSON_AddItemToObject(object, "cheapest", cJSON_DetachItemFromObjectCaseSensitive(truth, "cheapest"));
        cJSON_Delete(truth);
        print_json(object);
    }
    if (job->json || job->quiet)
        return;
    comparison_print(comparison);
    if (comparison->has_truth)
        error_work_print(comparison);
    if (job->folder)
        printf("%s: plots of potential and total energy%s, compare.csv, compare.json%s\n", job->folder,
               comparison->has_truth ? ", of error against cost" : "", comparison->has_truth ? ", error_work.csv" : "");
}

static ExitCode run_all(CompareJob *job) {
    Comparison *comparison = &job->comparison;
    size_t truth_runs = !comparison->has_truth ? 0 : comparison->truth.extrapolated ? TRUTH_RUNS : TRUTH_RUNS - 1;
    uint64_t frames = (uint64_t)job->desc.frame_count * (comparison->run_count + truth_runs);
    say_begin(job);
    progress_begin(&job->progress, frames < UINT32_MAX ? (uint32_t)frames : UINT32_MAX, 0, job->quiet || job->json);
    ExitCode truth_code = comparison->has_truth ? run_truth(job) : EXIT_DONE;
    if (truth_code != EXIT_DONE) {
        progress_end(&job->progress);
        return truth_code;
    }
    for (size_t r = 0; r < comparison->run_count && os_interrupt_count() == 0; ++r) {
        bake_run(job, &comparison->runs[r]);
        // count the frames that a failed run leaves out as done
        job->progress.done_count = (uint32_t)((truth_runs + r + 1) * job->desc.frame_count);
        say_run(job, &comparison->runs[r]);
    }
    progress_end(&job->progress);
    char *path = NULL;
    ExitCode code = EXIT_DONE;
    if (job->folder && !comparison_write(comparison, job->folder, &path))
        code = fail_file(job->arguments, "write", path ? path : job->folder);
    free(path);
    say_end(job);
    ExitCode runs_code = result_code(job);
    return code == EXIT_DONE ? runs_code : code;
}

ExitCode run_compare(const Arguments *arguments) {
    CompareJob job = {
        .arguments = arguments, .json = option_given(arguments, "json"), .quiet = option_given(arguments, "quiet")};
    ExitCode code = load(&job);
    if (code == EXIT_DONE) {
        os_interrupt_catch(NULL, NULL);
        code = run_all(&job);
        os_interrupt_release();
    }
    for (size_t r = 0; r < job.comparison.run_count; ++r)
        history_close(&job.comparison.runs[r].history);
    for (int r = 0; r < TRUTH_RUNS; ++r)
        history_close(&job.comparison.truth.runs[r].history);
    truth_close(&job.truth);
    free(job.comparison.runs);
    jn_scene_free(job.scene);
    return code;
}
