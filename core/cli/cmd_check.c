/* jounce check: validates a scene and predicts what its bake will cost. */
#include "cli.h"
#include "mesh_fill.h"
#include "os.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is found of each body besides the cost. */
typedef struct Bodies {
    JnSag *sags;           /* [body_count] */
    JnDamping *damping;    /* [body_count], or NULL: not asked for */
    JnMeshReport *reports; /* [body_count]; no tets: they were not made of a surface */
    JnFastRegion *fast;    /* [fast_count] */
    uint32_t fast_count;
} Bodies;

static void bodies_free(Bodies *bodies) {
    free(bodies->sags);
    free(bodies->damping);
    free(bodies->reports);
    free(bodies->fast);
}

static JnStatus find_fast_regions(const JnBake *bake, Bodies *bodies, JnMessage *message) {
    uint32_t count = jn_bake_fast_region_count(bake);
    JnStatus status = JN_OK;
    bodies->fast = calloc((size_t)count + 1, sizeof *bodies->fast);
    if (!bodies->fast) {
        *message = (JnMessage){JN_ERR_MEMORY, "out of memory"};
        return JN_ERR_MEMORY;
    }
    for (uint32_t k = 0; status == JN_OK && k < count; ++k) {
        bodies->fast[k].struct_size = sizeof *bodies->fast;
        status = jn_bake_fast_region(bake, k, &bodies->fast[k], message);
    }
    bodies->fast_count = count;
    return status;
}

/* What the artist should know of a region; NULL: nothing. */
static const char *note_fast_region(const JnFastRegion *fast) {
    if (fast->for_all)
        return "its border is so long that small steps for all cost less, and are taken";
    if (fast->border_count == 0)
        return "it is all that can move: as many times the steps_per_frame, without it, do the same";
    if (fast->hastened)
        return "some of it asks for fewer steps, but touches what asks for these";
    return NULL;
}

/* What is painted fast takes no small steps. */
static const char nothing_fast[] =
    "what is painted fast takes no small steps: it is pinned, its weights are below 0.5, "
    "or its value is 1";

static bool paints_fast(const JnBakeDesc *desc) {
    bool any = false;
    for (uint32_t b = 0; b < desc->body_count; ++b)
        for (uint32_t r = 0; r < desc->bodies[b].region_count; ++r)
            any |= strcmp(desc->bodies[b].regions[r].effect, "fast") == 0;
    return any;
}

static void add_fast_regions(cJSON *object, const JnBakeDesc *desc, const Bodies *bodies) {
    cJSON *list = paints_fast(desc) ? cJSON_AddArrayToObject(object, "fast_regions") : NULL;
    if (list && bodies->fast_count == 0)
        cJSON_AddStringToObject(object, "fast_note", nothing_fast);
    for (uint32_t k = 0; k < bodies->fast_count; ++k) {
        const JnFastRegion *fast = &bodies->fast[k];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(list, item);
        cJSON_AddNumberToObject(item, "ratio", fast->ratio);
        cJSON_AddNumberToObject(item, "vertices", fast->vertex_count);
        cJSON_AddNumberToObject(item, "border", fast->border_count);
        cJSON_AddNumberToObject(item, "pieces", fast->island_count);
        cJSON_AddBoolToObject(item, "for_all", (int)fast->for_all);
        cJSON_AddNumberToObject(item, "cost_of_large", fast->cost_of_large);
        cJSON_AddNumberToObject(item, "cost_of_small", fast->cost_of_small);
        if (note_fast_region(fast))
            cJSON_AddStringToObject(item, "note", note_fast_region(fast));
    }
}

static void print_fast_regions(const JnBakeDesc *desc, const Bodies *bodies) {
    char text[SAY_CAPACITY];
    if (paints_fast(desc))
        puts("\nFast regions");
    if (paints_fast(desc) && bodies->fast_count == 0)
        printf("  none          %s\n", nothing_fast);
    for (uint32_t k = 0; k < bodies->fast_count; ++k) {
        const JnFastRegion *fast = &bodies->fast[k];
        printf("  %-3u steps     %s vertices", fast->ratio, say_count(fast->vertex_count, text, sizeof text));
        if (fast->island_count > 1)
            printf(" in %u pieces", fast->island_count);
        printf(", a border of %s", say_count(fast->border_count, text, sizeof text));
        printf("; a step costs %.3g times one without, %.2g of small steps for all\n", fast->cost_of_large,
               fast->cost_of_small);
        if (note_fast_region(fast))
            printf("  %-13s %s\n", "", note_fast_region(fast));
    }
}

/* The damping of one body. One whose lowest mode is not found is still valid: its frequency and the values that depend
   on it are NAN. */
