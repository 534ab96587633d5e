#include "palette.h"

#include <math.h>
#include <stdlib.h>

/* Colours are counted in cells of 2 levels a channel. */
enum { CELL_BITS = 7, CELL_MASK = (1 << CELL_BITS) - 1, CELL_COUNT = 1 << 3 * CELL_BITS };

struct ColourCounts {
    uint32_t cells[CELL_COUNT];
};

static int channel(uint32_t colour, int index) {
    return (int)(colour >> (16 - 8 * index) & 255);
}

ColourCounts *colour_counts_create(void) {
    return calloc(1, sizeof(ColourCounts));
}

void colour_counts_free(ColourCounts *counts) {
    free(counts);
}

static uint32_t cell_of(uint32_t colour) {
    return (colour >> 17 & CELL_MASK) << 2 * CELL_BITS | (colour >> 9 & CELL_MASK) << CELL_BITS |
           (colour >> 1 & CELL_MASK);
}

static uint32_t colour_of(uint32_t cell) {
    return (cell >> 2 * CELL_BITS) << 17 | (cell >> CELL_BITS & CELL_MASK) << 9 | (cell & CELL_MASK) << 1 | 0x010101;
}

void colour_counts_add(ColourCounts *counts, uint32_t colour, uint32_t weight) {
    uint32_t *cell = &counts->cells[cell_of(colour)];
    *cell = *cell < UINT32_MAX - weight ? *cell + weight : UINT32_MAX;
}

/* -------------------------------------------------------------------------------- making one */

typedef struct Cell {
    uint32_t colour, count;
} Cell;

/* A range of cells that one colour stands for. */
typedef struct Group {
    size_t first, count;
    double error; /* the sum of the squared distances to the mean, along the widest channel */
    int widest;
} Group;

static void measure(const Cell *cells, Group *group) {
    double weight = 0, sums[3] = {0}, squares[3] = {0};
    for (size_t i = group->first; i < group->first + group->count; ++i) {
        weight += cells[i].count;
        for (int c = 0; c < 3; ++c) {
            double value = channel(cells[i].colour, c);
            sums[c] += cells[i].count * value;
            squares[c] += cells[i].count * value * value;
        }
    }
    group->error = -1;
    for (int c = 0; c < 3 && group->count > 1; ++c) {
        double error = squares[c] - sums[c] * sums[c] / weight;
        if (error > group->error) {
            group->error = error;
            group->widest = c;
        }
    }
}

static int compare_by(const Cell *a, const Cell *b, int widest) {
    int difference = channel(a->colour, widest) - channel(b->colour, widest);
    return difference ? difference : (a->colour > b->colour) - (a->colour < b->colour);
}

static int compare_red(const void *a, const void *b) {
    return compare_by(a, b, 0);
}

static int compare_green(const void *a, const void *b) {
    return compare_by(a, b, 1);
}

static int compare_blue(const void *a, const void *b) {
    return compare_by(a, b, 2);
}

/* Cuts the group in two at its mean along the widest channel. */
static void split(Cell *cells, Group *group, Group *other) {
    static int (*const orders[3])(const void *, const void *) = {compare_red, compare_green, compare_blue};
    Cell *first = cells + group->first;
    qsort(first, group->count, sizeof *first, orders[group->widest]);
    double weight = 0, sum = 0;
    for (size_t i = 0; i < group->count; ++i) {
        weight += first[i].count;
        sum += (double)first[i].count * channel(first[i].colour, group->widest);
    }
    size_t cut = 1;
    while (cut + 1 < group->count && channel(first[cut].colour, group->widest) < sum / weight)
        ++cut;
    *other = (Group){.first = group->first + cut, .count = group->count - cut};
    group->count = cut;
    measure(cells, group);
    measure(cells, other);
}

static uint32_t mean_colour(const Cell *cells, const Group *group) {
    double weight = 0, sums[3] = {0};
    for (size_t i = group->first; i < group->first + group->count; ++i) {
        weight += cells[i].count;
        for (int c = 0; c < 3; ++c)
            sums[c] += (double)cells[i].count * channel(cells[i].colour, c);
    }
    uint32_t colour = 0;
    for (int c = 0; c < 3; ++c)
        colour = colour << 8 | (uint32_t)(sums[c] / weight + 0.5);
    return colour;
}

static int compare_brightness(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int difference = 0;
    for (int c = 0; c < 3; ++c)
        difference += (c == 1 ? 2 : 1) * (channel(x, c) - channel(y, c));
    return difference ? difference : (x > y) - (x < y);
}

/* Mean squared distance, in levels, at which there are colours enough: fewer make a smaller movie. */
static const double ERROR_ENOUGH = 1.6;

bool palette_make(Palette *palette, const ColourCounts *counts) {
    size_t cell_count = 0;
    double pixel_count = 0;
    Group groups[PALETTE_CAPACITY];
    for (uint32_t i = 0; i < CELL_COUNT; ++i) {
        cell_count += counts->cells[i] > 0;
        pixel_count += counts->cells[i];
    }
    Cell *cells = malloc((cell_count + 1) * sizeof *cells);
    if (!cells)
        return false;
    cell_count = 0;
    for (uint32_t i = 0; i < CELL_COUNT; ++i)
        if (counts->cells[i] > 0)
            cells[cell_count++] = (Cell){colour_of(i), counts->cells[i]};
    groups[0] = (Group){.first = 0, .count = cell_count};
    measure(cells, &groups[0]);
    palette->count = cell_count > 0;
    while (palette->count > 0 && palette->count < PALETTE_CAPACITY) {
        Group *worst = groups;
        double error = 0;
        for (int i = 0; i < palette->count; ++i) {
            worst = groups[i].error > worst->error ? groups + i : worst;
            error += fmax(groups[i].error, 0);
        }
        if (!(worst->error > 0) || error < ERROR_ENOUGH * pixel_count)
            break;
        split(cells, worst, &groups[palette->count++]);
    }
    for (int i = 0; i < palette->count; ++i)
        palette->colours[i] = mean_colour(cells, &groups[i]);
    qsort(palette->colours, (size_t)palette->count, sizeof palette->colours[0], compare_brightness);
    free(cells);
    return true;
}

/* -------------------------------------------------------------------------------- nearest colours */

/* Nearest colours by cells, found when first asked for. */
enum { NOT_YET = UINT16_MAX };

struct PaletteMap {
    const Palette *palette;
    uint16_t nearest[CELL_COUNT];
};

PaletteMap *palette_map_create(const Palette *palette) {
    PaletteMap *map = malloc(sizeof *map);
    if (!map)
        return NULL;
    map->palette = palette;
    for (size_t i = 0; i < sizeof map->nearest / sizeof map->nearest[0]; ++i)
        map->nearest[i] = NOT_YET;
    return map;
}

void palette_map_free(PaletteMap *map) {
    free(map);
}

uint8_t palette_map_nearest(PaletteMap *map, uint32_t colour) {
    uint16_t *nearest = &map->nearest[cell_of(colour)];
    if (*nearest != NOT_YET)
        return (uint8_t)*nearest;
    int least = INT32_MAX;
    for (int i = 0; i < map->palette->count; ++i) {
        int distance = 0;
        for (int c = 0; c < 3; ++c) {
            int difference = channel(colour_of(cell_of(colour)), c) - channel(map->palette->colours[i], c);
            distance += difference * difference;
        }
        if (distance < least) {
            least = distance;
            *nearest = (uint16_t)i;
        }
    }
    return (uint8_t)*nearest;
}
