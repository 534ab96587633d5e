#include "contact/collider_shape.h"

#include "base/math3.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>

JnStatus shape_check_point(const double point[3], const char *place, const char *field, JnMessage *message) {
    if (vec3_finite(point))
        return JN_OK;
    return status_fail(message, JN_ERR_ARGUMENT, "%s.%s is (%g, %g, %g): give three finite numbers", place, field,
                       point[0], point[1], point[2]);
}

JnStatus shape_check_length(double length, const char *place, const char *field, JnMessage *message) {
    if (length > 0 && isfinite(length))
        return JN_OK;
    return status_fail(message, JN_ERR_ARGUMENT, "%s.%s is %g: give a length above 0", place, field, length);
}

JnStatus shape_keep(JnStatus status, const void *from, size_t size, void **shape, JnMessage *message) {
    *shape = status == JN_OK ? malloc(size) : NULL;
    if (status != JN_OK)
        return status;
    if (!*shape)
        return status_no_memory(message, "a collider");
    memcpy(*shape, from, size);
    return JN_OK;
}

double shape_scale(const double m[12]) {
    return sqrt(m[0] * m[0] + m[4] * m[4] + m[8] * m[8]);
}

double shape_round_distance(const double center[3], double radius, const double x[3], double normal[3]) {
    double offset[3];
    vec3_sub(x, center, offset);
    double distance = vec3_length(offset);
    for (int i = 0; i < 3; ++i)
        normal[i] = distance > 0 ? offset[i] / distance : i == 0;
    return distance - radius;
}

void shape_direction_across(const double axis[3], double out[3]) {
    int least = 0;
    for (int i = 1; i < 3; ++i)
        least = fabs(axis[i]) < fabs(axis[least]) ? i : least;
    const double other[3] = {least == 0, least == 1, least == 2};
    vec3_cross(axis, other, out);
    double length = vec3_length(out);
    for (int i = 0; i < 3; ++i)
        out[i] /= length;
}
