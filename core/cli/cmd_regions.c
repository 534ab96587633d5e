/* jounce regions: proposes parts of the bodies that should take small time steps, as weights to load and repaint. */
#include "cli.h"
#include "os.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = 16, RATIO_MOST = 150 };
/* Wobbles that lose this part of their height in a swing, by the integrator alone, are worth small steps, */
static const double LOST = 0.3;
/* which are so short that a swing has 42 of them. */
static const double STEP_ANGLE = 0.15;
/* The part of the largest motion of a wobble at which the weight is 1: low, because a limb bends where it moves least.
 */
static const double FULL_WEIGHT_AT = 0.1;

typedef struct Proposal {    /* of one body */
    uint32_t ratio;          /* 0: none */
    uint32_t wobbles;        /* that need it */
    double slowest, fastest; /* Hz, of those */
    float *weights;          /* [point_count] */
    uint32_t point_count;
    JnFastRegion region;
} Proposal;

/* What is left of the height of a swing of this frequency, by the integrator alone. */
static double kept_in_a_swing(const JnBakeDesc *desc, double frequency) {
    double omega = 2 * acos(-1) * frequency, h = 1 / (desc->fps * desc->steps_per_frame), damping = 0;
    return jn_method_damping(desc->integrator, h * omega, desc->spectral_radius, &damping, NULL) == JN_OK
               ? exp(-acos(-1) * damping)
               : 0;
}

/* Whether the wobble can be seen, belongs to the body, and is damped away. */
static bool needs_small_steps(const JnBakeDesc *desc, const JnMode *mode, uint32_t body) {
    return !mode->rigid && mode->body_index == body && mode->frequency > 0 && mode->frequency < 0.5 * desc->fps &&
           kept_in_a_swing(desc, mode->frequency) < 1 - LOST;
}

static JnStatus add_mode(const JnModes *modes, uint32_t index, uint32_t body, Proposal *proposal, JnMessage *message) {
    size_t capacity = (size_t)proposal->point_count * 3 + 1;
    double *shape = malloc(capacity * sizeof *shape), largest = 0;
    JnStatus status = shape ? jn_modes_shape(modes, index, body, shape, capacity, NULL, message) : JN_ERR_MEMORY;
    for (int pass = 0; status == JN_OK && pass < 2; ++pass)
        for (size_t p = 0; p < proposal->point_count; ++p) {
            double moved = sqrt(shape[3 * p] * shape[3 * p] + shape[3 * p + 1] * shape[3 * p + 1] +
                                shape[3 * p + 2] * shape[3 * p + 2]);
            if (pass == 0)
                largest = fmax(largest, moved);
            else if (largest > 0)
                proposal->weights[p] = fmaxf(proposal->weights[p], (float)fmin(1, moved / (FULL_WEIGHT_AT * largest)));
        }
    free(shape);
    return status;
}

static JnStatus propose(const JnBakeDesc *desc, const JnModes *modes, uint32_t body, Proposal *proposal,
                        JnMessage *message) {
    double unused;
    JnStatus status = JN_OK;
    jn_modes_shape(modes, 0, body, &unused, 0, &proposal->point_count, NULL);
    proposal->weights = calloc((size_t)proposal->point_count + 1, sizeof *proposal->weights);
    if (!proposal->weights)
        return JN_ERR_MEMORY;
    for (uint32_t k = 0; status == JN_OK && k < jn_modes_count(modes); ++k) {
        JnMode mode = {.struct_size = sizeof mode};
        status = jn_modes_get(modes, k, &mode, message);
        if (status != JN_OK || !needs_small_steps(desc, &mode, body))
            continue;
        double steps = 2 * acos(-1) * mode.frequency / (STEP_ANGLE * desc->fps * desc->steps_per_frame);
        uint32_t ratio = (uint32_t)fmin(fmax(ceil(steps), 2), RATIO_MOST);
        proposal->ratio = ratio > proposal->ratio ? ratio : proposal->ratio;
        proposal->slowest = proposal->wobbles++ ? fmin(proposal->slowest, mode.frequency) : mode.frequency;
        proposal->fastest = fmax(proposal->fastest, mode.frequency);
        status = add_mode(modes, k, body, proposal, message);
    }
    return status;
}

