/* Distances of contact pairs: that the nearest points are the nearest, and the derivatives, in every region and at
   every border between two. */
#include "harness.h"

#include "base/math3.h"
#include "pair_samples.h"

/* The nearest points c1 and c2 of two convex sets are those for which no point of a set lies nearer to the other one
   along c1 - c2. Whether weights and offset are right to `tolerance` times the size of the pair. */
static int is_nearest(PairKind kind, const double *x, const PairDistance *d, double tolerance) {
    uint32_t n = pair_point_count(kind), first = pair_first_count(kind);
    double extent = pair_extent(kind, x), c[2][3] = {{0}}, sums[2] = {0}, length = vec3_length(d->offset);
    for (uint32_t i = 0; i < n; ++i) {
        int side = i >= first;
        double w = side ? -d->weights[i] : d->weights[i];
        if (!(w >= 0 && w <= 1) || (w > 0) != (d->region >> i & 1))
            return 0;
        sums[side] += w;
        for (uint32_t a = 0; a < 3; ++a)
            c[side][a] += w * (x[3 * i + a] - x[a]);
    }
    if (!(fabs(sums[0] - 1) < 1e-14) || !(fabs(sums[1] - 1) < 1e-14))
        return 0;
    if (!(fabs(d->squared - length * length) <= 1e-14 * d->squared))
        return 0;
    for (int a = 0; a < 3; ++a)
        if (!(fabs(c[0][a] - c[1][a] - d->offset[a]) <= 1e-14 * extent))
            return 0;
    /* the direction of an offset is as right as it is long against its rounding */
    for (uint32_t i = 0; i < n && length > 0; ++i) {
        int side = i >= first;
        double beyond = 0;
        for (uint32_t a = 0; a < 3; ++a)
            beyond += (x[3 * i + a] - x[a] - c[side][a]) * d->offset[a] / length;
        if (!((side ? -beyond : beyond) >= -(tolerance + 1e-14 * extent / length) * extent))
            return 0;
    }
    return 1;
}

TEST(pair_distance_of_random_pairs_is_the_smallest_in_every_region) {
    static const int region_counts[PAIR_KIND_COUNT] = {1, 3, 7, 9};
    for (PairKind kind = 0; kind < PAIR_KIND_COUNT; ++kind) {
        uint64_t seed = 11 + kind;
        int seen[16] = {0}, regions = 0;
        for (int trial = 0; trial < 20000; ++trial) {
            double x[12];
            PairDistance d;
            random_pair(kind, &seed, x);
            pair_distance(kind, x, &d);
            CHECK(is_nearest(kind, x, &d, 1e-11));
            ++seen[d.region];
        }
        for (int r = 0; r < 16; ++r)
            regions += seen[r] > 50;
        CHECK(regions == region_counts[kind]);
    }
}

