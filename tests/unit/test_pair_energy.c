/* Laws, mollifier and energy of contact pairs: values, derivatives, and Hessians made convex. */
#include "harness.h"

#include "base/math3.h"
#include "base/symmetric.h"
#include "contact/edge_mollifier.h"
#include "contact/pair_energy.h"
#include "pair_samples.h"

TEST(pair_law_derivatives_agree_with_differences) {
    const double gaps[] = {1e-6, 1e-4, 3e-4, 5e-4, 5.1e-4, 9e-4, 9.999e-4};
    for (PairLawKind kind = PAIR_BARRIER; kind <= PAIR_PENALTY; ++kind)
        for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; ++g) {
            PairLaw law = {kind, 3e4, 1e-3, 0};
            PairLawValue value, low, high;
            double h = 1e-5 * fmin(gaps[g], 1e-3 - gaps[g]);
            CHECK(pair_law(&law, gaps[g], &value) && pair_law(&law, gaps[g] - h, &low) &&
                  pair_law(&law, gaps[g] + h, &high));
            CHECK(value.energy > 0 && value.slope < 0 && value.curvature > 0);
            CHECK_NEAR((high.energy - low.energy) / (2 * h), value.slope, -1e-6 * value.slope);
            CHECK_NEAR((high.slope - low.slope) / (2 * h), value.curvature, 1e-6 * value.curvature);
        }
}

TEST(pair_law_ends_smoothly_at_its_reach) {
    const PairLaw barrier = {PAIR_BARRIER, 1, 1e-3, 0}, penalty = {PAIR_PENALTY, 1, 1e-3, 0};
    PairLawValue value;
    CHECK(pair_law(&barrier, 1e-3, &value) && value.energy == 0 && value.slope == 0 && value.curvature == 0);
    CHECK(pair_law(&barrier, 1e-3 * (1 - 1e-9), &value) && value.energy > 0 && value.slope < 0);
    CHECK(value.slope > -1e-20 && value.curvature < 1e-8); /* to third and second order in what is missing */
    CHECK(pair_law(&penalty, 1e-3, &value) && value.energy == 0 && value.slope == 0);
    CHECK(pair_law(&penalty, -1e-3, &value));
    CHECK_NEAR(value.slope, -2e-3, 1e-18);
}

TEST(pair_law_barrier_has_no_value_without_a_gap) {
    const PairLaw barrier = {PAIR_BARRIER, 1, 1e-3, 0};
    const double gaps[] = {0, -1e-9, -1, 1e-30, 1e-310};
    PairLawValue value;
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; ++g)
        CHECK(!pair_law(&barrier, gaps[g], &value) && value.energy == INFINITY && value.slope == -INFINITY);
    CHECK(pair_law(&barrier, 1e-22, &value) && value.energy > 1e-5 && isfinite(value.curvature));
}

TEST(edge_mollifier_derivatives_agree_with_differences) {
    uint64_t seed = 4;
    int mollified = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        double x[12], factor, gradient[12], hessian[144], h = 1e-6;
        for (int i = 0; i < 12; ++i)
            x[i] = random_signed(&seed);
        for (int i = 0; i < 3; ++i) /* within a few degrees of parallel */
            x[9 + i] = x[6 + i] + x[3 + i] - x[i] + 0.05 * random_signed(&seed);
        double scale = edge_mollifier_scale(x);
        bool acts = edge_mollifier(x, scale, &factor, gradient, hessian);
        mollified += acts;
        CHECK(acts ? factor > 0 && factor < 1 : factor == 1 && largest_entry(hessian, 144) == 0);
        double size = 1 + largest_entry(hessian, 144);
        for (int j = 0; j < 12; ++j) {
            double low[12], high[12], low_factor, high_factor, low_gradient[12], high_gradient[12];
            memcpy(low, x, sizeof low);
            memcpy(high, x, sizeof high);
            low[j] -= h;
            high[j] += h;
            bool both = edge_mollifier(low, scale, &low_factor, low_gradient, NULL) == acts;
            both = edge_mollifier(high, scale, &high_factor, high_gradient, NULL) == acts && both;
            CHECK_NEAR((high_factor - low_factor) / (2 * h), gradient[j], 1e-6 * size);
            for (int i = 0; both && i < 12; ++i)
                CHECK_NEAR((high_gradient[i] - low_gradient[i]) / (2 * h), hessian[12 * i + j], 1e-6 * size);
        }
    }
    CHECK(mollified > 300 && mollified < 1700);
}

