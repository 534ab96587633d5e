/* Looking things up in the settings table. */
#include "settings/settings.h"
#include "settings/tables.h"

#include <math.h>
#include <string.h>

uint32_t jn_setting_count(void) {
    uint32_t count = 0;
    while (setting_detail(count))
        ++count;
    return count;
}

const JnSetting *jn_setting(uint32_t index) {
    const SettingDetail *detail = setting_detail(index);
    return detail ? &detail->setting : NULL;
}

const SettingDetail *setting_detail_find(const char *scope, const char *key) {
    const SettingDetail *detail;
    for (uint32_t i = 0; (detail = setting_detail(i)) != NULL; ++i)
        if (strcmp(detail->setting.scope, scope) == 0 && strcmp(detail->setting.key, key) == 0)
            return detail;
    return NULL;
}

const JnSetting *jn_setting_find(const char *scope, const char *key) {
    if (!scope || !key)
        return NULL;
    const SettingDetail *detail = setting_detail_find(scope, key);
    return detail ? &detail->setting : NULL;
}

double setting_default(const char *scope, const char *key) {
    const SettingDetail *detail = setting_detail_find(scope, key);
    return detail ? detail->setting.default_value : NAN;
}

const SettingScope *setting_scope_find(const char *name) {
    const SettingScope *scope;
    for (uint32_t i = 0; (scope = setting_scope(i)) != NULL; ++i)
        if (strcmp(scope->name, name) == 0)
            return scope;
    return NULL;
}

const char *setting_nearest(const char *scope, const char *key) {
    const char *candidates[SETTING_CHOICES];
    size_t count = 0;
    const SettingDetail *detail;
    for (uint32_t i = 0; (detail = setting_detail(i)) != NULL && count < SETTING_CHOICES; ++i)
        if (strcmp(detail->setting.scope, scope) == 0)
            candidates[count++] = detail->setting.key;
    const char *nearest = table_nearest(key, candidates, count);
    if (nearest)
        return nearest;

    /* "youngs" is far from "young_modulus", but has the same beginning */
    size_t longest = 3;
    for (size_t i = 0; i < count; ++i) {
        size_t length = 0;
        while (key[length] && key[length] == candidates[i][length])
            ++length;
        if (length > longest) {
            longest = length;
            nearest = candidates[i];
        }
    }
    return nearest;
}

Table setting_choices(const char *choices, JnTableEntry entries[SETTING_CHOICES]) {
    static const JnTableEntry axes[] = {{"y", "Y", "Y points up."}, {"z", "Z", "Z points up, as in Blender."}};
    const Table *stage = table_of_stage(choices);
    if (stage)
        return *stage;
    if (strcmp(choices, "axes") == 0)
        return (Table){"axes", "axis", axes, sizeof axes[0], sizeof axes / sizeof axes[0], NULL};
    uint32_t count = 0;
    for (; count < jn_preset_count() && count < SETTING_CHOICES; ++count) {
        const JnPreset *preset = jn_preset(count);
        entries[count] = (JnTableEntry){preset->name, preset->label, preset->summary};
    }
    return (Table){"presets", "preset", entries, sizeof entries[0], count, NULL};
}
