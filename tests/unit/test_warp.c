/* Rotation-strain warping against shapes that theory gives in closed form. */
#include "harness.h"
#include "tet_box.h"

#include "elastic/tet_elements.h"
#include "elastic/warp.h"

static const double RIGHT_ANGLE = 1.5707963267948966;

typedef struct Bar {
    TetBox box;
    uint8_t *fixed;
    double *anchors, *q, *warped, *expected; /* per vertex, or coordinate */
    Warp *warp;
} Bar;

/* A bar along x of length 1, with `cells` cells across its width of 1/8; fixed at x = 0 if `held`. */
static void open_bar(Bar *bar, uint32_t cells, bool held) {
    bar->box = tet_box_make(8 * cells, cells, cells, 1.0 / (8 * cells));
    size_t n = bar->box.vertex_count;
    bar->fixed = calloc(n, 1);
    bar->anchors = malloc(n * sizeof(double));
    bar->q = malloc(3 * n * sizeof(double));
    bar->warped = malloc(3 * n * sizeof(double));
    bar->expected = malloc(3 * n * sizeof(double));
    for (size_t v = 0; v < n; ++v) {
        bar->box.positions[3 * v + 1] -= 1.0 / 16;
        bar->fixed[v] = held && bar->box.positions[3 * v] == 0;
        bar->anchors[v] = 1;
    }
    WarpDesc desc = {bar->box.vertex_count, bar->box.tet_count, bar->box.positions, bar->box.tets, bar->fixed};
    bar->warp = NULL;
    CHECK(warp_create(&desc, &bar->warp, NULL) == JN_OK);
}

static void close_bar(Bar *bar) {
    warp_destroy(bar->warp);
    tet_box_free(&bar->box);
    free(bar->fixed);
    free(bar->anchors);
    free(bar->q);
    free(bar->warped);
    free(bar->expected);
}

static JnStatus apply(Bar *bar) {
    return warp_apply(bar->warp, &(WarpPose){bar->q, NULL, bar->warped}, 1, bar->anchors, NULL, NULL);
}

static double largest_difference(const double *a, const double *b, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; ++i)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

static double volume_of(const Bar *bar, const double *positions) {
    double volume = 0;
    for (size_t t = 0; t < bar->box.tet_count; ++t)
        volume += tet_volume(positions, bar->box.tets + 4 * t);
    return volume;
}

/* Pure bending by `angle` without Poisson's effect: as linear elasticity has it, and as it is, an arc of a circle. */
static void bend(const Bar *bar, double angle) {
    for (size_t v = 0; v < bar->box.vertex_count; ++v) {
        const double *x = bar->box.positions + 3 * v;
        double radius = 1 / angle;
        double *q = bar->q + 3 * v, *expected = bar->expected + 3 * v;
        q[0] = x[0] - angle * x[0] * x[1];
        q[1] = x[1] + 0.5 * angle * x[0] * x[0];
        expected[0] = (radius - x[1]) * sin(angle * x[0]);
        expected[1] = radius - (radius - x[1]) * cos(angle * x[0]);
        q[2] = expected[2] = x[2];
    }
}

/* Displacements u(X) = w x X, as linear elasticity has a rotation by the vector w, of any length; expected: that
   rotation about the middle. */
static void spin(const Bar *bar, const double w[3]) {
    const double middle[3] = {0.5, 0, 1.0 / 16};
    double angle = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    for (size_t v = 0; v < bar->box.vertex_count; ++v) {
        double r[3], along = 0;
        for (size_t i = 0; i < 3; ++i) {
            r[i] = bar->box.positions[3 * v + i] - middle[i];
            along += w[i] / angle * r[i];
        }
        for (size_t i = 0; i < 3; ++i) {
            double crossed = w[(i + 1) % 3] * r[(i + 2) % 3] - w[(i + 2) % 3] * r[(i + 1) % 3];
            bar->q[3 * v + i] = middle[i] + r[i] + crossed;
            bar->expected[3 * v + i] =
                middle[i] + cos(angle) * r[i] + sin(angle) / angle * crossed + (1 - cos(angle)) * along * w[i] / angle;
        }
    }
}