static JnStatus find_damping(JnBake *bake, const JnBakeDesc *desc, uint32_t b, JnDamping *damping, JnMessage *message) {
    const JnMaterial *material = &desc->bodies[b].material;
    damping->struct_size = sizeof *damping;
    JnStatus status = jn_bake_damping(bake, b, damping, message);
    if (status != JN_ERR_DIVERGED)
        return status;
    *damping = (JnDamping){.struct_size = sizeof *damping,
                           .frequency = NAN,
                           .stiffness_damping = material->stiffness_damping,
                           .mass_damping = material->mass_damping,
                           .material_ratio = NAN,
                           .method_ratio = NAN,
                           .settle_seconds = NAN,
                           .young_modulus = material->young_modulus};
    return JN_OK;
}

/* On failure *bodies is all zero. */
static JnStatus find_bodies(const JnBakeDesc *desc, bool with_damping, Bodies *bodies, JnMessage *message) {
    JnBakeDesc trial = *desc;
    JnBake *bake = NULL;
    trial.output_path = NULL;
    trial.resume = 0;
    bodies->sags = calloc(desc->body_count, sizeof *bodies->sags);
    bodies->damping = with_damping ? calloc(desc->body_count, sizeof *bodies->damping) : NULL;
    bodies->reports = calloc(desc->body_count, sizeof *bodies->reports);
    JnStatus status = JN_ERR_MEMORY;
    if (bodies->sags && bodies->reports && (bodies->damping || !with_damping))
        status = jn_bake_begin(&trial, &bake, message);
    else
        *message = (JnMessage){JN_ERR_MEMORY, "out of memory"};
    for (uint32_t b = 0; status == JN_OK && b < desc->body_count; ++b) {
        bodies->sags[b].struct_size = sizeof *bodies->sags;
        bodies->reports[b].struct_size = sizeof *bodies->reports;
        status = jn_bake_sag(bake, b, &bodies->sags[b], message);
        if (status == JN_OK)
            status = jn_bake_mesh_report(bake, b, &bodies->reports[b], message);
        if (status == JN_OK && with_damping)
            status = find_damping(bake, desc, b, &bodies->damping[b], message);
    }
    if (status == JN_OK)
        status = find_fast_regions(bake, bodies, message);
    jn_bake_end(bake, NULL);
    if (status != JN_OK) {
        bodies_free(bodies);
        *bodies = (Bodies){0};
    }
    return status;
}

static void add_sags(cJSON *object, const JnBakeDesc *desc, const JnSag *sags) {
    cJSON *list = cJSON_AddArrayToObject(object, "gravity"), *notes = cJSON_AddArrayToObject(object, "warnings");
    for (uint32_t b = 0; b < desc->body_count; ++b) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(list, item);
        cJSON_AddStringToObject(item, "body", desc->bodies[b].name);
        cJSON_AddNumberToObject(item, "size", sags[b].size);
        cJSON_AddNumberToObject(item, "sag", sags[b].sag);
        cJSON_AddBoolToObject(item, "stands", (int)sags[b].stands);
        cJSON_AddNumberToObject(item, "frequency", sags[b].frequency);
        cJSON_AddNumberToObject(item, "settle_seconds", sags[b].settle_seconds);
        cJSON_AddNumberToObject(item, "young_modulus", sags[b].young_modulus);
        if (sags[b].note[0])
            cJSON_AddItemToArray(notes, cJSON_CreateString(sags[b].note));
    }
}

static void print_sags(const JnBakeDesc *desc, const JnSag *sags) {
    char text[SAY_CAPACITY];
    puts("\nUnder gravity");
    for (uint32_t b = 0; b < desc->body_count; ++b) {
        const JnSag *sag = &sags[b];
        printf("  %-13s %.3g m long", desc->bodies[b].name, sag->size);
        if (isnan(sag->sag)) {
            puts(", sag not known");
            continue;
        }
        double part = sag->sag / sag->size;
        if (part > 10)
            printf(", sags by more than ten times that");
        else
            printf(part < 0.1 ? ", sags by %.2g %%" : ", sags by %.0f %%", 100 * part);
        printf("%s; wobbles at about %.2g Hz", sag->stands ? " where it stands" : "", sag->frequency);
        if (sag->settle_seconds < 3600)
            printf(", settled after %s", say_duration(sag->settle_seconds, text, sizeof text));
        if (!isnan(desc->bodies[b].material.wobble_frequency))
            printf("\n  %-13s young_modulus %.4g Pa", "", sag->young_modulus);
        putchar('\n');
    }
    for (uint32_t b = 0; b < desc->body_count; ++b)
        if (sags[b].note[0])
            printf("Note: %s.\n", sags[b].note);
}