/* What the proposal would cost, by a bake that is begun with it. */
static JnStatus find_cost(const JnBakeDesc *desc, uint32_t b, Proposal *proposal, JnMessage *message) {
    JnBakeDesc trial = *desc;
    JnBody *bodies = malloc(desc->body_count * sizeof *bodies);
    JnRegion *regions = malloc(((size_t)desc->bodies[b].region_count + 1) * sizeof *regions);
    JnBake *bake = NULL;
    JnStatus status = bodies && regions ? JN_OK : JN_ERR_MEMORY;
    if (status == JN_OK) {
        memcpy(bodies, desc->bodies, desc->body_count * sizeof *bodies);
        if (desc->bodies[b].region_count)
            memcpy(regions, desc->bodies[b].regions, desc->bodies[b].region_count * sizeof *regions);
        JnRegion *added = &regions[desc->bodies[b].region_count];
        jn_region_init(added, sizeof *added);
        added->effect = "fast";
        added->value = proposal->ratio;
        added->weights = proposal->weights;
        added->weight_count = proposal->point_count;
        bodies[b].regions = regions;
        bodies[b].region_count = desc->bodies[b].region_count + 1;
        trial.bodies = bodies;
        trial.output_path = NULL;
        trial.resume = 0;
        status = jn_bake_begin(&trial, &bake, message);
    }
    proposal->region.struct_size = sizeof proposal->region;
    uint32_t count = jn_bake_fast_region_count(bake);
    if (status == JN_OK && count > 0)
        status = jn_bake_fast_region(bake, count - 1, &proposal->region, message);
    jn_bake_end(bake, NULL);
    free(bodies);
    free(regions);
    return status;
}

/* folder/body_fast.txt, with every other character of the body's name than letters and digits as _. */
static void name_file(const char *folder, const char *body, char *path, size_t capacity) {
    int length = snprintf(path, capacity, "%s%s", folder ? folder : "", folder ? "/" : "");
    size_t at = length > 0 && (size_t)length < capacity ? (size_t)length : 0;
    snprintf(path + at, capacity - at, "%s_fast.txt", body);
    for (char *c = path + at; *c && strcmp(c, "_fast.txt") != 0; ++c)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
}

/* One number per point. */
static bool write_weights(const char *path, const Proposal *proposal) {
    FILE *file = fopen(path, "w");
    bool ok = file != NULL;
    for (uint32_t p = 0; ok && p < proposal->point_count; ++p)
        ok = fprintf(file, "%.4g\n", (double)proposal->weights[p]) > 0;
    return file && fclose(file) == 0 && ok;
}

static void print_proposal(const char *name, const char *path, const Proposal *proposal) {
    if (proposal->ratio == 0) {
        printf("%s: no part needs smaller steps than it has: what can be seen of its wobbles keeps its height.\n",
               name);
        return;
    }
    printf("%s: %u wobbles from %.3g to %.3g Hz are seen, but damped by these time steps.\n", name, proposal->wobbles,
           proposal->slowest, proposal->fastest);
    if (proposal->region.for_all || proposal->region.vertex_count == 0) {
        printf("  They are in most of the body: give all of it about %u times as many steps_per_frame.\n",
               proposal->ratio);
        return;
    }
    printf(
        "  Paint %u vertices fast, with a border of %u: a step costs %.3g times one without, %.2g of small steps for "
        "all.\n  Add to the body, and repaint as you like:\n",
        proposal->region.vertex_count, proposal->region.border_count, proposal->region.cost_of_large,
        proposal->region.cost_of_small);
    printf("    \"weights\": {\"fast\": {\"file\": \"%s\"}}\n", path ? path : "FILE");
    printf("    \"regions\": [{\"weights\": \"fast\", \"effect\": \"fast\", \"value\": %u}]\n", proposal->ratio);
}

