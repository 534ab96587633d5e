#include "base/parallel.h"

#include <omp.h>

void parallel_for(uint32_t thread_count, uint32_t count, void (*body)(void *context, uint32_t index),
                  void *context) {
    if (thread_count <= 1 || count <= 1) {
        for (uint32_t i = 0; i < count; ++i)
            body(context, i);
        return;
    }
    int64_t end = count;
#pragma omp parallel for schedule(dynamic, 1) num_threads(thread_count)
    for (int64_t i = 0; i < end; ++i)
        body(context, (uint32_t)i);
}

int parallel_hold(void) {
    /* the number of active levels belongs to the calling task: no level may be active, so every team has one thread */
    int levels = omp_get_max_active_levels();
    omp_set_max_active_levels(0);
    return levels;
}

void parallel_release(int held) {
    omp_set_max_active_levels(held);
}
