#include "strip.h"

#include "output_file.h"

#include <cairo.h>
#include <errno.h>
#include <stdlib.h>

enum { GAP = 8, CORNER = 9 }; /* pixels */

struct Strip {
    cairo_surface_t *page;
    int columns, width, height;
};

static int along(int count, int size) {
    return count * size + (count + 1) * GAP;
}

Strip *strip_create(int count, int columns, int width, int height) {
    int rows = (count + columns - 1) / columns;
    Strip *strip = malloc(sizeof *strip);
    if (!strip)
        return NULL;
    // 32767 pixels are as many as Cairo draws
    bool too_large = columns > 32767 / (width + GAP) || rows > 32767 / (height + GAP);
    cairo_surface_t *page =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, too_large ? -1 : along(columns, width), along(rows, height));
    *strip = (Strip){.page = page, .columns = columns, .width = width, .height = height};
    if (cairo_surface_status(page) != CAIRO_STATUS_SUCCESS) {
        strip_free(strip);
        return NULL;
    }
    cairo_t *cairo = cairo_create(page);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    cairo_destroy(cairo);
    return strip;
}

void strip_free(Strip *strip) {
    if (strip)
        cairo_surface_destroy(strip->page);
    free(strip);
}

int strip_width(const Strip *strip) {
    return cairo_image_surface_get_width(strip->page);
}

int strip_height(const Strip *strip) {
    return cairo_image_surface_get_height(strip->page);
}

static void round_rectangle(cairo_t *cairo, double x, double y, double width, double height) {
    const double quarter = 1.5707963267948966;
    cairo_new_path(cairo);
    cairo_arc(cairo, x + width - CORNER, y + CORNER, CORNER, -quarter, 0);
    cairo_arc(cairo, x + width - CORNER, y + height - CORNER, CORNER, 0, quarter);
    cairo_arc(cairo, x + CORNER, y + height - CORNER, CORNER, quarter, 2 * quarter);
    cairo_arc(cairo, x + CORNER, y + CORNER, CORNER, 2 * quarter, 3 * quarter);
    cairo_close_path(cairo);
}

bool strip_place(Strip *strip, int index, uint32_t *pixels) {
    double x = GAP + index % strip->columns * (strip->width + GAP);
    double y = GAP + index / strip->columns * (strip->height + GAP);
    cairo_surface_t *tile = cairo_image_surface_create_for_data((unsigned char *)pixels, CAIRO_FORMAT_RGB24,
                                                                strip->width, strip->height, 4 * strip->width);
    cairo_t *cairo = cairo_create(strip->page);
    cairo_set_source_surface(cairo, tile, x, y);
    round_rectangle(cairo, x, y, strip->width, strip->height);
    cairo_fill(cairo);
    bool placed = cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(cairo);
    cairo_surface_destroy(tile);
    return placed;
}

static cairo_status_t write_bytes(void *file, const unsigned char *bytes, unsigned int count) {
    return fwrite(bytes, 1, count, file) == count ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

bool strip_write_png(Strip *strip, const char *path) {
    OutputFile output;
    if (!output_file_open(&output, path))
        return false;
    errno = 0;
    bool written = cairo_surface_write_to_png_stream(strip->page, write_bytes, output.file) == CAIRO_STATUS_SUCCESS;
    return output_file_close(&output, written) && written;
}
