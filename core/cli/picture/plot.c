#include "plot.h"

#include "canvas.h"
#include "path_ending.h"
#include "plot_scale.h"
#include "stroke_font.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------- looks */

enum {
    BOX_WIDTH = 560,
    BOX_HEIGHT = 360, /* at least: a long legend makes it higher */
    LEFT = 86,
    TOP = 50,
    BOTTOM = 60,
    RIGHT = 24,
    LEGEND_GAP = 18,
    LEGEND_LINE = 38,
    LEGEND_ROW = 21
};

static const uint32_t INK = 0x333333, GRID = 0xE4E4E4, FAINT_GRID = 0xF3F3F3, PAPER = 0xFFFFFF;
static const TextStyle TITLE = {0x222222, 16, TEXT_LEFT, true, false};
static const TextStyle AXIS_LABEL = {0x333333, 14, TEXT_MIDDLE, false, false};
static const TextStyle TICK_LABEL = {0x444444, 13, TEXT_MIDDLE, false, false};
static const TextStyle LEGEND_LABEL = {0x333333, 13, TEXT_LEFT, false, false};

/* Seven colours that colour-blind readers can distinguish (Okabe and Ito) and six kinds of dashes: 42 pairs. */
static LineStyle series_style(size_t index) {
    static const uint32_t colours[] = {0x0072B2, 0xD55E00, 0x009E73, 0xB0479A, 0x222222, 0xE69F00, 0x56B4E9};
    static const double dashes[][DASH_CAPACITY] = {{0}, {8, 5}, {0.1, 4.5}, {10, 5, 0.1, 5}, {15, 6}, {4, 5}};
    LineStyle style = {colours[index % 7], 2, {0}};
    memcpy(style.dashes, dashes[index % 6], sizeof style.dashes);
    return style;
}

/* -------------------------------------------------------------------------------- scales and places */

typedef struct Sheet {
    const Plot *plot;
    Canvas *canvas;
    Scale x, y;
    double width, height; /* of the box; its left upper corner is at (LEFT, TOP) */
} Sheet;

static void find_scale(const Plot *plot, const PlotAxis *axis, bool vertical, Scale *scale) {
    double low = NAN, high = NAN;
    // series that broke off may have diverged: they do not set the scale
    for (int attempt = 0; attempt < 2 && isnan(low); ++attempt)
        for (size_t i = 0; i < plot->series_count; ++i) {
            const PlotSeries *series = &plot->series[i];
            if (attempt == 0 && vertical && series->broken_off)
                continue;
            range_extend(&low, &high, vertical ? series->y : series->x, series->count, axis->logarithmic);
        }
    double given[] = {axis->low, axis->high};
    range_extend(&low, &high, given, 2, axis->logarithmic);
    scale_make(scale, low, high, axis->logarithmic, vertical, vertical ? 6 : 7);
}

static double place_x(const Sheet *sheet, double x) {
    return LEFT + sheet->width * scale_place(&sheet->x, x);
}

/* Clamps points far outside the box: renderers fail with huge numbers. */
static double place_y(const Sheet *sheet, double y) {
    double place = scale_place(&sheet->y, y);
    return TOP + sheet->height * (1 - (place > 3 ? 3 : place < -2 ? -2 : place));
}

static void draw_segment(Canvas *canvas, double x0, double y0, double x1, double y1, const LineStyle *style) {
    const double points[][2] = {{x0, y0}, {x1, y1}};
    canvas_line(canvas, points, 2, style);
}

/* -------------------------------------------------------------------------------- axes */

