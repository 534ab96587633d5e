/* The energy of one contact pair: E = m b(d - thickness), a law b of the distance d, times the mollifier m for two
   edges. */
#ifndef JN_CONTACT_PAIR_ENERGY_H
#define JN_CONTACT_PAIR_ENERGY_H

#include "contact/pair_distance.h"
#include "contact/pair_law.h"

typedef struct PairEnergy {
    double energy;         /* J */
    double normal_force;   /* N: -m db/dd, the lambda of friction */
    PairDistance distance; /* the weights and offset give where and in which direction it acts */
} PairEnergy;

/* The energy and, where they are not NULL, its gradient [3 n] and Hessian [3 n * 3 n], as pair_distance.h has them.
   mollifier_scale: by edge_mollifier_scale, for edge-edge pairs; 0 for none; the other kinds ignore it.
   convex: replaces the negative eigenvalues of the Hessian by 0.
   Returns false, with energy INFINITY, normal_force 0 and derivatives 0, if the barrier has no value there: the gap is
   not above 0. Where the two sides coincide (distance below 1e-30) a penalty has an energy and a normal force but no
   direction: derivatives are 0. */
bool pair_energy(PairKind kind, const double *x, const PairLaw *law, double mollifier_scale, bool convex,
                 PairEnergy *result, double *gradient, double *hessian);

#endif
