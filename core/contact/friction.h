/* Smoothed Coulomb friction (Ascher, Larionov, Sheen, Pai 2021, Eq. 32): -mu lambda s(|u|) u/|u| for the sliding
   velocity u, s(x) = 2 x/eps - x^2/eps^2 below eps, 1 above. For a given normal force lambda it is minus the derivative
   of the convex potential mu lambda F(|u|), F' = s. */
#ifndef JN_CONTACT_FRICTION_H
#define JN_CONTACT_FRICTION_H

typedef struct FrictionCurve { /* at one speed x */
    double potential;          /* F(x), m/s */
    double secant;             /* s(x)/x, s/m */
    double slope;              /* s'(x), s/m */
} FrictionCurve;

static inline FrictionCurve friction_curve(double speed, double smoothing_speed) {
    double part = speed / smoothing_speed;
    if (part >= 1)
        return (FrictionCurve){speed - smoothing_speed / 3, 1 / speed, 0};
    return (FrictionCurve){smoothing_speed * part * part * (1 - part / 3), (2 - part) / smoothing_speed,
                           2 * (1 - part) / smoothing_speed};
}

#endif
