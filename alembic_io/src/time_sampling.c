/* When samples happen. See alembic_io.h. */
#include "alembic_io.h"

#include <math.h>

/* Times closer than this are equal, because times in files have rounding errors. */
#define SAME_TIME 1e-6

double abc_sample_time(const AbcTimeSampling *s, uint32_t sample) {
    if (s->kind == ABC_ACYCLIC)
        return s->times[sample < s->time_count ? sample : s->time_count - 1];
    return s->times[sample % s->time_count] + sample / s->time_count * s->cycle_seconds;
}

/* The last sample at or before a time that lies after the first and before the last one. */
static uint32_t floor_sample(const AbcTimeSampling *s, uint32_t sample_count, double time) {
    uint32_t low = 0, high = sample_count - 1;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (abc_sample_time(s, middle) <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void abc_sample_bracket(const AbcTimeSampling *s, uint32_t sample_count, double time, uint32_t *lower, uint32_t *upper,
                        double *weight) {
    uint32_t last = sample_count - 1;
    *weight = 0;
    *lower = *upper = 0;
    if (sample_count < 2 || !(time > abc_sample_time(s, 0) + SAME_TIME))
        return;
    *lower = *upper = last;
    if (time >= abc_sample_time(s, last) - SAME_TIME)
        return;
    *lower = floor_sample(s, sample_count, time);
    *upper = *lower + 1;
    double before = abc_sample_time(s, *lower), after = abc_sample_time(s, *upper);
    /* a time close to a sample counts as that sample */
    if (time - before <= SAME_TIME)
        *upper = *lower;
    else if (after - time <= SAME_TIME)
        *lower = *upper;
    else
        *weight = (time - before) / (after - before);
}
