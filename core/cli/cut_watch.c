#include "cut_watch.h"

#include "cli.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>

static const double look_interval = 0.1; /* seconds between two looks at the bake */
static const double patience = 1.0;      /* seconds that a frame may take without a word */
static const double bar_interval = 0.2;  /* seconds between two words on a terminal */
static const double line_interval = 5.0; /* seconds between two lines in a log or of JSON */

static void say_json(const JnFrameProgress *frame) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "event", "cut");
    cJSON_AddNumberToObject(object, "frame", frame->frame);
    cJSON_AddNumberToObject(object, "fraction", frame->fraction);
    cJSON_AddNumberToObject(object, "parts", frame->part_count);
    cJSON_AddStringToObject(object, "reason", frame->reason);
    print_json(object);
}

static void say_words(const Progress *progress, const JnFrameProgress *frame) {
    double percent = floor(100 * frame->fraction);
    if (progress->terminal)
        fprintf(stderr, "\rframe %g: %.0f %%, steps cut into %u parts\033[K", frame->frame, percent, frame->part_count);
    else
        fprintf(stderr, "frame %g: %.0f %% done; its time steps are cut into %u parts, because %s\n", frame->frame,
                percent, frame->part_count, frame->reason);
    fflush(stderr);
}

/* Under the lock. */
static void look(CutWatch *watch) {
    const Progress *progress = watch->progress;
    JnFrameProgress frame = {.struct_size = sizeof frame};
    double now = os_clock_seconds();
    double interval = progress->terminal && !watch->json ? bar_interval : line_interval;
    if (watch->last_frame_clock != progress->last_frame_clock)
        watch->last_said = 0;
    watch->last_frame_clock = progress->last_frame_clock;
    if (now - progress->last_frame_clock < patience || now - watch->last_said < interval ||
        jn_bake_frame_progress(watch->bake, &frame, NULL) != JN_OK || frame.part_count < 2 || !frame.reason)
        return;
    watch->last_said = now;
    if (watch->json)
        say_json(&frame);
    else if (!progress->silent)
        say_words(progress, &frame);
}

static void run(void *context) {
    CutWatch *watch = context;
    os_monitor_lock(watch->monitor);
    while (!watch->stopped) {
        os_monitor_wait_seconds(watch->monitor, look_interval);
        if (!watch->stopped)
            look(watch);
    }
    os_monitor_unlock(watch->monitor);
}

void cut_watch_begin(CutWatch *watch, const JnBake *bake, const Progress *progress, bool json) {
    *watch = (CutWatch){.bake = bake, .progress = progress, .json = json, .monitor = os_monitor_create()};
    if (watch->monitor && !(watch->thread = os_thread_start(run, watch))) {
        os_monitor_destroy(watch->monitor);
        watch->monitor = NULL;
    }
}

void cut_watch_lock(CutWatch *watch) {
    if (watch->monitor)
        os_monitor_lock(watch->monitor);
}

void cut_watch_unlock(CutWatch *watch) {
    if (watch->monitor)
        os_monitor_unlock(watch->monitor);
}

void cut_watch_end(CutWatch *watch) {
    if (!watch->monitor)
        return;
    os_monitor_lock(watch->monitor);
    watch->stopped = true;
    os_monitor_wake_all(watch->monitor);
    os_monitor_unlock(watch->monitor);
    os_thread_join(watch->thread);
    os_monitor_destroy(watch->monitor);
    watch->monitor = NULL;
}
