/* Best rotations and steady blends. */
#include "harness.h"
#include "random.h"

#include "base/math3.h"
#include "base/rigid.h"

/* A turn by `angle` about the axis (1, 2, 2)/3, stretched before by 2, 3 and `last`, and a shift. */
static void make_transform(double angle, double last, double m[12]) {
    const double u[3] = {1 / 3.0, 2 / 3.0, 2 / 3.0}, scale[3] = {2, 3, last};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            int k = 3 - i - j;
            double cross = i == j ? 0 : ((j - i + 3) % 3 == 1 ? -u[k] : u[k]);
            m[4 * i + j] = scale[j] * ((1 - cos(angle)) * u[i] * u[j] + (i == j) * cos(angle) + sin(angle) * cross);
        }
    m[3] = angle, m[7] = -2, m[11] = 0.5;
}

TEST(rigid_fit_finds_a_motion_of_flat_and_of_solid_points) {
    double from[60], to[60], expected[12], found[12];
    uint64_t seed = 1;
    for (int flat = 0; flat < 2; ++flat) {
        make_transform(2.5, 1, expected);
        for (int i = 0; i < 3; ++i)
            expected[4 * i] /= 2, expected[4 * i + 1] /= 3;
        for (int i = 0; i < 60; ++i)
            from[i] = flat && i % 3 == 2 ? 0 : random_signed(&seed);
        for (int p = 0; p < 20; ++p)
            affine_apply(expected, from + 3 * p, to + 3 * p);
        rigid_fit(from, to, 20, found);
        for (int i = 0; i < 12; ++i)
            CHECK_NEAR(found[i], expected[i], 1e-12);
    }
}

TEST(affine_blend_turns_steadily_and_meets_its_ends) {
    double from[12], to[12], expected[12], found[12];
    make_transform(0.2, 1.5, from);
    make_transform(2.9, 1.5, to);
    for (double fraction = 0; fraction <= 1; fraction += 0.125) {
        make_transform(0.2 + 2.7 * fraction, 1.5, expected);
        affine_blend(from, to, fraction, found);
        for (int i = 0; i < 12; ++i)
            CHECK_NEAR(found[i], expected[i], 1e-12);
    }
    affine_blend(from, to, 1, found);
    CHECK(memcmp(found, to, sizeof to) == 0);
    affine_blend(from, from, 0.3, found);
    CHECK(memcmp(found, from, sizeof from) == 0);
}

TEST(affine_blend_of_mirrored_transforms_stays_mirrored) {
    double from[12], to[12], found[12], linear[9];
    make_transform(0.2, -1.5, from);
    make_transform(1.9, -1.5, to);
    CHECK(affine_can_blend(from, to));
    affine_blend(from, to, 0.5, found);
    for (int i = 0; i < 9; ++i)
        linear[i] = found[4 * (i / 3) + i % 3];
    CHECK_NEAR(mat3_det(linear), -9, 1e-9);
    make_transform(1.9, 1.5, to);
    CHECK(!affine_can_blend(from, to));
}
