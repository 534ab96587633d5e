/* Barrier contact (Li et al. 2020, incremental potential contact): over its reach the potential is
   b(x) = -(x - 1)^2 ln x of the part x that is left of the reach.

   Below LEAST it goes on as its own parabola there: it is then defined everywhere and convex, so that no round of a
   solve can fail, and what has come that near is held by the detection of crossings. A tenth of the reach lies beyond,
   and is never given up: rounding to the floats of a cache crosses nothing. */
#include "contact/contact.h"

#include <math.h>

static const double LEAST = 0.05, REACH_PART = 0.9;
/* b' is scaled so that in the middle of its reach it pushes as hard as a penalty would. */
static const double MIDDLE = 2 * 1.1931471805599454;

typedef struct Curve { /* b and its derivatives */
    double value, slope, bend;
} Curve;

static Curve curve_at(double x) {
    double off = x - 1, log_x = log(x);
    return (Curve){-off * off * log_x, -2 * off * log_x - off * off / x,
                   -2 * log_x - 4 * off / x + off * off / (x * x)};
}

static Curve extended_curve(double x) {
    if (x >= LEAST)
        return curve_at(x);
    Curve least = curve_at(LEAST);
    double off = x - LEAST;
    return (Curve){least.value + off * (least.slope + 0.5 * off * least.bend), least.slope + off * least.bend,
                   least.bend};
}

static NormalForce normal(const ContactLaw *law, double distance) {
    double reach = REACH_PART * law->reach;
    if (!(distance < law->thickness) || !(reach > 0))
        return (NormalForce){0, 0, 0};
    Curve curve = extended_curve(1 + (distance - law->thickness) / reach);
    double scale = law->stiffness / MIDDLE;
    return (NormalForce){scale * reach * reach * curve.value, -scale * reach * curve.slope, scale * curve.bend};
}

/* -b' is convex and decreases: Newton's method from where it is too large never goes too far. */
static double distance_of(const ContactLaw *law, double force, double *shrinks) {
    double reach = REACH_PART * law->reach, scale = law->stiffness / MIDDLE, x = LEAST;
    double wanted = force / (scale * reach);
    if (!(reach > 0)) {
        *shrinks = 1 / law->stiffness;
        return law->thickness;
    }
    Curve curve = curve_at(LEAST);
    if (wanted > -curve.slope) { /* on the parabola */
        *shrinks = 1 / (scale * curve.bend);
        return law->thickness + reach * (LEAST + (-curve.slope - wanted) / curve.bend - 1);
    }
    for (int round = 0; round < 60; ++round) {
        double step = (-curve.slope - wanted) / curve.bend;
        x = fmin(x + step, 1 - 1e-9);
        curve = curve_at(x);
        if (!(step > 1e-12))
            break;
    }
    *shrinks = 1 / (scale * curve.bend);
    return law->thickness + reach * (x - 1);
}

static double stiffest(const ContactLaw *law) {
    return law->stiffness / MIDDLE * curve_at(LEAST).bend;
}

const ContactCurve barrier_curve = {normal, distance_of, stiffest};
