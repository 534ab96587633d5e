/* jounce bake: simulates a scene and writes its cache. */
#include "bake_record.h"
#include "cli.h"
#include "cut_frames.h"
#include "cut_watch.h"
#include "hard_frames.h"
#include "os.h"
#include "overlap_frames.h"
#include "progress.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One run of the command. */
typedef struct BakeJob {
    const Arguments *arguments;
    bool json, quiet;
    JnScene *scene;
    JnBakeDesc desc;
    char *own_output_path; /* made from the scene's name, if none was given */
    JnBake *bake;
    Progress progress;
    CutWatch watch;
    HardFrames hard_frames;
    OverlapFrames overlap_frames;
    CutFrames cut_frames;
    BakeRecord record;
    double start_clock;
    JnStatistics statistics; /* as last known */
    uint32_t kept_count;     /* finished frames in the cache */
    char *kept_path;         /* the file that they are in until the bake is complete */
} BakeJob;

/* -------------------------------------------------------------------------------- set-up */

static ExitCode load_scene(BakeJob *job) {
    const Arguments *arguments = job->arguments;
    JnMessage message = {0};
    jn_bake_desc_init(&job->desc, sizeof job->desc);
    if (jn_scene_load(arguments->positionals[0], &job->scene, &message) != JN_OK ||
        jn_scene_desc(job->scene, &job->desc, sizeof job->desc, &message) != JN_OK)
        return fail_message(arguments, &message);
    JnBakeDesc *desc = &job->desc;
    uint32_t frame_count = option_count(arguments, "frames", desc->frame_count);
    if (frame_count > desc->frame_count)
        return fail(arguments, EXIT_USAGE, "--frames %u is more than the %u frames of the scene", frame_count,
                    desc->frame_count);
    desc->frame_count = frame_count;
    desc->thread_count = option_count(arguments, "threads", desc->thread_count);
    if (option_given(arguments, "output"))
        desc->output_path = option_text(arguments, "output");
    if (!desc->output_path)
        desc->output_path = job->own_output_path = path_with_ending(arguments->positionals[0], ".abc");
    if (!desc->output_path)
        return fail(arguments, EXIT_MEMORY, "out of memory for the output path");
    desc->resume = option_given(arguments, "resume");
    // a write-protected cache is the core's to refuse: one that is complete needs no writing
    if (jn_scene_reads(job->scene, desc->output_path))
        return fail(arguments, EXIT_FILE, "%s is what the scene is read from: name another file to write to",
                    desc->output_path);
    return record_check(&job->record, job->scene);
}

/* Where the frames go, for messages after the bake is closed. false: out of memory. */
static bool keep_path(BakeJob *job) {
    const char *path = jn_bake_cache_path(job->bake);
    job->kept_path = malloc(strlen(path) + 1);
    if (job->kept_path)
        strcpy(job->kept_path, path);
    return job->kept_path != NULL;
}

/* Whether a finished cache stands at the output until this bake is complete. */
static bool is_beside(const BakeJob *job) {
    return !os_path_is_same(job->kept_path, job->desc.output_path) && os_file_size(job->desc.output_path, NULL);
}

static void update_counts(BakeJob *job) {
    job->statistics.struct_size = sizeof job->statistics;
    jn_bake_statistics(job->bake, &job->statistics, NULL);
    job->kept_count = (uint32_t)lround(jn_bake_next_frame(job->bake) - job->desc.first_frame);
}

/* -------------------------------------------------------------------------------- words */

static void append_quoted(char *text, const char *word) {
    char *end = text + strlen(text);
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    if (word[0] && word[strspn(word, safe)] == '\0') {
        strcpy(end, word);
        return;
    }
    *end++ = '\'';
    for (; *word; ++word) {
        if (*word == '\'') {
            memcpy(end, "'\\''", 4);
            end += 4;
        } else {
            *end++ = *word;
        }
    }
    strcpy(end, "'");
}

/* This command line with --resume in it, for a shell. The caller frees it; NULL: out of memory. */
static char *resume_command(const Arguments *arguments) {
    size_t capacity = sizeof " --resume";
    for (int i = 0; i < arguments->argument_count; ++i)
        capacity += 4 * strlen(arguments->argument_values[i]) + 4;
    char *text = calloc(capacity, 1);
    for (int i = 0; text && i < arguments->argument_count; ++i) {
        if (i > 0)
            strcat(text, " ");
        append_quoted(text, arguments->argument_values[i]);
        if (i == 1 && !option_given(arguments, "resume"))
            strcat(text, " --resume");
    }
    return text;
}

