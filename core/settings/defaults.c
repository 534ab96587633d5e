/* Defaults of the desc structs, read from the settings table. */
#include "settings/settings.h"

#include <math.h>
#include <string.h>

static const double identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

static uint32_t count_default(const char *scope, const char *key) {
    return (uint32_t)setting_default(scope, key);
}

static JnContact contact_default(void) {
    return (JnContact){.struct_size = (uint32_t)sizeof(JnContact),
                       .method = setting_default_name("contact", "method"),
                       .thickness = setting_default("contact", "thickness"),
                       .stiffness = setting_default("contact", "stiffness"),
                       .smoothing_speed = setting_default("contact", "smoothing_speed")};
}

void jn_bake_desc_init(JnBakeDesc *desc) {
    *desc = (JnBakeDesc){.struct_size = (uint32_t)sizeof *desc,
                         .frame_count = count_default("frames", "count"),
                         .first_frame = setting_default("frames", "first"),
                         .fps = setting_default("frames", "fps"),
                         .steps_per_frame = count_default("frames", "steps_per_frame"),
                         .samples_per_frame = count_default("frames", "samples_per_frame"),
                         .metres_per_unit = setting_default("units", "metres_per_unit"),
                         .gravity = {0, -setting_default("world", "gravity"), 0},
                         .air_density = setting_default("world", "air_density"),
                         .integrator = setting_default_name("integrator", "method"),
                         .spectral_radius = setting_default("integrator", "spectral_radius"),
                         .error_tolerance = setting_default("integrator", "error_tolerance"),
                         .safeguards = count_default("integrator", "safeguards"),
                         .contact = contact_default(),
                         .write_velocities = count_default("output", "velocities"),
                         .up_axis = JN_UP_Y,
                         .consistent_mass = count_default("integrator", "consistent_mass"),
                         .reuse_factor = count_default("integrator", "reuse_factor")};
}

void jn_material_init(JnMaterial *material) {
    *material = (JnMaterial){.struct_size = (uint32_t)sizeof *material,
                             .locking_cure = count_default("material", "locking_cure"),
                             .law = setting_default_name("material", "law"),
                             .young_modulus = setting_default("material", "young_modulus"),
                             .poisson_ratio = setting_default("material", "poisson_ratio"),
                             .density = setting_default("material", "density"),
                             .stiffness_damping = setting_default("material", "stiffness_damping"),
                             .mass_damping = setting_default("material", "mass_damping"),
                             .settle_seconds = setting_default("material", "settle_seconds"),
                             .damping_ratio = setting_default("material", "damping_ratio"),
                             .damping_frequency = setting_default("material", "damping_frequency")};
}

void jn_springs_init(JnSprings *springs) {
    *springs = (JnSprings){.struct_size = (uint32_t)sizeof *springs,
                           .structural = setting_default("springs", "structural"),
                           .shear = setting_default("springs", "shear"),
                           .bending = setting_default("springs", "bending"),
                           .linear = setting_default("springs", "linear"),
                           .cubic = setting_default("springs", "cubic"),
                           .thickness = setting_default("springs", "thickness"),
                           .tip_thickness = setting_default("springs", "tip_thickness"),
                           .torsion_modulus = setting_default("springs", "torsion_modulus"),
                           .mass_per_area = setting_default("springs", "mass_per_area"),
                           .mass_per_length = setting_default("springs", "mass_per_length")};
}

void jn_body_init(JnBody *body) {
    *body = (JnBody){.struct_size = (uint32_t)sizeof *body,
                     .name = "body",
                     .kind = setting_default_name("body", "kind"),
                     .mesher = setting_default_name("body", "mesher"),
                     .resolution = setting_default("body", "resolution"),
                     .rest_follows_animation = setting_default("body", "rest_follows_animation"),
                     .settle = count_default("body", "settle"),
                     .keep_shape = count_default("body", "keep_shape")};
    jn_material_init(&body->material);
    jn_springs_init(&body->springs);
    memcpy(body->transform, identity, sizeof identity);
}

void jn_region_init(JnRegion *region) {
    *region = (JnRegion){.struct_size = (uint32_t)sizeof *region, .name = "region", .effect = "pin", .value = 1};
}

void jn_collider_init(JnCollider *collider) {
    *collider = (JnCollider){.struct_size = (uint32_t)sizeof *collider,
                             .name = "collider",
                             .kind = setting_default_name("collider", "kind"),
                             .normal = {0, 1, 0},
                             .friction = setting_default("collider", "friction")};
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
