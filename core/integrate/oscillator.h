/* The damped oscillator x'' + damping x' + stiffness x = force in closed form, for a constant force: from x = 0 at the
   speed v, after a time t,

       x = position v + displacement force,   x' = velocity v + position force.

   It is accurate for all of: no stiffness, a negative one, no damping, too much of it to oscillate. */
#ifndef JN_INTEGRATE_OSCILLATOR_H
#define JN_INTEGRATE_OSCILLATOR_H

typedef struct Oscillation {
    double position;     /* s */
    double velocity;     /* a part */
    double displacement; /* s2, the integral of `position`; above 0, or 0 after whole periods */
} Oscillation;

/* stiffness: 1/s2, damping: 1/s, at least 0; t: s, above 0. */
Oscillation oscillator_advance(double stiffness, double damping, double t);

#endif
