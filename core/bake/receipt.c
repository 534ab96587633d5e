/* The receipt stored in the cache: what was baked, with which version and from which inputs. It has the structure of a
   scene file: every setting of the desc under its key in the settings table, except those left to the core. It also has
   the values that the core chose and computed. */
#include "bake/bake_internal.h"
#include "bodies/material_damping.h"
#include "settings/fields.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A receipt being written. If memory for any part of it fails there is none at all: an incomplete receipt would be
   wrong. */
typedef struct Receipt {
    cJSON *root;
    bool failed;
} Receipt;

static cJSON *keep(Receipt *receipt, cJSON *item) {
    receipt->failed |= !item;
    return item;
}

static void add_text(Receipt *receipt, cJSON *object, const char *name, const char *value) {
    keep(receipt, cJSON_AddStringToObject(object, name, value));
}

static void add_number(Receipt *receipt, cJSON *object, const char *name, double value) {
    keep(receipt, cJSON_AddNumberToObject(object, name, value));
}

static cJSON *add_object(Receipt *receipt, cJSON *object, const char *name) {
    return keep(receipt, cJSON_AddObjectToObject(object, name));
}

static cJSON *add_array(Receipt *receipt, cJSON *object, const char *name) {
    return keep(receipt, cJSON_AddArrayToObject(object, name));
}

/* A new object at the end of a list. */
static cJSON *add_item(Receipt *receipt, cJSON *list) {
    cJSON *item = keep(receipt, cJSON_CreateObject());
    if (!cJSON_AddItemToArray(list, item)) {
        receipt->failed = true;
        cJSON_Delete(item);
        return NULL;
    }
    return item;
}

/* Replaces the setting of that name, if present, by the value that the core uses. */
static void replace_number(Receipt *receipt, cJSON *object, const char *name, double value) {
    cJSON_DeleteItemFromObjectCaseSensitive(object, name);
    add_number(receipt, object, name, value);
}

static void add_numbers(Receipt *receipt, cJSON *object, const char *name, const double *values, uint32_t count) {
    cJSON *array = keep(receipt, cJSON_CreateDoubleArray(values, (int)count));
    if (!cJSON_AddItemToObject(object, name, array)) {
        receipt->failed = true;
        cJSON_Delete(array);
    }
}

static void add_tag(Receipt *receipt, cJSON *object, const char *name, uint64_t tag) {
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64, tag);
    add_text(receipt, object, name, text);
}

/* A whole number, a switch, or a name that the desc holds by its number. */
static void add_count(Receipt *receipt, cJSON *object, const SettingDetail *line, uint32_t count) {
    if (line->setting.type == JN_SETTING_NAME)
        add_text(receipt, object, line->setting.key, field_choice_name(line, count));
    else if (line->setting.type == JN_SETTING_BOOLEAN)
        keep(receipt, cJSON_AddBoolToObject(object, line->setting.key, count != 0));
    else
        add_number(receipt, object, line->setting.key, count);
}

static void add_field(Receipt *receipt, cJSON *object, const SettingDetail *line, const void *desc) {
    const char *key = line->setting.key;
    switch (line->place.storage) {
    case STORED_NUMBER:
        if (!isnan(field_number(line, desc, 0)))
            add_number(receipt, object, key, field_number(line, desc, 0));
        break;
    case STORED_COUNT:
        add_count(receipt, object, line, field_count(line, desc));
        break;
    case STORED_TAG:
        add_tag(receipt, object, key, field_tag(line, desc));
        break;
    case STORED_TEXT:
        if (field_text(line, desc))
            add_text(receipt, object, key, field_text(line, desc));
        break;
    case STORED_VECTOR:
    case STORED_MATRIX:
        add_numbers(receipt, object, key, field_address(line, desc), field_number_count(line->place.storage));
        break;
    }
}

/* Writes every setting of a struct to `object`, which represents `scope`; those of a nested scope to an object of that
   name inside it. */
static void add_fields(Receipt *receipt, cJSON *object, const char *scope, DescStruct owner, const void *desc) {
    const SettingDetail *line;
    for (uint32_t i = 0; (line = field_line(owner, i)) != NULL; ++i) {
        if (line->place.role == ROLE_RUN)
            continue;
        cJSON *home = object;
        if (strcmp(line->setting.scope, scope) != 0) {
            home = cJSON_GetObjectItemCaseSensitive(object, line->setting.scope);
            home = home ? home : add_object(receipt, object, line->setting.scope);
        }
        add_field(receipt, home, line, desc);
    }
}

