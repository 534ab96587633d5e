#include "bodies/material_damping.h"

#include "base/status.h"

#include <math.h>

bool damping_is_converted(const JnMaterial *material) {
    return !isnan(material->settle_seconds) || !isnan(material->damping_ratio);
}

JnStatus damping_check_forms(const JnMaterial *material, bool has_stiffness_damping, JnStatus status, const char *place,
                             JnMessage *message) {
    bool settles = !isnan(material->settle_seconds), has_ratio = !isnan(material->damping_ratio);
    if (settles + has_ratio + has_stiffness_damping > 1)
        return status_fail(message, status, "%s gives its damping twice, by %s and by %s: keep one of them", place,
                           settles ? "settle_seconds" : "damping_ratio",
                           has_stiffness_damping ? "stiffness_damping" : "damping_ratio");
    if (!isnan(material->damping_frequency) && !settles && !has_ratio)
        return status_fail(
            message, status,
            "%s.damping_frequency has no effect alone: add settle_seconds or damping_ratio at that frequency", place);
    return JN_OK;
}
