#include "damping_scene.h"

#include "picture/plot.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_COUNT = 10, CURVE_POINTS = 121 };
static const double TWO_PI = 6.283185307179586;
/* A mode that loses this fraction of its amplitude in a second is not visible. */
static const double KILLED = 0.9;

typedef struct SceneDamping {
    const Arguments *arguments;
    JnScene *scene;
    JnBakeDesc desc;
    MethodList methods;
    JnModes *found;
    JnMode *modes; /* [count] the elastic ones */
    uint32_t count;
} SceneDamping;

/* -------------------------------------------------------------------------------- numbers */

static double step_seconds(const SceneDamping *job) {
    return 1 / (job->desc.fps * job->desc.steps_per_frame);
}

/* 1/s: with the method the amplitude of this frequency decays as exp(-rate t). NaN: it cannot take such steps. */
static double decay_rate(const SceneDamping *job, const char *method, double frequency) {
    double omega = TWO_PI * frequency, damping = NAN;
    if (jn_method_damping(method, omega * step_seconds(job), job->desc.spectral_radius, &damping, NULL) != JN_OK)
        return NAN;
    // rounding of an exact zero is not damping
    return fabs(damping) < 5e-9 ? 0 : 0.5 * damping * omega;
}

static double lost_in_a_second(double rate) {
    return 1 - exp(-rate);
}

/* -------------------------------------------------------------------------------- set-up */

/* Keeps the elastic modes. */
static ExitCode read_modes(SceneDamping *job) {
    JnMessage message = {0};
    uint32_t count = jn_modes_count(job->found);
    job->modes = calloc((size_t)count + 1, sizeof *job->modes);
    if (!job->modes)
        return fail(job->arguments, EXIT_MEMORY, "out of memory for the modes");
    for (uint32_t k = 0; k < count; ++k) {
        JnMode mode = {.struct_size = sizeof mode};
        if (jn_modes_get(job->found, k, &mode, &message) != JN_OK)
            return fail_message(job->arguments, &message);
        if (!mode.rigid && mode.frequency > 0)
            job->modes[job->count++] = mode;
    }
    return EXIT_DONE;
}

/* Puts what auto chooses in its place. given: the scene's steps per frame, or 0. */
static ExitCode resolve_auto(SceneDamping *job, uint32_t given) {
    JnMessage message = {0};
    JnBake *bake = NULL;
    JnStatistics statistics = {.struct_size = sizeof statistics};
    JnBakeDesc trial = job->desc;
    trial.integrator = METHOD_AUTO;
    trial.steps_per_frame = option_count(job->arguments, "steps", given);
    trial.output_path = NULL;
    trial.resume = 0;
    JnStatus status = jn_bake_begin(&trial, &bake, &message);
    if (status == JN_OK)
        status = jn_bake_statistics(bake, &statistics, &message);
    jn_bake_end(bake, NULL);
    if (status != JN_OK)
        return fail_message(job->arguments, &message);
    job->desc.integrator = statistics.integrator;
    job->desc.steps_per_frame = statistics.steps_per_frame;
    return EXIT_DONE;
}

static ExitCode load(SceneDamping *job, const MethodList *methods) {
    const Arguments *arguments = job->arguments;
    JnMessage message = {0};
    jn_bake_desc_init(&job->desc, sizeof job->desc);
    if (jn_scene_load(arguments->positionals[0], &job->scene, &message) != JN_OK ||
        jn_scene_desc(job->scene, &job->desc, sizeof job->desc, &message) != JN_OK)
        return fail_message(arguments, &message);
    const uint32_t given = job->desc.steps_per_frame;
    job->desc.steps_per_frame = option_count(arguments, "steps", given > 0 ? given : JN_USUAL_STEPS);
    job->desc.samples_per_frame = 1;
    bool by_auto = methods ? methods->count == 0 : strcmp(job->desc.integrator, METHOD_AUTO) == 0;
    ExitCode code = by_auto ? resolve_auto(job, given) : EXIT_DONE;
    if (code != EXIT_DONE)
        return code;
    if (methods && methods->count > 0)
        job->methods = *methods;
    else if (method_list_read(arguments, "methods", job->desc.integrator, false, &job->methods) != EXIT_DONE)
        return EXIT_USAGE;
    if (jn_bake_modes(&job->desc, option_count(arguments, "count", DEFAULT_COUNT), &job->found, &message) != JN_OK)
        return fail_message(arguments, &message);
    return read_modes(job);
}

