/* A sheet to draw lines and text on, written as SVG or PNG. Coordinates are in points, x right, y down.

   SVG keeps text as text and every group under its name, so that it can be searched and restyled. PNG draws text with
   pen strokes (stroke_font.h), so that it needs no fonts. Both are the same bytes on every run. */
#ifndef JN_CLI_PICTURE_CANVAS_H
#define JN_CLI_PICTURE_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Canvas Canvas;

typedef enum CanvasKind { CANVAS_SVG, CANVAS_PNG } CanvasKind;

enum { DASH_CAPACITY = 6, CANVAS_PNG_SCALE = 2 }; /* a PNG has this many pixels a point */

typedef struct LineStyle {
    uint32_t colour; /* 0xRRGGBB */
    double width;
    double dashes[DASH_CAPACITY]; /* drawn, left out, drawn, ...; ends with 0 */
} LineStyle;

typedef enum TextAnchor { TEXT_LEFT, TEXT_MIDDLE, TEXT_RIGHT } TextAnchor;

typedef struct TextStyle {
    uint32_t colour;
    double size;
    TextAnchor anchor; /* which of its points is at the place given */
    bool bold;
    bool upward; /* rotated by 90 degrees, reading upwards */
} TextStyle;

/* NULL: out of memory, or too large. A canvas that runs out of memory later is refused by canvas_write. */
Canvas *canvas_create(CanvasKind kind, int width, int height, const char *title);
void canvas_free(Canvas *canvas); /* may be NULL */

void canvas_rectangle(Canvas *canvas, double x, double y, double width, double height, uint32_t colour);
/* Through points [count][2]; a NaN lifts the pen. */
void canvas_line(Canvas *canvas, const double (*points)[2], size_t count, const LineStyle *style);
void canvas_text(Canvas *canvas, double x, double y, const char *text, const TextStyle *style);

/* What is drawn in between forms a named group, clipped to the rectangle. Groups do not nest.
 */
void canvas_group_begin(Canvas *canvas, const char *name, double x, double y, double width, double height);
void canvas_group_end(Canvas *canvas);

/* False: errno says why. */
bool canvas_write(Canvas *canvas, const char *path);

#endif
