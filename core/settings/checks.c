#include "settings/checks.h"

#include "base/math3.h"
#include "base/status.h"

#include <stdio.h>

Place place_member(const char *place, const char *name) {
    Place inner;
    snprintf(inner.text, sizeof inner.text, "%.60s.%.30s", place, name);
    return inner;
}

Place place_element(const char *place, uint32_t index) {
    Place inner;
    snprintf(inner.text, sizeof inner.text, "%.60s[%u]", place, index);
    return inner;
}

JnStatus check_struct(uint32_t actual, size_t expected, const char *place, const char *type, JnMessage *message) {
    if (actual == expected)
        return JN_OK;
    return status_fail(message, JN_ERR_STRUCT_SIZE,
                       "%s.struct_size is %u, but a %s of this library has %zu bytes: fill it by its _init call, with "
                       "the header of library version %s",
                       place, actual, type, expected, jn_version());
}

JnStatus check_pointer(const void *pointer, uint32_t count, const char *place, const char *field, JnMessage *message) {
    if (pointer || count == 0)
        return JN_OK;
    return status_fail(message, JN_ERR_ARGUMENT, "%s.%s is NULL, but its count is %u", place, field, count);
}

/* By the limits of the setting scope.key; `field` is its name in the struct, if that differs from the key. */
JnStatus check_field(double value, const char *scope, const char *key, const char *place, const char *field,
                     JnMessage *message) {
    const JnSetting *setting = jn_setting_find(scope, key);
    if (setting && value >= setting->minimum && value <= setting->maximum)
        return JN_OK;
    if (!setting)
        return status_fail(message, JN_ERR_ARGUMENT, "%s has no setting %s.%s", place, scope, key);
    return status_fail(message, JN_ERR_ARGUMENT, "%s.%s is %g%s%s: give a number from %g to %g", place, field, value,
                       setting->unit[0] ? " " : "", setting->unit, setting->minimum, setting->maximum);
}

JnStatus check_number(double value, const char *scope, const char *key, const char *place, JnMessage *message) {
    return check_field(value, scope, key, place, key, message);
}

/* A switch that is no setting of a scene. */
JnStatus check_flag(uint32_t value, const char *place, const char *field, JnMessage *message) {
    if (value <= 1)
        return JN_OK;
    return status_fail(message, JN_ERR_ARGUMENT, "%s.%s is %u: give 0 or 1", place, field, value);
}

/* A number that may be left to the core by NaN. */
JnStatus check_chosen(double value, const char *scope, const char *key, const char *place, JnMessage *message) {
    return isnan(value) ? JN_OK : check_number(value, scope, key, place, message);
}

JnStatus check_vector(const double *values, uint32_t count, const char *place, const char *field, JnMessage *message) {
    for (uint32_t i = 0; i < count; ++i)
        if (!isfinite(values[i]))
            return status_fail(message, JN_ERR_ARGUMENT, "%s.%s[%u] is %g: give finite numbers", place, field, i,
                               values[i]);
    return JN_OK;
}

JnStatus check_transform(const double transform[12], const char *place, const char *field, JnMessage *message) {
    double inverse[12];
    TRY(check_vector(transform, 12, place, field, message));
    if (!affine_inverse(transform, inverse))
        return status_fail(message, JN_ERR_ARGUMENT, "%s.%s flattens the object: give every axis a scale other than 0",
                           place, field);
    return JN_OK;
}

JnStatus check_point_array(const double *values, uint32_t point_count, const char *place, const char *field,
                           JnMessage *message) {
    if (!values)
        return JN_OK;
    for (size_t p = 0; p < point_count; ++p)
        if (!vec3_finite(values + 3 * p))
            return status_fail(message, JN_ERR_ARGUMENT, "%s.%s has (%g, %g, %g) for point %zu: give finite numbers",
                               place, field, values[3 * p], values[3 * p + 1], values[3 * p + 2], p);
    return JN_OK;
}