/* -------------------------------------------------------------------------------- words */

/* "'bar'", or "'tip' of 'bar'" where a painted region moves most. */
static const char *say_where(const SceneDamping *job, const JnMode *mode, char *text, size_t capacity) {
    const char *body = job->desc.bodies[mode->body_index].name, *region = mode_region(&job->desc, mode);
    if (region)
        snprintf(text, capacity, "'%s' of '%s'", region, body);
    else
        snprintf(text, capacity, "'%s'", body);
    return text;
}

/* "12 %", with more digits close to 0 and 100, to distinguish it from them. */
static const char *say_share(double share, char *text, size_t capacity) {
    double percent = 100 * share;
    if (!isfinite(percent))
        snprintf(text, capacity, "no such step");
    else if (percent == 0 || (fabs(percent) >= 10 && percent <= 99))
        snprintf(text, capacity, "%.0f %%", percent);
    else if (percent > 99.95)
        snprintf(text, capacity, "all");
    else if (fabs(percent) < 0.005)
        snprintf(text, capacity, "<0.01 %%");
    else
        snprintf(text, capacity, fabs(percent) < 1 ? "%.2f %%" : "%.1f %%", percent);
    return text;
}

/* "the 4.2 Hz mode of 'belly' loses 12 % a second to si at 2 steps a frame" for the slowest mode, and what dies. */
static void print_sentences(const SceneDamping *job, const char *method) {
    char where[160], share[SAY_CAPACITY];
    const JnMode *slowest = &job->modes[0];
    uint32_t killed = job->count;
    for (uint32_t k = job->count; k > 0; --k) {
        double rate = decay_rate(job, method, job->modes[k - 1].frequency);
        if (!(lost_in_a_second(rate) > KILLED && rate > job->modes[k - 1].decay_rate))
            break;
        killed = k - 1;
    }
    printf("The %.3g Hz mode of %s loses %s a second to %s at %u %s a frame", slowest->frequency,
           say_where(job, slowest, where, sizeof where),
           say_share(lost_in_a_second(decay_rate(job, method, slowest->frequency)), share, sizeof share), method,
           job->desc.steps_per_frame, job->desc.steps_per_frame == 1 ? "step" : "steps");
    if (killed < job->count)
        printf("; %s kills those from %.3g Hz on", method, job->modes[killed].frequency);
    puts(".");
}

static void print_modes(const SceneDamping *job) {
    char text[160];
    printf("%s: numerical damping of each mode, beside the damping of the material.\n\n",
           job->arguments->positionals[0]);
    if (job->count == 0) {
        puts("There is no elastic mode: every vertex is pinned, or nothing has stiffness.");
        return;
    }
    printf("  %12s %12s   lost a second to\n  %12s %12s %12s", "", "", "frequency", "steps/swing", "the material");
    for (size_t m = 0; m < job->methods.count; ++m)
        printf(" %17s", job->methods.names[m]);
    puts("   moves most");
    for (uint32_t k = 0; k < job->count; ++k) {
        const JnMode *mode = &job->modes[k];
        printf("  %9.4g Hz %12.3g", mode->frequency, 1 / (mode->frequency * step_seconds(job)));
        printf(" %12s", say_share(lost_in_a_second(mode->decay_rate), text, sizeof text));
        for (size_t m = 0; m < job->methods.count; ++m) {
            double rate = decay_rate(job, job->methods.names[m], mode->frequency);
            printf(" %17s", say_share(lost_in_a_second(rate), text, sizeof text));
        }
        printf("   %s\n", say_where(job, mode, text, sizeof text));
    }
    putchar('\n');
    for (size_t m = 0; m < job->methods.count; ++m)
        print_sentences(job, job->methods.names[m]);
}

