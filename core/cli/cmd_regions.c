/* jounce regions: proposes parts of the bodies that should take small time steps, as weights to load and repaint. */
#include "cli.h"
#include "os.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Proposal { /* of one part */
    JnFastPart part;
    const char *body;
    char weights[32]; /* the name of its weights in the scene */
    char path[1024];  /* of its file, */
    bool written;     /* if there is one */
} Proposal;

/* Whether the body has another part, with other steps. */
static bool has_another(const JnFastSuggestions *suggestions, uint32_t count, const JnFastPart *part) {
    for (uint32_t k = 0; k < count; ++k) {
        JnFastPart other = {.struct_size = sizeof other};
        if (jn_fast_suggestions_part(suggestions, k, &other, NULL) == JN_OK && other.body_index == part->body_index &&
            other.ratio != part->ratio)
            return true;
    }
    return false;
}

/* folder/body_fast.txt, with every other character of the body's name than letters and digits as _; or
   folder/body_fast_12.txt if there are several for the body. */
static void name_part(const char *folder, bool several, Proposal *proposal) {
    size_t capacity = sizeof proposal->path;
    if (several)
        snprintf(proposal->weights, sizeof proposal->weights, "fast_%u", proposal->part.ratio);
    else
        snprintf(proposal->weights, sizeof proposal->weights, "fast");
    int length = snprintf(proposal->path, capacity, "%s%s", folder ? folder : "", folder ? "/" : "");
    size_t at = length > 0 && (size_t)length < capacity ? (size_t)length : 0, end = at + strlen(proposal->body);
    snprintf(proposal->path + at, capacity - at, "%s_%s.txt", proposal->body, proposal->weights);
    for (char *c = proposal->path + at; *c && c < proposal->path + end; ++c)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
}

/* One number per point. */
static bool write_weights(const char *path, const float *weights, uint32_t count) {
    FILE *file = fopen(path, "w");
    bool ok = file != NULL;
    for (uint32_t p = 0; ok && p < count; ++p)
        ok = fprintf(file, "%.4g\n", (double)weights[p]) > 0;
    return file && fclose(file) == 0 && ok;
}

static ExitCode handle_part(const Arguments *arguments, const JnFastSuggestions *suggestions, uint32_t index,
                            Proposal *proposal) {
    const char *folder = option_text(arguments, "output");
    JnMessage message = {0};
    uint32_t count = proposal->part.point_count;
    if (!folder)
        return EXIT_DONE;
    float *weights = malloc((size_t)count * sizeof *weights + 1);
    if (!weights)
        return fail(arguments, EXIT_MEMORY, "out of memory");
    ExitCode code = EXIT_DONE;
    if (jn_fast_suggestions_weights(suggestions, index, weights, count, &message) != JN_OK)
        code = fail_message(arguments, &message);
    else if (!write_weights(proposal->path, weights, count))
        code =
            fail(arguments, EXIT_FILE, "%s cannot be written: give a folder that is there by --output", proposal->path);
    proposal->written = code == EXIT_DONE;
    free(weights);
    return code;
}

/* ------------------------------------------------------------------------------------------------ what is said */

static void print_advice(const JnFastAdvice *advice) {
    if (advice->damped_count == 0) {
        printf("no part needs smaller steps than it has: what can be seen of the wobbles keeps its height.\n");
        return;
    }
    printf("%u wobbles from %.3g to %.3g Hz are seen, but damped by these time steps.\n", advice->damped_count,
           advice->slowest, advice->fastest);
    if (advice->part_count > 0)
        printf("%u of them are in parts that can be painted fast: then %.0f %% of their height is left after a swing, "
               "now %.0f %%; with\nmore steps for all, at the same cost, %.0f %%. A step costs %.3g times one without, "
               "%.2g of small steps for all.\n",
               advice->kept_count, 100 * advice->kept_with, 100 * advice->kept_now, 100 * advice->kept_for_all,
               advice->cost_of_large, advice->cost_of_small);
    if (advice->note[0])
        printf("%s%s.\n", advice->part_count ? "The other " : "Paint nothing; ", advice->note);
}

static void print_proposal(const Proposal *proposal) {
    printf("%s: %u vertices. Add to the body, and repaint as you like:\n", proposal->body, proposal->part.vertex_count);
    printf("    \"weights\": {\"%s\": {\"file\": \"%s\"}}\n", proposal->weights,
           proposal->written ? proposal->path : "FILE");
    printf("    \"regions\": [{\"weights\": \"%s\", \"effect\": \"fast\", \"value\": %u}]\n", proposal->weights,
           proposal->part.ratio);
}

