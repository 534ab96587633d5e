/* Which parts of the bodies to paint fast, as weights on their points. */
#include "bake/suggest_wobbles.h"

#include "base/status.h"
#include "integrate/method_damping.h"
#include "region/regional.h"
#include "region/suggestion.h"
#include "settings/validate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Part { /* owns its weights */
    JnFastPart described;
    float *weights;
} Part;

struct JnFastSuggestions {
    JnFastAdvice advice;
    Part *parts; /* [advice.part_count] */
};

typedef struct Suggesting {
    const JnBakeDesc *desc;
    JnBake *bake;
    const Integrator *regional; /* the method that takes the small steps */
    SeenWobbles seen;
    Suggestion found;
    JnFastSuggestions *out;
} Suggesting;

/* ------------------------------------------------------------------------------------------------ the search */

static double step_length(const Suggesting *work) {
    return 1 / (work->bake->settings.fps * work->bake->settings.steps_per_frame);
}

/* d / omega of a method; a wobble that it keeps in closed form has none. */
static double damping_of(const Suggesting *work, const Integrator *method, double h_omega) {
    MethodOptions options = work->bake->model.method_options;
    MethodDamping found;
    options.variant = method->variant;
    options.mode_count = 1;
    double h = step_length(work);
    return method_damping(method, &options, h, h_omega / h, &found, NULL) == JN_OK ? found.damping : INFINITY;
}

static double find_damping(void *owner, bool regional, double h_omega) {
    const Suggesting *work = owner;
    return damping_of(work, regional ? work->regional : work->bake->model.integrator, h_omega);
}

static JnStatus find_cost(void *owner, const uint32_t *ratios, double *with, double *small, JnMessage *message) {
    return fast_regions_predict(((Suggesting *)owner)->bake, ratios, with, small, message);
}

/* The desc without output and without the effect fast: copies in *bodies and *regions, which the caller frees. */
static JnStatus strip(const JnBakeDesc *desc, JnBakeDesc *stripped, JnBody **bodies, JnRegion **regions,
                      JnMessage *message) {
    size_t count = 0;
    for (uint32_t b = 0; b < desc->body_count; ++b)
        count += desc->bodies[b].region_count;
    *bodies = malloc(desc->body_count * sizeof **bodies + 1);
    *regions = malloc(count * sizeof **regions + 1);
    if (!*bodies || !*regions)
        return status_no_memory(message, "the suggestion of fast regions");
    JnRegion *next = *regions;
    for (uint32_t b = 0; b < desc->body_count; ++b) {
        const JnBody *body = &desc->bodies[b];
        (*bodies)[b] = *body;
        (*bodies)[b].regions = next;
        (*bodies)[b].region_count = 0;
        for (uint32_t r = 0; r < body->region_count; ++r)
            if (strcmp(body->regions[r].effect, "fast") != 0) {
                *next++ = body->regions[r];
                ++(*bodies)[b].region_count;
            }
    }
    *stripped = *desc;
    stripped->bodies = *bodies;
    stripped->output_path = NULL;
    stripped->resume = 0;
    return JN_OK;
}

/* ------------------------------------------------------------------------------------------------ weights */

/* Whether most free vertices around each pinned one are in the part, so that paint has no holes at pins. */
static void paint_pins(const Suggesting *work, double *painted) {
    const BlockMatrix *pattern = &work->bake->model.system.pattern;
    const uint8_t *roles = work->bake->motion.view->roles;
    for (uint32_t column = 0; column < pattern->vertex_count; ++column)
        for (uint32_t k = pattern->column_starts[column]; k < pattern->column_starts[column + 1]; ++k) {
            uint32_t row = pattern->rows[k];
            if (roles[row] == VERTEX_PINNED && roles[column] == VERTEX_FREE && painted[column] == 1)
                painted[row] = 0.99;
            if (roles[column] == VERTEX_PINNED && roles[row] == VERTEX_FREE && painted[row] == 1)
                painted[column] = 0.99;
        }
}

