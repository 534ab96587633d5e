/* jounce compare: one scene baked by several integrators, side by side. */
#include "compare_run.h"
#include "method_list.h"
#include "os.h"
#include "progress.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_CAPACITY = 16 };

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
    Progress progress;
} CompareJob;

/* -------------------------------------------------------------------------------- set-up */

static ExitCode read_steps(CompareJob *job) {
    const Arguments *arguments = job->arguments;
    double numbers[STEPS_CAPACITY] = {job->desc.steps_per_frame};
    size_t count = option_numbers(arguments, "steps", numbers, STEPS_CAPACITY);
    job->steps_count = count > 0 ? count : 1;
    bool known = count <= STEPS_CAPACITY;
    for (size_t i = 0; known && i < job->steps_count; ++i) {
        known = numbers[i] >= 1 && numbers[i] <= UINT32_MAX && numbers[i] == floor(numbers[i]);
        job->steps[i] = known ? (uint32_t)numbers[i] : 0;
    }
    if (known)
        return EXIT_DONE;
    return fail(arguments, EXIT_USAGE, "--steps takes at most %d whole numbers of at least 1, not '%s'", STEPS_CAPACITY,
                option_text(arguments, "steps"));
}

static ExitCode make_runs(CompareJob *job) {
    Comparison *comparison = &job->comparison;
    comparison->runs = calloc(job->methods.count * job->steps_count, sizeof *comparison->runs);
    if (!comparison->runs)
        return fail(job->arguments, EXIT_MEMORY, "out of memory for the runs");
    for (size_t m = 0; m < job->methods.count; ++m)
        for (size_t s = 0; s < job->steps_count; ++s) {
            CompareRun *run = &comparison->runs[comparison->run_count++];
            *run = (CompareRun){
                .method = job->methods.names[m], .steps_per_frame = job->steps[s], .status = JN_ERR_CANCELLED};
            if (job->steps_count > 1)
                snprintf(run->label, sizeof run->label, "%s, %u %s", run->method, run->steps_per_frame,
                         run->steps_per_frame == 1 ? "step" : "steps");
            else
                snprintf(run->label, sizeof run->label, "%s", run->method);
        }
    return EXIT_DONE;
}

static ExitCode load(CompareJob *job) {
    const Arguments *arguments = job->arguments;
    const char *scene_path = arguments->positionals[0];
    JnMessage message = {0};
    ExitCode code = method_list_read(arguments, "methods", option_text(arguments, "methods"), &job->methods);
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
    job->comparison.frame_count = frame_count;
    job->folder = option_text(arguments, "output");
    if (!job->folder && option_given(arguments, "caches"))
        return fail(arguments, EXIT_USAGE, "--caches needs a folder to write them to: give -o FOLDER");
    code = read_steps(job);
    if (code == EXIT_DONE && job->folder && !os_folder_make(job->folder))
        code = fail_file(arguments, "make the folder", job->folder);
    return code == EXIT_DONE ? make_runs(job) : code;
}

/* -------------------------------------------------------------------------------- one run */

static void cancel_bake(void *bake) {
    jn_bake_cancel(bake);
}

static JnStatus bake_frames(CompareJob *job, CompareRun *run, JnBake *bake) {
    JnStatus status = JN_OK;
    for (uint32_t done = 0; status == JN_OK && done < job->desc.frame_count; ++done) {
        JnFrameInput input;
        jn_frame_input_init(&input, sizeof input);
        run->failed_frame = jn_bake_next_frame(bake);
        status = os_interrupt_count() > 0 ? JN_ERR_CANCELLED : JN_OK;
        if (status == JN_OK)
            status = jn_scene_frame(job->scene, run->failed_frame, &input, sizeof input, &run->message);
        double since = os_clock_seconds();
        if (status == JN_OK)
            status = jn_bake_advance(bake, &input, &run->message);
        // the first frame is the start pose: it takes no steps
        run->seconds += done > 0 ? os_clock_seconds() - since : 0;
        if (status == JN_OK && !history_add(&run->history, bake))
            status = JN_ERR_MEMORY;
        if (status == JN_OK)
            progress_frame(&job->progress);
    }
    return status;
}

static void bake_run(CompareJob *job, CompareRun *run) {
    JnBakeDesc desc = job->desc;
    JnBake *bake = NULL;
    size_t capacity = (job->folder ? strlen(job->folder) : 0) + sizeof run->label + 32;
    char *path = malloc(capacity);
    desc.integrator = run->method;
    desc.steps_per_frame = run->steps_per_frame;
    desc.samples_per_frame = 1;
    desc.resume = 0;
    desc.output_path = NULL;
    if (path && option_given(job->arguments, "caches")) {
        snprintf(path, capacity, "%s/%s_%u.abc", job->folder, run->method, run->steps_per_frame);
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

static ExitCode run_all(CompareJob *job) {
    Comparison *comparison = &job->comparison;
    uint64_t frames = (uint64_t)job->desc.frame_count * comparison->run_count;
    say_begin(job);
    progress_begin(&job->progress, frames < UINT32_MAX ? (uint32_t)frames : UINT32_MAX, 0, job->quiet || job->json);
    for (size_t r = 0; r < comparison->run_count && os_interrupt_count() == 0; ++r) {
        bake_run(job, &comparison->runs[r]);
        // count the frames that a failed run leaves out as done
        job->progress.done_count = (uint32_t)((r + 1) * job->desc.frame_count);
        say_run(job, &comparison->runs[r]);
    }
    progress_end(&job->progress);
    char *path = NULL;
    ExitCode code = EXIT_DONE;
    if (job->folder && !comparison_write(comparison, job->folder, &path))
        code = fail_file(job->arguments, "write", path ? path : job->folder);
    free(path);
    if (!job->json && !job->quiet) {
        comparison_print(comparison);
        if (job->folder)
            printf("%s: plots of potential and total energy, compare.csv, compare.json\n", job->folder);
    }
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
    free(job.comparison.runs);
    jn_scene_free(job.scene);
    return code;
}
