/* A picture strip: frames side by side as one PNG. */
#ifndef JN_CLI_PICTURE_STRIP_H
#define JN_CLI_PICTURE_STRIP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Strip Strip;

/* Allocates `count` frames of width * height pixels, `columns` in a row. NULL: too large, or out of memory. */
Strip *strip_create(int count, int columns, int width, int height);
void strip_free(Strip *strip); /* may be NULL */

/* The pixels of the picture. */
int strip_width(const Strip *strip);
int strip_height(const Strip *strip);

/* Puts the picture of frame number `index`, [width * height] pixels, in its place. False if memory runs out. */
bool strip_place(Strip *strip, int index, uint32_t *pixels);

/* False: errno says why. */
bool strip_write_png(Strip *strip, const char *path);

#endif