static void draw_grid(const Sheet *sheet) {
    double right = LEFT + sheet->width, bottom = TOP + sheet->height;
    // faint lines first, so that strong ones are on top
    for (int labelled = 0; labelled < 2; ++labelled) {
        const LineStyle style = {labelled ? GRID : FAINT_GRID, 1, {0}};
        for (size_t i = 0; i < sheet->x.tick_count; ++i)
            if ((sheet->x.ticks[i].text[0] != '\0') == labelled) {
                double x = place_x(sheet, sheet->x.ticks[i].value);
                draw_segment(sheet->canvas, x, TOP, x, bottom, &style);
            }
        for (size_t i = 0; i < sheet->y.tick_count; ++i)
            if ((sheet->y.ticks[i].text[0] != '\0') == labelled) {
                double y = place_y(sheet, sheet->y.ticks[i].value);
                draw_segment(sheet->canvas, LEFT, y, right, y, &style);
            }
    }
}

static void draw_axes(const Sheet *sheet) {
    const LineStyle axis = {INK, 1.2, {0}};
    double right = LEFT + sheet->width, bottom = TOP + sheet->height;
    for (size_t i = 0; i < sheet->x.tick_count; ++i) {
        const Tick *tick = &sheet->x.ticks[i];
        double x = place_x(sheet, tick->value);
        draw_segment(sheet->canvas, x, bottom, x, bottom + (tick->text[0] ? 5 : 3), &axis);
        canvas_text(sheet->canvas, x, bottom + 20, tick->text, &TICK_LABEL);
    }
    TextStyle label = TICK_LABEL;
    label.anchor = TEXT_RIGHT;
    for (size_t i = 0; i < sheet->y.tick_count; ++i) {
        const Tick *tick = &sheet->y.ticks[i];
        double y = place_y(sheet, tick->value);
        draw_segment(sheet->canvas, LEFT - (tick->text[0] ? 5 : 3), y, LEFT, y, &axis);
        canvas_text(sheet->canvas, LEFT - 9, y + 4.5, tick->text, &label);
    }
    const double frame[][2] = {{LEFT, TOP}, {LEFT, bottom}, {right, bottom}};
    canvas_line(sheet->canvas, frame, 3, &axis);
}

/* "energy (mJ)" */
static void axis_words(const PlotAxis *axis, Scale *scale, char *text, size_t capacity) {
    char unit[UNIT_CAPACITY];
    scale_choose_unit(scale, axis->unit, unit);
    snprintf(text, capacity, unit[0] ? "%s (%s)" : "%s%s", axis->label, unit);
}

static void draw_words(Sheet *sheet) {
    char text[128];
    TextStyle upward = AXIS_LABEL;
    upward.upward = true;
    canvas_text(sheet->canvas, LEFT, TOP - 20, sheet->plot->title, &TITLE);
    axis_words(&sheet->plot->x, &sheet->x, text, sizeof text);
    canvas_text(sheet->canvas, LEFT + sheet->width / 2, TOP + sheet->height + 46, text, &AXIS_LABEL);
    axis_words(&sheet->plot->y, &sheet->y, text, sizeof text);
    canvas_text(sheet->canvas, 22, TOP + sheet->height / 2, text, &upward);
}

/* -------------------------------------------------------------------------------- series */

static void draw_cross(Canvas *canvas, double x, double y, uint32_t colour) {
    const LineStyle style = {colour, 2, {0}};
    draw_segment(canvas, x - 5, y - 5, x + 5, y + 5, &style);
    draw_segment(canvas, x - 5, y + 5, x + 5, y - 5, &style);
}

static void draw_dot(Canvas *canvas, double x, double y, uint32_t colour) {
    canvas_rectangle(canvas, x - 3, y - 3, 6, 6, colour);
}