/* The part of the body that takes this number of steps. */
static bool add_part(Suggesting *work, uint32_t b, uint32_t ratio, double *painted) {
    const Body *body = &work->bake->model.bodies[b];
    JnFastAdvice *advice = &work->out->advice;
    Part *parts = realloc(work->out->parts, ((size_t)advice->part_count + 1) * sizeof *parts);
    if (!parts)
        return false;
    work->out->parts = parts;
    Part *part = &parts[advice->part_count];
    *part = (Part){.described = {(uint32_t)sizeof(JnFastPart), b, ratio, body->point_count, 0},
                   .weights = calloc((size_t)body->point_count + 1, sizeof(float))};
    if (!part->weights)
        return false;
    ++advice->part_count;
    for (uint32_t v = 0; v < body->mesh.vertex_count; ++v)
        part->described.vertex_count += work->found.ratios[body->first_vertex + v] == ratio;
    for (size_t p = 0; p < body->point_count; ++p) {
        double weight = 0;
        for (size_t a = 0; a < 4; ++a)
            weight +=
                body->embedding.weights[4 * p + a] * painted[body->first_vertex + body->embedding.vertices[4 * p + a]];
        part->weights[p] = (float)fmin(fmax(weight, 0), 1);
    }
    return true;
}

/* A part for every body and number of steps. */
static JnStatus make_parts(Suggesting *work, JnMessage *message) {
    uint32_t n = work->bake->model.vertex_count, most = 0;
    double *painted = malloc((size_t)n * sizeof *painted + 1);
    bool ok = painted;
    for (uint32_t v = 0; v < n; ++v)
        most = work->found.ratios[v] > most ? work->found.ratios[v] : most;
    for (uint32_t b = 0; ok && b < work->bake->model.body_count; ++b)
        for (uint32_t ratio = 2; ok && ratio <= most; ++ratio) {
            const Body *body = &work->bake->model.bodies[b];
            bool any = false;
            for (uint32_t v = body->first_vertex; v < body->first_vertex + body->mesh.vertex_count; ++v)
                any |= work->found.ratios[v] == ratio;
            if (!any)
                continue;
            for (uint32_t v = 0; v < n; ++v)
                painted[v] = work->found.ratios[v] == ratio;
            paint_pins(work, painted);
            ok = add_part(work, b, ratio, painted);
        }
    free(painted);
    return ok ? JN_OK : status_no_memory(message, "the weights of a fast region");
}

/* ------------------------------------------------------------------------------------------------ advice */

/* What to do where no part is worth it. */
static void write_note(const Suggesting *work, JnFastAdvice *advice) {
    const void *siere = NULL;
    char other[160] = "";
    bool fibres = view_has_turns(work->bake->motion.view);
    if (!fibres && table_find(&integrator_table, "siere", "", &siere, NULL) == JN_OK)
        snprintf(other, sizeof other,
                 ", or the integrator siere with %u modes, which keeps them at the steps of now for about 1.2 to 1.7 "
                 "times their cost",
                 work->seen.mode_count);
    snprintf(advice->note, sizeof advice->note,
             "%s: use about %u steps_per_frame, which keep 70 %% of their height in a swing%s",
             fibres ? "in fibres all take the small steps" : "no part has them that is clearly cheaper than the whole",
             advice->steps_for_all, other);
}

static void fill_advice(Suggesting *work) {
    JnFastAdvice *advice = &work->out->advice;
    const Suggestion *found = &work->found;
    *advice = (JnFastAdvice){.struct_size = (uint32_t)sizeof *advice,
                             .part_count = advice->part_count,
                             .damped_count = found->damped,
                             .kept_count = found->kept,
                             .steps_for_all = work->bake->settings.steps_per_frame * found->steps_for_all,
                             .kept_now = found->kept_now,
                             .kept_with = found->kept_with,
                             .kept_for_all = found->kept_for_all,
                             .cost_of_large = found->cost_of_large,
                             .cost_of_small = found->cost_of_small,
                             .slowest = found->slowest / (2 * acos(-1)),
                             .fastest = found->fastest / (2 * acos(-1))};
    if (advice->damped_count > 0 && advice->part_count == 0)
        write_note(work, advice);
    else if (advice->part_count > 0 && advice->kept_count < advice->damped_count)
        snprintf(advice->note, sizeof advice->note,
                 "%u of the damped wobbles are in the rest of the bodies: to keep them too, use about %u "
                 "steps_per_frame for all",
                 advice->damped_count - advice->kept_count, advice->steps_for_all);
}

