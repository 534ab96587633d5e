#include "energy_plot.h"

#include "picture/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static const PlotAxis TIME_AXIS = {"time", "s", false, NAN, NAN};
static const PlotAxis ENERGY_AXIS = {"energy", "J", false, NAN, NAN};

static double start_gravity(const History *history) {
    return history->count > 0 ? history->rows[0].motion.gravity_energy : 0;
}

double energy_value(const History *history, size_t row, EnergyKind kind) {
    const JnMotion *motion = &history->rows[row].motion;
    double total = motion->total_energy - start_gravity(history);
    return kind == ENERGY_TOTAL ? total : total - motion->kinetic_energy;
}

/* -------------------------------------------------------------------------------- one bake */

typedef struct Part {
    const char *name;
    size_t offset; /* in JnMotion */
} Part;

static const Part parts[] = {
    {"total", offsetof(JnMotion, total_energy)},     {"kinetic", offsetof(JnMotion, kinetic_energy)},
    {"elastic", offsetof(JnMotion, elastic_energy)}, {"gravity", offsetof(JnMotion, gravity_energy)},
    {"forces", offsetof(JnMotion, force_energy)},    {"goals", offsetof(JnMotion, goal_energy)},
    {"contact", offsetof(JnMotion, contact_energy)},
};
enum { PART_COUNT = sizeof parts / sizeof parts[0], GRAVITY_PART = 3 };

/* Fills the energy of a part over time; returns whether to plot it: the total always, others if not 0. */
static bool fill_part(const History *history, size_t part, double *values) {
    bool any = part == 0;
    double shift = part == 0 || part == GRAVITY_PART ? start_gravity(history) : 0;
    for (size_t i = 0; i < history->count; ++i) {
        const char *field = (const char *)&history->rows[i].motion + parts[part].offset;
        values[i] = *(const double *)(const void *)field - shift;
        any |= values[i] != 0;
    }
    return any;
}

bool energy_plot_bake(const History *history, const char *title, const char *path) {
    size_t count = history->count;
    double *numbers = malloc(((PART_COUNT + 1) * count + 1) * sizeof *numbers), *times = numbers;
    PlotSeries series[PART_COUNT];
    size_t series_count = 0;
    if (!numbers) {
        errno = ENOMEM;
        return false;
    }
    for (size_t i = 0; i < count; ++i)
        times[i] = history->rows[i].motion.time;
    for (size_t part = 0; part < PART_COUNT; ++part) {
        double *values = numbers + (part + 1) * count;
        if (fill_part(history, part, values))
            series[series_count++] = (PlotSeries){parts[part].name, times, values, count, false, false};
    }
    bool written = plot_write(&(Plot){title, TIME_AXIS, ENERGY_AXIS, series, series_count}, path);
    free(numbers);
    return written;
}

/* -------------------------------------------------------------------------------- several bakes */

bool energy_plot_compare(const EnergyCurve *curves, size_t count, EnergyKind kind, const char *title,
                         const char *path) {
    size_t row_count = 0;
    for (size_t c = 0; c < count; ++c)
        row_count += curves[c].history->count;
    double *numbers = malloc((2 * row_count + 1) * sizeof *numbers), *next = numbers;
    PlotSeries *series = malloc((count + 1) * sizeof *series);
    bool written = false;
    errno = ENOMEM;
    if (numbers && series) {
        for (size_t c = 0; c < count; ++c) {
            const History *history = curves[c].history;
            double *times = next, *values = next + history->count;
            for (size_t i = 0; i < history->count; ++i) {
                times[i] = history->rows[i].motion.time;
                values[i] = energy_value(history, i, kind);
            }
            series[c] = (PlotSeries){curves[c].name, times, values, history->count, curves[c].broken_off, false};
            next += 2 * history->count;
        }
        PlotAxis axis = ENERGY_AXIS;
        axis.label = kind == ENERGY_TOTAL ? "total energy" : "potential energy";
        written = plot_write(&(Plot){title, TIME_AXIS, axis, series, count}, path);
    }
    free(numbers);
    free(series);
    return written;
}
