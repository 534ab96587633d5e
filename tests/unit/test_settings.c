/* The settings table and what is read from it: finders, defaults, presets, region effects. */
#include "settings/region_effects.h"
#include "settings/settings.h"
#include "harness.h"

static int is_choice(const char *choices, const char *name) {
    JnTableEntry entries[SETTING_CHOICES];
    Table table = setting_choices(choices, entries);
    for (uint32_t i = 0; i < table.count; ++i)
        if (strcmp(table_at(&table, i)->name, name) == 0)
            return 1;
    return 0;
}

TEST(settings_each_is_complete_and_found_by_its_place) {
    /* scene_check marks keys in an array of 256 */
    CHECK(jn_setting_count() > 50 && jn_setting_count() < 256);
    for (uint32_t i = 0; i < jn_setting_count(); ++i) {
        const JnSetting *setting = jn_setting(i);
        CHECK(jn_setting_find(setting->scope, setting->key) == setting);
        CHECK(setting->label[0] && setting->unit && strlen(setting->summary) > 5);
        CHECK(setting->summary[strlen(setting->summary) - 1] == '.');
        CHECK(setting->minimum <= setting->maximum);
        CHECK(isnan(setting->default_value) ||
              (setting->default_value >= setting->minimum && setting->default_value <= setting->maximum));
        CHECK(setting_scope_find(setting->scope) != NULL);
    }
    CHECK(jn_setting(jn_setting_count()) == NULL);
    CHECK(jn_setting_find("material", "youngs") == NULL);
    CHECK(jn_setting_find(NULL, "law") == NULL && jn_setting_find("material", NULL) == NULL);
}

TEST(settings_names_and_scopes_that_they_refer_to_exist) {
    for (uint32_t i = 0; i < jn_setting_count(); ++i) {
        const SettingDetail *detail = setting_detail(i);
        const JnSetting *setting = &detail->setting;
        JnTableEntry entries[SETTING_CHOICES];
        if (setting->type == JN_SETTING_NAME) {
            CHECK(setting_choices(setting->choices, entries).count > 0);
            CHECK(!detail->default_text || is_choice(setting->choices, detail->default_text));
        }
        if (setting->type == JN_SETTING_OBJECT || setting->type == JN_SETTING_LIST)
            CHECK(setting_scope_find(setting->choices) != NULL);
        if (detail->inner)
            CHECK(setting_scope_find(detail->inner) != NULL);
        CHECK((setting->type == JN_SETTING_ANY) == (detail->form != FORM_PLAIN));
    }
}

TEST(settings_misspelt_key_finds_the_nearest) {
    CHECK(strcmp(setting_nearest("material", "youngs"), "young_modulus") == 0);
    CHECK(strcmp(setting_nearest("material", "densty"), "density") == 0);
    CHECK(strcmp(setting_nearest("frames", "step_per_frame"), "steps_per_frame") == 0);
    CHECK(setting_nearest("output", "qqqqqqqqqqqqqqqq") == NULL);
}

