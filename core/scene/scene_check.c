#include "scene/scene_check.h"

#include "base/status.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A place in the tree: a linked list on the stack, from the root down. */
typedef struct Place {
    const struct Place *parent;
    const char *key; /* NULL: item `index` of a list */
    int index;
} Place;

enum { PLACE_BYTES = 240, VALUE_BYTES = 96, EXPECTED_BYTES = 400, KEYS_BYTES = 500, SETTINGS_MOST = 256 };

/* "bodies[0].material.density"; "the scene" for the root. Cut at the end of the buffer. */
static void place_text(const Place *place, char *text, size_t capacity) {
    if (!place) {
        text[0] = '\0';
        return;
    }
    place_text(place->parent, text, capacity);
    size_t used = strlen(text);
    if (place->key)
        snprintf(text + used, capacity - used, "%s%.60s", used ? "." : "", place->key);
    else
        snprintf(text + used, capacity - used, "[%d]", place->index);
}

/* A value in words; long ones by their size only. */
static void value_text(const cJSON *value, char *text, size_t capacity) {
    if (cJSON_IsNumber(value))
        snprintf(text, capacity, "%.9g", value->valuedouble);
    else if (cJSON_IsString(value))
        snprintf(text, capacity, "the text \"%.60s\"", value->valuestring);
    else if (cJSON_IsObject(value))
        snprintf(text, capacity, "an object");
    else if (cJSON_GetArraySize(value) > 12 || !cJSON_PrintPreallocated((cJSON *)value, text, (int)capacity, 0))
        snprintf(text, capacity, "a list of %d", cJSON_GetArraySize(value));
}

/* "from 1 to 10", "of at least 0", or nothing. */
static void limits_text(const JnSetting *setting, char *text, size_t capacity) {
    if (isfinite(setting->minimum) && setting->minimum == setting->maximum)
        snprintf(text, capacity, " equal to %.9g", setting->minimum);
    else if (isfinite(setting->minimum) && isfinite(setting->maximum))
        snprintf(text, capacity, " from %.9g to %.9g", setting->minimum, setting->maximum);
    else
        text[0] = '\0';
}

/* "one of y, z", cut at the end of the buffer. */
static void names_text(const char *choices, char *text, size_t capacity) {
    JnTableEntry entries[SETTING_CHOICES];
    Table table = setting_choices(choices, entries);
    size_t used = (size_t)snprintf(text, capacity, "one of ");
    for (uint32_t i = 0; i < table.count && used < capacity; ++i)
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", i ? ", " : "", table_at(&table, i)->name);
}

void scene_check_expected(const SettingDetail *detail, char *text, size_t capacity) {
    const JnSetting *setting = &detail->setting;
    static const char *const types[] = {
        [JN_SETTING_NUMBER] = "a number",
        [JN_SETTING_INTEGER] = "a whole number",
        [JN_SETTING_BOOLEAN] = "true or false",
        [JN_SETTING_TEXT] = "a text",
        [JN_SETTING_VECTOR] = "a list of three numbers",
        [JN_SETTING_OBJECT] = "an object",
        [JN_SETTING_LIST] = "a list of objects",
    };
    static const char *const forms[] = {
        [FORM_TEXT_OR_OBJECT] = "an object or a path",
        [FORM_VECTOR_OR_OBJECT] = "an object or a list of three numbers",
        [FORM_MATRIX_OR_OBJECT] = "an object or a list of twelve numbers",
        [FORM_MAP] = "an object of objects",
        [FORM_NUMBER_OR_VECTOR] = "a number or a list of three numbers",
        [FORM_TWO_POINTS] = "a list of two points of three numbers each",
        [FORM_NUMBERS] = "a list of numbers",
        [FORM_COUNTS] = "a list of three whole numbers",
        [FORM_NAMES] = "a list of names",
    };
    if (setting->type == JN_SETTING_NAME) {
        names_text(setting->choices, text, capacity);
        return;
    }
    char limits[80] = "", unit[32] = "";
    if (setting->type != JN_SETTING_BOOLEAN)
        limits_text(setting, limits, sizeof limits);
    if (setting->unit[0])
        snprintf(unit, sizeof unit, " (%s)", setting->unit);
    snprintf(text, capacity, "%s%s%s", setting->type == JN_SETTING_ANY ? forms[detail->form] : types[setting->type],
             limits, unit);
}

static JnStatus fail_value(const cJSON *value, const SettingDetail *detail, const Place *place, JnMessage *message) {
    char where[PLACE_BYTES], is[VALUE_BYTES], expected[EXPECTED_BYTES];
    place_text(place, where, sizeof where);
    value_text(value, is, sizeof is);
    scene_check_expected(detail, expected, sizeof expected);
    return status_fail(message, JN_ERR_SCENE, "%s is %s, but must be %s", where, is, expected);
}

