/* Painted weights between 0 and 1: what pins of such a weight hold, and what reaches the inside of a body. */
#include "bar_surface.h"
#include "harness.h"

#include "bake/bake_internal.h"

static const double LENGTH = 1, WIDTH = 0.25;

/* A bar with a painted map, filled with tets by the mesher. */
typedef struct PaintedBar {
    BarSurface bar;
    float *weights[2];
    JnRegion regions[2];
    JnBody body;
    JnBakeDesc desc;
    JnBake *bake;
} PaintedBar;

static int painted_open(PaintedBar *painted, double resolution) {
    memset(painted, 0, sizeof *painted);
    if (!bar_surface_make(LENGTH, WIDTH, 20, 5, &painted->bar))
        return 0;
    jn_bake_desc_init(&painted->desc, sizeof painted->desc);
    jn_body_init(&painted->body, sizeof painted->body);
    painted->body.surface = painted->bar.surface;
    painted->body.resolution = resolution;
    painted->body.settle = 1;
    painted->body.material.young_modulus = 1e6;
    painted->body.regions = painted->regions;
    painted->body.region_count = 1;
    for (int r = 0; r < 2; ++r) {
        painted->weights[r] = calloc(painted->bar.surface.vertex_count, sizeof(float));
        jn_region_init(&painted->regions[r], sizeof painted->regions[r]);
        painted->regions[r].weights = painted->weights[r];
        painted->regions[r].weight_count = painted->bar.surface.vertex_count;
    }
    painted->desc.bodies = &painted->body;
    painted->desc.body_count = 1;
    painted->desc.frame_count = 1;
    painted->desc.thread_count = 1;
    return 1;
}

/* The weight of the map at x, its place along the bar from 0 to 1. */
static void paint(PaintedBar *painted, int region, double (*weight)(double x, double amount), double amount) {
    for (uint32_t p = 0; p < painted->bar.surface.vertex_count; ++p)
        painted->weights[region][p] = (float)weight(painted->bar.positions[3 * p] / LENGTH, amount);
}

static double everywhere(double x, double amount) {
    (void)x;
    return amount;
}
static double root(double x, double amount) {
    return x < 0.26 ? amount : 0;
}
static double middle(double x, double amount) {
    return fabs(x - 0.5) < 0.06 ? amount : 0;
}
static double ramp(double x, double amount) {
    return amount * x;
}
static double from_a_third(double x, double amount) {
    return amount * (0.3 + 0.4 * x);
}

static JnStatus painted_start(PaintedBar *painted, JnMessage *message) {
    JnFrameInput input;
    jn_frame_input_init(&input, sizeof input);
    JnStatus status = jn_bake_begin(&painted->desc, &painted->bake, message);
    return status == JN_OK ? jn_bake_advance(painted->bake, &input, message) : status;
}

static void painted_close(PaintedBar *painted) {
    jn_bake_end(painted->bake, NULL);
    bar_surface_free(&painted->bar);
    free(painted->weights[0]);
    free(painted->weights[1]);
}

/* How far the points from x = from to the tip have sunk, on average, m; NaN if it fails. */
static double sag_of(PaintedBar *painted, double from) {
    JnMessage message;
    double sag = 0;
    uint32_t count = 0;
    if (painted_start(painted, &message) != JN_OK) {
        printf("%s\n", message.text);
        return NAN;
    }
    const Body *body = &painted->bake->model.bodies[0];
    for (uint32_t p = 0; p < body->point_count; ++p) {
        double x[3];
        if (painted->bar.positions[3 * p] < from * LENGTH)
            continue;
        point_set_value(&painted->bake->model.points, p, painted->bake->motion.state.q, x);
        sag += painted->bar.positions[3 * p + 1] - x[1];
        ++count;
    }
    jn_bake_end(painted->bake, NULL);
    painted->bake = NULL;
    return sag / count;
}

TEST(body_painted_evenly_as_pin_sags_as_the_law_says_at_any_resolution) {
    static const double weights[] = {0.1, 0.25, 0.45, 0.5, 0.75, 0.95};
    for (int fine = 0; fine < 2; ++fine)
        for (size_t w = 0; w < sizeof weights / sizeof weights[0]; ++w) {
            PaintedBar painted;
            CHECK(painted_open(&painted, fine ? 16 : 8));
            paint(&painted, 0, everywhere, weights[w]);
            double ratio = (1 - weights[w]) / weights[w];
            CHECK_NEAR(sag_of(&painted, 0) / (0.1 * LENGTH * ratio * ratio), 1, 2e-2);
            painted_close(&painted);
        }
}

TEST(body_held_by_a_spot_sags_as_the_law_says_too) {
    static const double weights[] = {0.25, 0.5, 0.95};
    for (int fine = 0; fine < 2; ++fine)
        for (size_t w = 0; w < sizeof weights / sizeof weights[0]; ++w) {
            PaintedBar painted;
            CHECK(painted_open(&painted, fine ? 16 : 8));
            paint(&painted, 0, middle, weights[w]);
            painted.body.material.young_modulus = 1e10;
            double ratio = (1 - weights[w]) / weights[w];
            CHECK_NEAR(sag_of(&painted, 0) / (0.1 * LENGTH * ratio * ratio), 1, 6e-2);
            painted_close(&painted);
        }
}

