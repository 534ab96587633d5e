/* No setting is forgotten: every field of the descs has a line in the settings table, and what decides the result is in
   the input hash and in the receipt. */
#include "harness.h"
#include "settings_walk.h"

#include "bake/bake_internal.h"
#include "settings/desc_hash.h"

#include <cjson/cJSON.h>
#include <inttypes.h>

/* ------------------------------------------------------------------------------------------------ every field */

typedef struct Exception { /* a field that is no setting: counts, arrays, structs inside, reserved room */
    DescStruct owner;
    size_t offset, size;
} Exception;

#define EXCEPT(owner, type, field)                                                                                     \
    { owner, offsetof(type, field), sizeof(((type *)0)->field) }

static const Exception exceptions[] = {
    EXCEPT(DESC_BAKE, JnBakeDesc, struct_size),
    EXCEPT(DESC_BAKE, JnBakeDesc, body_count),
    EXCEPT(DESC_BAKE, JnBakeDesc, collider_count),
    EXCEPT(DESC_BAKE, JnBakeDesc, bodies),
    EXCEPT(DESC_BAKE, JnBakeDesc, colliders),
    EXCEPT(DESC_BAKE, JnBakeDesc, contact),
    EXCEPT(DESC_BAKE, JnBakeDesc, field_count),
    EXCEPT(DESC_BAKE, JnBakeDesc, reserved),
    EXCEPT(DESC_BAKE, JnBakeDesc, fields),
    EXCEPT(DESC_CONTACT, JnContact, struct_size),
    EXCEPT(DESC_BODY, JnBody, struct_size),
    EXCEPT(DESC_BODY, JnBody, region_count),
    EXCEPT(DESC_BODY, JnBody, surface),
    EXCEPT(DESC_BODY, JnBody, tets),
    EXCEPT(DESC_BODY, JnBody, curves),
    EXCEPT(DESC_BODY, JnBody, material),
    EXCEPT(DESC_BODY, JnBody, springs),
    EXCEPT(DESC_BODY, JnBody, regions),
    EXCEPT(DESC_BODY, JnBody, start_positions),
    EXCEPT(DESC_BODY, JnBody, start_velocities),
    EXCEPT(DESC_BODY, JnBody, bone_count),
    EXCEPT(DESC_BODY, JnBody, bones),
    EXCEPT(DESC_MATERIAL, JnMaterial, struct_size),
    EXCEPT(DESC_SPRINGS, JnSprings, struct_size),
    EXCEPT(DESC_MATERIAL, JnMaterial, reserved),
    EXCEPT(DESC_SPRINGS, JnSprings, reserved),
    EXCEPT(DESC_REGION, JnRegion, struct_size),
    EXCEPT(DESC_REGION, JnRegion, weight_count),
    EXCEPT(DESC_REGION, JnRegion, weights),
    EXCEPT(DESC_BONE, JnBone, struct_size),
    EXCEPT(DESC_BONE, JnBone, reserved),
    EXCEPT(DESC_BONE, JnBone, surface),
    EXCEPT(DESC_COLLIDER, JnCollider, struct_size),
    EXCEPT(DESC_COLLIDER, JnCollider, surface),
    EXCEPT(DESC_FIELD, JnField, struct_size),
};

TEST(settings_every_byte_of_every_desc_belongs_to_one_line_or_a_listed_exception) {
    for (DescStruct owner = DESC_NONE + 1; owner < DESC_COUNT; ++owner) {
        unsigned char owners[sizeof(JnBakeDesc) + sizeof(JnBody)] = {0}; /* of each byte, how many */
        size_t size = desc_struct_size(owner);
        CHECK(size > 0 && size <= sizeof owners);
        const SettingDetail *line;
        for (uint32_t i = 0; (line = field_line(owner, i)) != NULL; ++i)
            for (size_t b = 0; b < field_bytes(line->place.storage); ++b)
                ++owners[line->place.offset + b];
        for (size_t e = 0; e < sizeof exceptions / sizeof exceptions[0]; ++e)
            for (size_t b = 0; exceptions[e].owner == owner && b < exceptions[e].size; ++b)
                ++owners[exceptions[e].offset + b];
        for (size_t b = 0; b < size; ++b) {
            if (owners[b] != 1)
                printf("byte %zu of %s has %d lines\n", b, desc_struct_name(owner), owners[b]);
            CHECK(owners[b] == 1);
        }
    }
}

/* ------------------------------------------------------------------------------------------------ the hash */

