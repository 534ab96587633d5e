/* Smoothed Coulomb friction (Ascher, Larionov, Sheen, Pai 2021, Eq. 32): -mu lambda s(|u|) u/|u| for the sliding
   velocity u, s(x) = 2 x/eps - x^2/eps^2 below eps, 1 above. */
#ifndef JN_CONTACT_FRICTION_H
#define JN_CONTACT_FRICTION_H

/* s(x)/x, the secant with which semi-implicit methods linearize friction: with the tangent they oscillate between two
   speeds. */
static inline double friction_secant(double speed, double smoothing_speed) {
    if (speed >= smoothing_speed)
        return 1 / speed;
    return (2 - speed / smoothing_speed) / smoothing_speed;
}

#endif
