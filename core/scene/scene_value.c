#include "scene/scene_value.h"

const cJSON *value_get(const cJSON *object, const char *key) {
    return object ? cJSON_GetObjectItemCaseSensitive(object, key) : NULL;
}

const char *value_text(const cJSON *object, const char *key) {
    const cJSON *value = value_get(object, key);
    return value ? value->valuestring : NULL;
}

double value_number(const cJSON *object, const char *scope, const char *key) {
    const cJSON *value = value_get(object, key);
    if (!value)
        return setting_default(scope, key);
    return cJSON_IsBool(value) ? cJSON_IsTrue(value) : value->valuedouble;
}

const char *value_name(const cJSON *object, const char *scope, const char *key) {
    const char *text = value_text(object, key);
    return text ? text : setting_default_name(scope, key);
}

void value_vector(const cJSON *object, const char *scope, const char *key, double out[3]) {
    const cJSON *value = value_get(object, key);
    if (value && cJSON_IsArray(value))
        value_numbers(value, 3, out);
    else
        out[0] = out[1] = out[2] = value ? value->valuedouble : setting_default(scope, key);
}

void value_numbers(const cJSON *list, size_t count, double *out) {
    const cJSON *item = list->child;
    for (size_t i = 0; i < count && item; ++i, item = item->next)
        out[i] = item->valuedouble;
}