TEST(defaults_of_every_struct_carry_size_and_numbers_of_the_table) {
    JnBakeDesc desc;
    JnBody body;
    JnRegion region;
    JnCollider collider;
    memset(&desc, 0xFF, sizeof desc);
    jn_bake_desc_init(&desc, sizeof desc);
    jn_body_init(&body, sizeof body);
    jn_region_init(&region, sizeof region);
    jn_collider_init(&collider, sizeof collider);
    CHECK(desc.struct_size == sizeof desc && body.struct_size == sizeof body);
    CHECK(region.struct_size == sizeof region && collider.struct_size == sizeof collider);
    CHECK(body.material.struct_size == sizeof body.material && desc.contact.struct_size == sizeof desc.contact);
    CHECK(desc.fps == jn_setting_find("frames", "fps")->default_value && desc.fps == 24);
    CHECK(desc.steps_per_frame == 0 && strcmp(desc.integrator, "auto") == 0);
    CHECK(desc.samples_per_frame == 1 && desc.frame_count > 0);
    CHECK(desc.gravity[0] == 0 && desc.gravity[1] == -9.81 && desc.gravity[2] == 0 && desc.up_axis == JN_UP_Y);
    CHECK(desc.metres_per_unit == 1 && desc.write_velocities == 1 && !desc.output_path && !desc.resume);
    CHECK(isnan(desc.contact.thickness) && isnan(desc.contact.stiffness) && desc.contact.smoothing_speed > 0);
    CHECK(body.material.young_modulus == jn_setting_find("material", "young_modulus")->default_value);
    CHECK(body.material.young_modulus > 0 && body.material.density > 0 && body.material.poisson_ratio < 0.5);
    CHECK(body.transform[0] == 1 && body.transform[5] == 1 && body.transform[10] == 1 && body.transform[3] == 0);
    CHECK(body.collides == 1 && !body.self_contact && !body.ignore_groups && !collider.ignore_groups);
    CHECK(isnan(body.friction) && isnan(body.contact_thickness) && !desc.contact.strict);
    CHECK(body.resolution >= 1 && collider.friction == 0.5 && collider.normal[1] == 1);
    CHECK(is_choice("integrators", desc.integrator) && is_choice("contact_methods", desc.contact.method));
    CHECK(is_choice("meshers", body.mesher) && is_choice("materials", body.material.law));
    CHECK(is_choice("colliders", collider.kind) && is_choice("region_effects", region.effect));
}

TEST(defaults_of_frame_inputs_say_that_nothing_moves) {
    JnFrameInput frame;
    JnBodyInput body;
    JnColliderInput collider;
    memset(&body, 0xFF, sizeof body);
    jn_frame_input_init(&frame, sizeof frame);
    jn_body_input_init(&body, sizeof body);
    jn_collider_input_init(&collider, sizeof collider);
    CHECK(frame.struct_size == sizeof frame && body.struct_size == sizeof body);
    CHECK(collider.struct_size == sizeof collider);
    CHECK(!frame.has_gravity && !body.has_transform && !collider.has_transform);
    CHECK(!body.targets && !body.forces && body.sample_count == 1 && !collider.positions);
    CHECK(body.transform[0] == 1 && collider.transform[5] == 1);
}

TEST(presets_are_within_the_limits_of_their_settings) {
    CHECK(jn_preset_count() >= 7 && jn_preset(jn_preset_count()) == NULL);
    for (uint32_t i = 0; i < jn_preset_count(); ++i) {
        const JnPreset *preset = jn_preset(i);
        const struct {
            const char *key;
            double value;
        } numbers[] = {{"young_modulus", preset->young_modulus},
                       {"poisson_ratio", preset->poisson_ratio},
                       {"density", preset->density},
                       {"stiffness_damping", preset->stiffness_damping},
                       {"mass_damping", preset->mass_damping}};
        CHECK(is_choice("presets", preset->name) && is_choice("materials", preset->law));
        CHECK(preset->label[0] && preset->summary[0]);
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
            const JnSetting *setting = jn_setting_find("material", numbers[k].key);
            CHECK(setting && numbers[k].value >= setting->minimum && numbers[k].value <= setting->maximum);
        }
    }
}

TEST(region_effects_are_found_by_name) {
    JnMessage message;
    const void *item;
    CHECK(table_find(&region_effect_table, "stiffness", "here", &item, &message) == JN_OK);
    CHECK(table_find(&region_effect_table, "fast", "here", &item, &message) == JN_OK);
    CHECK(table_find(&region_effect_table, "damping", "here", &item, &message) == JN_OK);
    CHECK(table_find(&region_effect_table, "pinn", "here", &item, &message) == JN_ERR_UNKNOWN_NAME);
    CHECK_STR_HAS(message.text, "did you mean 'pin'");
}