TEST(bar_held_by_a_painted_root_hangs_higher_with_every_bit_of_weight_and_never_jumps) {
    enum { STEPS = 24 };
    double sags[STEPS + 1], coarse = 0, fine = 0, nearly;
    PaintedBar painted;
    CHECK(painted_open(&painted, 8));
    for (int i = 0; i <= STEPS; ++i) {
        paint(&painted, 0, root, 0.4 + 0.6 * i / STEPS);
        sags[i] = sag_of(&painted, 0.99);
        CHECK(isfinite(sags[i]));
    }
    paint(&painted, 0, root, 0.998);
    nearly = sag_of(&painted, 0.99);
    painted_close(&painted);
    for (int i = 1; i <= STEPS; ++i) {
        CHECK(sags[i] < sags[i - 1]);
        fine = fmax(fine, sags[i - 1] - sags[i]);
        if (i % 2 == 0)
            coarse = fmax(coarse, sags[i - 2] - sags[i]);
    }
    /* twice as many samples, half the largest difference: a jump would keep its size */
    CHECK(fine < 0.65 * coarse);
    /* and 1 is where it leads to */
    CHECK_NEAR(nearly / sags[STEPS], 1, 0.05);
}

TEST(gradient_of_pins_holds_as_the_law_says_at_any_resolution) {
    /* a rigid bar on springs of the rate k(x), which sinks by u + t x: their force and moment are those of its weight
     */
    enum { SAMPLES = 1000 };
    const double gravity = 0.1;
    double k0 = 0, k1 = 0, k2 = 0;
    for (int i = 0; i < SAMPLES; ++i) {
        double x = (i + 0.5) / SAMPLES, w = from_a_third(x, 1);
        double k = 9.81 / (0.1 * LENGTH) * w * w / ((1 - w) * (1 - w)) / SAMPLES;
        k0 += k, k1 += k * x, k2 += k * (x * x + WIDTH * WIDTH / 12); /* they pull back along the bar, too */
    }
    double u = gravity * (k2 - 0.5 * k1) / (k0 * k2 - k1 * k1), t = gravity * (0.5 * k0 - k1) / (k0 * k2 - k1 * k1);
    for (int i = 0; i < 3; ++i) {
        PaintedBar painted;
        CHECK(painted_open(&painted, 8 << i));
        paint(&painted, 0, from_a_third, 1);
        painted.body.material.young_modulus = 1e9;
        painted.desc.gravity[1] = -gravity;
        double sag = sag_of(&painted, 0), expected = u + 0.5 * t;
        printf("  resolution %d: on average %.4g m, by the law %.4g m\n", 8 << i, sag, expected);
        CHECK_NEAR(sag / expected, 1, 0.03);
        painted_close(&painted);
    }
}

TEST(ramp_painted_on_the_surface_is_linear_inside_too) {
    for (int fine = 0; fine < 2; ++fine) {
        PaintedBar painted;
        JnMessage message;
        CHECK(painted_open(&painted, fine ? 20 : 10));
        paint(&painted, 0, ramp, 1);
        painted.body.settle = 0;
        painted.regions[0].effect = "goal";
        painted.regions[0].value = 100;
        CHECK(painted_start(&painted, &message) == JN_OK);
        const Body *body = &painted.bake->model.bodies[0];
        double worst = 0;
        uint32_t inside = 0;
        for (uint32_t v = 0; v < body->mesh.vertex_count; ++v) {
            const double *x = body->mesh.positions + 3 * (size_t)v;
            bool is_inside = fabs(x[1]) < 0.45 * WIDTH && fabs(x[2]) < 0.45 * WIDTH;
            if (!is_inside || x[0] < 0 || x[0] > LENGTH)
                continue;
            ++inside;
            worst = fmax(worst, fabs(body->goal_rates[v] / 100 - x[0] / LENGTH));
        }
        printf("  %u vertices inside, off by at most %.3g\n", inside, worst);
        CHECK(inside > 20);
        CHECK(worst < 0.03);
        painted_close(&painted);
    }
}

TEST(pins_and_goals_of_several_layers_add_and_full_pins_win) {
    PaintedBar painted;
    double rates[3], firm = 0;
    JnMessage message;
    for (int layers = 0; layers < 3; ++layers) {
        CHECK(painted_open(&painted, 8));
        paint(&painted, 0, everywhere, 0.5);
        paint(&painted, 1, everywhere, 0.25);
        painted.body.region_count = layers == 2 ? 2 : 1;
        if (layers == 1)
            painted.body.regions = &painted.regions[1];
        CHECK(painted_start(&painted, &message) == JN_OK);
        rates[layers] = painted.bake->model.bodies[0].pin_rates[0];
        firm = body_pin_rate(&painted.bake->model.bodies[0], 0.5);
        painted_close(&painted);
    }
    CHECK_NEAR(rates[0], firm, 1e-3 * firm);
    CHECK_NEAR(rates[1], firm / 9, 1e-3 * firm);
    CHECK_NEAR(rates[2], rates[0] + rates[1], 1e-9 * firm);

    CHECK(painted_open(&painted, 8));
    paint(&painted, 0, everywhere, 1);
    paint(&painted, 1, everywhere, 1);
    painted.regions[1].effect = "goal";
    painted.regions[1].value = 100;
    painted.body.region_count = 2;
    CHECK(painted_start(&painted, &message) == JN_OK);
    for (uint32_t v = 0; v < painted.bake->model.vertex_count; ++v)
        CHECK(!view_is_free(painted.bake->motion.view, v));
    painted_close(&painted);
}
