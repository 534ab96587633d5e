/* jounce modes: the natural modes of the bodies of a scene, lowest frequency first. */
#include "cli.h"
#include "modes_film.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEFAULT_COUNT = 10 };

/* "bar", or "bar: tip" where a painted region moves most. */
static const char *say_where(const JnBakeDesc *desc, const JnMode *mode, char *text, size_t capacity) {
    const char *body = desc->bodies[mode->body_index].name, *region = mode_region(desc, mode);
    snprintf(text, capacity, "%s%s%s", body, region ? ": " : "", region ? region : "");
    return text;
}

static void print_modes_json(const char *scene_path, const JnBakeDesc *desc, const JnMode *modes, uint32_t count,
                             const ModesFilm *film) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "scene", scene_path);
    cJSON_AddBoolToObject(object, "consistent_mass", desc->consistent_mass != 0);
    cJSON *list = cJSON_AddArrayToObject(object, "modes");
    for (uint32_t k = 0; k < count; ++k) {
        const JnMode *mode = &modes[k];
        const JnBody *body = &desc->bodies[mode->body_index];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(list, item);
        cJSON_AddBoolToObject(item, "rigid", mode->rigid != 0);
        cJSON_AddNumberToObject(item, "frequency", mode->frequency);
        cJSON_AddNumberToObject(item, "eigenvalue", mode->eigenvalue);
        cJSON_AddNumberToObject(item, "residual", mode->residual);
        cJSON_AddNumberToObject(item, "decay_rate", mode->decay_rate);
        cJSON_AddNumberToObject(item, "damping_ratio", mode->damping_ratio);
        cJSON_AddStringToObject(item, "body", body->name);
        cJSON_AddNumberToObject(item, "body_share", mode->body_share);
        if (mode_region(desc, mode))
            cJSON_AddStringToObject(item, "region", mode_region(desc, mode));
    }
    if (film->count > 0)
        cJSON_AddItemToObject(object, "film", modes_film_json(film, modes));
    print_json(object);
}

/* Below this damping ratio, which rounding leaves of none, a mode never fades. */
static const double NO_DAMPING = 1e-9;

/* Seconds until the amplitude has decayed to a hundredth. */
static const char *say_fading(const JnMode *mode, char *text, size_t capacity) {
    if (mode->decay_rate > 0 && !(mode->damping_ratio < NO_DAMPING))
        return say_duration(log(100) / mode->decay_rate, text, capacity);
    snprintf(text, capacity, "never");
    return text;
}

static void print_modes(const char *scene_path, const JnBakeDesc *desc, const JnMode *modes, uint32_t count) {
    uint32_t rigid = 0;
    while (rigid < count && modes[rigid].rigid)
        ++rigid;
    if (count == 0) {
        printf("%s has no modes: every vertex is pinned.\n", scene_path);
        return;
    }
    printf("%s: the slowest wobbles about the rest shape, without gravity and contact.\n", scene_path);
    if (rigid > 0)
        printf("In addition, %u rigid %s that nothing holds.\n", rigid, rigid == 1 ? "motion" : "motions");
    printf("\n  %4s  %12s  %12s  %9s  %10s  %s\n", "mode", "frequency", "frames/swing", "damping", "dies in",
           "moves most");
    for (uint32_t k = rigid; k < count; ++k) {
        char where[96], fading[SAY_CAPACITY];
        const JnMode *mode = &modes[k];
        say_fading(mode, fading, sizeof fading);
        if (mode->frequency > 0)
            printf("  %4u  %9.4g Hz  %12.3g  %7.2f %%  %10s  ", k - rigid + 1, mode->frequency,
                   desc->fps / mode->frequency, 100 * mode->damping_ratio, fading);
        else
            printf("  %4u  %12s  %12s  %9s  %10s  ", k - rigid + 1, mode->eigenvalue < 0 ? "not stable" : "slack", "",
                   "", "");
        printf("%s", say_where(desc, mode, where, sizeof where));
        if (desc->body_count > 1)
            printf(" (%.0f %%)", 100 * mode->body_share);
        putchar('\n');
    }
}

static ExitCode read_modes(const Arguments *arguments, const JnModes *found, JnMode *modes, uint32_t count) {
    JnMessage message = {0};
    for (uint32_t k = 0; k < count; ++k) {
        modes[k].struct_size = (uint32_t)sizeof modes[k];
        if (jn_modes_get(found, k, &modes[k], &message) != JN_OK)
            return fail_message(arguments, &message);
    }
    return EXIT_DONE;
}

ExitCode run_modes(const Arguments *arguments) {
    const char *path = arguments->positionals[0];
    JnMessage message = {0};
    JnScene *scene = NULL;
    JnModes *found = NULL;
    JnMode *modes = NULL;
    ModesFilm film = {0};
    const char *film_path = option_text(arguments, "output");
    uint32_t wanted = option_count(arguments, "count", DEFAULT_COUNT);
    JnBakeDesc desc;
    ExitCode code = EXIT_DONE;
    jn_bake_desc_init(&desc, sizeof desc);
    if (jn_scene_load(path, &scene, &message) != JN_OK || jn_scene_desc(scene, &desc, sizeof desc, &message) != JN_OK ||
        jn_bake_modes(&desc, wanted, &found, &message) != JN_OK) {
        code = fail_message(arguments, &message);
        goto done;
    }
    uint32_t count = jn_modes_count(found);
    modes = calloc((size_t)count + 1, sizeof *modes);
    code = modes ? read_modes(arguments, found, modes, count) : fail(arguments, EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE && film_path && !modes_film_plan(&film, &desc, modes, count, wanted))
        code = fail(arguments, EXIT_MEMORY, "out of memory");
    if (code == EXIT_DONE && film_path)
        code = modes_film_write(&film, arguments, scene, &desc, found, modes, film_path);
    if (code == EXIT_DONE && option_given(arguments, "json")) {
        print_modes_json(path, &desc, modes, count, &film);
    } else if (code == EXIT_DONE) {
        print_modes(path, &desc, modes, count);
        if (film_path)
            modes_film_print(&film, modes, film_path);
    }
done:
    modes_film_free(&film);
    free(modes);
    jn_modes_free(found);
    jn_scene_free(scene);
    return code;
}
