/* A movie as an animated PNG, which browsers play: https://www.w3.org/TR/png-3, acTL, fcTL, fdAT.

   It has at most 255 colours and repeats for ever. The first picture is stored whole, which programs that know no
   animation show; each later one only where it differs from what is seen by then. No channel of a pixel differs from
   the picture that was given by more than APNG_TOLERANCE levels, unless no colour of the palette is that near. */
#ifndef JN_CLI_PICTURE_APNG_H
#define JN_CLI_PICTURE_APNG_H

#include "palette.h"

#include <stdio.h>

enum { APNG_TOLERANCE = 4 }; /* of 255 levels: not seen in motion, and a smaller file */

typedef struct ApngDesc {
    int width, height;
    uint32_t frame_count;
    uint16_t delay_numerator, delay_denominator; /* seconds that each picture is seen */
    const Palette *palette;                      /* borrowed until apng_end */
} ApngDesc;

typedef struct Apng Apng;

/* Begins the movie in a file that is open for writing. NULL: errno says why. */
Apng *apng_begin(FILE *file, const ApngDesc *desc);
/* Adds a picture, [width * height] pixels 0x00RRGGBB. False: errno says why. */
bool apng_add(Apng *apng, const uint32_t *pixels);
/* Ends the movie after frame_count pictures and frees everything; the file stays open. False: errno says why. */
bool apng_end(Apng *apng);
/* Frees an unfinished one; may be NULL. */
void apng_free(Apng *apng);

#endif
