/* Text on a Cairo page, drawn with pen strokes (stroke_font.h): it looks the same on every machine, even without
   fonts. */
#ifndef JN_CLI_PICTURE_CAIRO_TEXT_H
#define JN_CLI_PICTURE_CAIRO_TEXT_H

#include <cairo.h>
#include <stdbool.h>

/* Draws the text to the right of the origin in the current colour. */
void cairo_stroke_text(cairo_t *cairo, const char *text, double size, bool bold);

#endif
