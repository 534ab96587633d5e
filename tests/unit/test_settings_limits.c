/* The same limits everywhere: what a setting of a desc may not be is refused by its place, and by the scene parser
   where it is a key of scene files. */
#include "harness.h"
#include "scene_fixture.h"
#include "settings_walk.h"

#include "settings/validate.h"

/* ------------------------------------------------------------------------------------------------ descs */

/* Value number `index` that the field may not have, into the field; false if there are no more. */
static bool spoil(const SettingDetail *line, void *desc, uint32_t index) {
    const JnSetting *setting = &line->setting;
    void *field = walk_field(line, desc);
    uint32_t parts = walk_part_count(line), part = index % parts;
    const double numbers[] = {INFINITY, -INFINITY, nextafter(setting->minimum, -INFINITY),
                              nextafter(setting->maximum, INFINITY), NAN};
    switch (line->place.storage) {
    case STORED_NUMBER:
    case STORED_VECTOR:
    case STORED_MATRIX:
        if (index / parts >= (field_may_be_left(line) ? 4u : 5u))
            return false;
        ((double *)field)[part] = numbers[index / parts];
        /* without limits, the neighbours of infinity are fine */
        if (!isfinite(setting->minimum) && index / parts >= 2)
            ((double *)field)[part] = NAN;
        return true;
    case STORED_COUNT:
        if (setting->type == JN_SETTING_NAME)
            *(uint32_t *)field = index ? 3 : 0;
        else
            *(uint32_t *)field = index ? (uint32_t)setting->minimum - 1 : (uint32_t)setting->maximum + 1;
        return setting->maximum != UINT32_MAX && index < 2;
    case STORED_TEXT:
        *(const char **)field = index ? NULL : "no such name";
        return setting->type == JN_SETTING_NAME && index < 2;
    case STORED_TAG:
        break;
    }
    return false;
}

/* Whether validation refuses the field by its place; says so if not. */
static bool is_refused(const OneBody *scene, const char *place, const char *field) {
    char where[100];
    JnMessage message = {0};
    snprintf(where, sizeof where, "%s.%s", place, field);
    JnStatus status = validate_desc(&scene->desc, &message);
    bool right = (status == JN_ERR_ARGUMENT || status == JN_ERR_UNKNOWN_NAME) && strstr(message.text, where);
    if (!right)
        printf("%s: %s: %s\n", where, jn_status_name(status), message.text);
    return right;
}

TEST(validation_refuses_every_setting_beyond_its_limits_by_its_place) {
    OneBody scene;
    JnMessage message;
    walk_open(&scene);
    CHECK(validate_desc(&scene.desc, &message) == JN_OK);
    const SettingDetail *line;
    uint32_t refused = 0;
    for (uint32_t i = 0; (line = setting_line(i)) != NULL; ++i) {
        if (line->place.owner == DESC_NONE)
            continue;
        const char *place;
        char kept[sizeof(double[12])];
        void *desc = walk_struct(&scene, line->place.owner, &place);
        memcpy(kept, walk_field(line, desc), field_bytes(line->place.storage));
        for (uint32_t v = 0; spoil(line, desc, v); ++v, ++refused) {
            CHECK(is_refused(&scene, place, line->place.field));
            memcpy(walk_field(line, desc), kept, field_bytes(line->place.storage));
        }
        memcpy(walk_field(line, desc), kept, field_bytes(line->place.storage));
    }
    CHECK(refused > 200);
    CHECK(validate_desc(&scene.desc, &message) == JN_OK);
    one_body_free(&scene);
}

TEST(validation_accepts_every_number_at_its_limits_and_left_to_the_core) {
    OneBody scene;
    walk_open(&scene);
    const SettingDetail *line;
    for (uint32_t i = 0; (line = setting_line(i)) != NULL; ++i) {
        if (line->place.owner == DESC_NONE || line->place.storage != STORED_NUMBER)
            continue;
        const char *place;
        double *field = walk_field(line, walk_struct(&scene, line->place.owner, &place)), kept = *field;
        const double allowed[] = {line->setting.minimum, line->setting.maximum, NAN};
        for (int v = 0; v < (field_may_be_left(line) ? 3 : 2); ++v) {
            JnMessage message;
            char where[100];
            *field = allowed[v];
            validate_desc(&scene.desc, &message); /* other settings may contradict it */
            snprintf(where, sizeof where, "%s.%s is", place, line->place.field);
            if (strstr(message.text, where))
                printf("%s\n", message.text);
            CHECK(!strstr(message.text, where));
        }
        *field = kept;
    }
    one_body_free(&scene);
}

TEST(validation_refuses_a_goal_without_a_value) {
    OneBody scene;
    walk_open(&scene);
    scene.pin.effect = "goal";
    scene.pin.value = NAN;
    bool refused = is_refused(&scene, "bodies[0].regions[0]", "value");
    one_body_free(&scene);
    CHECK(refused);
}

