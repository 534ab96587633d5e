/* The scales of a plot: ranges of axes, ticks at round numbers, and the words for both. */
#ifndef JN_CLI_PICTURE_PLOT_SCALE_H
#define JN_CLI_PICTURE_PLOT_SCALE_H

#include <stdbool.h>
#include <stddef.h>

enum { TICK_CAPACITY = 128, TICK_TEXT_CAPACITY = 24, UNIT_CAPACITY = 24 };

typedef struct Tick {
    double value;
    char text[TICK_TEXT_CAPACITY]; /* empty: a small tick between labelled ones */
} Tick;

typedef struct Scale {
    bool logarithmic;
    double low, high; /* low < high; both above 0 if logarithmic */
    double factor;    /* labels show value * factor: 1000 for metres in mm */
    size_t tick_count;
    Tick ticks[TICK_CAPACITY];
} Scale;

/* The least and largest finite number of values[count], those above 0 if logarithmic; widens *low and *high, which
   start as NaN. */
void range_extend(double *low, double *high, const double *values, size_t count, bool logarithmic);

/* A scale over at least [low, high] with about `wanted` labelled ticks. Any input is accepted: NaN, equal or swapped
   limits give the nearest scale that can be drawn. `to_ticks`: begins and ends at a tick. */
void scale_make(Scale *scale, double low, double high, bool logarithmic, bool to_ticks, int wanted);

/* 0 at low, 1 at high; NaN for values not on the scale (NaN, 0 on a logarithmic scale). */
double scale_place(const Scale *scale, double value);

/* Shows the numbers of the scale in a multiple of `unit` that keeps them short: "mJ" for 0.001 to 0.1 J. Only units
   that take prefixes are changed, and no logarithmic scale. Updates the unit's text and the labels. */
void scale_choose_unit(Scale *scale, const char *unit, char text[UNIT_CAPACITY]);

#endif
