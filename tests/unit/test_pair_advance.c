/* Continuous collision detection against dense sampling of the motion, and against motions known by hand. */
#include "harness.h"

#include "contact/pair_advance.h"
#include "pair_samples.h"

static const PairAdvance usual = {0, INFINITY, 0.1, 64};

static double distance_at(PairKind kind, const double *x0, const double *x1, double time) {
    double x[12];
    PairDistance d;
    for (uint32_t i = 0; i < 3 * pair_point_count(kind); ++i)
        x[i] = x0[i] + time * (x1[i] - x0[i]);
    pair_distance(kind, x, &d);
    return sqrt(d.squared);
}

/* The smallest distance up to `time` among `samples`. */
static double smallest_until(PairKind kind, const double *x0, const double *x1, double time, int samples) {
    double smallest = INFINITY;
    for (int s = 0; s <= samples; ++s)
        smallest = fmin(smallest, distance_at(kind, x0, x1, time * s / samples));
    return smallest;
}

TEST(pair_advance_of_random_motions_never_passes_the_first_touch) {
    for (PairKind kind = 0; kind < PAIR_KIND_COUNT; ++kind) {
        uint64_t seed = 70 + kind;
        int ends[4] = {0};
        for (int trial = 0; trial < 4000; ++trial) {
            double x0[12], x1[12], time = -1, speed = pow(10, random_in(&seed, -2, 1));
            PairAdvance how = usual;
            random_pair(kind, &seed, x0);
            how.thickness = trial % 3 == 0 ? 0 : 0.1 * fabs(random_signed(&seed));
            how.reach = trial % 5 == 0 ? 0.05 : INFINITY;
            uint32_t n = 3 * pair_point_count(kind);
            for (uint32_t i = 0; i < n; ++i)
                x1[i] = x0[i] + speed * random_signed(&seed);
            if (kind <= PAIR_POINT_EDGE && trial % 2) /* points do not meet by chance */
                for (uint32_t i = 0; i < 3; ++i)
                    x1[i] = x0[3 + i] + x1[3 + i] - x0[i] + 0.1 * random_signed(&seed);
            PairAdvanceEnd end = pair_advance(kind, x0, x1, &how, &time);
            double gap = distance_at(kind, x0, x1, 0) - how.thickness, left = how.keep * fmin(gap, how.reach);
            ++ends[end];
            if (end == PAIR_ADVANCE_INSIDE) {
                CHECK(gap < 1e-12 && time == 0);
                continue;
            }
            CHECK(time > 0 && time <= 1 && (time == 1 || end != PAIR_ADVANCE_FREE));
            CHECK(smallest_until(kind, x0, x1, time, 200) - how.thickness > 0.999 * left);
            if (end == PAIR_ADVANCE_HIT)
                CHECK(distance_at(kind, x0, x1, time) - how.thickness < 2.001 * left);
        }
        CHECK(ends[PAIR_ADVANCE_FREE] > 500 && ends[PAIR_ADVANCE_HIT] > 100 && ends[PAIR_ADVANCE_GIVEN_UP] <= 4);
    }
}

/* Sides that meet at a known time and pass through each other: sampling might miss it, the advance may not. */
TEST(pair_advance_stops_before_sides_that_pass_through_each_other) {
    for (PairKind kind = PAIR_POINT_TRIANGLE; kind < PAIR_KIND_COUNT; ++kind) {
        uint64_t seed = 80 + kind;
        for (int trial = 0; trial < 4000; ++trial) {
            double x0[12], x1[12], weights[4], meeting = random_in(&seed, 0.001, 1), time, gap[3] = {0};
            uint32_t first = pair_first_count(kind);
            double fast = pow(10, random_in(&seed, 0, 4)), total[2] = {0};
            for (uint32_t i = 0; i < 4; ++i) {
                weights[i] = random_in(&seed, 0.05, 1);
                total[i >= first] += weights[i];
            }
            for (uint32_t i = 0; i < 12; ++i) {
                x0[i] = random_signed(&seed);
                x1[i] = x0[i] + (i < 3 * first ? fast : 1) * random_signed(&seed);
            }
            /* shift the first side so that the weighted points are in the same place at the time of the meeting */
            for (uint32_t i = 0; i < 12; ++i) {
                double w = weights[i / 3] / total[i / 3 >= first];
                gap[i % 3] += (i / 3 < first ? -w : w) * (x0[i] + meeting * (x1[i] - x0[i]));
            }
            for (uint32_t i = 0; i < 3 * first; ++i) {
                x0[i] += gap[i % 3];
                x1[i] += gap[i % 3];
            }
            PairAdvanceEnd end = pair_advance(kind, x0, x1, &usual, &time);
            CHECK(end == PAIR_ADVANCE_HIT || end == PAIR_ADVANCE_GIVEN_UP || end == PAIR_ADVANCE_INSIDE);
            CHECK(time < meeting);
        }
    }
}