TEST(edge_mollifier_vanishes_for_parallel_edges_and_ignores_crossing_ones) {
    const double parallel[12] = {0, 0, 0, 1, 0, 0, 0.3, 1e-3, 0, 2.3, 1e-3, 0};
    const double crossing[12] = {0, 0, 0, 1, 0, 0, 0.5, -1, 1, 0.5, 1, 1};
    double factor, gradient[12], hessian[144];
    CHECK(edge_mollifier(parallel, edge_mollifier_scale(parallel), &factor, gradient, hessian));
    CHECK(factor == 0 && largest_entry(gradient, 12) == 0 && largest_entry(hessian, 144) > 1);
    CHECK(!edge_mollifier(crossing, edge_mollifier_scale(crossing), &factor, gradient, hessian) && factor == 1);
    CHECK(!edge_mollifier(parallel, 0, &factor, NULL, NULL) && factor == 1);
}

/* A pair of size 1 whose distance is in (0.02, 0.98) of the law's reach; edges nearly parallel if `alike`. */
static int acting_pair(PairKind kind, const PairLaw *law, int alike, uint64_t *seed, double x[12]) {
    PairDistance d;
    for (int i = 0; i < 12; ++i)
        x[i] = random_signed(seed);
    if (alike)
        for (int i = 0; i < 3; ++i)
            x[9 + i] = x[6 + i] + x[3 + i] - x[i] + 0.04 * random_signed(seed);
    pair_distance(kind, x, &d);
    double gap = (sqrt(d.squared) - law->thickness) / law->reach;
    return gap > 0.1 && gap < 0.98;
}

TEST(pair_energy_derivatives_agree_with_differences) {
    static const int region_counts[] = {1, 3, 7, 9,
                                        8}; /* the last: edges side by side, whose like ends are rarely nearest */
    for (PairLawKind law_kind = PAIR_BARRIER; law_kind <= PAIR_PENALTY; ++law_kind)
        for (int k = 0; k <= PAIR_KIND_COUNT; ++k) {
            PairKind kind = k < PAIR_KIND_COUNT ? (PairKind)k : PAIR_EDGE_EDGE;
            uint32_t n = 3 * pair_point_count(kind);
            uint64_t seed = 40 + (uint64_t)k;
            PairLaw law = {law_kind, 10, 0.5, 0.05};
            int checked = 0, regions = 0;
            for (int trial = 0; trial < 3000; ++trial) {
                double x[12], gradient[12], hessian[144], h = 1e-6, scale = 0;
                PairEnergy at, low_at, high_at;
                if (!acting_pair(kind, &law, k == PAIR_KIND_COUNT, &seed, x))
                    continue;
                if (k == PAIR_KIND_COUNT)
                    scale = edge_mollifier_scale(x);
                else if (edges_sine(kind, x) < 0.2)
                    continue;
                CHECK(pair_energy(kind, x, &law, scale, false, &at, gradient, hessian));
                CHECK(at.energy > 0 && at.normal_force > 0 && largest_entry(gradient, n) > 0);
                double size = 1 + largest_entry(hessian, n * n);
                for (uint32_t j = 0; j < n; ++j) {
                    double low[12], high[12], low_gradient[12], high_gradient[12];
                    memcpy(low, x, sizeof low);
                    memcpy(high, x, sizeof high);
                    low[j] -= h;
                    high[j] += h;
                    CHECK(pair_energy(kind, low, &law, scale, false, &low_at, low_gradient, NULL));
                    CHECK(pair_energy(kind, high, &law, scale, false, &high_at, high_gradient, NULL));
                    CHECK_NEAR((high_at.energy - low_at.energy) / (2 * h), gradient[j], 1e-7 * size);
                    if (low_at.distance.region != at.distance.region || high_at.distance.region != at.distance.region)
                        continue;
                    for (uint32_t i = 0; i < n; ++i)
                        CHECK_NEAR((high_gradient[i] - low_gradient[i]) / (2 * h), hessian[n * i + j],
                                   1e-8 * size * size);
                    ++checked;
                }
                regions |= 1 << at.distance.region;
            }
            CHECK(checked > 500 && __builtin_popcount((unsigned)regions) == region_counts[k]);
        }
}

/* The positive part by another way: over all coordinates at once, block by block of a long Jacobi iteration. */
static void positive_part_of_twelve(double *H, int n) {
    double v[144] = {0}, d[144];
    memcpy(d, H, (size_t)(n * n) * sizeof *d);
    for (int i = 0; i < n; ++i)
        v[n * i + i] = 1;
    for (int sweep = 0; sweep < 30; ++sweep)
        for (int p = 0; p < n; ++p)
            for (int q = p + 1; q < n; ++q) {
                double angle = 0.5 * atan2(2 * d[n * p + q], d[n * q + q] - d[n * p + p]);
                double c = cos(angle), s = sin(angle);
                for (int k = 0; k < n; ++k) {
                    double kp = d[n * k + p], kq = d[n * k + q];
                    d[n * k + p] = c * kp - s * kq, d[n * k + q] = s * kp + c * kq;
                    kp = v[n * k + p], kq = v[n * k + q];
                    v[n * k + p] = c * kp - s * kq, v[n * k + q] = s * kp + c * kq;
                }
                for (int k = 0; k < n; ++k) {
                    double pk = d[n * p + k], qk = d[n * q + k];
                    d[n * p + k] = c * pk - s * qk, d[n * q + k] = s * pk + c * qk;
                }
            }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            H[n * i + j] = 0;
            for (int k = 0; k < n; ++k)
                H[n * i + j] += fmax(d[n * k + k], 0) * v[n * i + k] * v[n * j + k];
        }
}