static void add_statistics(cJSON *object, const JnStatistics *statistics) {
    cJSON_AddNumberToObject(object, "vertices", statistics->vertex_count);
    cJSON_AddNumberToObject(object, "tets", statistics->tet_count);
    cJSON_AddNumberToObject(object, "springs", statistics->spring_count);
    cJSON_AddNumberToObject(object, "points", statistics->point_count);
    cJSON_AddNumberToObject(object, "unknowns", statistics->unknown_count);
    cJSON_AddNumberToObject(object, "threads", statistics->thread_count);
}

static void say_begin(const BakeJob *job) {
    char text[SAY_CAPACITY];
    const JnStatistics *statistics = &job->statistics;
    if (job->json) {
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "event", "begin");
        cJSON_AddStringToObject(object, "scene", job->arguments->positionals[0]);
        cJSON_AddStringToObject(object, "output", job->desc.output_path);
        cJSON_AddNumberToObject(object, "first_frame", job->desc.first_frame);
        cJSON_AddNumberToObject(object, "frames", job->desc.frame_count);
        cJSON_AddNumberToObject(object, "done", job->kept_count);
        add_statistics(object, statistics);
        if (jn_bake_choice(job->bake)[0])
            cJSON_AddStringToObject(object, "choice", jn_bake_choice(job->bake));
        if (jn_bake_note(job->bake)[0])
            cJSON_AddStringToObject(object, "note", jn_bake_note(job->bake));
        print_json(object);
    } else if (!job->quiet) {
        printf("Baking %s: %s vertices", job->arguments->positionals[0],
               say_count(statistics->vertex_count, text, sizeof text));
        if (statistics->tet_count || !statistics->spring_count)
            printf(", %s tets", say_count(statistics->tet_count, text, sizeof text));
        if (statistics->spring_count)
            printf(", %s springs", say_count(statistics->spring_count, text, sizeof text));
        printf(", %u frames, %u %s\n", job->desc.frame_count, statistics->thread_count,
               statistics->thread_count == 1 ? "thread" : "threads");
        if (job->kept_count > 0)
            printf("Resuming after the %u frames in %s\n", job->kept_count, job->kept_path);
        else if (job->desc.resume)
            printf("Nothing to resume for %s: it starts at the first frame\n", job->desc.output_path);
        if (jn_bake_choice(job->bake)[0])
            printf("Integrator: %s\n", jn_bake_choice(job->bake));
        if (jn_bake_note(job->bake)[0])
            printf("Note: %s\n", jn_bake_note(job->bake));
        fflush(stdout);
    }
}

static void say_frame(const BakeJob *job, double frame, double seconds) {
    const char *note = frame == job->desc.first_frame ? jn_bake_note(job->bake) : "";
    if (!job->json && !job->quiet && note[0])
        printf("Note: %s\n", note);
    if (!job->json)
        return;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "event", "frame");
    cJSON_AddNumberToObject(object, "frame", frame);
    cJSON_AddNumberToObject(object, "done", job->progress.done_count);
    cJSON_AddNumberToObject(object, "frames", job->desc.frame_count);
    cJSON_AddNumberToObject(object, "seconds", seconds);
    double seconds_left = progress_seconds_left(&job->progress);
    if (isfinite(seconds_left))
        cJSON_AddNumberToObject(object, "seconds_left", seconds_left);
    contact_json(job->bake, object);
    if (note[0])
        cJSON_AddStringToObject(object, "note", note);
    print_json(object);
}

