#include "cut_frames.h"

#include "cli.h"

#include <cjson/cJSON.h>
#include <stdio.h>

void cut_frames_add(CutFrames *cuts, double frame, const JnBake *bake) {
    const char *name = jn_bake_cut_body(bake);
    if (!name)
        return;
    if (cuts->runs.frame_count == 0)
        copy_name(name, cuts->name, sizeof cuts->name);
    frame_runs_add(&cuts->runs, frame);
}

void cut_frames_say(const CutFrames *cuts) {
    if (cuts->runs.frame_count == 0)
        return;
    frame_runs_say(&cuts->runs);
    printf(
        ": the animation of '%s' jumps to another place, and the body was carried over as it wobbled. If it is to be "
        "thrown instead, set its cut_distance to 0.\n",
        cuts->name);
}

void cut_frames_json(const CutFrames *cuts, cJSON *object) {
    cJSON_AddNumberToObject(object, "cut_frames", (double)cuts->runs.frame_count);
}