TEST(hash_changes_with_every_setting_that_decides_the_result_and_with_no_other) {
    OneBody scene;
    walk_open(&scene);
    const uint64_t before = hash_desc(&scene.desc);
    const SettingDetail *line;
    uint32_t decisive = 0, others = 0;
    for (uint32_t i = 0; (line = setting_line(i)) != NULL; ++i) {
        if (line->place.owner == DESC_NONE)
            continue;
        const char *place;
        void *desc = walk_struct(&scene, line->place.owner, &place);
        for (uint32_t part = 0; part < walk_part_count(line); ++part) {
            char kept[sizeof(double[12])];
            memcpy(kept, walk_field(line, desc), field_bytes(line->place.storage));
            walk_change(line, desc, part);
            if (line->setting.type == JN_SETTING_NAME && line->place.storage == STORED_TEXT)
                *(const char **)walk_field(line, desc) = "another"; /* some have one choice only */
            bool changed = hash_desc(&scene.desc) != before;
            memcpy(walk_field(line, desc), kept, field_bytes(line->place.storage));
            if (changed != (line->place.role == ROLE_RESULT))
                printf("%s.%s\n", place, line->place.field);
            CHECK(changed == (line->place.role == ROLE_RESULT));
        }
        *(line->place.role == ROLE_RESULT ? &decisive : &others) += 1;
    }
    CHECK(hash_desc(&scene.desc) == before);
    CHECK(decisive > 50 && others == 8);
    one_body_free(&scene);
}

TEST(hash_leaves_out_where_and_how_the_bake_runs) {
    static const char *const left_out[] = {"thread_count", "output_path", "application", "resume"};
    const SettingDetail *line;
    for (size_t n = 0; n < sizeof left_out / sizeof left_out[0]; ++n) {
        bool found = false;
        for (uint32_t i = 0; (line = field_line(DESC_BAKE, i)) != NULL; ++i)
            found |= strcmp(line->place.field, left_out[n]) == 0 && line->place.role == ROLE_RUN;
        CHECK(found);
    }
}

TEST(hash_changes_with_every_array_and_count) {
    double points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, more[4][9] = {{0}};
    uint32_t sizes[2] = {3, 3}, corners[3] = {0, 1, 2}, curve_corners[3] = {2, 1, 0};
    float uvs[6] = {0}, weights[8] = {0};
    OneBody scene;
    walk_open(&scene);
    scene.pin.weights = weights;
    scene.pin.weight_count = 8;
    scene.body.surface = (JnSurface){3, 1, 3, 0, points, &sizes[0], corners, uvs};
    scene.body.curves = (JnCurves){3, 1, 3, 0, more[0], &sizes[1], curve_corners};
    scene.collider.surface = scene.body.surface;
    scene.collider.surface.positions = more[1];
    scene.body.start_positions = more[2];
    scene.body.start_velocities = more[3];
    const uint64_t before = hash_desc(&scene.desc);
    void *const data[] = {points,
                          &more[0][8],
                          &more[1][8],
                          &more[2][8],
                          &more[3][8],
                          &sizes[0],
                          &sizes[1],
                          &corners[2],
                          &curve_corners[2],
                          &uvs[5],
                          &weights[7],
                          &scene.box.positions[3],
                          &scene.box.tets[3],
                          &scene.desc.body_count,
                          &scene.desc.collider_count,
                          &scene.body.region_count};
    for (size_t i = 0; i < sizeof data / sizeof data[0]; ++i) {
        *(unsigned char *)data[i] ^= 1;
        bool changed = hash_desc(&scene.desc) != before;
        *(unsigned char *)data[i] ^= 1;
        if (!changed)
            printf("array or count %zu\n", i);
        CHECK(changed);
    }
    CHECK(hash_desc(&scene.desc) == before);
    one_body_free(&scene);
}

/* ------------------------------------------------------------------------------------------------ the receipt */

