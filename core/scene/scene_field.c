/* One field of force of a scene: its place, and its keys. */
#include "scene/scene.h"

#include "base/rigid.h"
#include "base/status.h"
#include "scene/scene_value.h"

#include <stdio.h>
#include <string.h>

/* A `transform`, which may be twelve numbers or an object; unchanged if it is missing. */
static JnStatus read_transform(const cJSON *owner, const char *place, double transform[12], JnMessage *message) {
    const cJSON *given = value_get(owner, "transform");
    if (cJSON_IsArray(given))
        value_numbers(given, 12, transform);
    if (!cJSON_IsObject(given))
        return JN_OK;
    char inside[SCENE_PLACE_BYTES];
    Pose pose;
    snprintf(inside, sizeof inside, "%s.transform", place);
    JnStatus status = pose_read(given, "transform", inside, &pose, message);
    if (status == JN_OK)
        pose_matrix(&pose, transform);
    return status;
}

/* Key number `index`: what it leaves out is as in `before`. */
static JnStatus read_key(const cJSON *json, const char *place, const FieldKey *before, FieldKey *key,
                         JnMessage *message) {
    *key = *before;
    key->frame = value_number(json, "field_key", "frame");
    if (value_get(json, "strength"))
        key->strength = value_number(json, "field_key", "strength");
    if (value_get(json, "damping"))
        key->damping = value_number(json, "field_key", "damping");
    JnStatus status = read_transform(json, place, key->transform, message);
    if (status == JN_OK && !affine_can_blend(before->transform, key->transform))
        return status_fail(
            message, JN_ERR_SCENE,
            "%s.transform is flattened, or mirrored against the one before: give its scale the same sign", place);
    return status;
}

JnStatus scene_field_read(JnScene *scene, const cJSON *json, uint32_t index, JnMessage *message) {
    JnField *desc = &scene->field_descs[index];
    SceneField *field = &scene->fields[index];
    char place[SCENE_PLACE_BYTES];
    snprintf(place, sizeof place, "fields[%u]", index);
    jn_field_init(desc, sizeof *desc);
    value_fields(json, "field", DESC_FIELD, desc);
    JnStatus status = read_transform(json, place, desc->transform, message);
    const cJSON *list = value_get(json, "keys");
    if (status != JN_OK || !list)
        return status;
    field->keys = scene_alloc(scene, (size_t)cJSON_GetArraySize(list), sizeof *field->keys);
    if (!field->keys)
        return status_no_memory(message, "the keys of a field");
    FieldKey before = {.strength = desc->strength, .damping = desc->damping};
    memcpy(before.transform, desc->transform, sizeof before.transform);
    for (const cJSON *item = list->child; item && status == JN_OK; item = item->next) {
        FieldKey *key = &field->keys[field->key_count];
        snprintf(place, sizeof place, "fields[%u].keys[%u]", index, field->key_count);
        status = read_key(item, place, &before, key, message);
        if (status == JN_OK && field->key_count > 0 && !(key->frame > before.frame))
            return status_fail(message, JN_ERR_SCENE, "%s.frame is %g, but must be later than the key before it, at %g",
                               place, key->frame, before.frame);
        before = *key;
        ++field->key_count;
    }
    return status;
}

void scene_field_input(const JnScene *scene, uint32_t index, double frame, JnFieldInput *input) {
    const SceneField *field = &scene->fields[index];
    jn_field_input_init(input, sizeof *input);
    if (field->key_count == 0)
        return;
    uint32_t after = 0;
    while (after < field->key_count && field->keys[after].frame <= frame)
        ++after;
    const FieldKey *b = &field->keys[after < field->key_count ? after : field->key_count - 1];
    const FieldKey *a = after > 0 ? &field->keys[after - 1] : b;
    double part = a == b ? 1 : (frame - a->frame) / (b->frame - a->frame);
    affine_blend(a->transform, b->transform, part, input->transform);
    input->strength = part == 1 ? b->strength : a->strength + part * (b->strength - a->strength);
    input->damping = part == 1 ? b->damping : a->damping + part * (b->damping - a->damping);
    input->has_transform = input->has_strength = input->has_damping = 1;
}
