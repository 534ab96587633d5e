/* The rest shape of an element that follows an animated pose. */
#ifndef JN_ELASTIC_REST_SHAPE_H
#define JN_ELASTIC_REST_SHAPE_H

#include <stdbool.h>

/* How an element's rest edges change when its rest shape follows an animated pose by `amount` (0 to 1): the new edges
   are C times the modelled ones. */
typedef struct RestChange {
    double inverse[9]; /* C^-1, by rows */
    double volume;     /* det C, above 0 */
    bool limited; /* the pose is crushed, inverted or stretched beyond the limits of a rest shape, and was clamped */
} RestChange;

/* F: the deformation gradient of the animated pose over the modelled shape. With F = R S, C = (1 - amount) I + amount
   S: for a law that is invariant under rotation, an element with amount 1 has no stress in its animated pose. For the
   other laws, with `turns`, C includes the rotation of the pose. */
void rest_shape_follow(const double F[9], double amount, bool turns, RestChange *change);

#endif
