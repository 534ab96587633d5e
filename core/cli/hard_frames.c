#include "hard_frames.h"

#include "frame_runs.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

/* So many parts of a step at a frame's end are more than a passing trouble. */
enum { MANY_PARTS = 4 };

void hard_frames_begin(HardFrames *hard, const JnBakeDesc *desc, const JnBake *bake) {
    JnStatistics before = {.struct_size = sizeof before};
    jn_bake_statistics(bake, &before, NULL);
    *hard = (HardFrames){.steps_per_frame = before.steps_per_frame,
                         .adaptive = desc->error_tolerance > 0,
                         .cut_steps = before.cut_steps,
                         .loose_steps = before.loose_steps,
                         .damped_steps = before.damped_steps};
}

static bool make_room(HardFrames *hard) {
    if (hard->count < hard->capacity)
        return true;
    size_t capacity = hard->capacity ? 2 * hard->capacity : 64;
    HardFrame *frames = realloc(hard->frames, capacity * sizeof *frames);
    if (!frames)
        return false;
    hard->frames = frames;
    hard->capacity = capacity;
    return true;
}

void hard_frames_add(HardFrames *hard, double frame, const JnBake *bake) {
    JnStatistics now = {.struct_size = sizeof now};
    JnFrameProgress progress = {.struct_size = sizeof progress};
    jn_bake_statistics(bake, &now, NULL);
    jn_bake_frame_progress(bake, &progress, NULL);
    HardFrame here = {frame, progress.part_count, now.cut_steps - hard->cut_steps, now.loose_steps - hard->loose_steps,
                      now.damped_steps - hard->damped_steps};
    hard->cut_steps = now.cut_steps;
    hard->loose_steps = now.loose_steps;
    hard->damped_steps = now.damped_steps;
    bool much_cut = here.cut_steps >= hard->steps_per_frame || here.part_count >= MANY_PARTS;
    if (((much_cut && !hard->adaptive) || here.loose_steps || here.damped_steps) && make_room(hard))
        hard->frames[hard->count++] = here;
}

void hard_frames_say(const HardFrames *hard, const char *integrator) {
    HardFrame sum = {.part_count = 1};
    FrameRuns runs = {0};
    for (size_t i = 0; i < hard->count; ++i) {
        frame_runs_add(&runs, hard->frames[i].frame);
        if (hard->frames[i].part_count > sum.part_count)
            sum.part_count = hard->frames[i].part_count;
        sum.cut_steps += hard->frames[i].cut_steps;
        sum.loose_steps += hard->frames[i].loose_steps;
        sum.damped_steps += hard->frames[i].damped_steps;
    }
    if (hard->count == 0)
        return;
    frame_runs_say(&runs);
    printf(" %s hard to simulate: time steps were cut %u %s", hard->count == 1 ? "was" : "were", sum.cut_steps,
           sum.cut_steps == 1 ? "time" : "times");
    if (sum.part_count > 1)
        printf(", into up to %u parts at the end of a frame", sum.part_count);
    if (sum.loose_steps)
        printf(", %u %s loose (gained energy, missed error_tolerance or were not solved to the end even when cut)",
               sum.loose_steps, sum.loose_steps == 1 ? "was" : "were");
    printf(". Look there for jumps and fast turns of the animation; more steps_per_frame need fewer cuts.\n");
    if (sum.damped_steps)
        printf("%u %s of %s failed even when cut, and %s taken by a damped integrator\n", sum.damped_steps,
               sum.damped_steps == 1 ? "step" : "steps", integrator, sum.damped_steps == 1 ? "was" : "were");
}

void hard_frames_json(const HardFrames *hard, cJSON *object) {
    cJSON *list = cJSON_AddArrayToObject(object, "hard_frames");
    for (size_t i = 0; i < hard->count; ++i) {
        const HardFrame *frame = &hard->frames[i];
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "frame", frame->frame);
        cJSON_AddNumberToObject(item, "parts", frame->part_count);
        cJSON_AddNumberToObject(item, "cut_steps", frame->cut_steps);
        cJSON_AddNumberToObject(item, "loose_steps", frame->loose_steps);
        cJSON_AddNumberToObject(item, "damped_steps", frame->damped_steps);
        cJSON_AddItemToArray(list, item);
    }
}

void hard_frames_free(HardFrames *hard) {
    free(hard->frames);
    *hard = (HardFrames){0};
}
