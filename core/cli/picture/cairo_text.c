#include "cairo_text.h"

#include "stroke_font.h"

#include <stddef.h>

static void pen_move(void *cairo, double x, double y) {
    cairo_move_to(cairo, x, -y);
}

/* The quadratic curve from where the pen is, as a cubic one. */
static void pen_curve(void *cairo, double control_x, double control_y, double x, double y) {
    double from_x, from_y;
    cairo_get_current_point(cairo, &from_x, &from_y);
    cairo_curve_to(cairo, (from_x + 2 * control_x) / 3, (from_y - 2 * control_y) / 3, (x + 2 * control_x) / 3,
                   (-y - 2 * control_y) / 3, x, -y);
}

void cairo_stroke_text(cairo_t *cairo, const char *text, double size, bool bold) {
    const StrokePen pen = {cairo, pen_move, pen_curve};
    cairo_new_path(cairo);
    stroke_text_draw(text, size, &pen);
    cairo_set_dash(cairo, NULL, 0, 0);
    cairo_set_line_width(cairo, size * (bold ? 0.105 : 0.075));
    cairo_stroke(cairo);
}
