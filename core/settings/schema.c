/* The JSON schema of scene files (draft 2020-12), made from the settings table. */
#include "settings/settings.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Out of memory, cJSON's builders give NULL and accept NULL, so that one check at the end is enough: `lost` records a
   failure. */
static cJSON *add(cJSON *parent, const char *key, cJSON *value, bool *lost) {
    if (!value || !(key ? cJSON_AddItemToObject(parent, key, value) : cJSON_AddItemToArray(parent, value))) {
        cJSON_Delete(value);
        *lost = true;
        return NULL;
    }
    return value;
}

static void add_text(cJSON *parent, const char *key, const char *text, bool *lost) {
    add(parent, key, cJSON_CreateString(text), lost);
}

static void add_reference(cJSON *parent, const char *scope, bool *lost) {
    char reference[64];
    snprintf(reference, sizeof reference, "#/$defs/%s", scope);
    add_text(parent, "$ref", reference, lost);
}

/* {"type": "number", "minimum": .., "maximum": ..} into `schema` */
static void fill_number(cJSON *schema, const JnSetting *setting, const char *type, bool *lost) {
    add_text(schema, "type", type, lost);
    if (isfinite(setting->minimum))
        add(schema, "minimum", cJSON_CreateNumber(setting->minimum), lost);
    if (isfinite(setting->maximum))
        add(schema, "maximum", cJSON_CreateNumber(setting->maximum), lost);
}

/* A list of `count` numbers (any number of them if 0) into `schema`. */
static void fill_numbers(cJSON *schema, const JnSetting *setting, const char *type, int count, bool *lost) {
    add_text(schema, "type", "array", lost);
    fill_number(add(schema, "items", cJSON_CreateObject(), lost), setting, type, lost);
    if (count) {
        add(schema, "minItems", cJSON_CreateNumber(count), lost);
        add(schema, "maxItems", cJSON_CreateNumber(count), lost);
    }
}

/* A list of two points into `schema`. */
static void fill_two_points(cJSON *schema, const JnSetting *setting, bool *lost) {
    add_text(schema, "type", "array", lost);
    fill_numbers(add(schema, "items", cJSON_CreateObject(), lost), setting, "number", 3, lost);
    add(schema, "minItems", cJSON_CreateNumber(2), lost);
    add(schema, "maxItems", cJSON_CreateNumber(2), lost);
}

static void fill_text(cJSON *schema, const JnSetting *setting, bool *lost) {
    add_text(schema, "type", "string", lost);
    if (strcmp(setting->scope, "scene") != 0)
        add(schema, "minLength", cJSON_CreateNumber(1), lost);
}

static void fill_form(cJSON *schema, const SettingDetail *detail, bool *lost) {
    const JnSetting *setting = &detail->setting;
    if (detail->form == FORM_MAP) {
        add_text(schema, "type", "object", lost);
        add_reference(add(schema, "additionalProperties", cJSON_CreateObject(), lost), detail->inner, lost);
        return;
    }
    if (detail->form == FORM_NUMBERS || detail->form == FORM_COUNTS) {
        bool counts = detail->form == FORM_COUNTS;
        fill_numbers(schema, setting, counts ? "integer" : "number", counts ? 3 : 0, lost);
        return;
    }
    if (detail->form == FORM_TWO_POINTS) {
        fill_two_points(schema, setting, lost);
        return;
    }
    if (detail->form == FORM_NAMES) {
        add_text(schema, "type", "array", lost);
        fill_text(add(schema, "items", cJSON_CreateObject(), lost), setting, lost);
        return;
    }

    /* either an object (or one number), or the other form */
    cJSON *either = add(schema, "anyOf", cJSON_CreateArray(), lost);
    cJSON *first = add(either, NULL, cJSON_CreateObject(), lost);
    cJSON *second = add(either, NULL, cJSON_CreateObject(), lost);
    if (detail->inner)
        add_reference(first, detail->inner, lost);
    else
        fill_number(first, setting, "number", lost);
    if (detail->form == FORM_TEXT_OR_OBJECT)
        fill_text(second, setting, lost);
    else
        fill_numbers(second, setting, "number", detail->form == FORM_MATRIX_OR_OBJECT ? 12 : 3, lost);
}

static void fill_name(cJSON *schema, const JnSetting *setting, bool *lost) {
    JnTableEntry entries[SETTING_CHOICES];
    Table table = setting_choices(setting->choices, entries);
    cJSON *names = add(schema, "enum", cJSON_CreateArray(), lost);
    for (uint32_t i = 0; i < table.count; ++i)
        add_text(names, NULL, table_at(&table, i)->name, lost);
}

