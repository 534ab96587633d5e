#include "tile.h"

#include "cairo_text.h"
#include "stroke_font.h"

enum { LABEL_SIZE = 15, INSET = 14, SCALE_SIZE = 12, SCALE_WIDTH = 96, SCALE_HEIGHT = 8 }; /* pixels */

static void draw_text(cairo_t *cairo, double x, double y, const char *text, double size) {
    cairo_save(cairo);
    cairo_translate(cairo, x, y);
    cairo_set_source_rgba(cairo, 0.16, 0.17, 0.20, 0.72);
    cairo_stroke_text(cairo, text, size, false);
    cairo_restore(cairo);
}

/* In the upper right corner: the name of the map, and its colours from 0 to 1. */
static void draw_scale(cairo_t *cairo, const char *map, int width) {
    double left = width - INSET - SCALE_WIDTH - 12, top = INSET + SCALE_SIZE + 2;
    for (int x = 0; x < SCALE_WIDTH; ++x) {
        double rgb[3];
        paint_colour(x / (SCALE_WIDTH - 1.0), rgb);
        cairo_set_source_rgb(cairo, rgb[0], rgb[1], rgb[2]);
        cairo_rectangle(cairo, left + x, top, 1, SCALE_HEIGHT);
        cairo_fill(cairo);
    }
    draw_text(cairo, left, top - 6, map, SCALE_SIZE);
    draw_text(cairo, left - 12, top + SCALE_HEIGHT, "0", SCALE_SIZE);
    draw_text(cairo, left + SCALE_WIDTH + 4, top + SCALE_HEIGHT, "1", SCALE_SIZE);
}

bool tile_draw(const Scenery *scenery, const Stage *stage, const char *label, const char *map, uint32_t *pixels,
               int width, int height) {
    if (!draw_frame(scenery, stage, pixels, width, height, width))
        return false;
    cairo_surface_t *page =
        cairo_image_surface_create_for_data((unsigned char *)pixels, CAIRO_FORMAT_RGB24, width, height, 4 * width);
    cairo_t *cairo = cairo_create(page);
    cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    draw_text(cairo, INSET, height - INSET, label, LABEL_SIZE);
    if (map)
        draw_scale(cairo, map, width);
    bool drawn = cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(cairo);
    cairo_surface_flush(page);
    cairo_surface_destroy(page);
    for (size_t i = 0; i < (size_t)width * (size_t)height; ++i)
        pixels[i] &= 0xffffff;
    return drawn;
}