static void say_end_json(const BakeJob *job, JnStatus status, uint64_t bytes, const char *resume) {
    const JnStatistics *statistics = &job->statistics;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "event", "end");
    cJSON_AddStringToObject(object, "status", jn_status_name(status));
    cJSON_AddBoolToObject(object, "complete", status == JN_OK);
    cJSON_AddStringToObject(object, "output", job->desc.output_path);
    cJSON_AddNumberToObject(object, "bytes", (double)bytes);
    cJSON_AddNumberToObject(object, "frames", job->desc.frame_count);
    cJSON_AddNumberToObject(object, "done", job->kept_count);
    if (job->record.history_path)
        cJSON_AddStringToObject(object, "history", job->record.history_path);
    if (job->record.plot_path)
        cJSON_AddStringToObject(object, "plot", job->record.plot_path);
    if (resume)
        cJSON_AddStringToObject(object, "resume_command", resume);
    if (status != JN_OK)
        cJSON_AddStringToObject(object, "kept_in", job->kept_path);
    cJSON_AddNumberToObject(object, "seconds", os_clock_seconds() - job->start_clock);
    add_statistics(object, statistics);
    cJSON_AddNumberToObject(object, "steps", statistics->steps_done);
    cJSON_AddNumberToObject(object, "projected_steps", statistics->projected_steps);
    cJSON_AddNumberToObject(object, "projected_elements", statistics->projected_elements);
    cJSON_AddNumberToObject(object, "cut_steps", statistics->cut_steps);
    cJSON_AddNumberToObject(object, "loose_steps", statistics->loose_steps);
    cJSON_AddNumberToObject(object, "damped_steps", statistics->damped_steps);
    cJSON_AddNumberToObject(object, "fast_touch_steps", statistics->fast_touch_steps);
    cJSON_AddNumberToObject(object, "hastened_steps", statistics->hastened_steps);
    hard_frames_json(&job->hard_frames, object);
    overlap_frames_json(&job->overlap_frames, object);
    cut_frames_json(&job->cut_frames, object);
    cJSON_AddNumberToObject(object, "deepest_penetration", statistics->deepest_penetration);
    cJSON_AddNumberToObject(object, "factorizations", statistics->factor_count);
    cJSON_AddNumberToObject(object, "reused_factors", statistics->reused_count);
    cJSON_AddNumberToObject(object, "iterations", statistics->iteration_count);
    cJSON_AddNumberToObject(object, "solver_bytes", statistics->solver_bytes);
    cJSON_AddNumberToObject(object, "peak_bytes", statistics->peak_bytes);
    cJSON_AddNumberToObject(object, "input_seconds", statistics->input_seconds);
    cJSON_AddNumberToObject(object, "assembly_seconds", statistics->assembly_seconds);
    cJSON_AddNumberToObject(object, "factor_seconds", statistics->factor_seconds);
    cJSON_AddNumberToObject(object, "solve_seconds", statistics->solve_seconds);
    cJSON_AddNumberToObject(object, "contact_seconds", statistics->contact_seconds);
    cJSON_AddNumberToObject(object, "output_seconds", statistics->output_seconds);
    print_json(object);
}

static void say_complete(const BakeJob *job, uint32_t frames_before, uint64_t bytes) {
    char duration[SAY_CAPACITY], size[SAY_CAPACITY], memory[SAY_CAPACITY];
    uint32_t baked = job->kept_count - frames_before;
    double seconds = os_clock_seconds() - job->start_clock;
    printf("Baked %u %s in %s (%.1f frames/s), with at most %s of memory\n", baked, baked == 1 ? "frame" : "frames",
           say_duration(seconds, duration, sizeof duration), baked / seconds,
           say_bytes(job->statistics.peak_bytes, memory, sizeof memory));
    printf("%s: %u frames, %s\n", job->desc.output_path, job->kept_count, say_bytes((double)bytes, size, sizeof size));
    hard_frames_say(&job->hard_frames, job->statistics.integrator);
    if (job->statistics.hastened_steps)
        printf("In %u of %u steps all took the small steps of a fast part that touched something\n",
               job->statistics.hastened_steps, job->statistics.steps_done);
    overlap_frames_say(&job->overlap_frames);
    cut_frames_say(&job->cut_frames);
    if (job->statistics.projected_elements > 0)
        printf("Badly squeezed elements were stabilized %.0f times, in %u solves, which damps them there; integrators "
               "that solve each step fully, such as be and sdirk, need not do it\n",
               job->statistics.projected_elements, job->statistics.projected_steps);
    if (job->record.history_path)
        printf("%s: energies, momenta and contacts\n", job->record.history_path);
    if (job->record.plot_path)
        printf("%s: plot of the energies\n", job->record.plot_path);
}

static void say_stopped(const BakeJob *job, const char *resume) {
    if (job->kept_count == 0)
        fprintf(stderr, "Stopped before the first frame was done.\n");
    else
        fprintf(stderr, "Stopped. %u of %u frames are kept in %s\n", job->kept_count, job->desc.frame_count,
                job->kept_path);
    if (is_beside(job))
        fprintf(stderr, "%s is still the finished bake from before\n", job->desc.output_path);
    if (resume)
        fprintf(stderr, "Resume with: %s\n", resume);
}

/* -------------------------------------------------------------------------------- the bake */

static void cancel_bake(void *bake) {
    jn_bake_cancel(bake);
}

