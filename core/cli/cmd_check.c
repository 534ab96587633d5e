/* jounce check: validates a scene and predicts what its bake will cost. */
#include "cli.h"

#include <cjson/cJSON.h>
#include <stdio.h>

static void print_estimate_json(const char *scene_path, const JnBakeDesc *desc, const JnEstimate *estimate) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "scene", scene_path);
    cJSON_AddBoolToObject(object, "valid", 1);
    cJSON_AddNumberToObject(object, "bodies", desc->body_count);
    cJSON_AddNumberToObject(object, "colliders", desc->collider_count);
    cJSON_AddStringToObject(object, "integrator", desc->integrator);
    cJSON_AddNumberToObject(object, "first_frame", desc->first_frame);
    cJSON_AddNumberToObject(object, "frames", desc->frame_count);
    cJSON_AddNumberToObject(object, "fps", desc->fps);
    cJSON_AddNumberToObject(object, "steps_per_frame", desc->steps_per_frame);
    cJSON_AddNumberToObject(object, "vertices", estimate->vertex_count);
    cJSON_AddNumberToObject(object, "tets", estimate->tet_count);
    cJSON_AddNumberToObject(object, "springs", estimate->spring_count);
    cJSON_AddNumberToObject(object, "points", estimate->point_count);
    cJSON_AddNumberToObject(object, "unknowns", estimate->unknown_count);
    cJSON_AddNumberToObject(object, "seconds_per_frame", estimate->seconds_per_frame);
    cJSON_AddNumberToObject(object, "total_seconds", estimate->total_seconds);
    cJSON_AddNumberToObject(object, "memory_bytes", estimate->memory_bytes);
    cJSON_AddNumberToObject(object, "cache_bytes", estimate->cache_bytes);
    print_json(object);
}

static void print_estimate(const char *scene_path, const JnBakeDesc *desc, const JnEstimate *estimate) {
    char text[SAY_CAPACITY];
    printf("%s is valid.\n\n", scene_path);
    printf("  bodies        %u", desc->body_count);
    if (desc->collider_count)
        printf(", colliders %u", desc->collider_count);
    printf("\n  frames        %u, from %.6g at %.6g frames/s, %u %s each\n", desc->frame_count, desc->first_frame,
           desc->fps, desc->steps_per_frame, desc->steps_per_frame == 1 ? "step" : "steps");
    printf("  integrator    %s\n", desc->integrator);
    printf("  vertices      %s simulated", say_count(estimate->vertex_count, text, sizeof text));
    printf(", %s cached\n", say_count(estimate->point_count, text, sizeof text));
    if (estimate->tet_count || !estimate->spring_count)
        printf("  tets          %s\n", say_count(estimate->tet_count, text, sizeof text));
    if (estimate->spring_count)
        printf("  springs       %s\n", say_count(estimate->spring_count, text, sizeof text));
    printf("  unknowns      %s\n", say_count(estimate->unknown_count, text, sizeof text));
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
    ExitCode code = EXIT_DONE;
    jn_bake_desc_init(&desc);
    if (jn_scene_load(path, &scene, &message) != JN_OK || jn_scene_desc(scene, &desc, &message) != JN_OK) {
        code = fail_message(arguments, &message);
        goto done;
    }
    desc.frame_count = option_count(arguments, "frames", desc.frame_count);
    desc.thread_count = option_count(arguments, "threads", desc.thread_count);
    if (jn_bake_estimate(&desc, &estimate, &message) != JN_OK)
        code = fail_message(arguments, &message);
    else if (option_given(arguments, "json"))
        print_estimate_json(path, &desc, &estimate);
    else
        print_estimate(path, &desc, &estimate);
done:
    jn_scene_free(scene);
    return code;
}
