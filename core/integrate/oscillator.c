#include "integrate/oscillator.h"

#include <math.h>

/* Below this, in units of the time, the closed forms lose digits to cancellation, and a few terms of the series give
   all of them. */
static const double SMALL = 2;
/* Roots closer together than twice this: their differences lose digits. The stiffness is then far from 0. */
static const double CLOSE = 0.5;
enum { TERMS = 32 };

/* The Taylor series in time, t = 1: its coefficients c_k follow from the equation itself. */
static Oscillation by_series(double stiffness, double damping) {
    double before = 0, here = 1; /* c_k-1, c_k, from k = 1 */
    Oscillation sum = {0, 0, 0};
    for (int k = 1; k <= TERMS; ++k) {
        sum.position += here;
        sum.velocity += k * here;
        sum.displacement += here / (k + 1);
        double next = -(damping * k * here + stiffness * before) / (k * (k + 1.0));
        before = here;
        here = next;
    }
    return sum;
}

/* x' and the integral of x from x itself: the equation, integrated once. */
static Oscillation by_balance(double stiffness, double damping, double position, double velocity) {
    return (Oscillation){position, velocity, (1 - velocity - damping * position) / stiffness};
}

static Oscillation underdamped(double stiffness, double damping, double omega) {
    double decay = exp(-0.5 * damping), sine = sin(omega) / omega, half = sin(0.5 * omega);
    Oscillation now = by_balance(stiffness, damping, decay * sine, decay * (cos(omega) - 0.5 * damping * sine));
    if (damping == 0)
        now.displacement = 2 * half * half / stiffness;
    return now;
}

/* Two real roots; `apart` is half their distance. */
static Oscillation overdamped(double stiffness, double damping, double apart) {
    if (apart < CLOSE) {
        double decay = exp(-0.5 * damping), sine = apart > 0 ? sinh(apart) / apart : 1;
        return by_balance(stiffness, damping, decay * sine, decay * (cosh(apart) - 0.5 * damping * sine));
    }
    double fast = -(0.5 * damping + apart), slow = stiffness / fast;
    double grown = slow != 0 ? expm1(slow) / slow : 1;
    return (Oscillation){exp(slow) * -expm1(fast - slow) / (slow - fast),
                         (slow * exp(slow) - fast * exp(fast)) / (slow - fast),
                         (grown - expm1(fast) / fast) / (slow - fast)};
}

Oscillation oscillator_advance(double stiffness, double damping, double t) {
    double k = stiffness * t * t, d = damping * t, discriminant = k - 0.25 * d * d;
    Oscillation now = fabs(k) < SMALL && d < SMALL ? by_series(k, d)
                      : discriminant > 0           ? underdamped(k, d, sqrt(discriminant))
                                                   : overdamped(k, d, sqrt(-discriminant));
    now.position *= t;
    now.displacement *= t * t;
    return now;
}
