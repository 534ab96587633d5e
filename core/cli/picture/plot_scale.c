#include "plot_scale.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void range_extend(double *low, double *high, const double *values, size_t count, bool logarithmic) {
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(values[i]) || (logarithmic && !(values[i] > 0)))
            continue;
        if (!(values[i] >= *low))
            *low = values[i];
        if (!(values[i] <= *high))
            *high = values[i];
    }
}

/* -------------------------------------------------------------------------------- linear */

/* 1, 2 or 5 times a power of ten, near x. */
static double round_step(double x) {
    double power = pow(10, floor(log10(x))), lead = x / power;
    return power * (lead < 1.5 ? 1 : lead < 3.2 ? 2 : lead < 7.1 ? 5 : 10);
}

/* Without trailing zeros, and without a sign before 0. */
static void write_number(double number, char *text) {
    snprintf(text, TICK_TEXT_CAPACITY, "%.10g", number == 0 ? 0 : number);
}

static void add_tick(Scale *scale, double value, bool labelled) {
    if (scale->tick_count == TICK_CAPACITY)
        return;
    Tick *tick = &scale->ticks[scale->tick_count++];
    tick->value = value;
    tick->text[0] = '\0';
    if (labelled)
        write_number(value * scale->factor, tick->text);
}

static void fill_linear(Scale *scale, bool to_ticks, int wanted) {
    double step = round_step((scale->high - scale->low) / wanted), slack = 1e-9;
    double first = ceil(scale->low / step - slack), last = floor(scale->high / step + slack);
    if (to_ticks) {
        first = floor(scale->low / step + slack);
        last = ceil(scale->high / step - slack);
        scale->low = first * step;
        scale->high = last * step;
    }
    for (double k = first; k <= last && scale->tick_count < TICK_CAPACITY; ++k) {
        // k * step is not round where the step is not a binary number: 3 * 0.1. Its decimal form is.
        char digits[TICK_TEXT_CAPACITY];
        double value = k * step;
        snprintf(digits, sizeof digits, "%.12g", value);
        sscanf(digits, "%lf", &value);
        add_tick(scale, value, true);
    }
}

/* -------------------------------------------------------------------------------- logarithmic */

static void fill_logarithmic(Scale *scale, bool to_ticks, int wanted) {
    double first = floor(log10(scale->low) + 1e-9), last = ceil(log10(scale->high) - 1e-9);
    double decades = log10(scale->high / scale->low);
    // a range within few decades ends at 1, 2 or 5 of one; a long one at whole decades
    if (to_ticks && decades > 2) {
        scale->low = pow(10, first);
        scale->high = pow(10, last);
    }
    double stride = fmax(1, ceil((last - first) / (wanted + 1)));
    for (double decade = first; decade <= last; ++decade)
        for (int lead = 1; lead <= 9; ++lead) {
            double value = lead * pow(10, decade);
            if (value < scale->low * (1 - 1e-9) || value > scale->high * (1 + 1e-9))
                continue;
            bool main_tick = lead == 1 && fmod(decade - first, stride) == 0;
            bool between = decades <= 2 && (lead == 2 || lead == 5);
            if (main_tick || between || stride == 1)
                add_tick(scale, value, main_tick || between);
        }
}

/* -------------------------------------------------------------------------------- both */

static const double LARGEST = 1e300, SMALLEST = 1e-300;

/* Limits that can be drawn, from any two numbers. */
static void make_limits(Scale *scale, double low, double high) {
    if (!isfinite(low) || !isfinite(high)) {
        low = isfinite(low) ? low : isfinite(high) ? high : 0;
        high = low;
    }
    if (low > high) {
        double swap = low;
        low = high;
        high = swap;
    }
    if (scale->logarithmic) {
        low = fmin(fmax(low, SMALLEST), LARGEST);
        high = fmin(fmax(high, SMALLEST), LARGEST);
        if (high <= SMALLEST)
            low = high = 1;
        if (high < low * 1.01) {
            low /= 3;
            high *= 3;
        }
    } else {
        low = fmin(fmax(low, -LARGEST), LARGEST);
        high = fmin(fmax(high, -LARGEST), LARGEST);
        double size = fmax(fabs(low), fabs(high));
        if (size < SMALLEST)
            low = high = size = 0;
        // values that differ only by rounding count as one
        if (!(high - low > 1e-9 * size)) {
            double margin = size > 0 ? 0.1 * size : 1;
            high = high > 0 ? high + margin : low < 0 ? 0 : 1;
            low = low < 0 ? low - margin : 0;
        }
    }
    scale->low = low;
    scale->high = high;
}

static void fill_ticks(Scale *scale, bool to_ticks, int wanted) {
    scale->tick_count = 0;
    if (scale->logarithmic)
        fill_logarithmic(scale, to_ticks, wanted);
    else
        fill_linear(scale, to_ticks, wanted);
}

void scale_make(Scale *scale, double low, double high, bool logarithmic, bool to_ticks, int wanted) {
    scale->logarithmic = logarithmic;
    scale->factor = 1;
    make_limits(scale, low, high);
    fill_ticks(scale, to_ticks, wanted < 1 ? 1 : wanted);
}

double scale_place(const Scale *scale, double value) {
    if (!isfinite(value) || (scale->logarithmic && !(value > 0)))
        return NAN;
    if (scale->logarithmic)
        return log(value / scale->low) / log(scale->high / scale->low);
    return (value - scale->low) / (scale->high - scale->low);
}

void scale_choose_unit(Scale *scale, const char *unit, char text[UNIT_CAPACITY]) {
    static const char *const prefixed[] = {"J", "s", "m", "N", "Hz"};
    static const char *const prefixes[] = {"n", "\302\265", "m", "", "k", "M", "G", "T"};
    bool takes_prefix = false;
    for (size_t i = 0; i < sizeof prefixed / sizeof prefixed[0]; ++i)
        takes_prefix |= strcmp(unit, prefixed[i]) == 0;
    double size = fmax(fabs(scale->low), fabs(scale->high));
    int power = 0;
    // 0.1 to 10,000 read well without a prefix
    if (takes_prefix && !scale->logarithmic && (size < 0.1 || size > 1e4))
        power = (int)floor(log10(size) / 3 + 1e-9);
    power = power < -3 ? -3 : power > 4 ? 4 : power;
    snprintf(text, UNIT_CAPACITY, "%s%s", prefixes[power + 3], unit);
    scale->factor = pow(10, -3 * power);
    for (size_t i = 0; i < scale->tick_count; ++i)
        if (scale->ticks[i].text[0])
            write_number(scale->ticks[i].value * scale->factor, scale->ticks[i].text);
}
