/* Scales, ticks and text of plots. */
#include "harness.h"

#include "picture/plot.h"
#include "picture/plot_scale.h"
#include "picture/stroke_font.h"

#include <unistd.h>

static int labelled(const Scale *scale) {
    int count = 0;
    for (size_t i = 0; i < scale->tick_count; ++i)
        count += scale->ticks[i].text[0] != '\0';
    return count;
}

TEST(scale_linear_has_round_ticks_and_holds_its_range) {
    Scale scale;
    scale_make(&scale, 0, 1.97, false, true, 6);
    CHECK(scale.low == 0 && scale.high == 2);
    CHECK(scale.tick_count == 11 || scale.tick_count == 5);
    scale_make(&scale, -0.13, 0.31, false, true, 6);
    CHECK_NEAR(scale.low, -0.2, 1e-12);
    CHECK_NEAR(scale.high, 0.4, 1e-12);
    CHECK(strcmp(scale.ticks[0].text, "-0.2") == 0);
    CHECK(strcmp(scale.ticks[2].text, "0") == 0);
    CHECK(strcmp(scale.ticks[5].text, "0.3") == 0);
    CHECK_NEAR(scale_place(&scale, 0.1), 0.5, 1e-12);
}

TEST(scale_not_to_ticks_keeps_its_limits) {
    Scale scale;
    scale_make(&scale, 0.3, 9.7, false, false, 5);
    CHECK(scale.low == 0.3 && scale.high == 9.7);
    CHECK(strcmp(scale.ticks[0].text, "2") == 0);
    CHECK(scale_place(&scale, 0.3) == 0 && scale_place(&scale, 9.7) == 1);
}

TEST(scale_any_range_has_few_ticks_within_it) {
    for (int exponent = -200; exponent <= 200; exponent += 7)
        for (int lead = 1; lead < 40; ++lead) {
            Scale scale;
            double high = lead * pow(10, exponent);
            scale_make(&scale, -0.3 * high, high, false, true, 6);
            CHECK(scale.low <= -0.3 * high * (1 - 1e-8) && scale.high >= high * (1 - 1e-8));
            CHECK(scale.tick_count >= 4 && scale.tick_count <= 13);
            for (size_t i = 0; i < scale.tick_count; ++i)
                CHECK(scale_place(&scale, scale.ticks[i].value) > -1e-9 &&
                      scale_place(&scale, scale.ticks[i].value) < 1 + 1e-9);
        }
}

TEST(scale_logarithmic_labels_decades) {
    Scale scale;
    scale_make(&scale, 0.01, 100, true, false, 7);
    CHECK(labelled(&scale) == 5);
    CHECK(strcmp(scale.ticks[0].text, "0.01") == 0);
    CHECK(scale.tick_count == 4 * 9 + 1);
    CHECK_NEAR(scale_place(&scale, 1), 0.5, 1e-12);
    CHECK(isnan(scale_place(&scale, 0)) && isnan(scale_place(&scale, -1)));
    /* within a decade or two, 2 and 5 have labels too; over very many, not every decade has */
    scale_make(&scale, 1, 50, true, true, 7);
    CHECK(labelled(&scale) >= 5);
    scale_make(&scale, 1e-100, 1e100, true, true, 7);
    CHECK(labelled(&scale) >= 5 && labelled(&scale) <= 10);
}

TEST(scale_hostile_ranges_can_be_drawn) {
    const double hostile[] = {NAN, INFINITY, -INFINITY, 0, -0.0, 1, -1, 1e308, -1e308, 5e-324, 1 + 1e-15};
    size_t count = sizeof hostile / sizeof hostile[0];
    for (size_t i = 0; i < count; ++i)
        for (size_t j = 0; j < count; ++j)
            for (int kind = 0; kind < 4; ++kind) {
                Scale scale;
                scale_make(&scale, hostile[i], hostile[j], kind & 1, kind & 2, 6);
                CHECK(isfinite(scale.low) && isfinite(scale.high) && scale.low < scale.high);
                CHECK(scale.tick_count >= 1 && scale.tick_count <= TICK_CAPACITY);
                char unit[UNIT_CAPACITY];
                scale_choose_unit(&scale, "J", unit);
                CHECK(unit[0]);
            }
}

TEST(range_leaves_out_what_cannot_be_shown) {
    const double values[] = {NAN, 3, -INFINITY, -2, INFINITY, 5, 0};
    double low = NAN, high = NAN;
    range_extend(&low, &high, values, 7, false);
    CHECK(low == -2 && high == 5);
    low = high = NAN;
    range_extend(&low, &high, values, 7, true);
    CHECK(low == 3 && high == 5);
    low = high = NAN;
    range_extend(&low, &high, values, 1, false);
    CHECK(isnan(low) && isnan(high));
}

