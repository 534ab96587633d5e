#include "frame_runs.h"

#include <stdio.h>

void frame_runs_add(FrameRuns *runs, double frame) {
    ++runs->frame_count;
    if (runs->left_out == 0 && runs->run_count > 0 && frame == runs->last[runs->run_count - 1] + 1) {
        runs->last[runs->run_count - 1] = frame;
    } else if (runs->run_count < FRAME_RUNS_SHOWN) {
        runs->first[runs->run_count] = runs->last[runs->run_count] = frame;
        ++runs->run_count;
    } else {
        ++runs->left_out;
    }
}

void frame_runs_say(const FrameRuns *runs) {
    printf(runs->frame_count == 1 ? "Frame" : "Frames");
    for (size_t r = 0; r < runs->run_count; ++r) {
        printf("%s %g", r ? "," : "", runs->first[r]);
        if (runs->last[r] > runs->first[r])
            printf(" to %g", runs->last[r]);
    }
    if (runs->left_out)
        printf(" and %zu more", runs->left_out);
}