/* A number within the limits of `setting`; whole if `whole`. */
static bool number_fits(const cJSON *value, const JnSetting *setting, bool whole) {
    double number = value->valuedouble;
    return cJSON_IsNumber(value) && isfinite(number) && number >= setting->minimum && number <= setting->maximum &&
           (!whole || number == floor(number));
}

/* A list of `count` numbers (any number of them if -1) within the limits. */
static bool numbers_fit(const cJSON *value, int count, const JnSetting *setting, bool whole) {
    if (!cJSON_IsArray(value) || (count >= 0 && cJSON_GetArraySize(value) != count))
        return false;
    for (const cJSON *item = value->child; item; item = item->next)
        if (!number_fits(item, setting, whole))
            return false;
    return true;
}

/* The item of a long list of numbers that does not fit. */
static JnStatus fail_numbers(const cJSON *value, const SettingDetail *detail, const Place *place, JnMessage *message) {
    SettingDetail number = *detail;
    number.setting.type = JN_SETTING_NUMBER;
    Place item_place = {place, NULL, 0};
    for (const cJSON *item = value->child; item; item = item->next, ++item_place.index)
        if (!number_fits(item, &number.setting, false))
            return fail_value(item, &number, &item_place, message);
    return fail_value(value, detail, place, message);
}

static JnStatus check_object(const cJSON *object, const char *scope, const Place *place, JnMessage *message);

static JnStatus check_list(const cJSON *value, const SettingDetail *detail, const Place *place, JnMessage *message) {
    if (!cJSON_IsArray(value) || (detail->required && !value->child))
        return fail_value(value, detail, place, message);
    Place item_place = {place, NULL, 0};
    for (const cJSON *item = value->child; item; item = item->next, ++item_place.index) {
        if (!cJSON_IsObject(item))
            return fail_value(value, detail, place, message);
        JnStatus status = check_object(item, detail->setting.choices, &item_place, message);
        if (status != JN_OK)
            return status;
    }
    return JN_OK;
}

/* An object whose keys are free names, none twice, each with an object of the inner scope. */
static JnStatus check_map(const cJSON *value, const SettingDetail *detail, const Place *place, JnMessage *message) {
    if (!cJSON_IsObject(value))
        return fail_value(value, detail, place, message);
    if (cJSON_GetArraySize(value) > SCENE_NAMES_MOST) {
        char where[PLACE_BYTES];
        place_text(place, where, sizeof where);
        return status_fail(message, JN_ERR_SCENE, "%s has %d names, more than the %d allowed", where,
                           cJSON_GetArraySize(value), SCENE_NAMES_MOST);
    }
    for (const cJSON *item = value->child; item; item = item->next) {
        Place item_place = {place, item->string, 0};
        for (const cJSON *other = value->child; other != item; other = other->next)
            if (strcmp(other->string, item->string) == 0) {
                char where[PLACE_BYTES];
                place_text(&item_place, where, sizeof where);
                return status_fail(message, JN_ERR_SCENE, "%s is given twice: keep one", where);
            }
        if (!cJSON_IsObject(item))
            return fail_value(item, detail, &item_place, message);
        JnStatus status = check_object(item, detail->inner, &item_place, message);
        if (status != JN_OK)
            return status;
    }
    return JN_OK;
}

static bool names_fit(const cJSON *value) {
    if (!cJSON_IsArray(value))
        return false;
    for (const cJSON *item = value->child; item; item = item->next)
        if (!cJSON_IsString(item) || !item->valuestring[0])
            return false;
    return true;
}

/* The settings of several forms: everything that is not an object of the inner scope. */
static bool form_fits(const cJSON *value, const SettingDetail *detail) {
    const JnSetting *setting = &detail->setting;
    switch (detail->form) {
    case FORM_TEXT_OR_OBJECT:
        return cJSON_IsString(value) && value->valuestring[0];
    case FORM_VECTOR_OR_OBJECT:
        return numbers_fit(value, 3, setting, false);
    case FORM_MATRIX_OR_OBJECT:
        return numbers_fit(value, 12, setting, false);
    case FORM_NUMBER_OR_VECTOR:
        return number_fits(value, setting, false) || numbers_fit(value, 3, setting, false);
    case FORM_TWO_POINTS:
        return cJSON_IsArray(value) && cJSON_GetArraySize(value) == 2 && numbers_fit(value->child, 3, setting, false) &&
               numbers_fit(value->child->next, 3, setting, false);
    case FORM_NUMBERS:
        return numbers_fit(value, -1, setting, false);
    case FORM_COUNTS:
        return numbers_fit(value, 3, setting, true);
    case FORM_NAMES:
        return names_fit(value);
    case FORM_PLAIN:
    case FORM_MAP:
        break;
    }
    return false;
}

static JnStatus check_name(const cJSON *value, const SettingDetail *detail, const Place *place, JnMessage *message) {
    JnTableEntry entries[SETTING_CHOICES];
    Table table = setting_choices(detail->setting.choices, entries);
    char where[PLACE_BYTES];
    const void *item;
    if (!cJSON_IsString(value))
        return fail_value(value, detail, place, message);
    place_text(place, where, sizeof where);
    return table_find(&table, value->valuestring, where, &item, message);
}

