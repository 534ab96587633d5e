/* The ways to specify a material's damping. */
#ifndef JN_BODIES_MATERIAL_DAMPING_H
#define JN_BODIES_MATERIAL_DAMPING_H

#include "jounce.h"

#include <stdbool.h>

/* Whether the damping is given as settle_seconds or damping_ratio. */
bool damping_is_converted(const JnMaterial *material);

/* Checks that it is given in one way only; has_stiffness_damping: stiffness_damping is given. `status`: returned if it
   is given twice. */
JnStatus damping_check_forms(const JnMaterial *material, bool has_stiffness_damping, JnStatus status, const char *place,
                             JnMessage *message);

#endif