TEST(warped_bar_bent_by_a_right_angle_is_an_arc_of_its_length_and_volume) {
    double errors[2];
    for (uint32_t k = 0; k < 2; ++k) {
        Bar bar;
        open_bar(&bar, 2u << k, true);
        bend(&bar, RIGHT_ANGLE);
        CHECK(apply(&bar) == JN_OK);
        size_t n = 3 * (size_t)bar.box.vertex_count;
        double linear = largest_difference(bar.q, bar.expected, n), rest = volume_of(&bar, bar.box.positions);
        errors[k] = largest_difference(bar.warped, bar.expected, n);
        printf("farthest from the arc: linear %.4f, warped %.5f; volume %.3f and %.4f\n", linear, errors[k],
               volume_of(&bar, bar.q) / rest, volume_of(&bar, bar.warped) / rest);
        CHECK(linear > 0.3 && volume_of(&bar, bar.q) > 1.5 * rest);
        CHECK_NEAR(volume_of(&bar, bar.warped) / rest, 1, 0.01);
        /* the line through the middle of the sections */
        double length = 0, linear_length = 0;
        uint32_t cells = 2u << k, across = 8 * cells + 1, row = across * (cells / 2 + (cells + 1) * (cells / 2));
        for (uint32_t i = row; i + 1 < row + across; ++i) {
            double a[3], b[3];
            for (size_t c = 0; c < 3; ++c) {
                a[c] = bar.warped[3 * (size_t)i + 3 + c] - bar.warped[3 * (size_t)i + c];
                b[c] = bar.q[3 * (size_t)i + 3 + c] - bar.q[3 * (size_t)i + c];
            }
            length += sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
            linear_length += sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
        }
        CHECK_NEAR(length, 1, 0.01);
        CHECK(linear_length > 1.3);
        close_bar(&bar);
    }
    CHECK(errors[0] < 0.01);
    CHECK(errors[1] < 0.35 * errors[0]); /* of second order in the cells */
}

TEST(warped_small_displacements_differ_from_linear_ones_by_second_order) {
    double differences[3];
    Bar bar;
    open_bar(&bar, 2, true);
    for (int k = 0; k < 3; ++k) {
        bend(&bar, 0.04 / (1 << k));
        CHECK(apply(&bar) == JN_OK);
        differences[k] = largest_difference(bar.warped, bar.q, 3 * (size_t)bar.box.vertex_count);
    }
    CHECK(differences[0] > 1e-5);
    for (int k = 0; k < 2; ++k)
        CHECK_NEAR(differences[k] / differences[k + 1], 4, 0.05);
    memcpy(bar.q, bar.box.positions, 3 * (size_t)bar.box.vertex_count * sizeof(double));
    CHECK(apply(&bar) == JN_OK);
    CHECK(largest_difference(bar.warped, bar.q, 3 * (size_t)bar.box.vertex_count) < 1e-15);
    close_bar(&bar);
}

TEST(warped_free_bar_turns_about_its_middle_by_any_angle) {
    const double turns[4][3] = {{0.001, 0, 0.002}, {0, 0, RIGHT_ANGLE}, {1, -2, 2}, {0, 9, 1}};
    Bar bar;
    open_bar(&bar, 2, false);
    for (int k = 0; k < 4; ++k) {
        spin(&bar, turns[k]);
        CHECK(apply(&bar) == JN_OK);
        CHECK(largest_difference(bar.warped, bar.expected, 3 * (size_t)bar.box.vertex_count) < 1e-11);
    }
    close_bar(&bar);
}

TEST(warped_bar_stays_where_it_is_fixed_and_where_its_anchors_are) {
    Bar bar;
    open_bar(&bar, 2, true);
    bend(&bar, RIGHT_ANGLE);
    CHECK(apply(&bar) == JN_OK);
    for (size_t v = 0; v < bar.box.vertex_count; ++v)
        CHECK(!bar.fixed[v] || memcmp(bar.warped + 3 * v, bar.q + 3 * v, 3 * sizeof(double)) == 0);
    close_bar(&bar);
    /* nothing is fixed, but the end at x = 0 is anchored a million times as firmly */
    open_bar(&bar, 2, false);
    bend(&bar, RIGHT_ANGLE);
    double ways[3] = {0, 0, 0};
    for (size_t v = 0; v < bar.box.vertex_count; ++v)
        bar.anchors[v] = bar.box.positions[3 * v] == 0 ? 1e6 : 1;
    CHECK(apply(&bar) == JN_OK);
    for (size_t v = 0; v < bar.box.vertex_count; ++v)
        for (size_t i = 0; i < 3 && bar.anchors[v] > 1; ++i)
            ways[i] += (bar.warped[3 * v + i] - bar.q[3 * v + i]) / 9;
    CHECK(fabs(ways[0]) + fabs(ways[1]) + fabs(ways[2]) < 1e-4);
    CHECK(largest_difference(bar.warped, bar.expected, 3 * (size_t)bar.box.vertex_count) < 0.01);
    close_bar(&bar);
}