/* What the receipt of `desc` shows for the setting; NULL if nothing. `root` is for the caller to free. */
static cJSON *receipt_value(const JnBake *bake, const OneBody *scene, const SettingDetail *line, cJSON **root) {
    char *text = receipt_make(bake, &scene->desc);
    *root = cJSON_Parse(text);
    free(text);
    cJSON *body = cJSON_GetArrayItem(cJSON_GetObjectItem(*root, "bodies"), 0);
    const char *scope = line->setting.scope;
    cJSON *object = line->place.owner == DESC_COLLIDER ? cJSON_GetArrayItem(cJSON_GetObjectItem(*root, "colliders"), 0)
                    : line->place.owner == DESC_FIELD  ? cJSON_GetArrayItem(cJSON_GetObjectItem(*root, "fields"), 0)
                    : line->place.owner == DESC_REGION ? cJSON_GetArrayItem(cJSON_GetObjectItem(body, "regions"), 0)
                    : line->place.owner == DESC_BONE   ? cJSON_GetArrayItem(cJSON_GetObjectItem(body, "bones"), 0)
                    : line->place.owner == DESC_BODY   ? body
                    : line->place.owner == DESC_MATERIAL || line->place.owner == DESC_SPRINGS
                        ? cJSON_GetObjectItem(body, scope)
                    : strcmp(scope, "scene") == 0 ? *root
                                                  : cJSON_GetObjectItem(*root, scope);
    return cJSON_GetObjectItemCaseSensitive(object, line->setting.key);
}

/* Whether `value` is what the field holds. */
static bool shows(const cJSON *value, const SettingDetail *line, const void *desc) {
    char tag[20];
    switch (line->place.storage) {
    case STORED_NUMBER:
        return cJSON_IsNumber(value) && value->valuedouble == field_number(line, desc, 0);
    case STORED_COUNT:
        if (line->setting.type == JN_SETTING_NAME)
            return cJSON_IsString(value) &&
                   strcmp(value->valuestring, field_choice_name(line, field_count(line, desc))) == 0;
        return line->setting.type == JN_SETTING_BOOLEAN
                   ? cJSON_IsBool(value) && (uint32_t)cJSON_IsTrue(value) == field_count(line, desc)
                   : cJSON_IsNumber(value) && value->valuedouble == field_count(line, desc);
    case STORED_TAG:
        snprintf(tag, sizeof tag, "%016" PRIx64, field_tag(line, desc));
        return cJSON_IsString(value) && strcmp(value->valuestring, tag) == 0;
    case STORED_TEXT:
        return cJSON_IsString(value) && strcmp(value->valuestring, field_text(line, desc)) == 0;
    case STORED_VECTOR:
    case STORED_MATRIX:
        for (uint32_t i = 0; i < walk_part_count(line); ++i)
            if (!cJSON_IsNumber(cJSON_GetArrayItem(value, (int)i)) ||
                cJSON_GetArrayItem(value, (int)i)->valuedouble != field_number(line, desc, i))
                return false;
        return true;
    }
    return false;
}

TEST(receipt_shows_every_setting_but_where_and_how_the_bake_runs) {
    OneBody scene;
    JnBake *bake;
    walk_open(&scene);
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
    const SettingDetail *line;
    for (uint32_t i = 0; (line = setting_line(i)) != NULL; ++i) {
        if (line->place.owner == DESC_NONE)
            continue;
        const char *place;
        char kept[sizeof(double[12])];
        cJSON *root;
        void *desc = walk_struct(&scene, line->place.owner, &place);
        memcpy(kept, walk_field(line, desc), field_bytes(line->place.storage));
        walk_change(line, desc, walk_part_count(line) - 1);
        const cJSON *value = receipt_value(bake, &scene, line, &root);
        bool right = line->place.role == ROLE_RUN ? !value : shows(value, line, desc);
        cJSON_Delete(root);
        memcpy(walk_field(line, desc), kept, field_bytes(line->place.storage));
        if (!right)
            printf("%s.%s\n", place, line->place.field);
        CHECK(right);
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(receipt_shows_what_the_core_chose) {
    OneBody scene;
    JnBake *bake;
    walk_open(&scene);
    scene.body.material.damping_ratio = 0.2;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
    char *text = receipt_make(bake, &scene.desc);
    cJSON *root = cJSON_Parse(text), *contact = cJSON_GetObjectItem(root, "contact");
    cJSON *material = cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(root, "bodies"), 0), "material");
    double chosen[] = {cJSON_GetNumberValue(cJSON_GetObjectItem(contact, "thickness_metres")),
                       cJSON_GetNumberValue(cJSON_GetObjectItem(contact, "stiffness")),
                       cJSON_GetNumberValue(cJSON_GetObjectItem(material, "stiffness_damping")),
                       cJSON_GetNumberValue(cJSON_GetObjectItem(material, "damping_frequency"))};
    bool left_out = !cJSON_GetObjectItem(contact, "thickness") && !cJSON_GetObjectItem(material, "settle_seconds");
    cJSON_Delete(root);
    free(text);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    for (int i = 0; i < 4; ++i)
        CHECK(chosen[i] > 0);
    CHECK(left_out);
}
