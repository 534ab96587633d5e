/* Defaults of the API's structs: those of the settings table, and what no line of it says. */
#include "settings/fields.h"

#include <string.h>

static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

void jn_bake_desc_init(JnBakeDesc *desc) {
    fields_init(DESC_BAKE, desc);
    fields_init(DESC_CONTACT, &desc->contact);
    desc->gravity[1] = -setting_default("world", "gravity");
}

void jn_material_init(JnMaterial *material) {
    fields_init(DESC_MATERIAL, material);
}

void jn_springs_init(JnSprings *springs) {
    fields_init(DESC_SPRINGS, springs);
}

void jn_body_init(JnBody *body) {
    fields_init(DESC_BODY, body);
    fields_init(DESC_MATERIAL, &body->material);
    fields_init(DESC_SPRINGS, &body->springs);
    body->name = "body";
    memcpy(body->transform, identity, sizeof identity);
}

void jn_region_init(JnRegion *region) {
    fields_init(DESC_REGION, region);
    region->name = "region";
    region->effect = "pin";
    region->value = 1;
}

void jn_collider_init(JnCollider *collider) {
    fields_init(DESC_COLLIDER, collider);
    collider->name = "collider";
    collider->normal[1] = 1;
}

void jn_frame_input_init(JnFrameInput *input) {
    *input = (JnFrameInput){.struct_size = (uint32_t)sizeof *input, .frame = setting_default("frames", "first")};
}

void jn_body_input_init(JnBodyInput *input) {
    *input = (JnBodyInput){.struct_size = (uint32_t)sizeof *input,
                           .sample_count = 1,
                           .stiffness = 1,
                           .goal_strength = 1,
                           .pin_strength = 1};
    memcpy(input->transform, identity, sizeof identity);
}

void jn_collider_input_init(JnColliderInput *input) {
    *input = (JnColliderInput){.struct_size = (uint32_t)sizeof *input};
    memcpy(input->transform, identity, sizeof identity);
}
