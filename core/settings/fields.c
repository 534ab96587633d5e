#include "settings/fields.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
} structs[DESC_COUNT] = {
    [DESC_BAKE] = {"JnBakeDesc", sizeof(JnBakeDesc)},  [DESC_CONTACT] = {"JnContact", sizeof(JnContact)},
    [DESC_BODY] = {"JnBody", sizeof(JnBody)},          [DESC_MATERIAL] = {"JnMaterial", sizeof(JnMaterial)},
    [DESC_SPRINGS] = {"JnSprings", sizeof(JnSprings)}, [DESC_REGION] = {"JnRegion", sizeof(JnRegion)},
    [DESC_BONE] = {"JnBone", sizeof(JnBone)},          [DESC_COLLIDER] = {"JnCollider", sizeof(JnCollider)},
    [DESC_FIELD] = {"JnField", sizeof(JnField)},
};

const char *desc_struct_name(DescStruct owner) {
    return structs[owner].name;
}

size_t desc_struct_size(DescStruct owner) {
    return structs[owner].size;
}

const SettingDetail *field_line(DescStruct owner, uint32_t index) {
    const SettingDetail *line;
    for (uint32_t i = 0; (line = setting_line(i)) != NULL; ++i)
        if (line->place.owner == owner && index-- == 0)
            return line;
    return NULL;
}

const void *field_address(const SettingDetail *line, const void *desc) {
    return (const char *)desc + line->place.offset;
}

size_t field_bytes(FieldStorage storage) {
    static const size_t bytes[] = {
        [STORED_NUMBER] = sizeof(double),     [STORED_COUNT] = sizeof(uint32_t),   [STORED_TAG] = sizeof(uint64_t),
        [STORED_TEXT] = sizeof(const char *), [STORED_VECTOR] = sizeof(double[3]), [STORED_MATRIX] = sizeof(double[12]),
    };
    return bytes[storage];
}

uint32_t field_number_count(FieldStorage storage) {
    return storage == STORED_NUMBER ? 1 : storage == STORED_VECTOR ? 3 : storage == STORED_MATRIX ? 12 : 0;
}

double field_number(const SettingDetail *line, const void *desc, uint32_t index) {
    return ((const double *)field_address(line, desc))[index];
}

uint32_t field_count(const SettingDetail *line, const void *desc) {
    return *(const uint32_t *)field_address(line, desc);
}

uint64_t field_tag(const SettingDetail *line, const void *desc) {
    return *(const uint64_t *)field_address(line, desc);
}

const char *field_text(const SettingDetail *line, const void *desc) {
    return *(const char *const *)field_address(line, desc);
}

bool field_may_be_left(const SettingDetail *line) {
    return line->setting.type == JN_SETTING_NUMBER && isnan(line->setting.default_value) && !line->required;
}

const char *field_choice_name(const SettingDetail *line, uint32_t number) {
    JnTableEntry entries[SETTING_CHOICES];
    Table table = setting_choices(line->setting.choices, entries);
    const JnTableEntry *entry = number ? table_at(&table, number - 1) : NULL;
    return entry ? entry->name : NULL;
}

uint32_t field_choice_number(const SettingDetail *line, const char *name) {
    uint32_t number = 1;
    for (const char *choice; (choice = field_choice_name(line, number)) != NULL; ++number)
        if (strcmp(choice, name) == 0)
            return number;
    return 0;
}

static void init_field(const SettingDetail *line, void *desc) {
    const JnSetting *setting = &line->setting;
    void *address = (char *)desc + line->place.offset;
    bool is_name = setting->type == JN_SETTING_NAME;
    switch (line->place.storage) {
    case STORED_NUMBER:
        *(double *)address = setting->default_value;
        break;
    case STORED_COUNT:
        *(uint32_t *)address =
            is_name ? field_choice_number(line, line->default_text) : (uint32_t)setting->default_value;
        break;
    case STORED_TEXT:
        if (is_name)
            *(const char **)address = line->default_text;
        break;
    case STORED_VECTOR:
        for (uint32_t i = 0; i < 3 && setting->type == JN_SETTING_VECTOR && !isnan(setting->default_value); ++i)
            ((double *)address)[i] = setting->default_value;
        break;
    case STORED_TAG:
    case STORED_MATRIX:
        break;
    }
}

void fields_init(DescStruct owner, void *desc) {
    memset(desc, 0, desc_struct_size(owner));
    *(uint32_t *)desc = (uint32_t)desc_struct_size(owner);
    const SettingDetail *line;
    for (uint32_t i = 0; (line = field_line(owner, i)) != NULL; ++i)
        init_field(line, desc);
}