static void add_advice(cJSON *object, const JnFastAdvice *advice) {
    cJSON_AddNumberToObject(object, "wobbles", advice->damped_count);
    cJSON_AddNumberToObject(object, "wobbles_kept", advice->kept_count);
    cJSON_AddNumberToObject(object, "slowest", advice->slowest);
    cJSON_AddNumberToObject(object, "fastest", advice->fastest);
    cJSON_AddNumberToObject(object, "steps_for_all", advice->steps_for_all);
    cJSON_AddStringToObject(object, "note", advice->note);
    if (advice->part_count == 0)
        return;
    cJSON_AddNumberToObject(object, "kept_now", advice->kept_now);
    cJSON_AddNumberToObject(object, "kept_with", advice->kept_with);
    cJSON_AddNumberToObject(object, "kept_for_all", advice->kept_for_all);
    cJSON_AddNumberToObject(object, "cost_of_large", advice->cost_of_large);
    cJSON_AddNumberToObject(object, "cost_of_small", advice->cost_of_small);
}

static void add_proposal(cJSON *list, const Proposal *proposal) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(list, item);
    cJSON_AddStringToObject(item, "body", proposal->body);
    cJSON_AddStringToObject(item, "weights", proposal->weights);
    cJSON_AddNumberToObject(item, "ratio", proposal->part.ratio);
    cJSON_AddNumberToObject(item, "vertices", proposal->part.vertex_count);
    if (proposal->written)
        cJSON_AddStringToObject(item, "file", proposal->path);
}

/* ------------------------------------------------------------------------------------------------ the command */

/* All parts, and their files. object: NULL, or what is printed later. */
static ExitCode show(const Arguments *arguments, const JnBakeDesc *desc, const JnFastSuggestions *suggestions,
                     cJSON *object) {
    JnFastAdvice advice = {.struct_size = sizeof advice};
    JnMessage message = {0};
    ExitCode code = EXIT_DONE;
    if (jn_fast_suggestions_advice(suggestions, &advice, &message) != JN_OK)
        return fail_message(arguments, &message);
    cJSON *list = NULL;
    if (object) {
        add_advice(object, &advice);
        list = cJSON_AddArrayToObject(object, "parts");
    } else
        print_advice(&advice);
    for (uint32_t k = 0; code == EXIT_DONE && k < advice.part_count; ++k) {
        Proposal proposal = {.part = {.struct_size = sizeof proposal.part}};
        if (jn_fast_suggestions_part(suggestions, k, &proposal.part, &message) != JN_OK)
            return fail_message(arguments, &message);
        proposal.body = desc->bodies[proposal.part.body_index].name;
        name_part(option_text(arguments, "output"), has_another(suggestions, advice.part_count, &proposal.part),
                  &proposal);
        code = handle_part(arguments, suggestions, k, &proposal);
        if (code == EXIT_DONE && list)
            add_proposal(list, &proposal);
        else if (code == EXIT_DONE)
            print_proposal(&proposal);
    }
    return code;
}

ExitCode run_regions(const Arguments *arguments) {
    const char *scene_path = arguments->positionals[0];
    JnMessage message = {0};
    JnScene *scene = NULL;
    JnFastSuggestions *suggestions = NULL;
    JnBakeDesc desc;
    ExitCode code = EXIT_DONE;
    cJSON *object = option_given(arguments, "json") ? cJSON_CreateObject() : NULL;
    jn_bake_desc_init(&desc, sizeof desc);
    if (!option_given(arguments, "suggest"))
        code =
            fail(arguments, EXIT_USAGE, "give --suggest: it proposes regions; `jounce check` lists the painted ones");
    else if (jn_scene_load(scene_path, &scene, &message) != JN_OK ||
             jn_scene_desc(scene, &desc, sizeof desc, &message) != JN_OK ||
             jn_bake_suggest_fast(&desc, &suggestions, &message) != JN_OK)
        code = fail_message(arguments, &message);
    if (object)
        cJSON_AddStringToObject(object, "scene", scene_path);
    if (code == EXIT_DONE)
        code = show(arguments, &desc, suggestions, object);
    if (object && code == EXIT_DONE)
        print_json(object);
    else
        cJSON_Delete(object);
    jn_fast_suggestions_free(suggestions);
    jn_scene_free(scene);
    return code;
}
