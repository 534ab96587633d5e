/* A font of pen strokes, as in plotters: text in pictures looks the same on every machine, even without fonts.
   Printable ASCII and the few other letters that plots need; anything else is drawn as an empty box. */
#ifndef JN_CLI_PICTURE_STROKE_FONT_H
#define JN_CLI_PICTURE_STROKE_FONT_H

#include <stdint.h>

/* Where the strokes go: a path of lines and quadratic curves. y points up from the baseline. */
typedef struct StrokePen {
    void *context;
    void (*move)(void *context, double x, double y);
    void (*curve)(void *context, double control_x, double control_y, double x, double y);
} StrokePen;

/* The next letter of UTF-8 text, advancing the pointer; 0 at the end. A byte that is not UTF-8 is U+FFFD. */
uint32_t utf8_next(const char **text);

/* Length of the text's line for letters of this size (the height of a line; capitals are 0.7 of it). */
double stroke_text_width(const char *text, double size);

/* Draws the text from (0, 0) to the right. */
void stroke_text_draw(const char *text, double size, const StrokePen *pen);

#endif
