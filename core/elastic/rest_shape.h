/* The rest shape of an element that follows an animated pose. */
#ifndef JN_ELASTIC_REST_SHAPE_H
#define JN_ELASTIC_REST_SHAPE_H

#include <stdbool.h>

/* How an element's rest edges change when its rest shape follows an animated pose by `amount` (0 to 1): the new edges
   are C times the modelled ones. */
typedef struct RestChange {
    double inverse[9]; /* C^-1, by rows */
    double volume;     /* det C, above 0 */
    bool limited; /* the pose is crushed, inside out or drawn out beyond what a rest shape may be, and was cut back */
} RestChange;

/* F: the deformation gradient of the animated pose over the modelled shape. With F = R S, C = (1 - amount) I + amount
   S: a law that does not feel rotation has no stress where a fully following element is in its animated pose. For the
   other laws, `turns`: C turns with the pose as well. */
void rest_shape_follow(const double F[9], double amount, bool turns, RestChange *change);

#endif
