/* One frame as a picture with its number and, if something is painted, the scale of colours. */
#ifndef JN_CLI_PICTURE_TILE_H
#define JN_CLI_PICTURE_TILE_H

#include "drawing.h"

/* Writes pixels [width * height], 0x00RRGGBB. `map` names what is painted; NULL: nothing is. False if memory runs
   out. */
bool tile_draw(const Scenery *scenery, const Stage *stage, const char *label, const char *map, uint32_t *pixels,
               int width, int height);

#endif
