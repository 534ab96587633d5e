#include "settings/checks.h"

#include "base/math3.h"
#include "base/status.h"
#include "settings/fields.h"

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

/* By the limits of `setting`. */
static JnStatus check_limits(double value, const JnSetting *setting, const char *place, const char *field,
                             JnMessage *message) {
    if (isfinite(value) && value >= setting->minimum && value <= setting->maximum)
        return JN_OK;
    char remedy[80] = "give a finite number";
    if (isfinite(setting->minimum))
        snprintf(remedy, sizeof remedy, "give a number from %g to %g", setting->minimum, setting->maximum);
    return status_fail(message, JN_ERR_ARGUMENT, "%s.%s is %g%s%s: %s", place, field, value,
                       setting->unit[0] ? " " : "", setting->unit, remedy);
}

JnStatus check_field(double value, const char *scope, const char *key, const char *place, const char *field,
                     JnMessage *message) {
    return check_limits(value, &setting_detail_find(scope, key)->setting, place, field, message);
}

JnStatus check_number(double value, const char *scope, const char *key, const char *place, JnMessage *message) {
    return check_field(value, scope, key, place, key, message);
}

/* A whole number, a switch, or the number of a name. */
static JnStatus check_count(uint32_t value, const SettingDetail *line, const char *place, JnMessage *message) {
    const char *field = line->place.field;
    switch (line->setting.type) {
    case JN_SETTING_BOOLEAN:
        if (value <= 1)
            return JN_OK;
        return status_fail(message, JN_ERR_ARGUMENT, "%s.%s is %u: give 0 or 1", place, field, value);
    case JN_SETTING_NAME:
        if (field_choice_name(line, value))
            return JN_OK;
        return status_fail(message, JN_ERR_ARGUMENT, "%s.%s is %u: give a constant of the header, as 1 for '%s'", place,
                           field, value, field_choice_name(line, 1));
    default:
        return check_limits(value, &line->setting, place, field, message);
    }
}

static JnStatus check_name(const char *name, const SettingDetail *line, const char *place, JnMessage *message) {
    JnTableEntry entries[SETTING_CHOICES];
    Table table = setting_choices(line->setting.choices, entries);
    const void *item;
    return table_find(&table, name, place_member(place, line->place.field).text, &item, message);
}

static JnStatus check_line(const SettingDetail *line, const void *desc, const char *place, JnMessage *message) {
    const char *field = line->place.field;
    switch (line->place.storage) {
    case STORED_NUMBER:
        if (isnan(field_number(line, desc, 0)) && field_may_be_left(line))
            return JN_OK;
        return check_limits(field_number(line, desc, 0), &line->setting, place, field, message);
    case STORED_COUNT:
        return check_count(field_count(line, desc), line, place, message);
    case STORED_TEXT:
        return line->setting.type == JN_SETTING_NAME ? check_name(field_text(line, desc), line, place, message) : JN_OK;
    case STORED_VECTOR:
    case STORED_MATRIX:
        for (uint32_t i = 0; i < field_number_count(line->place.storage); ++i)
            TRY(check_limits(field_number(line, desc, i), &line->setting, place, place_element(field, i).text,
                             message));
        return JN_OK;
    case STORED_TAG:
        break;
    }
    return JN_OK;
}

JnStatus check_fields(DescStruct owner, const void *desc, const char *place, JnMessage *message) {
    TRY(check_struct(*(const uint32_t *)desc, desc_struct_size(owner), place, desc_struct_name(owner), message));
    const SettingDetail *line;
    for (uint32_t i = 0; (line = field_line(owner, i)) != NULL; ++i)
        TRY(check_line(line, desc, place, message));
    return JN_OK;
}

JnStatus check_transform(const double transform[12], const char *place, const char *field, JnMessage *message) {
    double inverse[12];
    for (uint32_t i = 0; i < 12; ++i)
        if (!isfinite(transform[i]))
            return status_fail(message, JN_ERR_ARGUMENT, "%s.%s[%u] is %g: give finite numbers", place, field, i,
                               transform[i]);
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
