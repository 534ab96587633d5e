/* Plots of energy over time. */
#ifndef JN_CLI_ENERGY_PLOT_H
#define JN_CLI_ENERGY_PLOT_H

#include "history.h"

/* The energies of one bake. Gravity counts from the first frame. False: errno says why. */
bool energy_plot_bake(const History *history, const char *title, const char *path);

typedef enum EnergyKind { ENERGY_POTENTIAL, ENERGY_TOTAL } EnergyKind;

/* J relative to the first frame's gravity energy, so that it does not depend on the scene's origin. */
double energy_value(const History *history, size_t row, EnergyKind kind);

typedef struct EnergyCurve {
    const char *name;
    const History *history;
    bool broken_off; /* the bake failed before its last frame */
} EnergyCurve;

/* One energy of several bakes. */
bool energy_plot_compare(const EnergyCurve *curves, size_t count, EnergyKind kind, const char *title, const char *path);

#endif