static void add_reports(cJSON *object, const JnBakeDesc *desc, const JnMeshReport *reports) {
    cJSON *list = cJSON_AddArrayToObject(object, "meshes");
    for (uint32_t b = 0; b < desc->body_count; ++b) {
        if (reports[b].tet_count == 0)
            continue;
        cJSON *item = fill_report_json(&reports[b]);
        cJSON_AddItemToArray(list, item);
        cJSON_AddStringToObject(item, "body", desc->bodies[b].name);
    }
}

static void print_reports(const JnBakeDesc *desc, const JnMeshReport *reports) {
    bool first = true;
    for (uint32_t b = 0; b < desc->body_count; ++b) {
        const JnMeshReport *report = &reports[b];
        if (report->tet_count == 0)
            continue;
        if (first)
            puts("\nTets made of surfaces, which are left as they are");
        first = false;
        printf("  %-13s cells %.3g long, the smallest %.3g; angles from %.0f to %.0f degrees; %u %s\n",
               desc->bodies[b].name, report->cell, report->smallest_cell, report->smallest_angle, report->largest_angle,
               report->piece_count, report->piece_count == 1 ? "piece" : "pieces");
        print_findings(report, 16);
    }
}

static void add_damping(cJSON *object, const JnBakeDesc *desc, const JnDamping *damping) {
    cJSON *list = cJSON_AddArrayToObject(object, "damping");
    for (uint32_t b = 0; b < desc->body_count; ++b) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddItemToArray(list, item);
        cJSON_AddStringToObject(item, "body", desc->bodies[b].name);
        cJSON_AddNumberToObject(item, "frequency", damping[b].frequency);
        cJSON_AddNumberToObject(item, "material_ratio", damping[b].material_ratio);
        cJSON_AddNumberToObject(item, "method_ratio", damping[b].method_ratio);
        cJSON_AddNumberToObject(item, "settle_seconds", damping[b].settle_seconds);
        cJSON_AddNumberToObject(item, "stiffness_damping", damping[b].stiffness_damping);
        cJSON_AddNumberToObject(item, "mass_damping", damping[b].mass_damping);
    }
}

static void print_damping(const JnBakeDesc *desc, const JnEstimate *estimate, const JnDamping *damping) {
    char text[SAY_CAPACITY];
    puts("\nDamping of the slowest wobble");
    for (uint32_t b = 0; b < desc->body_count; ++b) {
        const JnDamping *d = &damping[b];
        if (!(d->frequency > 0)) {
            printf("  %-13s %s\n", desc->bodies[b].name,
                   isnan(d->frequency) ? "the frequency is not known: the search for it failed"
                                       : "nothing of it wobbles");
            continue;
        }
        printf("  %-13s %.3g Hz: %.2g %% from the material, ", desc->bodies[b].name, d->frequency,
               100 * d->material_ratio);
        if (isnan(d->method_ratio))
            printf("too fast for %s", estimate->integrator);
        else
            printf("%.2g %% from %s", 100 * d->method_ratio, estimate->integrator);
        printf(" at %u %s a frame", estimate->steps_per_frame, estimate->steps_per_frame == 1 ? "step" : "steps");
        if (isfinite(d->settle_seconds))
            printf("; settled after %s", say_duration(d->settle_seconds, text, sizeof text));
        const JnMaterial *material = &desc->bodies[b].material;
        if (!isnan(material->settle_seconds) || !isnan(material->damping_ratio))
            printf("\n  %-13s stiffness_damping %.4g s, mass_damping %.4g 1/s", "", d->stiffness_damping,
                   d->mass_damping);
        putchar('\n');
    }
}

static void print_estimate_json(const char *scene_path, const JnBakeDesc *desc, const JnEstimate *estimate,
                                const Bodies *bodies) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "scene", scene_path);
    cJSON_AddBoolToObject(object, "valid", 1);
    cJSON_AddNumberToObject(object, "bodies", desc->body_count);
    cJSON_AddNumberToObject(object, "colliders", desc->collider_count);
    cJSON_AddStringToObject(object, "integrator", estimate->integrator);
    if (estimate->choice[0])
        cJSON_AddStringToObject(object, "choice", estimate->choice);
    cJSON_AddNumberToObject(object, "first_frame", desc->first_frame);
    cJSON_AddNumberToObject(object, "frames", desc->frame_count);
    cJSON_AddNumberToObject(object, "fps", desc->fps);
    cJSON_AddNumberToObject(object, "steps_per_frame", estimate->steps_per_frame);
    cJSON_AddNumberToObject(object, "vertices", estimate->vertex_count);
    cJSON_AddNumberToObject(object, "tets", estimate->tet_count);
    cJSON_AddNumberToObject(object, "springs", estimate->spring_count);
    cJSON_AddNumberToObject(object, "points", estimate->point_count);
    cJSON_AddNumberToObject(object, "unknowns", estimate->unknown_count);
    cJSON_AddNumberToObject(object, "seconds_per_frame", estimate->seconds_per_frame);
    cJSON_AddNumberToObject(object, "total_seconds", estimate->total_seconds);
    cJSON_AddNumberToObject(object, "memory_bytes", estimate->memory_bytes);
    cJSON_AddNumberToObject(object, "cache_bytes", estimate->cache_bytes);
    cJSON_AddNumberToObject(object, "trial_frames", estimate->trial_frame_count);
    if (estimate->note[0])
        cJSON_AddStringToObject(object, "note", estimate->note);
    add_reports(object, desc, bodies->reports);
    add_sags(object, desc, bodies->sags);
    if (bodies->damping)
        add_damping(object, desc, bodies->damping);
    add_fast_regions(object, desc, bodies);
    print_json(object);
}

