/* The ways to say a material's damping. */
#ifndef JN_BODIES_MATERIAL_DAMPING_H
#define JN_BODIES_MATERIAL_DAMPING_H

#include "jounce.h"

#include <stdbool.h>

/* Whether the damping is said as settle_seconds or damping_ratio. */
bool damping_is_converted(const JnMaterial *material);

/* It may be said in one way only; has_stiffness_damping: that one is. `status`: what a contradiction is. */
JnStatus damping_check_forms(const JnMaterial *material, bool has_stiffness_damping, JnStatus status, const char *place,
                             JnMessage *message);

#endif