TEST(unit_keeps_numbers_short) {
    Scale scale;
    char unit[UNIT_CAPACITY];
    scale_make(&scale, 0, 0.04, false, true, 4);
    scale_choose_unit(&scale, "J", unit);
    CHECK(strcmp(unit, "mJ") == 0);
    CHECK(strcmp(scale.ticks[1].text, "10") == 0);
    scale_make(&scale, 0, 2e6, false, true, 4);
    scale_choose_unit(&scale, "J", unit);
    CHECK(strcmp(unit, "MJ") == 0);
    scale_make(&scale, 0, 500, false, true, 4);
    scale_choose_unit(&scale, "J", unit);
    CHECK(strcmp(unit, "J") == 0);
    scale_make(&scale, 0, 2e6, false, true, 4);
    scale_choose_unit(&scale, "kg m/s", unit);
    CHECK(strcmp(unit, "kg m/s") == 0);
}

typedef struct Bounds {
    double left, right, bottom, top;
    int pieces;
} Bounds;

static void bounds_add(void *context, double x, double y) {
    Bounds *bounds = context;
    bounds->left = fmin(bounds->left, x);
    bounds->right = fmax(bounds->right, x);
    bounds->bottom = fmin(bounds->bottom, y);
    bounds->top = fmax(bounds->top, y);
    ++bounds->pieces;
}

static void bounds_curve(void *context, double control_x, double control_y, double x, double y) {
    bounds_add(context, control_x, control_y);
    bounds_add(context, x, y);
}

TEST(stroke_font_has_every_printable_letter_within_its_line) {
    Bounds box;
    for (char letter = '!'; letter <= '~'; ++letter) {
        const char text[2] = {letter, '\0'};
        box = (Bounds){INFINITY, -INFINITY, INFINITY, -INFINITY, 0};
        stroke_text_draw(text, 20, &(StrokePen){&box, bounds_add, bounds_curve});
        CHECK(box.pieces >= 3);
        CHECK(box.left >= 0 && box.right <= stroke_text_width(text, 20));
        CHECK(box.bottom >= -5 && box.top <= 16);
    }
}

TEST(stroke_font_takes_any_bytes) {
    Bounds box = {INFINITY, -INFINITY, INFINITY, -INFINITY, 0};
    const char hostile[] = "\xff\xc3\xe2\x82 \xf0\x9f\x98\x80\x80\xc3";
    stroke_text_draw(hostile, 20, &(StrokePen){&box, bounds_add, bounds_curve});
    CHECK(box.pieces > 10);
    CHECK(stroke_text_width("\317\211", 20) == stroke_text_width("O", 20));
}

static long file_size(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return -1;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return size;
}

TEST(plot_draws_hostile_series) {
    static const double x[] = {0, 1, NAN, 3, INFINITY, 5}, y[] = {1e308, -1e308, 0, NAN, 2, -0.0};
    const PlotSeries series[] = {{"a <&\"\x01\xff> \360\237\230\200", x, y, 6, false, true},
                                 {"", NULL, NULL, 0, true, true},
                                 {"broken", x, y, 2, true, false},
                                 {"dot", x, y, 1, false, true}};
    for (int kind = 0; kind < 8; ++kind) {
        char path[256];
        snprintf(path, sizeof path, "%s/plot_%d.%s", JN_TEST_OUTPUT, kind, kind & 1 ? "svg" : "png");
        Plot plot = {"title", {"x", "", kind & 2, NAN, NAN}, {"y", "J", kind & 4, NAN, NAN}, series, 4};
        CHECK(plot_write(&plot, path));
        CHECK(file_size(path) > 1000);
        plot.series_count = 0;
        CHECK(plot_write(&plot, path));
        CHECK(file_size(path) > 1000);
        remove(path);
    }
}

TEST(plot_unwritable_or_unknown_is_refused) {
    Plot plot = {"title", {"x", "", false, NAN, NAN}, {"y", "", false, NAN, NAN}, NULL, 0};
    CHECK(!plot_write(&plot, JN_TEST_OUTPUT "/no/such/folder/plot.svg"));
    CHECK(plot_path_is_known("a.svg") && plot_path_is_known("b/c.png"));
    CHECK(!plot_path_is_known("a.jpg") && !plot_path_is_known(".svg") && !plot_path_is_known("svg"));
}