static JnStatus check_value(const cJSON *value, const SettingDetail *detail, const Place *place, JnMessage *message) {
    const JnSetting *setting = &detail->setting;
    bool fits = false;
    switch (setting->type) {
    case JN_SETTING_NUMBER:
    case JN_SETTING_INTEGER:
        fits = number_fits(value, setting, setting->type == JN_SETTING_INTEGER);
        break;
    case JN_SETTING_BOOLEAN:
        fits = cJSON_IsBool(value);
        break;
    case JN_SETTING_TEXT:
        fits = cJSON_IsString(value) && (value->valuestring[0] || strcmp(setting->scope, "scene") == 0);
        break;
    case JN_SETTING_NAME:
        return check_name(value, detail, place, message);
    case JN_SETTING_VECTOR:
        fits = numbers_fit(value, 3, setting, false);
        break;
    case JN_SETTING_OBJECT:
        if (cJSON_IsObject(value))
            return check_object(value, setting->choices, place, message);
        break;
    case JN_SETTING_LIST:
        return check_list(value, detail, place, message);
    case JN_SETTING_ANY:
        if (detail->form == FORM_MAP)
            return check_map(value, detail, place, message);
        if (detail->inner && cJSON_IsObject(value))
            return check_object(value, detail->inner, place, message);
        fits = form_fits(value, detail);
        break;
    }
    if (fits)
        return JN_OK;
    return detail->form == FORM_NUMBERS && cJSON_IsArray(value) ? fail_numbers(value, detail, place, message)
                                                                : fail_value(value, detail, place, message);
}

/* The built keys of a scope: "field, file, values". Cut at the end of the buffer. */
static void keys_text(const char *scope, char *text, size_t capacity) {
    size_t used = 0;
    text[0] = '\0';
    const SettingDetail *detail;
    for (uint32_t i = 0; (detail = setting_detail(i)) != NULL && used < capacity; ++i)
        if (strcmp(detail->setting.scope, scope) == 0 && detail->setting.built)
            used += (size_t)snprintf(text + used, capacity - used, "%s%s", used ? ", " : "", detail->setting.key);
}

static JnStatus fail_unknown(const char *scope, const Place *place, JnMessage *message) {
    char where[PLACE_BYTES];
    const char *near = setting_nearest(scope, place->key);
    place_text(place, where, sizeof where);
    if (near)
        return status_fail(message, JN_ERR_SCENE, "%s is not a known key; did you mean %s?", where, near);

    /* no similar key: list the known ones */
    char keys[KEYS_BYTES];
    keys_text(scope, keys, sizeof keys);
    return status_fail(message, JN_ERR_SCENE, "%s is not a known key; the keys here are %s", where, keys);
}

static JnStatus check_object(const cJSON *object, const char *scope, const Place *place, JnMessage *message) {
    bool seen[SETTINGS_MOST] = {false};
    char where[PLACE_BYTES];
    for (const cJSON *value = object->child; value; value = value->next) {
        Place value_place = {place, value->string, 0};
        const SettingDetail *detail = setting_detail_find(scope, value->string);
        if (!detail)
            return fail_unknown(scope, &value_place, message);
        place_text(&value_place, where, sizeof where);
        if (!detail->setting.built)
            return status_fail(message, JN_ERR_NOT_BUILT, "%s (%s) is not yet built: remove the key", where,
                               detail->setting.label);
        size_t index = (size_t)(detail - setting_detail(0));
        if (seen[index])
            return status_fail(message, JN_ERR_SCENE, "%s is given twice: keep one", where);
        seen[index] = true;
        JnStatus status = check_value(value, detail, &value_place, message);
        if (status != JN_OK)
            return status;
    }

    /* missing keys */
    if (setting_scope_find(scope)->one_key && cJSON_GetArraySize(object) != 1) {
        char keys[KEYS_BYTES];
        keys_text(scope, keys, sizeof keys);
        place_text(place, where, sizeof where);
        return status_fail(message, JN_ERR_SCENE, "%s must have exactly one of the keys %s", where, keys);
    }
    const SettingDetail *detail;
    for (uint32_t i = 0; (detail = setting_detail(i)) != NULL; ++i)
        if (detail->required && !seen[i] && strcmp(detail->setting.scope, scope) == 0) {
            Place missing = {place, detail->setting.key, 0};
            place_text(&missing, where, sizeof where);
            return status_fail(message, JN_ERR_SCENE, "%s is missing: %s", where, detail->setting.summary);
        }
    return JN_OK;
}

JnStatus scene_check(const cJSON *root, JnMessage *message) {
    if (!cJSON_IsObject(root))
        return status_fail(message, JN_ERR_SCENE, "a scene must be an object: { \"jounce\": 1, ... }");
    return check_object(root, "scene", NULL, message);
}
