/* Defaults of the API's structs: those of the settings table, and those of fields without a line in it. */
#include "base/struct_size.h"
#include "settings/checks.h"
#include "settings/fields.h"

#include <string.h>

static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/* Fills a caller's struct with the defaults of the settings table. */
static JnStatus init_desc(DescStruct owner, void *desc, size_t struct_size) {
    TRY(struct_size_check(desc, struct_size, desc_struct_size(owner), desc_struct_name(owner), NULL));
    fields_init(owner, desc);
    return JN_OK;
}

JnStatus jn_bake_desc_init(JnBakeDesc *desc, size_t struct_size) {
    TRY(init_desc(DESC_BAKE, desc, struct_size));
    fields_init(DESC_CONTACT, &desc->contact);
    desc->gravity[1] = -setting_default("world", "gravity");
    return JN_OK;
}

JnStatus jn_material_init(JnMaterial *material, size_t struct_size) {
    return init_desc(DESC_MATERIAL, material, struct_size);
}

JnStatus jn_springs_init(JnSprings *springs, size_t struct_size) {
    return init_desc(DESC_SPRINGS, springs, struct_size);
}

JnStatus jn_body_init(JnBody *body, size_t struct_size) {
    TRY(init_desc(DESC_BODY, body, struct_size));
    fields_init(DESC_MATERIAL, &body->material);
    fields_init(DESC_SPRINGS, &body->springs);
    body->name = "body";
    memcpy(body->transform, identity, sizeof identity);
    return JN_OK;
}

JnStatus jn_mesher_init(JnMesher *mesher, size_t struct_size) {
    TRY(struct_size_check(mesher, struct_size, sizeof *mesher, "JnMesher", NULL));
    JnBody body;
    TRY(jn_body_init(&body, sizeof body));
    *mesher = (JnMesher){.struct_size = (uint32_t)sizeof *mesher,
                         .keep_pieces_apart = body.keep_pieces_apart,
                         .mesher = body.mesher,
                         .resolution = body.resolution,
                         .edge_length = body.edge_length,
                         .vertex_budget = body.vertex_budget};
    return JN_OK;
}

JnStatus jn_region_init(JnRegion *region, size_t struct_size) {
    TRY(init_desc(DESC_REGION, region, struct_size));
    region->name = "region";
    region->effect = "pin";
    region->value = 1;
    return JN_OK;
}

JnStatus jn_bone_init(JnBone *bone, size_t struct_size) {
    TRY(init_desc(DESC_BONE, bone, struct_size));
    bone->name = "bone";
    memcpy(bone->transform, identity, sizeof identity);
    return JN_OK;
}

JnStatus jn_collider_init(JnCollider *collider, size_t struct_size) {
    TRY(init_desc(DESC_COLLIDER, collider, struct_size));
    collider->name = "collider";
    collider->normal[1] = 1;
    memcpy(collider->transform, identity, sizeof identity);
    return JN_OK;
}

JnStatus jn_field_init(JnField *field, size_t struct_size) {
    TRY(init_desc(DESC_FIELD, field, struct_size));
    field->name = "field";
    field->kind = "force";
    memcpy(field->transform, identity, sizeof identity);
    return JN_OK;
}

JnStatus jn_field_input_init(JnFieldInput *input, size_t struct_size) {
    TRY(struct_size_check(input, struct_size, sizeof *input, "JnFieldInput", NULL));
    *input = (JnFieldInput){.struct_size = (uint32_t)sizeof *input};
    memcpy(input->transform, identity, sizeof identity);
    return JN_OK;
}

JnStatus jn_frame_input_init(JnFrameInput *input, size_t struct_size) {
    TRY(struct_size_check(input, struct_size, sizeof *input, "JnFrameInput", NULL));
    *input = (JnFrameInput){.struct_size = (uint32_t)sizeof *input, .frame = setting_default("frames", "first")};
    return JN_OK;
}

JnStatus jn_body_input_init(JnBodyInput *input, size_t struct_size) {
    TRY(struct_size_check(input, struct_size, sizeof *input, "JnBodyInput", NULL));
    *input = (JnBodyInput){.struct_size = (uint32_t)sizeof *input,
                           .sample_count = 1,
                           .stiffness = 1,
                           .goal_strength = 1,
                           .pin_strength = 1,
                           .simulation = 1};
    memcpy(input->transform, identity, sizeof identity);
    return JN_OK;
}

JnStatus jn_collider_input_init(JnColliderInput *input, size_t struct_size) {
    TRY(struct_size_check(input, struct_size, sizeof *input, "JnColliderInput", NULL));
    *input = (JnColliderInput){.struct_size = (uint32_t)sizeof *input};
    memcpy(input->transform, identity, sizeof identity);
    return JN_OK;
}