static JnStatus find(Suggesting *work, JnMessage *message) {
    uint32_t n = work->bake->model.vertex_count;
    const void *si = NULL;
    JnStatus status = table_find(&integrator_table, "si", "", &si, message);
    work->regional = regional_method(work->bake->model.integrator) ? work->bake->model.integrator : si;
    work->found.ratios = calloc((size_t)n + 1, sizeof(uint32_t));
    if (status == JN_OK && !work->found.ratios)
        status = status_no_memory(message, "the suggestion of fast regions");
    if (status == JN_OK)
        status = seen_wobbles_find(work->bake, work->desc->fps, &work->seen, message);
    const SuggestionProblem problem = {.wobbles = &work->seen.wobbles,
                                       .h = step_length(work),
                                       .owner = work,
                                       .damping = find_damping,
                                       .cost = find_cost,
                                       .never = view_has_turns(work->bake->motion.view) ||
                                                work->bake->model.system.mass_blocks != NULL};
    if (status == JN_OK)
        status = suggestion_find(&problem, &work->found, message);
    if (status == JN_OK)
        status = make_parts(work, message);
    if (status == JN_OK)
        fill_advice(work);
    return status;
}

/* ------------------------------------------------------------------------------------------------ the calls */

JnStatus jn_bake_suggest_fast(const JnBakeDesc *desc, JnFastSuggestions **out, JnMessage *message) {
    if (!out)
        return status_fail(message, JN_ERR_ARGUMENT, "suggestions is NULL: give a place for them");
    *out = NULL;
    JnStatus status = validate_desc(desc, message);
    if (status != JN_OK)
        return status;
    JnBakeDesc stripped;
    JnBody *bodies = NULL;
    JnRegion *regions = NULL;
    Suggesting work = {.desc = desc, .out = calloc(1, sizeof *work.out)};
    status = strip(desc, &stripped, &bodies, &regions, message);
    if (status == JN_OK && !work.out)
        status = status_no_memory(message, "the suggestion of fast regions");
    if (status == JN_OK)
        status = bake_prepare(&stripped, &work.bake, message);
    if (status == JN_OK)
        status = find(&work, message);
    seen_wobbles_free(&work.seen);
    free(work.found.ratios);
    jn_bake_end(work.bake, NULL);
    free(bodies);
    free(regions);
    if (status == JN_OK)
        *out = work.out;
    else
        jn_fast_suggestions_free(work.out);
    return status;
}

JnStatus jn_fast_suggestions_advice(const JnFastSuggestions *suggestions, JnFastAdvice *advice, JnMessage *message) {
    if (!suggestions || !advice || advice->struct_size != sizeof *advice)
        return status_fail(message, suggestions && advice ? JN_ERR_STRUCT_SIZE : JN_ERR_ARGUMENT,
                           "give suggestions and a JnFastAdvice whose struct_size is %zu", sizeof *advice);
    *advice = suggestions->advice;
    return status_clear(message);
}

static JnStatus check_part(const JnFastSuggestions *suggestions, uint32_t index, JnMessage *message) {
    if (!suggestions)
        return status_fail(message, JN_ERR_ARGUMENT, "suggestions is NULL: find them by jn_bake_suggest_fast");
    if (index >= suggestions->advice.part_count)
        return status_fail(message, JN_ERR_ARGUMENT, "index is %u, but %u parts are suggested", index,
                           suggestions->advice.part_count);
    return status_clear(message);
}

JnStatus jn_fast_suggestions_part(const JnFastSuggestions *suggestions, uint32_t index, JnFastPart *part,
                                  JnMessage *message) {
    JnStatus status = check_part(suggestions, index, message);
    if (status != JN_OK)
        return status;
    if (!part || part->struct_size != sizeof *part)
        return status_fail(message, part ? JN_ERR_STRUCT_SIZE : JN_ERR_ARGUMENT,
                           "give a JnFastPart whose struct_size is %zu", sizeof *part);
    *part = suggestions->parts[index].described;
    return JN_OK;
}

JnStatus jn_fast_suggestions_weights(const JnFastSuggestions *suggestions, uint32_t index, float *weights,
                                     size_t capacity, JnMessage *message) {
    JnStatus status = check_part(suggestions, index, message);
    if (status != JN_OK)
        return status;
    const Part *part = &suggestions->parts[index];
    if (!weights || capacity < part->described.point_count)
        return status_fail(message, JN_ERR_ARGUMENT, "weights has room for %zu numbers, but the part has %u",
                           weights ? capacity : 0, part->described.point_count);
    memcpy(weights, part->weights, part->described.point_count * sizeof *weights);
    return JN_OK;
}

void jn_fast_suggestions_free(JnFastSuggestions *suggestions) {
    if (!suggestions)
        return;
    for (uint32_t k = 0; k < suggestions->advice.part_count; ++k)
        free(suggestions->parts[k].weights);
    free(suggestions->parts);
    free(suggestions);
}