/* -------------------------------------------------------------------------------- JSON, picture */

static void print_modes_json(const SceneDamping *job) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "scene", job->arguments->positionals[0]);
    cJSON_AddNumberToObject(object, "steps_per_frame", job->desc.steps_per_frame);
    cJSON_AddNumberToObject(object, "step_seconds", step_seconds(job));
    cJSON *list = cJSON_AddArrayToObject(object, "modes");
    for (uint32_t k = 0; k < job->count; ++k) {
        const JnMode *mode = &job->modes[k];
        const JnBody *body = &job->desc.bodies[mode->body_index];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(list, item);
        cJSON_AddNumberToObject(item, "frequency", mode->frequency);
        cJSON_AddStringToObject(item, "body", body->name);
        if (mode_region(&job->desc, mode))
            cJSON_AddStringToObject(item, "region", mode_region(&job->desc, mode));
        cJSON_AddNumberToObject(item, "material_lost_per_second", lost_in_a_second(mode->decay_rate));
        cJSON *methods = cJSON_AddArrayToObject(item, "methods");
        for (size_t m = 0; m < job->methods.count; ++m) {
            double rate = decay_rate(job, job->methods.names[m], mode->frequency);
            cJSON *entry = cJSON_CreateObject();
            cJSON_AddStringToObject(entry, "name", job->methods.names[m]);
            json_add_finite(entry, "damping", 2 * rate / (TWO_PI * mode->frequency));
            json_add_finite(entry, "lost_per_second", lost_in_a_second(rate));
            json_add_finite(entry, "lost_per_swing", 1 - exp(-rate / mode->frequency));
            cJSON_AddItemToArray(methods, entry);
        }
    }
    print_json(object);
}

/* Lines over all frequencies from the slowest mode to the quickest one found. */
static bool plot_modes(const SceneDamping *job, const char *path) {
    double low = job->count ? job->modes[0].frequency : 1;
    double high = fmax(job->count ? job->modes[job->count - 1].frequency : 10, 1.5 * low);
    double frequencies[CURVE_POINTS], (*lost)[CURVE_POINTS] = calloc(job->methods.count, sizeof *lost);
    PlotSeries series[METHOD_CAPACITY];
    char title[96];
    if (!lost) {
        errno = ENOMEM;
        return false;
    }
    for (int i = 0; i < CURVE_POINTS; ++i)
        frequencies[i] = low * pow(high / low, i / (CURVE_POINTS - 1.0));
    for (size_t m = 0; m < job->methods.count; ++m) {
        for (int i = 0; i < CURVE_POINTS; ++i)
            lost[m][i] = 100 * lost_in_a_second(decay_rate(job, job->methods.names[m], frequencies[i]));
        series[m] = (PlotSeries){job->methods.names[m], frequencies, lost[m], CURVE_POINTS, false, false};
    }
    snprintf(title, sizeof title, "What a mode loses in a second at %u %s a frame", job->desc.steps_per_frame,
             job->desc.steps_per_frame == 1 ? "step" : "steps");
    const Plot plot = {title,
                       {"frequency of the mode (Hz)", "", true, low, high},
                       {"lost a second (%)", "", false, 0, 100},
                       series,
                       job->methods.count};
    bool written = plot_write(&plot, path);
    free(lost);
    return written;
}

/* -------------------------------------------------------------------------------- the command */

ExitCode damping_of_scene(const Arguments *arguments, const MethodList *methods) {
    SceneDamping job = {.arguments = arguments};
    const char *path = option_text(arguments, "plot");
    ExitCode code = load(&job, methods);
    if (code == EXIT_DONE && path && !plot_modes(&job, path))
        code = fail_file(arguments, "write", path);
    if (code == EXIT_DONE && option_given(arguments, "json"))
        print_modes_json(&job);
    else if (code == EXIT_DONE)
        print_modes(&job);
    free(job.modes);
    jn_modes_free(job.found);
    jn_scene_free(job.scene);
    return code;
}