/* Two tets apart from each other, and a vertex that belongs to none. */
TEST(parts_without_a_fixed_vertex_are_placed_each_by_itself) {
    const double rest[27] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 0, 0, 6, 0, 0, 5, 1, 0, 5, 0, 1, 9, 9, 9};
    const uint32_t tets[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const uint8_t fixed[9] = {0, 1};
    const double anchors[9] = {1, 1, 1, 1, 2, 1, 1, 1, 1};
    double q[27], warped[27];
    Warp *warp;
    /* both turn by 2 about z, and are displaced as linear elasticity has it */
    for (size_t v = 0; v < 9; ++v) {
        q[3 * v] = rest[3 * v] - 2 * rest[3 * v + 1];
        q[3 * v + 1] = rest[3 * v + 1] + 2 * rest[3 * v];
        q[3 * v + 2] = rest[3 * v + 2];
    }
    CHECK(warp_create(&(WarpDesc){9, 2, rest, tets, fixed}, &warp, NULL) == JN_OK);
    CHECK(warp_apply(warp, &(WarpPose){q, NULL, warped}, 1, anchors, NULL, NULL) == JN_OK);
    for (size_t i = 0; i < 3; ++i) {
        CHECK(warped[3 + i] == q[3 + i] && warped[24 + i] == q[24 + i]);
        double way = 0;
        for (size_t v = 4; v < 8; ++v)
            way += anchors[v] * (warped[3 * v + i] - q[3 * v + i]);
        CHECK_NEAR(way, 0, 1e-13);
    }
    for (size_t first = 0; first < 8; first += 4) { /* each edge is the rotated one */
        const double *a = warped + 3 * first, *b = warped + 3 * first + 3;
        CHECK_NEAR(b[0] - a[0], cos(2), 1e-13);
        CHECK_NEAR(b[1] - a[1], sin(2), 1e-13);
    }
    warp_destroy(warp);
}

/* The rest shape has turned by 2 about z and grown by a tenth, and the bar bends from there. */
TEST(warp_from_a_rest_shape_that_turned_is_the_turned_warp) {
    Bar bar;
    open_bar(&bar, 2, true);
    bend(&bar, RIGHT_ANGLE);
    CHECK(apply(&bar) == JN_OK);
    size_t n = bar.box.vertex_count;
    double *rest = malloc(3 * n * sizeof *rest), *turned = malloc(3 * n * sizeof *turned);
    double *gradients = malloc(9 * (size_t)bar.box.tet_count * sizeof *gradients);
    double *from[3] = {bar.box.positions, bar.q, bar.warped}, *to[3] = {rest, turned, bar.expected};
    for (int k = 0; k < 3; ++k)
        for (size_t v = 0; v < n; ++v) {
            const double *x = from[k] + 3 * v;
            to[k][3 * v] = 1.1 * (cos(2) * x[0] - sin(2) * x[1]);
            to[k][3 * v + 1] = 1.1 * (sin(2) * x[0] + cos(2) * x[1]);
            to[k][3 * v + 2] = 1.1 * x[2];
        }
    for (size_t t = 0; t < bar.box.tet_count; ++t) {
        double g[4][3], volume;
        CHECK(tet_gradients(rest, bar.box.tets + 4 * t, g, &volume));
        memcpy(gradients + 9 * t, g, 9 * sizeof(double));
    }
    /* two poses at once are the two one by one */
    double *again = malloc(3 * n * sizeof *again), *alone = malloc(3 * n * sizeof *alone);
    memcpy(alone, bar.warped, 3 * n * sizeof *alone);
    WarpPose poses[2] = {{turned, gradients, bar.warped}, {bar.q, NULL, again}};
    CHECK(warp_apply(bar.warp, poses, 2, bar.anchors, NULL, NULL) == JN_OK);
    CHECK(largest_difference(bar.warped, bar.expected, 3 * n) < 1e-12);
    CHECK(largest_difference(again, alone, 3 * n) < 1e-13);
    free(rest);
    free(turned);
    free(gradients);
    free(again);
    free(alone);
    close_bar(&bar);
}

TEST(warp_on_several_threads_gives_the_bits_of_one) {
    Bar bar;
    open_bar(&bar, 4, true);
    bend(&bar, RIGHT_ANGLE);
    CHECK(apply(&bar) == JN_OK);
    memcpy(bar.expected, bar.warped, 3 * (size_t)bar.box.vertex_count * sizeof(double));
    Pool *pool = pool_create(3);
    CHECK(warp_apply(bar.warp, &(WarpPose){bar.q, NULL, bar.warped}, 1, bar.anchors, pool, NULL) == JN_OK);
    pool_destroy(pool);
    CHECK(memcmp(bar.expected, bar.warped, 3 * (size_t)bar.box.vertex_count * sizeof(double)) == 0);
    close_bar(&bar);
}