/* ------------------------------------------------------------------------------------------------ scene files */

/* What the objects of a scope need besides, each a list of keys and values. */
static const struct {
    const char *scope, *key, *value;
} companions[] = {
    {"world", "air_density", "1"},
    {"material", "settle_seconds", "2"},
    {"region", "weights", "\"w\""},
    {"region", "effect", "\"goal\""},
    {"region", "value", "3"},
    {"collider", "name", "\"c\""},
    {"bone", "name", "\"j\""},
    {"field", "name", "\"f\""},
    {"field", "kind", "\"wind\""},
    {"body", "name", "\"b\""},
    {"body", "mesh", "{\"shape\": \"beam\"}"},
    {"body", "weights", "{\"w\": {\"field\": \"start\"}, \"another\": {\"field\": \"end\"}}"},
};

/* The members of an object of `scope`: `"key": value`, if key is not NULL, and what the scope needs besides. */
static void members(const char *scope, const char *key, const char *value, char *text, size_t capacity) {
    size_t used = key ? (size_t)snprintf(text, capacity, "\"%s\": %s", key, value) : 0;
    /* a material says its damping in one way: only the frequency needs another */
    bool alone = strcmp(scope, "material") == 0 && strcmp(key, "damping_frequency") != 0;
    /* only what is attached has another body, and no value */
    bool attached = strcmp(scope, "region") == 0 && key && strcmp(key, "to") == 0;
    if (attached)
        used += (size_t)snprintf(text + used, capacity - used, ", \"weights\": \"w\", \"effect\": \"attach\"");
    for (size_t i = 0; i < sizeof companions / sizeof companions[0]; ++i)
        if (!alone && !attached && strcmp(companions[i].scope, scope) == 0 &&
            (!key || strcmp(companions[i].key, key) != 0))
            used += (size_t)snprintf(text + used, capacity - used, "%s\"%s\": %s", used ? ", " : "", companions[i].key,
                                     companions[i].value);
}

/* A scene in which the setting has this value. */
static void scene_with(const SettingDetail *line, const char *value, char *text, size_t capacity) {
    const DescStruct owner = line->place.owner;
    const char *scope = line->setting.scope;
    char inner[600], body[600], in_body[900] = "", in_scene[900] = "";
    members(scope, line->setting.key, value, inner, sizeof inner);
    if (owner == DESC_BODY)
        snprintf(body, sizeof body, "%s", inner);
    else
        members("body", NULL, NULL, body, sizeof body);
    if (owner == DESC_MATERIAL || owner == DESC_SPRINGS)
        snprintf(in_body, sizeof in_body, ", \"%s\": {%s}", scope, inner);
    else if (owner == DESC_REGION)
        snprintf(in_body, sizeof in_body, ", \"regions\": [{%s}]", inner);
    else if (owner == DESC_BONE)
        snprintf(in_body, sizeof in_body, ", \"bones\": [{%s}]", inner);
    else if (owner == DESC_COLLIDER || owner == DESC_FIELD)
        snprintf(in_scene, sizeof in_scene, ", \"%s\": [{%s}]", owner == DESC_FIELD ? "fields" : "colliders", inner);
    else if (owner != DESC_BODY)
        snprintf(in_scene, sizeof in_scene, ", \"%s\": {%s}", scope, inner);
    snprintf(text, capacity, "{\"jounce\": 1, \"bodies\": [{%s%s}]%s}", body, in_body, in_scene);
}

/* The struct of a loaded scene that the line's place names. */
static const void *loaded_struct(const JnScene *scene, DescStruct owner) {
    const JnBody *body = &scene->desc.bodies[0];
    const void *const structs[DESC_COUNT] = {
        [DESC_BAKE] = &scene->desc,        [DESC_CONTACT] = &scene->desc.contact,   [DESC_BODY] = body,
        [DESC_MATERIAL] = &body->material, [DESC_SPRINGS] = &body->springs,         [DESC_REGION] = body->regions,
        [DESC_BONE] = body->bones,         [DESC_COLLIDER] = scene->desc.colliders, [DESC_FIELD] = scene->desc.fields,
    };
    return structs[owner];
}

/* The field's value as it stands in a scene file. */
static void json_value(const SettingDetail *line, const void *desc, char *text, size_t capacity) {
    uint32_t numbers = field_number_count(line->place.storage);
    size_t used = 0;
    if (line->place.storage == STORED_TEXT)
        snprintf(text, capacity, "\"%s\"", field_text(line, desc));
    else if (line->place.storage == STORED_COUNT && line->setting.type == JN_SETTING_NAME)
        snprintf(text, capacity, "\"%s\"", field_choice_name(line, field_count(line, desc)));
    else if (line->place.storage == STORED_COUNT && line->setting.type == JN_SETTING_BOOLEAN)
        snprintf(text, capacity, "%s", field_count(line, desc) ? "true" : "false");
    else if (line->place.storage == STORED_COUNT)
        snprintf(text, capacity, "%u", field_count(line, desc));
    else if (line->place.storage == STORED_TAG) /* walk_change sets the first bit: the first name */
        snprintf(text, capacity, "[\"first\"]");
    for (uint32_t i = 0; i < numbers; ++i)
        used += (size_t)snprintf(text + used, capacity - used, "%s%.17g%s",
                                 i             ? ", "
                                 : numbers > 1 ? "["
                                               : "",
                                 field_number(line, desc, i), numbers > 1 && i + 1 == numbers ? "]" : "");
}

