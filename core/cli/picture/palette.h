/* The few colours that stand for all colours of a movie. */
#ifndef JN_CLI_PICTURE_PALETTE_H
#define JN_CLI_PICTURE_PALETTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PALETTE_CAPACITY = 255 };

typedef struct Palette {
    uint32_t colours[PALETTE_CAPACITY]; /* 0x00RRGGBB, from dark to bright */
    int count;
} Palette;

/* Collects the colours that occur. */
typedef struct ColourCounts ColourCounts;
ColourCounts *colour_counts_create(void);      /* NULL if memory runs out */
void colour_counts_free(ColourCounts *counts); /* may be NULL */
/* A colour that occurs `weight` times. */
void colour_counts_add(ColourCounts *counts, uint32_t colour, uint32_t weight);

/* At most PALETTE_CAPACITY colours near all those collected. False if memory runs out. */
bool palette_make(Palette *palette, const ColourCounts *counts);

/* Finds the colours of a palette that are nearest to others. */
typedef struct PaletteMap PaletteMap;
PaletteMap *palette_map_create(const Palette *palette); /* NULL if memory runs out */
void palette_map_free(PaletteMap *map);                 /* may be NULL */
uint8_t palette_map_nearest(PaletteMap *map, uint32_t colour);

#endif
