#include "canvas.h"

#include "cairo_text.h"
#include "output_file.h"
#include "stroke_font.h"

#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Canvas {
    CanvasKind kind;
    bool failed; /* out of memory */
    uint32_t group_count;
    char *text; /* SVG so far */
    size_t length, capacity;
    cairo_surface_t *page;
    cairo_t *cairo;
};

/* -------------------------------------------------------------------------------- SVG text */

static bool reserve(Canvas *canvas, size_t more) {
    if (canvas->failed)
        return false;
    if (canvas->length + more + 1 > canvas->capacity) {
        size_t capacity = 2 * (canvas->length + more + 1);
        char *grown = realloc(canvas->text, capacity);
        canvas->failed = !grown;
        if (!grown)
            return false;
        canvas->text = grown;
        canvas->capacity = capacity;
    }
    return true;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
put(Canvas *canvas, const char *format, ...) {
    char piece[512];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(piece, sizeof piece, format, values);
    va_end(values);
    size_t size = length < 0 ? 0 : length < (int)sizeof piece ? (size_t)length : sizeof piece - 1;
    if (!reserve(canvas, size))
        return;
    memcpy(canvas->text + canvas->length, piece, size);
    canvas->length += size;
}

/* Any text as valid XML: control characters and what is not UTF-8 become U+FFFD. */
static void put_escaped(Canvas *canvas, const char *text) {
    while (*text) {
        const char *letter = text;
        uint32_t code = utf8_next(&text);
        if (code < 0x20 || code == 0xFFFD || code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF ||
            (code >= 0xD800 && code < 0xE000))
            put(canvas, "\357\277\275");
        else if (strchr("<>&\"'", (int)(code < 0x80 ? code : 'x')))
            put(canvas, "&#%u;", code);
        else
            put(canvas, "%.*s", (int)(text - letter), letter);
    }
}

/* Coordinates are rounded to hundredths of a point, finer than any screen. */
static void put_number(Canvas *canvas, double number) {
    char text[48];
    double rounded = round(number * 100) / 100;
    snprintf(text, sizeof text, "%.2f", rounded == 0 ? 0 : rounded);
    size_t length = strlen(text);
    while (text[length - 1] == '0')
        text[--length] = '\0';
    if (text[length - 1] == '.')
        text[--length] = '\0';
    put(canvas, "%s", text);
}

static void put_attribute(Canvas *canvas, const char *name, double number) {
    put(canvas, " %s=\"", name);
    put_number(canvas, number);
    put(canvas, "\"");
}

/* -------------------------------------------------------------------------------- create, free, write */

Canvas *canvas_create(CanvasKind kind, int width, int height, const char *title) {
    Canvas *canvas = calloc(1, sizeof *canvas);
    if (!canvas)
        return NULL;
    canvas->kind = kind;
    if (kind == CANVAS_SVG) {
        put(canvas,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\" "
            "stroke-linejoin=\"round\" stroke-linecap=\"round\">\n<title>",
            width, height, width, height);
        put_escaped(canvas, title);
        put(canvas, "</title>\n");
        return canvas;
    }
    // Cairo supports no surface of a negative size, nor of more than 32767 pixels
    bool too_large = width > 32767 / CANVAS_PNG_SCALE || height > 32767 / CANVAS_PNG_SCALE;
    canvas->page = cairo_image_surface_create(CAIRO_FORMAT_RGB24, too_large ? -1 : width * CANVAS_PNG_SCALE,
                                              height * CANVAS_PNG_SCALE);
    if (cairo_surface_status(canvas->page) != CAIRO_STATUS_SUCCESS) {
        canvas_free(canvas);
        return NULL;
    }
    canvas->cairo = cairo_create(canvas->page);
    cairo_scale(canvas->cairo, CANVAS_PNG_SCALE, CANVAS_PNG_SCALE);
    cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_cap(canvas->cairo, CAIRO_LINE_CAP_ROUND);
    return canvas;
}

void canvas_free(Canvas *canvas) {
    if (!canvas)
        return;
    if (canvas->cairo)
        cairo_destroy(canvas->cairo);
    if (canvas->page)
        cairo_surface_destroy(canvas->page);
    free(canvas->text);
    free(canvas);
}

static cairo_status_t write_bytes(void *file, const unsigned char *bytes, unsigned int count) {
    return fwrite(bytes, 1, count, file) == count ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

bool canvas_write(Canvas *canvas, const char *path) {
    if (canvas->failed || (canvas->cairo && cairo_status(canvas->cairo) != CAIRO_STATUS_SUCCESS)) {
        errno = ENOMEM;
        return false;
    }
    OutputFile output;
    if (!output_file_open(&output, path))
        return false;
    errno = 0;
    bool written;
    if (canvas->kind == CANVAS_SVG)
        written = fwrite(canvas->text, 1, canvas->length, output.file) == canvas->length &&
                  fputs("</svg>\n", output.file) >= 0;
    else
        written = cairo_surface_write_to_png_stream(canvas->page, write_bytes, output.file) == CAIRO_STATUS_SUCCESS;
    return output_file_close(&output, written) && written;
}

/* -------------------------------------------------------------------------------- drawing */

static void set_colour(Canvas *canvas, uint32_t colour) {
    cairo_set_source_rgb(canvas->cairo, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0,
                         (colour & 255) / 255.0);
}

void canvas_rectangle(Canvas *canvas, double x, double y, double width, double height, uint32_t colour) {
    if (canvas->kind == CANVAS_SVG) {
        put(canvas, "<rect");
        put_attribute(canvas, "x", x);
        put_attribute(canvas, "y", y);
        put_attribute(canvas, "width", width);
        put_attribute(canvas, "height", height);
        put(canvas, " fill=\"#%06x\"/>\n", colour);
        return;
    }
    set_colour(canvas, colour);
    cairo_rectangle(canvas->cairo, x, y, width, height);
    cairo_fill(canvas->cairo);
}

static int dash_count(const LineStyle *style) {
    int count = 0;
    while (count < DASH_CAPACITY && style->dashes[count] > 0)
        ++count;
    return count;
}

static void put_line(Canvas *canvas, const double (*points)[2], size_t count, const LineStyle *style) {
    bool down = false;
    put(canvas, "<path d=\"");
    for (size_t i = 0; i < count; ++i) {
        bool there = isfinite(points[i][0]) && isfinite(points[i][1]);
        if (there) {
            put(canvas, "%s", down ? "L" : "M");
            put_number(canvas, points[i][0]);
            put(canvas, " ");
            put_number(canvas, points[i][1]);
        }
        down = there;
    }
    put(canvas, "\" fill=\"none\" stroke=\"#%06x\"", style->colour);
    put_attribute(canvas, "stroke-width", style->width);
    for (int i = 0; i < dash_count(style); ++i) {
        put(canvas, i == 0 ? " stroke-dasharray=\"" : " ");
        put_number(canvas, style->dashes[i]);
    }
    put(canvas, dash_count(style) > 0 ? "\"/>\n" : "/>\n");
}

void canvas_line(Canvas *canvas, const double (*points)[2], size_t count, const LineStyle *style) {
    if (canvas->kind == CANVAS_SVG) {
        put_line(canvas, points, count, style);
        return;
    }
    bool down = false;
    cairo_new_path(canvas->cairo);
    for (size_t i = 0; i < count; ++i) {
        bool there = isfinite(points[i][0]) && isfinite(points[i][1]);
        if (there && down)
            cairo_line_to(canvas->cairo, points[i][0], points[i][1]);
        else if (there)
            cairo_move_to(canvas->cairo, points[i][0], points[i][1]);
        down = there;
    }
    set_colour(canvas, style->colour);
    cairo_set_line_width(canvas->cairo, style->width);
    cairo_set_dash(canvas->cairo, style->dashes, dash_count(style), 0);
    cairo_stroke(canvas->cairo);
}

static void put_text(Canvas *canvas, double x, double y, const char *text, const TextStyle *style) {
    static const char *const anchors[] = {"start", "middle", "end"};
    put(canvas, "<text");
    put_attribute(canvas, "x", x);
    put_attribute(canvas, "y", y);
    put_attribute(canvas, "font-size", style->size);
    put(canvas, " text-anchor=\"%s\" fill=\"#%06x\"%s", anchors[style->anchor], style->colour,
        style->bold ? " font-weight=\"bold\"" : "");
    if (style->upward)
        put(canvas, " transform=\"rotate(-90 %g %g)\"", x, y);
    put(canvas, ">");
    put_escaped(canvas, text);
    put(canvas, "</text>\n");
}

void canvas_text(Canvas *canvas, double x, double y, const char *text, const TextStyle *style) {
    if (canvas->kind == CANVAS_SVG) {
        put_text(canvas, x, y, text, style);
        return;
    }
    double shares[] = {0, 0.5, 1}, width = stroke_text_width(text, style->size);
    cairo_save(canvas->cairo);
    cairo_translate(canvas->cairo, x, y);
    if (style->upward)
        cairo_rotate(canvas->cairo, -1.5707963267948966);
    cairo_translate(canvas->cairo, -shares[style->anchor] * width, 0);
    set_colour(canvas, style->colour);
    cairo_stroke_text(canvas->cairo, text, style->size, style->bold);
    cairo_restore(canvas->cairo);
}

void canvas_group_begin(Canvas *canvas, const char *name, double x, double y, double width, double height) {
    if (canvas->kind == CANVAS_SVG) {
        uint32_t number = canvas->group_count++;
        put(canvas, "<clipPath id=\"clip%u\"><rect", number);
        put_attribute(canvas, "x", x);
        put_attribute(canvas, "y", y);
        put_attribute(canvas, "width", width);
        put_attribute(canvas, "height", height);
        put(canvas, "/></clipPath>\n<g clip-path=\"url(#clip%u)\"><title>", number);
        put_escaped(canvas, name);
        put(canvas, "</title>\n");
        return;
    }
    cairo_save(canvas->cairo);
    cairo_rectangle(canvas->cairo, x, y, width, height);
    cairo_clip(canvas->cairo);
}

void canvas_group_end(Canvas *canvas) {
    if (canvas->kind == CANVAS_SVG)
        put(canvas, "</g>\n");
    else
        cairo_restore(canvas->cairo);
}
