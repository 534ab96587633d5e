#include "progress.h"

#include "cli.h"
#include "os.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double bar_interval = 0.05; /* seconds between two drawings of the bar */
static const double log_interval = 5.0;  /* seconds between two lines in a log */

/* "frame 17/48, 3.9 frames/s, 8.0 s left" */
static void describe(const Progress *progress, char *text, size_t capacity) {
    char left[SAY_CAPACITY], rate[32] = "";
    double seconds = progress->seconds_per_frame;
    int length = snprintf(text, capacity, "frame %u/%u", progress->done_count, progress->frame_count);
    if (progress->timed_count == 0 || !(seconds > 0))
        return;
    if (seconds <= 1)
        snprintf(rate, sizeof rate, "%.1f frames/s", 1 / seconds);
    else
        snprintf(rate, sizeof rate, "%s/frame", say_duration(seconds, left, sizeof left));
    snprintf(text + length, capacity - (size_t)length, ", %s, %s left", rate,
             say_duration(progress_seconds_left(progress), left, sizeof left));
}

static void print_bar(const Progress *progress) {
    char text[128], bar[64];
    describe(progress, text, sizeof text);
    // the bar fills the rest of the line after the text, up to its maximum length
    int room = (int)os_terminal_width(stderr) - (int)strlen(text) - 6;
    int width = room < 0 ? 0 : room > 40 ? 40 : room;
    int filled = (int)((double)width * progress->done_count / progress->frame_count);
    for (int i = 0; i < width; ++i)
        bar[i] = i < filled ? '#' : '.';
    bar[width] = '\0';
    if (width >= 5)
        fprintf(stderr, "\r[%s] %s\033[K", bar, text);
    else
        fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
}

static void print_when_due(Progress *progress, bool at_once) {
    double now = os_clock_seconds();
    double interval = progress->terminal ? bar_interval : log_interval;
    if (progress->silent || (!at_once && now - progress->last_print_clock < interval))
        return;
    progress->last_print_clock = now;
    if (progress->terminal) {
        print_bar(progress);
    } else {
        char text[128];
        describe(progress, text, sizeof text);
        fprintf(stderr, "%s\n", text);
    }
}

void progress_begin(Progress *progress, uint32_t frame_count, uint32_t done_count, bool silent) {
    double now = os_clock_seconds();
    *progress = (Progress){.silent = silent,
                           .terminal = os_is_terminal(stderr),
                           .frame_count = frame_count,
                           .done_count = done_count,
                           .last_frame_clock = now,
                           .last_print_clock = now};
    print_when_due(progress, progress->terminal);
}

void progress_frame(Progress *progress) {
    double now = os_clock_seconds(), seconds = now - progress->last_frame_clock;
    progress->last_frame_clock = now;
    progress->done_count += 1;
    // frame 1 is the start pose, which takes no time steps: not used for the estimate
    if (progress->done_count > 1) {
        progress->timed_count += 1;
        double share = fmax(1.0 / progress->timed_count, 0.1);
        progress->seconds_per_frame += share * (seconds - progress->seconds_per_frame);
    }
    print_when_due(progress, progress->terminal && progress->done_count == progress->frame_count);
}

double progress_seconds_left(const Progress *progress) {
    if (progress->timed_count == 0)
        return NAN;
    return progress->seconds_per_frame * (progress->frame_count - progress->done_count);
}

void progress_end(const Progress *progress) {
    if (progress->terminal && !progress->silent)
        fputs("\r\033[K", stderr);
}