/* False: out of memory. */
static bool draw_series(const Sheet *sheet, size_t index) {
    const PlotSeries *series = &sheet->plot->series[index];
    LineStyle style = series_style(index);
    double(*points)[2] = malloc((series->count + 1) * sizeof *points);
    if (!points)
        return false;
    const double *last = NULL;
    for (size_t i = 0; i < series->count; ++i) {
        points[i][0] = place_x(sheet, series->x[i]);
        points[i][1] = place_y(sheet, series->y[i]);
        if (isfinite(points[i][0]) && isfinite(points[i][1]))
            last = points[i];
    }
    // a line along the box's edge keeps its whole width
    canvas_group_begin(sheet->canvas, series->name, LEFT - 2, TOP - 2, sheet->width + 4, sheet->height + 4);
    canvas_line(sheet->canvas, (const double(*)[2])points, series->count, &style);
    for (size_t i = 0; series->dotted && i < series->count; ++i)
        if (isfinite(points[i][0]) && isfinite(points[i][1]))
            draw_dot(sheet->canvas, points[i][0], points[i][1], style.colour);
    if (last && series->broken_off) {
        double y = last[1] < TOP ? TOP + 7 : last[1] > TOP + sheet->height ? TOP + sheet->height - 7 : last[1];
        draw_cross(sheet->canvas, last[0], y, style.colour);
    }
    canvas_group_end(sheet->canvas);
    free(points);
    return true;
}

static void draw_legend(const Sheet *sheet) {
    double x = LEFT + sheet->width + LEGEND_GAP;
    for (size_t i = 0; i < sheet->plot->series_count; ++i) {
        const PlotSeries *series = &sheet->plot->series[i];
        LineStyle style = series_style(i);
        double y = TOP + 8 + LEGEND_ROW * (double)i;
        draw_segment(sheet->canvas, x, y, x + LEGEND_LINE, y, &style);
        if (series->dotted)
            draw_dot(sheet->canvas, x + LEGEND_LINE / 2.0, y, style.colour);
        if (series->broken_off)
            draw_cross(sheet->canvas, x + LEGEND_LINE / 2.0, y, style.colour);
        canvas_text(sheet->canvas, x + LEGEND_LINE + 8, y + 4.5, series->name, &LEGEND_LABEL);
    }
}

static double legend_width(const Plot *plot) {
    double widest = 0;
    for (size_t i = 0; i < plot->series_count; ++i)
        widest = fmax(widest, stroke_text_width(plot->series[i].name, LEGEND_LABEL.size));
    return plot->series_count > 0 ? LEGEND_GAP + LEGEND_LINE + 8 + widest : 0;
}

/* -------------------------------------------------------------------------------- the picture */

bool plot_path_is_known(const char *path) {
    return path_has_ending(path, ".svg") || path_has_ending(path, ".png");
}

bool plot_write(const Plot *plot, const char *path) {
    Sheet *sheet = calloc(1, sizeof *sheet);
    bool written = false;
    if (sheet) {
        sheet->plot = plot;
        sheet->width = BOX_WIDTH;
        sheet->height = fmax(BOX_HEIGHT, LEGEND_ROW * (double)plot->series_count);
        find_scale(plot, &plot->x, false, &sheet->x);
        find_scale(plot, &plot->y, true, &sheet->y);
        double title_width = stroke_text_width(plot->title, TITLE.size);
        double width = LEFT + fmax(sheet->width + legend_width(plot), title_width) + RIGHT;
        double height = TOP + sheet->height + BOTTOM;
        sheet->canvas = canvas_create(path_has_ending(path, ".svg") ? CANVAS_SVG : CANVAS_PNG,
                                      (int)fmin(ceil(width), 1e6), (int)fmin(height, 1e6), plot->title);
    }
    if (sheet && sheet->canvas) {
        canvas_rectangle(sheet->canvas, 0, 0, 1e6, 1e6, PAPER);
        draw_grid(sheet);
        // the units are chosen here, the labels of the ticks follow
        draw_words(sheet);
        draw_axes(sheet);
        bool drawn = true;
        for (size_t i = 0; drawn && i < plot->series_count; ++i)
            drawn = draw_series(sheet, i);
        draw_legend(sheet);
        errno = ENOMEM;
        written = drawn && canvas_write(sheet->canvas, path);
        canvas_free(sheet->canvas);
    } else {
        errno = ENOMEM;
    }
    free(sheet);
    return written;
}