static void fill_type(cJSON *schema, const SettingDetail *detail, bool *lost) {
    const JnSetting *setting = &detail->setting;
    switch (setting->type) {
    case JN_SETTING_NUMBER:
        fill_number(schema, setting, "number", lost);
        break;
    case JN_SETTING_INTEGER:
        fill_number(schema, setting, "integer", lost);
        break;
    case JN_SETTING_BOOLEAN:
        add_text(schema, "type", "boolean", lost);
        break;
    case JN_SETTING_TEXT:
        fill_text(schema, setting, lost);
        break;
    case JN_SETTING_NAME:
        fill_name(schema, setting, lost);
        break;
    case JN_SETTING_VECTOR:
        fill_numbers(schema, setting, "number", 3, lost);
        break;
    case JN_SETTING_OBJECT:
        add_reference(schema, setting->choices, lost);
        break;
    case JN_SETTING_LIST:
        add_text(schema, "type", "array", lost);
        add_reference(add(schema, "items", cJSON_CreateObject(), lost), setting->choices, lost);
        if (detail->required)
            add(schema, "minItems", cJSON_CreateNumber(1), lost);
        break;
    case JN_SETTING_ANY:
        fill_form(schema, detail, lost);
        break;
    }
}

/* The default, if it is a single number or name. */
static void fill_default(cJSON *schema, const SettingDetail *detail, bool *lost) {
    const JnSetting *setting = &detail->setting;
    if (setting->type == JN_SETTING_NAME && detail->default_text)
        add_text(schema, "default", detail->default_text, lost);
    if (isnan(setting->default_value) || detail->default_text)
        return;
    double value = setting->default_value;
    if (setting->type == JN_SETTING_BOOLEAN)
        add(schema, "default", cJSON_CreateBool(value != 0), lost);
    else if (setting->type == JN_SETTING_VECTOR)
        add(schema, "default", cJSON_CreateDoubleArray((double[3]){value, value, value}, 3), lost);
    else
        add(schema, "default", cJSON_CreateNumber(value), lost);
}

static void add_setting(cJSON *properties, const SettingDetail *detail, bool *lost) {
    const JnSetting *setting = &detail->setting;
    char description[600];
    snprintf(description, sizeof description, "%s%s%s%s%s", setting->summary, setting->unit[0] ? " Unit: " : "",
             setting->unit, setting->unit[0] ? "." : "", setting->built ? "" : " Not yet built.");
    cJSON *schema = add(properties, setting->key, cJSON_CreateObject(), lost);
    add_text(schema, "title", setting->label, lost);
    add_text(schema, "description", description, lost);
    if (!setting->built) {
        add(schema, "not", cJSON_CreateObject(), lost);
        return;
    }
    fill_type(schema, detail, lost);
    fill_default(schema, detail, lost);
}

static void add_scope(cJSON *definitions, const SettingScope *scope, bool *lost) {
    cJSON *schema = add(definitions, scope->name, cJSON_CreateObject(), lost);
    add_text(schema, "description", scope->summary, lost);
    add_text(schema, "type", "object", lost);
    cJSON *properties = add(schema, "properties", cJSON_CreateObject(), lost), *required = NULL;
    const SettingDetail *detail;
    for (uint32_t i = 0; (detail = setting_detail(i)) != NULL; ++i) {
        if (strcmp(detail->setting.scope, scope->name) != 0)
            continue;
        add_setting(properties, detail, lost);
        if (detail->required) {
            required = required ? required : add(schema, "required", cJSON_CreateArray(), lost);
            add_text(required, NULL, detail->setting.key, lost);
        }
    }
    if (scope->one_key) {
        add(schema, "minProperties", cJSON_CreateNumber(1), lost);
        add(schema, "maxProperties", cJSON_CreateNumber(1), lost);
    }
    add(schema, "additionalProperties", cJSON_CreateFalse(), lost);
}

/* The whole schema as text, NULL if memory runs out. */
static char *print_schema(void) {
    bool lost = false;
    cJSON *root = cJSON_CreateObject();
    add_text(root, "$schema", "https://json-schema.org/draft/2020-12/schema", &lost);
    add_text(root, "title", "Jounce scene", &lost);
    add_reference(root, "scene", &lost);
    cJSON *definitions = add(root, "$defs", cJSON_CreateObject(), &lost);
    const SettingScope *scope;
    for (uint32_t i = 0; (scope = setting_scope(i)) != NULL; ++i)
        add_scope(definitions, scope, &lost);
    char *text = lost ? NULL : cJSON_Print(root);
    cJSON_Delete(root);
    return text;
}

size_t jn_scene_schema(char *text, size_t capacity) {
    char *schema = print_schema();
    size_t length = schema ? strlen(schema) : 0;
    if (text && capacity > 0)
        snprintf(text, capacity, "%s", schema ? schema : "");
    cJSON_free(schema);
    return length;
}
