#include "truth.h"

#include <math.h>
#include <stdlib.h>

/* The rendered points of all bodies at the last finished frame. */
static JnStatus read_frame(const Truth *truth, const JnBake *bake, double *numbers, JnMessage *message) {
    size_t used = 0;
    JnStatus status = JN_OK;
    for (uint32_t b = 0; status == JN_OK && used < truth->number_count; ++b) {
        uint32_t count = 0;
        status = jn_bake_positions(bake, b, numbers + used, truth->number_count - used, &count, message);
        used += 3 * (size_t)count;
    }
    return status;
}

static double squared_distance(const double *first, const double *second, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += (first[i] - second[i]) * (first[i] - second[i]);
    return sum;
}

bool truth_open(Truth *truth, const JnBake *bake, size_t frame_count) {
    JnStatistics statistics = {.struct_size = sizeof statistics};
    *truth = (Truth){.frame_count = frame_count};
    if (jn_bake_statistics(bake, &statistics, NULL) != JN_OK)
        return false;
    truth->number_count = 3 * (size_t)statistics.point_count;
    if (truth->number_count + 1 > SIZE_MAX / sizeof(double) / (frame_count + 1))
        return false;
    truth->positions = malloc((frame_count * truth->number_count + 1) * sizeof(double));
    truth->frame = malloc((truth->number_count + 1) * sizeof(double));
    return truth->positions && truth->frame;
}

void truth_close(Truth *truth) {
    free(truth->positions);
    free(truth->frame);
    *truth = (Truth){0};
}

JnStatus truth_keep(Truth *truth, const JnBake *bake, JnMessage *message) {
    double *numbers = truth->positions + truth->kept_count * truth->number_count;
    JnStatus status = read_frame(truth, bake, numbers, message);
    truth->kept_count += status == JN_OK;
    return status;
}

JnStatus truth_extrapolate(Truth *truth, const JnBake *bake, size_t frame, int order, JnMessage *message) {
    JnStatus status = read_frame(truth, bake, truth->frame, message);
    double *kept = truth->positions + frame * truth->number_count, share = 1 / (ldexp(1, order) - 1);
    for (size_t i = 0; status == JN_OK && i < truth->number_count; ++i)
        kept[i] = truth->frame[i] + share * (truth->frame[i] - kept[i]);
    return status;
}

JnStatus truth_measure(Truth *truth, const JnBake *bake, size_t frame, TruthDistance *distance, JnMessage *message) {
    if (frame == 0 || frame >= truth->kept_count)
        return JN_OK;
    JnStatus status = read_frame(truth, bake, truth->frame, message);
    if (status != JN_OK)
        return status;
    const double *kept = truth->positions + frame * truth->number_count;
    distance->squares += squared_distance(truth->frame, kept, truth->number_count);
    ++distance->frame_count;
    return JN_OK;
}

double truth_distance(const Truth *truth, const TruthDistance *distance) {
    double count = (double)distance->frame_count * (double)truth->number_count / 3;
    return count > 0 ? sqrt(distance->squares / count) : NAN;
}

double truth_motion(const Truth *truth) {
    TruthDistance moved = {0, 0};
    for (size_t f = 1; f < truth->kept_count; ++f) {
        const double *kept = truth->positions + f * truth->number_count;
        moved.squares += squared_distance(kept, truth->positions, truth->number_count);
        ++moved.frame_count;
    }
    return truth_distance(truth, &moved);
}