TEST(pair_advance_of_a_bullet_at_a_wall_stops_at_it) {
    /* 100 m/s for 1/24 s towards a triangle 2 m away */
    const double x0[12] = {0.2, 0.2, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0},
                 x1[12] = {0.2, 0.2, 2 - 100 / 24.0, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    double time, touch = 2 * 24 / 100.0;
    PairAdvance how = {1e-3, 0.02, 1e-4, 3};
    CHECK(pair_advance(PAIR_POINT_TRIANGLE, x0, x1, &how, &time) == PAIR_ADVANCE_HIT);
    CHECK(time < touch * (1 - 0.5e-3 - 1e-6) && time > touch * (1 - 0.5e-3 - 2e-6));
}

TEST(pair_advance_of_sliding_sides_takes_one_plane) {
    const double x0[12] = {0.2, 0.2, 1e-6, 0, 0, 0, 1, 0, 0, 0, 1, 0},
                 x1[12] = {300.2, -40, 1e-6, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    double time;
    PairAdvance how = {0, INFINITY, 0.1, 1};
    CHECK(pair_advance(PAIR_POINT_TRIANGLE, x0, x1, &how, &time) == PAIR_ADVANCE_FREE && time == 1);
}

TEST(pair_advance_moves_sides_that_are_very_near) {
    uint64_t seed = 90;
    int hits = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        /* a gap of 1e-12 to 1e-6 over a triangle, which the point crosses after a tenth of the way */
        double x0[12], x1[12], time, gap = pow(10, random_in(&seed, -12, -6)), u[3], v[3], normal[3], length = 0,
                                     slide = 0.01 * random_signed(&seed);
        for (int i = 3; i < 12; ++i)
            x1[i] = x0[i] = random_signed(&seed);
        for (int i = 0; i < 3; ++i) {
            u[i] = x0[6 + i] - x0[3 + i];
            v[i] = x0[9 + i] - x0[3 + i];
        }
        for (int i = 0; i < 3; ++i) {
            normal[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
            length += normal[i] * normal[i];
        }
        for (int i = 0; i < 3; ++i) {
            x0[i] = x0[3 + i] + 0.3 * u[i] + 0.4 * v[i] + gap * normal[i] / sqrt(length);
            x1[i] = x0[i] + slide * u[i] - 10 * gap * normal[i] / sqrt(length);
        }
        PairAdvanceEnd end = pair_advance(PAIR_POINT_TRIANGLE, x0, x1, &usual, &time);
        CHECK(end == PAIR_ADVANCE_HIT || end == PAIR_ADVANCE_INSIDE);
        hits += end == PAIR_ADVANCE_HIT;
        CHECK(end == PAIR_ADVANCE_INSIDE || (time > 0.07 && time < 0.1));
    }
    CHECK(hits > 1950);
}

TEST(pair_advance_that_gives_up_returns_a_free_time) {
    uint64_t seed = 91;
    int given_up = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        PairKind kind = trial % 2 ? PAIR_POINT_TRIANGLE : PAIR_EDGE_EDGE;
        PairAdvance how = {0, INFINITY, 0.01, 1 + (uint32_t)trial % 3};
        double x0[12], x1[12], time;
        random_pair(kind, &seed, x0);
        random_pair(kind, &seed, x1);
        if (pair_advance(kind, x0, x1, &how, &time) != PAIR_ADVANCE_GIVEN_UP)
            continue;
        ++given_up;
        CHECK(time > 0 && time < 1 && smallest_until(kind, x0, x1, time, 200) > 0);
    }
    CHECK(given_up > 300);
}

TEST(pair_advance_of_degenerate_motions_is_safe) {
    for (PairKind kind = 0; kind < PAIR_KIND_COUNT; ++kind) {
        uint64_t seed = 95 + kind;
        for (int trial = 0; trial < 20000; ++trial) {
            double x0[12], x1[12], time = -1;
            degenerate_pair(kind, &seed, x0);
            degenerate_pair(kind, &seed, x1);
            PairAdvanceEnd end = pair_advance(kind, x0, x1, &usual, &time);
            CHECK(time >= 0 && time <= 1 && (time == 0) == (end == PAIR_ADVANCE_INSIDE));
            double size = fmax(largest_entry(x0, 12), largest_entry(x1, 12));
            if (time > 0)
                CHECK(smallest_until(kind, x0, x1, time, 16) > -1e-15 * size);
        }
    }
}

TEST(pair_advance_without_motion_or_with_a_common_one_is_free) {
    for (PairKind kind = 0; kind < PAIR_KIND_COUNT; ++kind) {
        uint64_t seed = 99 + kind;
        double x0[12], x1[12], time;
        random_pair(kind, &seed, x0);
        CHECK(pair_advance(kind, x0, x0, &usual, &time) == PAIR_ADVANCE_FREE && time == 1);
        for (int i = 0; i < 12; ++i)
            x1[i] = x0[i] + 1e3 * (i % 3 + 1);
        CHECK(pair_advance(kind, x0, x1, &usual, &time) == PAIR_ADVANCE_FREE && time == 1);
    }
}

TEST(pair_advance_of_what_is_not_finite_stays) {
    for (PairKind kind = 0; kind < PAIR_KIND_COUNT; ++kind)
        for (uint32_t i = 0; i < 6 * pair_point_count(kind); ++i)
            for (int infinite = 0; infinite < 2; ++infinite) {
                uint64_t seed = 110;
                double x[24], time;
                uint32_t n = 3 * pair_point_count(kind);
                random_pair(kind, &seed, x);
                random_pair(kind, &seed, &x[n]);
                x[i] = infinite ? INFINITY : NAN;
                CHECK(pair_advance(kind, x, &x[n], &usual, &time) == PAIR_ADVANCE_INSIDE && time == 0);
            }
}