static void add_body(Receipt *receipt, cJSON *bodies, const Body *body, const JnBody *desc) {
    cJSON *item = add_item(receipt, bodies);
    add_fields(receipt, item, "body", DESC_BODY, desc);
    add_number(receipt, item, "points", body->point_count);
    add_number(receipt, item, "simulated_vertices", body->mesh.vertex_count);
    add_number(receipt, item, "tets", body->mesh.tet_count);

    cJSON *material = add_object(receipt, item, "material");
    add_fields(receipt, material, "material", DESC_MATERIAL, &desc->material);
    if (damping_is_converted(&desc->material)) {
        replace_number(receipt, material, "stiffness_damping", body->material.stiffness_damping);
        replace_number(receipt, material, "damping_frequency", body->material.damping_frequency);
    }

    cJSON *springs = add_object(receipt, item, "springs");
    add_fields(receipt, springs, "springs", DESC_SPRINGS, &desc->springs);
    add_number(receipt, springs, "count", body->spring_count + body->rod_count);

    cJSON *regions = add_array(receipt, item, "regions");
    for (uint32_t r = 0; r < desc->region_count; ++r)
        add_fields(receipt, add_item(receipt, regions), "region", DESC_REGION, &desc->regions[r]);
    cJSON *bones = add_array(receipt, item, "bones");
    for (uint32_t b = 0; b < desc->bone_count; ++b)
        add_fields(receipt, add_item(receipt, bones), "bone", DESC_BONE, &desc->bones[b]);
}

static void add_contact(Receipt *receipt, cJSON *root, const Settings *settings, const JnContact *desc) {
    cJSON *contact = add_object(receipt, root, "contact");
    add_fields(receipt, contact, "contact", DESC_CONTACT, desc);
    add_number(receipt, contact, "thickness_metres", settings->contact_thickness);
    if (isnan(desc->stiffness))
        add_number(receipt, contact, "stiffness", settings->contact_stiffness);
}

/* What the settings of the integrator lead to. */
static void add_method(Receipt *receipt, cJSON *integrator, const JnBake *bake, const JnBakeDesc *desc) {
    if (bake->output.choice[0]) {
        cJSON *chosen = add_object(receipt, integrator, "chosen");
        add_text(receipt, chosen, "method", bake->model.integrator->entry.name);
        add_number(receipt, chosen, "steps_per_frame", bake->settings.steps_per_frame);
        add_number(receipt, chosen, "modes", bake->model.chosen_modes);
        add_text(receipt, chosen, "why", bake->output.choice);
    }
    if (desc->safeguards && bake->model.integrator->undamped)
        add_text(receipt, integrator, "stand_in", integrator_stand_in->entry.name);
}

char *receipt_make(const JnBake *bake, const JnBakeDesc *desc) {
    Receipt made = {cJSON_CreateObject(), false}, *receipt = &made;
    cJSON *root = receipt->root;
    add_text(receipt, root, "jounce", jn_version());
    add_tag(receipt, root, "input_hash", bake->model.input_hash);
    add_text(receipt, root, "kernels", bake->output.kernels);
    add_fields(receipt, root, "scene", DESC_BAKE, desc);
    add_method(receipt, cJSON_GetObjectItemCaseSensitive(root, "integrator"), bake, desc);
    add_contact(receipt, root, &bake->settings, &desc->contact);
    cJSON *bodies = add_array(receipt, root, "bodies");
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        add_body(receipt, bodies, &bake->model.bodies[b], &desc->bodies[b]);
    cJSON *colliders = add_array(receipt, root, "colliders");
    for (uint32_t c = 0; c < desc->collider_count; ++c)
        add_fields(receipt, add_item(receipt, colliders), "collider", DESC_COLLIDER, &desc->colliders[c]);
    cJSON *fields = add_array(receipt, root, "fields");
    for (uint32_t f = 0; f < desc->field_count; ++f)
        add_fields(receipt, add_item(receipt, fields), "field", DESC_FIELD, &desc->fields[f]);
    char *text = root && !receipt->failed ? cJSON_PrintUnformatted(root) : NULL;
    cJSON_Delete(root);
    return text;
}
