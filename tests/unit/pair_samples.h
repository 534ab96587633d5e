/* Positions of pairs for the tests of contact: random ones of very different shapes, and degenerate ones. */
#ifndef JN_TESTS_PAIR_SAMPLES_H
#define JN_TESTS_PAIR_SAMPLES_H

#include "contact/pair_distance.h"
#include "random.h"

#include <math.h>
#include <string.h>

static inline double random_in(uint64_t *seed, double lowest, double highest) {
    return lowest + (highest - lowest) * 0.5 * (1 + random_signed(seed));
}

/* A pair about the size of 1, its parts up to 1 apart; some are flat, short, or nearly in touch. */
static inline void random_pair(PairKind kind, uint64_t *seed, double x[12]) {
    uint32_t n = pair_point_count(kind), first = pair_first_count(kind);
    double squeeze[3] = {1, 1, 1}, apart[3];
    for (int a = 0; a < 3; ++a) {
        if (random_signed(seed) > 0.7)
            squeeze[a] = pow(10, random_in(seed, -3, 0));
        apart[a] = random_signed(seed);
    }
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t a = 0; a < 3; ++a)
            x[3 * i + a] = squeeze[a] * (random_signed(seed) + (i < first ? 0.5 * apart[a] : -0.5 * apart[a]));
}

/* Points of a coarse grid scaled and moved away from the origin: coincident, collinear, coplanar and parallel ones
   abound. */
static inline void degenerate_pair(PairKind kind, uint64_t *seed, double x[12]) {
    static const double sizes[] = {1, 1, 1e-3, 1e6, 1e-12, 1e-40, 1e-170, 1e15}, shifts[] = {0, 0, 1, -1e6};
    double size = sizes[(int)random_in(seed, 0, 7.999)], shift = shifts[(int)random_in(seed, 0, 3.999)];
    double tremble = random_signed(seed) > 0.5 ? pow(10, random_in(seed, -17, -5)) : 0;
    for (uint32_t i = 0; i < 3 * pair_point_count(kind); ++i)
        x[i] = size * (floor(random_in(seed, 0, 2.999)) + tremble * random_signed(seed)) + shift;
}

static inline double largest_entry(const double *values, uint32_t count) {
    double largest = 0;
    for (uint32_t i = 0; i < count; ++i)
        largest = fabs(values[i]) > largest ? fabs(values[i]) : largest;
    return largest;
}

static inline int all_finite(const double *values, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i)
        if (!isfinite(values[i]))
            return 0;
    return 1;
}

/* The largest difference of two coordinates along one axis. */
static inline double pair_extent(PairKind kind, const double *x) {
    double extent = 0;
    for (uint32_t i = 3; i < 3 * pair_point_count(kind); ++i)
        extent = fabs(x[i] - x[i % 3]) > extent ? fabs(x[i] - x[i % 3]) : extent;
    return extent;
}

/* |sine| of the angle between two edges, 1 for other kinds: derivatives vary over this fraction of the size. */
static inline double edges_sine(PairKind kind, const double *x) {
    if (kind != PAIR_EDGE_EDGE)
        return 1;
    double a[3], b[3], cross[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = x[3 + i] - x[i];
        b[i] = x[9 + i] - x[6 + i];
    }
    for (int i = 0; i < 3; ++i)
        cross[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    double aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2], bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    return aa * bb > 0 ? sqrt((cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]) / aa / bb) : 0;
}

#endif
