/* The receipt that travels in the cache: what was baked, with what, from which inputs. */
#include "bake/bake_internal.h"
#include "bodies/material_damping.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A receipt under way. Without memory for a part of it there is none at all: half a receipt would lie. */
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

static void add_flag(Receipt *receipt, cJSON *object, const char *name, uint32_t value) {
    keep(receipt, cJSON_AddBoolToObject(object, name, value != 0));
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

static void add_vector(Receipt *receipt, cJSON *object, const char *name, const double value[3]) {
    cJSON *array = keep(receipt, cJSON_CreateDoubleArray(value, 3));
    if (!cJSON_AddItemToObject(object, name, array)) {
        receipt->failed = true;
        cJSON_Delete(array);
    }
}

/* What was left to the core has no number. */
static void add_chosen(Receipt *receipt, cJSON *object, const char *name, double value) {
    if (!isnan(value))
        add_number(receipt, object, name, value);
}

static void add_springs(Receipt *receipt, cJSON *object, const Body *body, const JnSprings *springs) {
    cJSON *item = add_object(receipt, object, "springs");
    add_number(receipt, item, "count", body->spring_count);
    add_chosen(receipt, item, "structural", springs->structural);
    add_chosen(receipt, item, "shear", springs->shear);
    add_chosen(receipt, item, "bending", springs->bending);
    add_number(receipt, item, "linear", springs->linear);
    add_number(receipt, item, "cubic", springs->cubic);
    add_chosen(receipt, item, "thickness", springs->thickness);
    add_chosen(receipt, item, "tip_thickness", springs->tip_thickness);
    add_chosen(receipt, item, "torsion_modulus", springs->torsion_modulus);
    add_chosen(receipt, item, "mass_per_area", springs->mass_per_area);
    add_chosen(receipt, item, "mass_per_length", springs->mass_per_length);
}

static void add_body(Receipt *receipt, cJSON *bodies, const Body *body, const JnBody *desc) {
    cJSON *item = add_item(receipt, bodies);
    add_text(receipt, item, "name", desc->name);
    add_text(receipt, item, "kind", desc->kind);
    add_number(receipt, item, "points", body->point_count);
    add_number(receipt, item, "simulated_vertices", body->mesh.vertex_count);
    add_number(receipt, item, "tets", body->mesh.tet_count);
    if (body->spring_count)
        add_springs(receipt, item, body, &desc->springs);
    if (body->mesh.tet_count && !desc->tets.tet_count) {
        add_text(receipt, item, "mesher", desc->mesher);
        add_number(receipt, item, "resolution", desc->resolution);
    }
    add_number(receipt, item, "settle", desc->settle);
    add_number(receipt, item, "keep_shape", desc->keep_shape);
    cJSON *material = add_object(receipt, item, "material");
    add_text(receipt, material, "law", desc->material.law);
    add_number(receipt, material, "young_modulus", desc->material.young_modulus);
    add_number(receipt, material, "poisson_ratio", desc->material.poisson_ratio);
    add_flag(receipt, material, "locking_cure", desc->material.locking_cure);
    add_number(receipt, material, "density", desc->material.density);
    add_number(receipt, material, "stiffness_damping", body->material.stiffness_damping);
    add_number(receipt, material, "mass_damping", desc->material.mass_damping);
    if (!isnan(desc->material.settle_seconds))
        add_number(receipt, material, "settle_seconds", desc->material.settle_seconds);
    if (!isnan(desc->material.damping_ratio))
        add_number(receipt, material, "damping_ratio", desc->material.damping_ratio);
    if (damping_is_converted(&desc->material))
        add_number(receipt, material, "damping_frequency", body->material.damping_frequency);
    add_number(receipt, item, "rest_follows_animation", desc->rest_follows_animation);
    add_number(receipt, item, "releasable_pins", desc->releasable_pins);
    cJSON *regions = add_array(receipt, item, "regions");
    for (uint32_t r = 0; r < desc->region_count; ++r) {
        cJSON *region = add_item(receipt, regions);
        add_text(receipt, region, "name", desc->regions[r].name ? desc->regions[r].name : "");
        add_text(receipt, region, "effect", desc->regions[r].effect);
        add_number(receipt, region, "value", desc->regions[r].value);
    }
}

char *receipt_make(const JnBake *bake, const JnBakeDesc *desc) {
    const Settings *settings = &bake->settings;
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, bake->model.input_hash);
    Receipt made = {cJSON_CreateObject(), false}, *receipt = &made;
    cJSON *root = receipt->root;
    add_text(receipt, root, "jounce", jn_version());
    add_text(receipt, root, "input_hash", hash);
    cJSON *frames = add_object(receipt, root, "frames");
    add_number(receipt, frames, "first", settings->first_frame);
    add_number(receipt, frames, "count", settings->frame_count);
    add_number(receipt, frames, "fps", settings->fps);
    add_number(receipt, frames, "steps_per_frame", settings->steps_per_frame);
    add_number(receipt, frames, "samples_per_frame", settings->samples_per_frame);
    add_number(receipt, root, "metres_per_unit", settings->metres_per_unit);
    cJSON *integrator = add_object(receipt, root, "integrator");
    add_text(receipt, integrator, "method", desc->integrator);
    add_number(receipt, integrator, "spectral_radius", desc->spectral_radius);
    add_number(receipt, integrator, "error_tolerance", desc->error_tolerance);
    add_number(receipt, integrator, "safeguards", desc->safeguards);
    if (desc->safeguards && bake->model.integrator->undamped)
        add_text(receipt, integrator, "stand_in", integrator_stand_in->entry.name);
    add_number(receipt, integrator, "consistent_mass", desc->consistent_mass);
    add_number(receipt, integrator, "reuse_factor", desc->reuse_factor);
    add_vector(receipt, root, "gravity", settings->gravity);
    add_vector(receipt, root, "wind", settings->wind);
    add_number(receipt, root, "air_density", settings->air_density);
    cJSON *contact = add_object(receipt, root, "contact");
    add_text(receipt, contact, "method", desc->contact.method);
    add_number(receipt, contact, "thickness_metres", settings->contact_thickness);
    add_number(receipt, contact, "stiffness", settings->contact_stiffness);
    add_number(receipt, contact, "smoothing_speed", settings->smoothing_speed);
    cJSON *bodies = add_array(receipt, root, "bodies");
    for (uint32_t b = 0; b < bake->model.body_count; ++b)
        add_body(receipt, bodies, &bake->model.bodies[b], &desc->bodies[b]);
    cJSON *colliders = add_array(receipt, root, "colliders");
    for (uint32_t c = 0; c < desc->collider_count; ++c) {
        cJSON *item = add_item(receipt, colliders);
        add_text(receipt, item, "name", desc->colliders[c].name ? desc->colliders[c].name : "");
        add_text(receipt, item, "kind", desc->colliders[c].kind);
        add_number(receipt, item, "friction", desc->colliders[c].friction);
    }
    char *text = root && !receipt->failed ? cJSON_PrintUnformatted(root) : NULL;
    cJSON_Delete(root);
    return text;
}