TEST(pair_energy_made_convex_is_the_positive_part_of_the_hessian) {
    for (int k = 0; k <= PAIR_KIND_COUNT; ++k) {
        PairKind kind = k < PAIR_KIND_COUNT ? (PairKind)k : PAIR_EDGE_EDGE;
        uint32_t n = 3 * pair_point_count(kind);
        uint64_t seed = 50 + (uint64_t)k;
        PairLaw law = {PAIR_BARRIER, 10, 0.5, 0};
        int changed = 0, checked = 0;
        for (int trial = 0; trial < 3000 && checked < 150; ++trial) {
            double x[12], plain[144], convex[144], wanted[144], difference = 0;
            PairEnergy at;
            if (!acting_pair(kind, &law, k == PAIR_KIND_COUNT, &seed, x))
                continue;
            double scale = k == PAIR_KIND_COUNT ? edge_mollifier_scale(x) : 0;
            pair_energy(kind, x, &law, scale, false, &at, NULL, plain);
            pair_energy(kind, x, &law, scale, true, &at, NULL, convex);
            memcpy(wanted, plain, sizeof wanted);
            positive_part_of_twelve(wanted, (int)n);
            double size = largest_entry(plain, n * n);
            CHECK(size > 0);
            for (uint32_t i = 0; i < n * n; ++i) {
                CHECK_NEAR(convex[i], wanted[i], 1e-11 * size);
                difference = fmax(difference, fabs(convex[i] - plain[i]));
            }
            changed += difference > 1e-3 * size;
            ++checked;
        }
        CHECK(checked == 150 && changed > 75);
    }
}

TEST(pair_energy_of_touching_sides_has_no_direction) {
    const double touching[12] = {0.25, 0.25, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    PairLaw law = {PAIR_BARRIER, 10, 0.5, 0};
    PairEnergy at;
    double gradient[12], hessian[144];
    CHECK(!pair_energy(PAIR_POINT_TRIANGLE, touching, &law, 0, true, &at, gradient, hessian));
    CHECK(at.energy == INFINITY && at.normal_force == 0);
    CHECK(largest_entry(gradient, 12) == 0 && largest_entry(hessian, 144) == 0);
    law.kind = PAIR_PENALTY;
    CHECK(pair_energy(PAIR_POINT_TRIANGLE, touching, &law, 0, true, &at, gradient, hessian));
    CHECK(at.energy == 1.25 && at.normal_force == 5 && largest_entry(gradient, 12) == 0);
}

TEST(pair_energy_thickness_shifts_the_distance) {
    const double x[12] = {0.25, 0.25, 0.3, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double nearer[12] = {0.25, 0.25, 0.2, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    PairLaw thick = {PAIR_BARRIER, 10, 0.5, 0.1}, thin = {PAIR_BARRIER, 10, 0.5, 0};
    PairEnergy a, b;
    double a_gradient[12], b_gradient[12];
    CHECK(pair_energy(PAIR_POINT_TRIANGLE, x, &thick, 0, false, &a, a_gradient, NULL));
    CHECK(pair_energy(PAIR_POINT_TRIANGLE, nearer, &thin, 0, false, &b, b_gradient, NULL));
    CHECK_NEAR(a.energy, b.energy, 1e-14 * b.energy);
    for (int i = 0; i < 12; ++i)
        CHECK_NEAR(a_gradient[i], b_gradient[i], 1e-13 * b.normal_force);
    CHECK_NEAR(a_gradient[2], -a.normal_force, 1e-14 * a.normal_force);
}

TEST(pair_energy_of_degenerate_pairs_is_finite) {
    for (PairKind kind = 0; kind < PAIR_KIND_COUNT; ++kind) {
        uint64_t seed = 60 + kind;
        uint32_t n = 3 * pair_point_count(kind);
        for (int trial = 0; trial < 20000; ++trial) {
            double x[12], gradient[12], hessian[144];
            PairEnergy at;
            degenerate_pair(kind, &seed, x);
            PairLaw law = {trial % 2 ? PAIR_BARRIER : PAIR_PENALTY, 1e5, pow(10, random_in(&seed, -6, 6)), 1e-4};
            double scale = kind == PAIR_EDGE_EDGE ? edge_mollifier_scale(x) : 0;
            bool some = pair_energy(kind, x, &law, scale, true, &at, gradient, hessian);
            CHECK(some ? isfinite(at.energy) : at.energy == INFINITY && law.kind == PAIR_BARRIER);
            CHECK(isfinite(at.normal_force) && all_finite(gradient, n) && all_finite(hessian, n * n));
        }
    }
}
