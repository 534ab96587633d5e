#include "scene/scene_value.h"

#include "settings/fields.h"

#include <string.h>

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

static void store(const cJSON *value, const SettingDetail *line, void *desc) {
    void *address = (char *)desc + line->place.offset;
    switch (line->place.storage) {
    case STORED_NUMBER:
        *(double *)address = value->valuedouble;
        break;
    case STORED_COUNT:
        *(uint32_t *)address = cJSON_IsString(value) ? field_choice_number(line, value->valuestring)
                               : cJSON_IsBool(value) ? (uint32_t)cJSON_IsTrue(value)
                                                     : (uint32_t)value->valuedouble;
        break;
    case STORED_TEXT:
        *(const char **)address = value->valuestring;
        break;
    case STORED_VECTOR:
    case STORED_MATRIX:
        if (cJSON_IsArray(value))
            value_numbers(value, field_number_count(line->place.storage), address);
        break;
    case STORED_TAG:
        break;
    }
}

void value_fields(const cJSON *object, const char *scope, DescStruct owner, void *desc) {
    const SettingDetail *line;
    for (uint32_t i = 0; (line = field_line(owner, i)) != NULL; ++i) {
        bool is_here = strcmp(line->setting.scope, scope) == 0;
        const cJSON *home = is_here ? object : value_get(object, line->setting.scope);
        const cJSON *value = value_get(home, line->setting.key);
        if (value)
            store(value, line, desc);
    }
}