static bool is_key(const SettingDetail *line) {
    return line->place.owner != DESC_NONE && setting_detail_find(line->setting.scope, line->setting.key) == line;
}

TEST(scene_stores_every_key_where_the_table_says) {
    OneBody defaults;
    const SettingDetail *line;
    uint32_t keys = 0;
    for (uint32_t i = 0; (line = setting_line(i)) != NULL; ++i) {
        if (!is_key(line))
            continue;
        const char *place;
        char value[500], text[3000];
        walk_open(&defaults);
        void *desc = walk_struct(&defaults, line->place.owner, &place);
        walk_change(line, desc, walk_part_count(line) - 1);
        json_value(line, desc, value, sizeof value);
        scene_with(line, value, text, sizeof text);
        one_body_free(&defaults);
        JnScene *scene = fixture_load(text);
        if (!scene)
            printf("%s\n%s\n", text, fixture_message.text);
        CHECK(scene);
        const void *loaded = loaded_struct(scene, line->place.owner);
        /* a path is put into the scene's folder */
        bool same =
            line->place.storage == STORED_TEXT
                ? strstr(field_text(line, loaded), field_text(line, desc)) != NULL
                : memcmp(field_address(line, loaded), field_address(line, desc), field_bytes(line->place.storage)) == 0;
        jn_scene_free(scene);
        if (!same)
            printf("%s.%s: %s\n", place, line->place.field, text);
        CHECK(same);
        ++keys;
    }
    CHECK(keys > 50);
}

/* Value number `index` that the key may not have, as JSON; false if there are no more. */
static bool wrong_json(const SettingDetail *line, uint32_t index, char *text, size_t capacity) {
    const JnSetting *setting = &line->setting;
    uint32_t count = walk_part_count(line);
    double number = index ? nextafter(setting->maximum, INFINITY) : nextafter(setting->minimum, -INFINITY);
    if (index > 1)
        return false;
    if (line->place.storage == STORED_TEXT || setting->type == JN_SETTING_NAME) {
        snprintf(text, capacity, setting->type == JN_SETTING_NAME && !index ? "\"no such name\"" : "3");
        return true;
    }
    if (setting->type == JN_SETTING_BOOLEAN || setting->type == JN_SETTING_INTEGER)
        number = index ? setting->maximum + 1 : setting->minimum - 1;
    char value[40];
    snprintf(value, sizeof value, "%.17g", number);
    if (!isfinite(setting->minimum))
        snprintf(value, sizeof value, index ? "1e999" : "-1e999");
    size_t used = 0;
    for (uint32_t i = 0; i < count; ++i)
        used += (size_t)snprintf(text + used, capacity - used, "%s%s%s",
                                 i           ? ", "
                                 : count > 1 ? "["
                                             : "",
                                 i + 1 == count ? value : "0", count > 1 && i + 1 == count ? "]" : "");
    return true;
}

TEST(scene_refuses_every_key_beyond_its_limits) {
    const SettingDetail *line;
    for (uint32_t i = 0; (line = setting_line(i)) != NULL; ++i) {
        char value[500], text[3000];
        for (uint32_t v = 0; is_key(line) && wrong_json(line, v, value, sizeof value); ++v) {
            scene_with(line, value, text, sizeof text);
            JnStatus status = fixture_status(text);
            if (status != JN_ERR_SCENE && status != JN_ERR_UNKNOWN_NAME)
                printf("%s\n%s\n", text, fixture_message.text);
            CHECK(status == JN_ERR_SCENE || status == JN_ERR_UNKNOWN_NAME);
            CHECK_STR_HAS(fixture_message.text, line->setting.key);
        }
    }
}

TEST(scene_refuses_a_key_of_gravity_that_the_bake_would_refuse) {
    CHECK_REFUSED(BEAM_SCENE(", \"world\": {\"gravity\": [0, -2e6, 0]}", ""), JN_ERR_SCENE, "world.gravity");
    CHECK_REFUSED(BEAM_SCENE(", \"world\": {\"gravity\": {\"keys\": [{\"frame\": 1, \"value\": [0, -2e6, 0]}]}}", ""),
                  JN_ERR_SCENE, "world.gravity.keys[0].value");
    const JnSetting *key = jn_setting_find("gravity_key", "value"), *gravity = jn_setting_find("world", "gravity");
    CHECK(key->minimum == gravity->minimum && key->maximum == gravity->maximum);
}
