/* A walk over every setting that has a place in the API's structs, for tests: a desc that has one of each struct, and
   another value for any setting. */
#ifndef JN_TESTS_SETTINGS_WALK_H
#define JN_TESTS_SETTINGS_WALK_H

#include "baking.h"
#include "settings/fields.h"

/* A pinned box above a floor; valid. Close it with one_body_free. */
static inline void walk_open(OneBody *scene) {
    one_body_init(scene, tet_box_make(2, 1, 1, 0.1));
    one_body_pin(scene);
    scene->desc.collider_count = 1;
    jn_bone_init(&scene->bone, sizeof scene->bone);
    scene->bone.radius = 0.2;
    scene->body.bones = &scene->bone;
    scene->body.bone_count = 1;
    jn_field_init(&scene->field, sizeof scene->field);
    scene->desc.fields = &scene->field;
    scene->desc.field_count = 1;
    scene->desc.steps_per_frame = 1000; /* what the most samples_per_frame divide */
}

/* The struct of the scene that `owner` names, and its place in messages. */
static inline void *walk_struct(OneBody *scene, DescStruct owner, const char **place) {
    static const char *const places[DESC_COUNT] = {
        [DESC_BAKE] = "desc",
        [DESC_CONTACT] = "desc.contact",
        [DESC_BODY] = "bodies[0]",
        [DESC_MATERIAL] = "bodies[0].material",
        [DESC_SPRINGS] = "bodies[0].springs",
        [DESC_REGION] = "bodies[0].regions[0]",
        [DESC_BONE] = "bodies[0].bones[0]",
        [DESC_COLLIDER] = "colliders[0]",
        [DESC_FIELD] = "fields[0]",
    };
    void *const structs[DESC_COUNT] = {
        [DESC_BAKE] = &scene->desc,
        [DESC_CONTACT] = &scene->desc.contact,
        [DESC_BODY] = &scene->body,
        [DESC_MATERIAL] = &scene->body.material,
        [DESC_SPRINGS] = &scene->body.springs,
        [DESC_REGION] = &scene->pin,
        [DESC_BONE] = &scene->bone,
        [DESC_COLLIDER] = &scene->collider,
        [DESC_FIELD] = &scene->field,
    };
    *place = places[owner];
    return structs[owner];
}

/* The field of `line` in `desc`, to be changed. */
static inline void *walk_field(const SettingDetail *line, void *desc) {
    return (char *)desc + line->place.offset;
}

/* How many values a field holds that can change each by itself. */
static inline uint32_t walk_part_count(const SettingDetail *line) {
    uint32_t numbers = field_number_count(line->place.storage);
    return numbers ? numbers : 1;
}

/* A number within the limits other than `value`. */
static inline double walk_other_number(const JnSetting *setting, double value) {
    if (!isfinite(setting->minimum))
        return value + 0.25;
    double middle = 0.5 * (setting->minimum + setting->maximum);
    return middle != value ? middle : setting->maximum;
}

/* A name among the choices other than `name`, if there is one. */
static inline const char *walk_other_name(const SettingDetail *line, const char *name) {
    const char *first = field_choice_name(line, 1), *second = field_choice_name(line, 2);
    return name && strcmp(first, name) == 0 && second ? second : first;
}

/* Gives value `part` of the field another valid value. */
static inline void walk_change(const SettingDetail *line, void *desc, uint32_t part) {
    void *field = walk_field(line, desc);
    double *numbers = field;
    uint32_t *count = field;
    switch (line->place.storage) {
    case STORED_NUMBER:
    case STORED_VECTOR:
    case STORED_MATRIX:
        numbers[part] = walk_other_number(&line->setting, numbers[part]);
        break;
    case STORED_COUNT:
        *count = line->setting.type == JN_SETTING_BOOLEAN ? !*count : *count + 1;
        break;
    case STORED_TAG:
        *(uint64_t *)field += 1;
        break;
    case STORED_TEXT:
        *(const char **)field =
            line->setting.type == JN_SETTING_NAME ? walk_other_name(line, *(const char **)field) : "another";
        break;
    }
}

#endif
