/* Line plots as a picture file: axes with round numbers and units, a legend, lines that differ in colour and in dashes,
   so that they can be distinguished in black and white too. */
#ifndef JN_CLI_PICTURE_PLOT_H
#define JN_CLI_PICTURE_PLOT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct PlotSeries {
    const char *name;
    const double *x, *y; /* [count]; a NaN breaks the line */
    size_t count;
    bool broken_off; /* it ended early: the end is marked with a cross, and its values do not set the scale */
    bool dotted;     /* a dot at every point, so that a single one is seen too */
} PlotSeries;

typedef struct PlotAxis {
    const char *label;
    const char *unit; /* "J", or "" */
    bool logarithmic;
    double low, high; /* minimum range shown; NaN: the range of the series */
} PlotAxis;

typedef struct Plot {
    const char *title;
    PlotAxis x, y;
    const PlotSeries *series; /* [series_count]; none is not an error */
    size_t series_count;
} Plot;

/* Whether the path ends with .svg or .png. */
bool plot_path_is_known(const char *path);

/* Writes the picture in the format of the path's ending. False: errno says why. */
bool plot_write(const Plot *plot, const char *path);

#endif