static void add_proposal(cJSON *list, const char *name, const char *path, const Proposal *proposal) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(list, item);
    cJSON_AddStringToObject(item, "body", name);
    cJSON_AddNumberToObject(item, "ratio", proposal->ratio);
    cJSON_AddNumberToObject(item, "wobbles", proposal->wobbles);
    cJSON_AddBoolToObject(item, "for_all", (int)proposal->region.for_all);
    cJSON_AddNumberToObject(item, "vertices", proposal->region.vertex_count);
    cJSON_AddNumberToObject(item, "border", proposal->region.border_count);
    cJSON_AddNumberToObject(item, "cost_of_large", proposal->region.cost_of_large);
    cJSON_AddNumberToObject(item, "cost_of_small", proposal->region.cost_of_small);
    if (path)
        cJSON_AddStringToObject(item, "file", path);
}

/* The proposal for one body, and its file. */
static ExitCode handle_body(const Arguments *arguments, const JnBakeDesc *desc, const JnModes *modes, uint32_t b,
                            cJSON *list) {
    const char *folder = option_text(arguments, "output"), *name = desc->bodies[b].name;
    char path[1024];
    JnMessage message = {0};
    Proposal proposal = {0};
    ExitCode code = EXIT_DONE;
    JnStatus status = propose(desc, modes, b, &proposal, &message);
    if (status == JN_OK && proposal.ratio > 0)
        status = find_cost(desc, b, &proposal, &message);
    bool useful = status == JN_OK && proposal.ratio > 0 && !proposal.region.for_all && proposal.region.vertex_count > 0;
    name_file(folder, name, path, sizeof path);
    if (status == JN_ERR_MEMORY)
        code = fail(arguments, EXIT_MEMORY, "out of memory");
    else if (status != JN_OK)
        code = fail_message(arguments, &message);
    else if (useful && folder && !write_weights(path, &proposal))
        code = fail(arguments, EXIT_FILE, "%s cannot be written: give a folder that is there by --output", path);
    else if (list)
        add_proposal(list, name, useful && folder ? path : NULL, &proposal);
    else
        print_proposal(name, folder ? path : NULL, &proposal);
    free(proposal.weights);
    return code;
}

ExitCode run_regions(const Arguments *arguments) {
    const char *scene_path = arguments->positionals[0];
    JnMessage message = {0};
    JnScene *scene = NULL;
    JnModes *modes = NULL;
    JnBakeDesc desc;
    ExitCode code = EXIT_DONE;
    bool json = option_given(arguments, "json");
    cJSON *object = json ? cJSON_CreateObject() : NULL, *list = NULL;
    jn_bake_desc_init(&desc, sizeof desc);
    if (!option_given(arguments, "suggest"))
        code =
            fail(arguments, EXIT_USAGE, "give --suggest: it proposes regions; `jounce check` lists the painted ones");
    else if (jn_scene_load(scene_path, &scene, &message) != JN_OK ||
             jn_scene_desc(scene, &desc, sizeof desc, &message) != JN_OK ||
             jn_bake_modes(&desc, MODES, &modes, &message) != JN_OK)
        code = fail_message(arguments, &message);
    if (json) {
        cJSON_AddStringToObject(object, "scene", scene_path);
        list = cJSON_AddArrayToObject(object, "bodies");
    }
    if (code == EXIT_DONE && strcmp(desc.integrator, "auto") == 0)
        desc.integrator = "si"; /* as auto does where something is painted fast */
    for (uint32_t b = 0; code == EXIT_DONE && b < desc.body_count; ++b)
        code = handle_body(arguments, &desc, modes, b, list);
    if (json && code == EXIT_DONE)
        print_json(object);
    else
        cJSON_Delete(object);
    jn_modes_free(modes);
    jn_scene_free(scene);
    return code;
}