static JnStatus bake_frames(BakeJob *job, JnMessage *message) {
    for (uint32_t done = job->kept_count; done < job->desc.frame_count; ++done) {
        double frame = jn_bake_next_frame(job->bake), start = os_clock_seconds();
        JnFrameInput input;
        jn_frame_input_init(&input, sizeof input);
        if (os_interrupt_count() > 0)
            return JN_ERR_CANCELLED;
        JnStatus status = jn_scene_frame(job->scene, frame, &input, sizeof input, message);
        if (status == JN_OK)
            status = jn_bake_advance(job->bake, &input, message);
        if (status != JN_OK)
            return status;
        record_frame(&job->record, job->bake);
        hard_frames_add(&job->hard_frames, frame, job->bake);
        overlap_frames_add(&job->overlap_frames, frame, job->bake);
        cut_frames_add(&job->cut_frames, frame, job->bake);
        cut_watch_lock(&job->watch);
        progress_frame(&job->progress);
        say_frame(job, frame, os_clock_seconds() - start);
        cut_watch_unlock(&job->watch);
    }
    return JN_OK;
}

/* After the last frame, a stop or an error: closes the cache and reports its content. */
static ExitCode finish(BakeJob *job, JnStatus status, uint32_t frames_before, JnMessage *message) {
    const Arguments *arguments = job->arguments;
    JnMessage end_message = {0};
    uint64_t bytes = 0;
    update_counts(job);
    JnStatus end_status = jn_bake_end(job->bake, &end_message);
    job->bake = NULL;
    if (status == JN_OK && end_status != JN_OK) {
        status = end_status;
        *message = end_message;
    }
    os_file_size(status == JN_OK ? job->desc.output_path : job->kept_path, &bytes);
    // a diverged bake would diverge again, and what overlaps would overlap: resuming helps only if the cause was
    // external
    bool would_recur = status == JN_ERR_DIVERGED || status == JN_ERR_OVERLAP;
    char *resume = status == JN_OK || would_recur ? NULL : resume_command(arguments);
    ExitCode code = exit_code_of_status(status);
    if (status != JN_OK && status != JN_ERR_CANCELLED)
        code = fail_message(arguments, message);
    ExitCode record_code = record_end(&job->record);
    code = code == EXIT_DONE ? record_code : code;
    if (job->json)
        say_end_json(job, status, bytes, resume);
    if (status != JN_OK)
        say_stopped(job, resume);
    else if (code == EXIT_DONE && !job->json && !job->quiet)
        say_complete(job, frames_before, bytes);
    free(resume);
    return code;
}

static ExitCode run_job(BakeJob *job) {
    JnMessage message = {0};
    if (jn_bake_begin(&job->desc, &job->bake, &message) != JN_OK)
        return fail_message(job->arguments, &message);
    update_counts(job);
    uint32_t frames_before = job->kept_count;
    ExitCode code = keep_path(job) ? EXIT_DONE : fail(job->arguments, EXIT_MEMORY, "out of memory for a path");
    if (code == EXIT_DONE)
        code = record_begin(&job->record, job->desc.first_frame, frames_before, job->desc.frame_count);
    if (code != EXIT_DONE) {
        jn_bake_end(job->bake, NULL);
        return code;
    }
    say_begin(job);
    progress_begin(&job->progress, job->desc.frame_count, frames_before, job->quiet || job->json);
    hard_frames_begin(&job->hard_frames, &job->desc, job->bake);
    cut_watch_begin(&job->watch, job->bake, &job->progress, job->json);
    os_interrupt_catch(cancel_bake, job->bake);
    JnStatus status = bake_frames(job, &message);
    os_interrupt_catch(NULL, NULL);
    cut_watch_end(&job->watch);
    progress_end(&job->progress);
    return finish(job, status, frames_before, &message);
}

ExitCode run_bake(const Arguments *arguments) {
    BakeJob job = {.arguments = arguments,
                   .json = option_given(arguments, "json"),
                   .quiet = option_given(arguments, "quiet"),
                   .start_clock = os_clock_seconds()};
    ExitCode code = record_init(&job.record, arguments);
    if (code == EXIT_DONE)
        code = load_scene(&job);
    if (code == EXIT_DONE) {
        os_interrupt_catch(NULL, NULL);
        code = run_job(&job);
        os_interrupt_release();
    }
    hard_frames_free(&job.hard_frames);
    jn_scene_free(job.scene);
    free(job.own_output_path);
    free(job.kept_path);
    return code;
}