static void print_estimate(const char *scene_path, const JnBakeDesc *desc, const JnEstimate *estimate,
                           const Bodies *bodies) {
    char text[SAY_CAPACITY];
    printf("%s is valid.\n\n", scene_path);
    if (estimate->note[0])
        printf("Note: %s\n\n", estimate->note);
    printf("  bodies        %u", desc->body_count);
    if (desc->collider_count)
        printf(", colliders %u", desc->collider_count);
    if (desc->field_count)
        printf(", fields %u", desc->field_count);
    printf("\n  frames        %u, from %.6g at %.6g frames/s, %u %s each\n", desc->frame_count, desc->first_frame,
           desc->fps, estimate->steps_per_frame, estimate->steps_per_frame == 1 ? "step" : "steps");
    printf("  integrator    %s\n", estimate->choice[0] ? estimate->choice : desc->integrator);
    printf("  vertices      %s simulated", say_count(estimate->vertex_count, text, sizeof text));
    printf(", %s cached\n", say_count(estimate->point_count, text, sizeof text));
    if (estimate->tet_count || !estimate->spring_count)
        printf("  tets          %s\n", say_count(estimate->tet_count, text, sizeof text));
    if (estimate->spring_count)
        printf("  springs       %s\n", say_count(estimate->spring_count, text, sizeof text));
    printf("  unknowns      %s\n", say_count(estimate->unknown_count, text, sizeof text));
    print_reports(desc, bodies->reports);
    print_sags(desc, bodies->sags);
    if (bodies->damping)
        print_damping(desc, estimate, bodies->damping);
    print_fast_regions(desc, bodies);
    if (estimate->trial_frame_count > 0)
        printf("\nPredicted from %u simulated %s\n", estimate->trial_frame_count,
               estimate->trial_frame_count == 1 ? "frame" : "frames");
    else
        puts("\nPredicted");
    printf("  a frame       %s\n", say_duration(estimate->seconds_per_frame, text, sizeof text));
    printf("  the bake      %s\n", say_duration(estimate->total_seconds, text, sizeof text));
    printf("  memory        %s\n", say_bytes(estimate->memory_bytes, text, sizeof text));
    printf("  cache         %s\n", say_bytes(estimate->cache_bytes, text, sizeof text));
}

ExitCode run_check(const Arguments *arguments) {
    const char *path = arguments->positionals[0];
    JnMessage message = {0};
    JnScene *scene = NULL;
    JnBakeDesc desc;
    JnEstimate estimate = {.struct_size = sizeof estimate};
    Bodies bodies = {0};
    ExitCode code = EXIT_DONE;
    double load_seconds = os_clock_seconds();
    jn_bake_desc_init(&desc, sizeof desc);
    if (jn_scene_load(path, &scene, &message) != JN_OK || jn_scene_desc(scene, &desc, sizeof desc, &message) != JN_OK) {
        code = fail_message(arguments, &message);
        goto done;
    }
    desc.frame_count = option_count(arguments, "frames", desc.frame_count);
    desc.thread_count = option_count(arguments, "threads", desc.thread_count);
    load_seconds = os_clock_seconds() - load_seconds;
    JnStatus status = jn_scene_estimate(scene, &desc, &estimate, &message);
    estimate.total_seconds += load_seconds;
    if (status == JN_OK)
        status = find_bodies(&desc, option_given(arguments, "modes"), &bodies, &message);
    if (status != JN_OK)
        code = fail_message(arguments, &message);
    else if (option_given(arguments, "json"))
        print_estimate_json(path, &desc, &estimate, &bodies);
    else
        print_estimate(path, &desc, &estimate, &bodies);
done:
    bodies_free(&bodies);
    jn_scene_free(scene);
    return code;
}
