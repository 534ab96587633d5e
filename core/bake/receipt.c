/* The receipt that travels in the cache: what was baked, with what, from which inputs. */
#include "bake/bake_internal.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_vector(cJSON *object, const char *name, const double value[3]) {
    cJSON_AddItemToObject(object, name, cJSON_CreateDoubleArray(value, 3));
}

static void add_body(cJSON *bodies, const Body *body, const JnBody *desc) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "name", desc->name);
    cJSON_AddNumberToObject(item, "points", body->point_count);
    cJSON_AddNumberToObject(item, "simulated_vertices", body->mesh.vertex_count);
    cJSON_AddNumberToObject(item, "tets", body->mesh.tet_count);
    if (!desc->tets.tet_count) {
        cJSON_AddStringToObject(item, "mesher", desc->mesher);
        cJSON_AddNumberToObject(item, "resolution", desc->resolution);
    }
    cJSON *material = cJSON_AddObjectToObject(item, "material");
    cJSON_AddStringToObject(material, "law", desc->material.law);
    cJSON_AddNumberToObject(material, "young_modulus", desc->material.young_modulus);
    cJSON_AddNumberToObject(material, "poisson_ratio", desc->material.poisson_ratio);
    cJSON_AddNumberToObject(material, "density", desc->material.density);
    cJSON_AddNumberToObject(material, "stiffness_damping", desc->material.stiffness_damping);
    cJSON_AddNumberToObject(material, "mass_damping", desc->material.mass_damping);
    cJSON *regions = cJSON_AddArrayToObject(item, "regions");
    for (uint32_t r = 0; r < desc->region_count; ++r) {
        cJSON *region = cJSON_CreateObject();
        cJSON_AddStringToObject(region, "name", desc->regions[r].name ? desc->regions[r].name : "");
        cJSON_AddStringToObject(region, "effect", desc->regions[r].effect);
        cJSON_AddNumberToObject(region, "value", desc->regions[r].value);
        cJSON_AddItemToArray(regions, region);
    }
    cJSON_AddItemToArray(bodies, item);
}

char *receipt_make(const JnBake *bake, const JnBakeDesc *desc) {
    const Settings *settings = &bake->settings;
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, bake->input_hash);
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "jounce", jn_version());
    cJSON_AddStringToObject(root, "input_hash", hash);
    cJSON *frames = cJSON_AddObjectToObject(root, "frames");
    cJSON_AddNumberToObject(frames, "first", settings->first_frame);
    cJSON_AddNumberToObject(frames, "count", settings->frame_count);
    cJSON_AddNumberToObject(frames, "fps", settings->fps);
    cJSON_AddNumberToObject(frames, "steps_per_frame", settings->steps_per_frame);
    cJSON_AddNumberToObject(frames, "samples_per_frame", settings->samples_per_frame);
    cJSON_AddNumberToObject(root, "metres_per_unit", settings->metres_per_unit);
    cJSON_AddStringToObject(root, "integrator", desc->integrator);
    add_vector(root, "gravity", settings->gravity);
    add_vector(root, "wind", settings->wind);
    cJSON_AddNumberToObject(root, "air_density", settings->air_density);
    cJSON *contact = cJSON_AddObjectToObject(root, "contact");
    cJSON_AddStringToObject(contact, "method", desc->contact.method);
    cJSON_AddNumberToObject(contact, "thickness_metres", settings->contact_thickness);
    cJSON_AddNumberToObject(contact, "stiffness", settings->contact_stiffness);
    cJSON_AddNumberToObject(contact, "smoothing_speed", settings->smoothing_speed);
    cJSON *bodies = cJSON_AddArrayToObject(root, "bodies");
    for (uint32_t b = 0; b < bake->body_count; ++b)
        add_body(bodies, &bake->bodies[b], &desc->bodies[b]);
    cJSON *colliders = cJSON_AddArrayToObject(root, "colliders");
    for (uint32_t c = 0; c < desc->collider_count; ++c) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddStringToObject(item, "name", desc->colliders[c].name ? desc->colliders[c].name : "");
        cJSON_AddStringToObject(item, "kind", desc->colliders[c].kind);
        cJSON_AddNumberToObject(item, "friction", desc->colliders[c].friction);
        cJSON_AddItemToArray(colliders, item);
    }
    char *text = cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    return text;
}