TEST(pair_distance_of_known_pairs_is_right) {
    const double above[12] = {0.25, 0.25, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0},
                 beside[12] = {1, 1, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double crossing[12] = {-1, 0, 3, 1, 0, 3, 0, -1, 0, 0, 3, 0},
                 apart[12] = {-2, 0, 0, -1, 0, 0, 1, 0, 0, 2, 0, 0};
    const double line[12] = {0.25, 3, 4, 0, 0, 0, 1, 0, 0};
    PairDistance d;
    pair_distance(PAIR_POINT_TRIANGLE, above, &d);
    CHECK(d.squared == 4 && d.offset[2] == 2 && d.weights[1] == -0.5 && d.weights[3] == -0.25 && d.region == 15);
    pair_distance(PAIR_POINT_TRIANGLE, beside, &d);
    CHECK_NEAR(d.squared, 4.5, 1e-15);
    CHECK(d.weights[2] == -0.5 && d.region == 13);
    pair_distance(PAIR_EDGE_EDGE, crossing, &d);
    CHECK(d.squared == 9 && d.offset[2] == 3 && d.weights[1] == 0.5 && d.weights[3] == -0.25 && d.region == 15);
    pair_distance(PAIR_EDGE_EDGE, apart, &d);
    CHECK(d.squared == 4 && d.offset[0] == -2 && d.region == 6);
    pair_distance(PAIR_POINT_EDGE, line, &d);
    CHECK(d.squared == 25 && d.weights[1] == -0.75 && d.region == 7);
    pair_distance(PAIR_POINT_POINT, line, &d);
    CHECK(d.squared == 0.0625 + 25 && d.region == 3);
}

TEST(pair_distance_keeps_its_digits_far_from_the_origin) {
    uint64_t seed = 3;
    for (int trial = 0; trial < 5000; ++trial) {
        PairKind kind = (PairKind)(trial % PAIR_KIND_COUNT);
        double x[12], moved[12];
        PairDistance d, e;
        random_pair(kind, &seed, x);
        for (uint32_t i = 0; i < 12; ++i) {
            x[i] = ldexp(floor(ldexp(x[i], 20)), -20); /* exact after the move */
            moved[i] = x[i] + 1048576;
        }
        pair_distance(kind, x, &d);
        pair_distance(kind, moved, &e);
        CHECK(d.squared == e.squared && memcmp(d.weights, e.weights, sizeof d.weights) == 0);
    }
}

/* Derivatives by central differences with steps small against the pair's smallest feature. */
TEST(pair_distance_derivatives_agree_with_differences_in_every_region) {
    for (PairKind kind = 0; kind < PAIR_KIND_COUNT; ++kind) {
        uint64_t seed = 5 + kind;
        uint32_t n = 3 * pair_point_count(kind);
        int seen[16] = {0};
        for (int trial = 0; trial < 6000; ++trial) {
            double x[12], gradient[12], hessian[144], h = 1e-5;
            PairDistance d;
            for (uint32_t i = 0; i < n; ++i)
                x[i] = random_signed(&seed);
            if (edges_sine(kind, x) < 0.2)
                continue;
            pair_distance(kind, x, &d);
            pair_distance_gradient(&d, gradient);
            pair_distance_hessian(&d, x, hessian);
            double scale = 1 + largest_entry(hessian, n * n);
            CHECK(largest_entry(gradient, n) > 0);
            int same_region = 1;
            for (uint32_t j = 0; j < n; ++j) {
                double low[12], high[12], low_gradient[12], high_gradient[12];
                PairDistance below, above;
                memcpy(low, x, sizeof low);
                memcpy(high, x, sizeof high);
                low[j] -= h;
                high[j] += h;
                pair_distance(kind, low, &below);
                pair_distance(kind, high, &above);
                pair_distance_gradient(&below, low_gradient);
                pair_distance_gradient(&above, high_gradient);
                CHECK_NEAR((above.squared - below.squared) / (2 * h), gradient[j], 3e-8 * scale);
                if (below.region != d.region || above.region != d.region) {
                    same_region = 0;
                    continue;
                }
                for (uint32_t i = 0; i < n; ++i)
                    CHECK_NEAR((high_gradient[i] - low_gradient[i]) / (2 * h), hessian[n * i + j],
                               1e-8 * scale * scale * scale);
            }
            for (uint32_t i = 0; i < n; ++i) {
                double row[3] = {0, 0, 0};
                for (uint32_t j = 0; j < n; ++j) {
                    CHECK_NEAR(hessian[n * i + j], hessian[n * j + i], 1e-14 * scale);
                    row[j % 3] += hessian[n * i + j];
                }
                CHECK(largest_entry(row, 3) < 1e-13 * scale); /* a translation changes nothing */
            }
            seen[d.region] += same_region;
        }
        for (uint32_t region = 1; region < 1u << n / 3; ++region) {
            uint32_t first = pair_first_count(kind), first_bits = (1u << first) - 1;
            CHECK(((region & first_bits) && (region & ~first_bits)) == (seen[region] > 20));
        }
    }
}

/* Two ends of a line of pairs that lie in different regions are brought together until `gap` of the line is left. */
static int find_border(PairKind kind, uint64_t *seed, double gap, double low[12], double high[12]) {
    uint32_t n = 3 * pair_point_count(kind);
    PairDistance a, b, c;
    for (uint32_t i = 0; i < n; ++i) {
        low[i] = random_signed(seed);
        high[i] = low[i] + 0.3 * random_signed(seed);
    }
    pair_distance(kind, low, &a);
    pair_distance(kind, high, &b);
    if (a.region == b.region)
        return 0;
    for (double width = 1; width > gap; width *= 0.5) {
        double middle[12];
        for (uint32_t i = 0; i < n; ++i)
            middle[i] = 0.5 * (low[i] + high[i]);
        pair_distance(kind, middle, &c);
        memcpy(c.region == a.region ? low : high, middle, n * sizeof *middle);
    }
    pair_distance(kind, high, &b);
    return edges_sine(kind, low) > 0.2 && a.region != b.region;
}

TEST(pair_distance_and_gradient_are_continuous_across_every_border) {
    /* borders between a region and one that has one point less; and between the sides of a triangle's corner none */
    static const int border_counts[PAIR_KIND_COUNT] = {0, 2, 9, 12};
    for (PairKind kind = PAIR_POINT_EDGE; kind < PAIR_KIND_COUNT; ++kind) {
        uint64_t seed = 17 + kind;
        uint32_t n = 3 * pair_point_count(kind);
        static int seen[16][16];
        int borders = 0;
        memset(seen, 0, sizeof seen);
        for (int trial = 0; trial < 20000; ++trial) {
            double low[12], high[12], low_gradient[12], high_gradient[12], low_hessian[144], high_hessian[144];
            PairDistance a, b;
            if (!find_border(kind, &seed, 1e-13, low, high))
                continue;
            pair_distance(kind, low, &a);
            pair_distance(kind, high, &b);
            pair_distance_gradient(&a, low_gradient);
            pair_distance_gradient(&b, high_gradient);
            pair_distance_hessian(&a, low, low_hessian);
            pair_distance_hessian(&b, high, high_hessian);
            /* what the slopes on either side allow over the way that is left */
            double steepest = 1 + fmax(largest_entry(low_hessian, n * n), largest_entry(high_hessian, n * n));
            CHECK_NEAR(a.squared, b.squared, 1e-12);
            for (uint32_t i = 0; i < n; ++i)
                CHECK_NEAR(low_gradient[i], high_gradient[i], 1e-12 * steepest);
            int smaller = (int)(a.region & b.region), larger = (int)(a.region | b.region);
            if (smaller == (int)a.region || smaller == (int)b.region)
                ++seen[smaller][larger];
        }
        for (int s = 0; s < 16; ++s)
            for (int l = 0; l < 16; ++l)
                borders += seen[s][l] > 3 && __builtin_popcount((unsigned)l) == __builtin_popcount((unsigned)s) + 1;
        CHECK(borders == border_counts[kind]);
    }
}

TEST(pair_distance_hessian_is_one_sided_at_borders) {
    for (PairKind kind = PAIR_POINT_EDGE; kind < PAIR_KIND_COUNT; ++kind) {
        uint64_t seed = 23 + kind;
        uint32_t n = 3 * pair_point_count(kind);
        int checked = 0, jumps = 0;
        for (int trial = 0; trial < 4000; ++trial) {
            double ends[2][12], predicted[2][12], difference = 0;
            if (!find_border(kind, &seed, 1e-11, ends[0], ends[1]))
                continue;
            double along[12], length = 0, step = 1e-6;
            for (uint32_t i = 0; i < n; ++i)
                length = fmax(length, fabs(ends[1][i] - ends[0][i]));
            for (uint32_t i = 0; i < n; ++i)
                along[i] = (ends[1][i] - ends[0][i]) / length;
            int usable = 1;
            double change[2][12], scale = 1;
            for (int side = 0; side < 2; ++side) {
                /* away from the border, and from `on` at its very edge */
                double *on = ends[side], off[12], hessian[144], on_gradient[12], off_gradient[12];
                PairDistance d, e;
                for (uint32_t i = 0; i < n; ++i)
                    off[i] = on[i] + (side ? step : -step) * along[i];
                pair_distance(kind, on, &d);
                pair_distance(kind, off, &e);
                usable = usable && d.region == e.region;
                pair_distance_gradient(&d, on_gradient);
                pair_distance_gradient(&e, off_gradient);
                pair_distance_hessian(&d, on, hessian);
                scale = fmax(scale, largest_entry(hessian, n * n));
                for (uint32_t i = 0; i < n; ++i) {
                    change[side][i] = (off_gradient[i] - on_gradient[i]) / (side ? step : -step);
                    predicted[side][i] = 0;
                    for (uint32_t j = 0; j < n; ++j)
                        predicted[side][i] += hessian[n * i + j] * along[j];
                }
            }
            for (uint32_t i = 0; usable && i < n; ++i) {
                CHECK_NEAR(change[0][i], predicted[0][i], 1e-4 * scale * scale);
                CHECK_NEAR(change[1][i], predicted[1][i], 1e-4 * scale * scale);
                difference = fmax(difference, fabs(predicted[0][i] - predicted[1][i]));
            }
            checked += usable;
            jumps += usable && difference > 0.1;
        }
        CHECK(checked > 100 && jumps > checked / 4);
    }
}

TEST(pair_distance_of_degenerate_pairs_is_finite_and_the_smallest) {
    for (PairKind kind = 0; kind < PAIR_KIND_COUNT; ++kind) {
        uint64_t seed = 31 + kind;
        uint32_t n = 3 * pair_point_count(kind);
        for (int trial = 0; trial < 50000; ++trial) {
            double x[12], gradient[12], hessian[144];
            PairDistance d;
            degenerate_pair(kind, &seed, x);
            pair_distance(kind, x, &d);
            pair_distance_gradient(&d, gradient);
            pair_distance_hessian(&d, x, hessian);
            CHECK(all_finite(gradient, n) && all_finite(hessian, n * n) && isfinite(d.squared));
            double smallest = 4e-30 / fmax(pair_extent(kind, x), 1e-30); /* edges below 1e-30 are points */
            CHECK(is_nearest(kind, x, &d, 1e-7 + smallest));
        }
    }
}

TEST(pair_distance_of_all_points_equal_is_zero) {
    for (PairKind kind = 0; kind < PAIR_KIND_COUNT; ++kind) {
        double x[12], hessian[144];
        PairDistance d;
        for (int i = 0; i < 12; ++i)
            x[i] = 1e6 * (i % 3);
        pair_distance(kind, x, &d);
        pair_distance_hessian(&d, x, hessian);
        CHECK(d.squared == 0 && all_finite(hessian, 9 * pair_point_count(kind) * pair_point_count(kind)));
    }
}
