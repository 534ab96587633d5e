#include "overlap_frames.h"

#include "cli.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* All zero if it is not known. */
static JnContactFrame contact_of(const JnBake *bake) {
    JnContactFrame contact = {.struct_size = sizeof contact};
    return jn_bake_contact(bake, &contact, NULL) == JN_OK ? contact : (JnContactFrame){.overlap_count = 0};
}

/* Whether it should be told of rather than what was found before. */
static bool is_worse(const OverlapFrames *overlaps, const JnContactFrame *contact) {
    if (overlaps->runs.frame_count == 0 || isnan(contact->overlap_depth) != isnan(overlaps->depth))
        return overlaps->runs.frame_count == 0 || isnan(overlaps->depth);
    return isnan(overlaps->depth) ? contact->overlap_count > overlaps->most : contact->overlap_depth > overlaps->depth;
}

void overlap_frames_add(OverlapFrames *overlaps, double frame, const JnBake *bake) {
    const JnContactFrame contact = contact_of(bake);
    if (contact.overlap_count == 0)
        return;
    if (is_worse(overlaps, &contact)) {
        overlaps->frame = frame;
        overlaps->depth = contact.overlap_depth;
        memcpy(overlaps->place, contact.overlap_place, sizeof overlaps->place);
        copy_name(contact.overlap_first, overlaps->names[0], OVERLAP_NAME_BYTES);
        copy_name(contact.overlap_second, overlaps->names[1], OVERLAP_NAME_BYTES);
    }
    if (contact.overlap_count > overlaps->most)
        overlaps->most = contact.overlap_count;
    frame_runs_add(&overlaps->runs, frame);
}

void overlap_frames_say(const OverlapFrames *overlaps) {
    bool is_known = !isnan(overlaps->depth), is_small = overlaps->depth < 0.1;
    if (overlaps->runs.frame_count == 0)
        return;
    frame_runs_say(&overlaps->runs);
    if (overlaps->most > 1)
        printf(": up to %u overlaps were tolerated, %s", overlaps->most, is_known ? "the deepest" : "one");
    else
        printf(": an overlap was tolerated,");
    if (is_known)
        printf(" of %.3g %s", is_small ? 1e3 * overlaps->depth : overlaps->depth, is_small ? "mm" : "m");
    printf(
        " between '%s' and '%s' in frame %g near (%.3g, %.3g, %.3g). Move them apart there, or put them into a common "
        "group of ignore_groups; contact.strict stops at the first overlap.\n",
        overlaps->names[0], overlaps->names[1], overlaps->frame, overlaps->place[0], overlaps->place[1],
        overlaps->place[2]);
}

/* Between whom, where, and how deep if that is known. */
static void add_overlap(cJSON *object, const char *first, const char *second, const double place[3], double depth) {
    const char *const names[2] = {first, second};
    cJSON_AddItemToObject(object, "objects", cJSON_CreateStringArray(names, 2));
    cJSON_AddItemToObject(object, "place", cJSON_CreateDoubleArray(place, 3));
    if (!isnan(depth))
        cJSON_AddNumberToObject(object, "depth", depth);
}

void overlap_frames_json(const OverlapFrames *overlaps, cJSON *object) {
    cJSON_AddNumberToObject(object, "overlap_frames", (double)overlaps->runs.frame_count);
    if (overlaps->runs.frame_count == 0)
        return;
    cJSON *worst = cJSON_AddObjectToObject(object, "worst_overlap");
    cJSON_AddNumberToObject(worst, "frame", overlaps->frame);
    add_overlap(worst, overlaps->names[0], overlaps->names[1], overlaps->place, overlaps->depth);
}

void contact_json(const JnBake *bake, cJSON *object) {
    const JnContactFrame contact = contact_of(bake);
    if (contact.struct_size == 0 || (contact.pair_count == 0 && contact.contact_count == 0 &&
                                     contact.overlap_count == 0 && !isfinite(contact.smallest_distance)))
        return;
    cJSON *item = cJSON_AddObjectToObject(object, "contact");
    cJSON_AddNumberToObject(item, "pairs", contact.pair_count);
    cJSON_AddNumberToObject(item, "contacts", contact.contact_count);
    cJSON_AddNumberToObject(item, "sticking", contact.sticking_count);
    cJSON_AddNumberToObject(item, "sliding", contact.sliding_count);
    cJSON_AddNumberToObject(item, "rounds", contact.round_count);
    if (isfinite(contact.smallest_distance))
        cJSON_AddNumberToObject(item, "smallest_distance", contact.smallest_distance);
    cJSON_AddNumberToObject(item, "deepest_penetration", contact.deepest_penetration);
    cJSON_AddNumberToObject(item, "seconds", contact.seconds);
    cJSON_AddNumberToObject(item, "overlaps", contact.overlap_count);
    if (contact.overlap_count > 0)
        add_overlap(item, contact.overlap_first, contact.overlap_second, contact.overlap_place, contact.overlap_depth);
}
