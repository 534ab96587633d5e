/* Fields of force against theory: what they do to a body that falls, swings or is slowed. */
#include "baking.h"
#include "harness.h"
#include "whole_and_parts.h"

#include "bake/bake_internal.h"
#include "base/math3.h"

static JnField field;

/* A small stiff box that nothing holds, and one field of this kind. */
static void open_box(OneBody *scene, const char *kind) {
    one_body_init(scene, tet_box_make(2, 2, 2, 0.05));
    scene->body.material.young_modulus = 1e6;
    jn_field_init(&field, sizeof field);
    field.kind = kind;
    scene->desc.fields = &field;
    scene->desc.field_count = 1;
    scene->desc.frame_count = 49;
    scene->desc.fps = 24;
    scene->desc.steps_per_frame = 8;
}

/* The mean velocity after `frames` frames; *moved: how far the middle has moved. */
static void bake_box(OneBody *scene, uint32_t frames, double moved[3], double velocity[3]) {
    JnMessage message;
    JnBake *bake;
    double before[3];
    velocity[0] = velocity[1] = velocity[2] = NAN;
    CHECK(jn_bake_begin(&scene->desc, &bake, &message) == JN_OK);
    if (!bake) {
        puts(message.text);
        return;
    }
    CHECK(advance_frames(bake, 1, &message) == JN_OK);
    mean_position(bake, before);
    CHECK(advance_frames(bake, frames, &message) == JN_OK);
    mean_position(bake, moved);
    double mass = 0;
    JnMotion motion = {.struct_size = sizeof motion};
    CHECK(jn_bake_motion(bake, &motion, &message) == JN_OK);
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        mass += bake->model.system.masses[v];
    for (int i = 0; i < 3; ++i) {
        moved[i] -= before[i];
        velocity[i] = motion.momentum[i] / mass;
    }
    jn_bake_end(bake, NULL);
    one_body_free(scene);
}

/* Turns the third axis of a field to the second axis of the scene. */
static void point_up(JnField *turned) {
    const double up[12] = {1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0};
    memcpy(turned->transform, up, sizeof up);
}

TEST(field_wind_as_strong_as_gravity_carries_a_body) {
    static const char *const methods[] = {"si", "be", "bdf2", "ssdirk", "generalized_alpha", "ere", "siere"};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
        OneBody scene;
        double moved[3], velocity[3];
        open_box(&scene, "wind");
        point_up(&field);
        field.strength = 9.81;
        scene.desc.gravity[1] = -9.81;
        scene.desc.integrator = methods[m];
        bake_box(&scene, 24, moved, velocity);
        CHECK(vec3_length(moved) < 1e-9 && vec3_length(velocity) < 1e-9);
    }
}

TEST(field_wind_alone_accelerates_as_gravity_does) {
    OneBody scene;
    double moved[3], velocity[3], h = 1.0 / (24 * 8);
    open_box(&scene, "wind");
    field.strength = 3;
    bake_box(&scene, 24, moved, velocity);
    CHECK_NEAR(velocity[2], 3, 1e-9);
    /* semi-implicit Euler: x = a h^2 n (n + 1) / 2 */
    CHECK_NEAR(moved[2], 3 * h * h * 192 * 193 / 2, 1e-9);
}

TEST(field_drag_leads_to_the_speed_at_which_it_holds_gravity) {
    OneBody scene;
    double moved[3], velocity[3];
    open_box(&scene, "drag");
    field.strength = 0;
    field.damping = 5;
    scene.desc.gravity[1] = -10;
    bake_box(&scene, 48, moved, velocity);
    CHECK_NEAR(velocity[1], -10.0 / 5, 1e-3);
    open_box(&scene, "drag");
    field.strength = 2.5;
    scene.desc.gravity[1] = -10;
    bake_box(&scene, 48, moved, velocity);
    CHECK_NEAR(velocity[1], -sqrt(10 / 2.5), 1e-3);
}

TEST(field_drag_only_takes_energy_whatever_its_strength) {
    OneBody scene;
    double moved[3], velocity[3];
    open_box(&scene, "drag");
    field.strength = 1e6;
    field.damping = 1e6;
    scene.desc.gravity[1] = -10;
    bake_box(&scene, 24, moved, velocity);
    CHECK(velocity[1] <= 0 && velocity[1] > -1e-3);
}

/* How far from where theory has it a box is after half a swing to and fro, with that many steps. */
static double harmonic_error(uint32_t steps) {
    OneBody scene;
    double moved[3], velocity[3], omega = 2 * 3.14159265358979 / 2;
    open_box(&scene, "harmonic");
    field.strength = omega * omega;
    field.transform[3] = 1;
    field.transform[7] = field.transform[11] = 0.05;
    scene.desc.steps_per_frame = steps;
    bake_box(&scene, 24, moved, velocity); /* half a period: it starts at 0.05 and is 1 m beyond the middle */
    return fabs(moved[0] - 2 * (1 - 0.05));
}

TEST(field_harmonic_swings_with_its_period_the_closer_the_smaller_the_steps) {
    double coarse = harmonic_error(4), fine = harmonic_error(16);
    CHECK(coarse < 0.2 && fine < 0.05);
    CHECK(coarse / fine > 3); /* a field is held through a step: first order */
}

/* As a spring it takes part in the step's matrix, and in the modes that are kept. A free box swings 3 times a second.
 */
TEST(field_harmonic_gives_no_energy_to_any_method) {
    const char *const methods[] = {"siere", "beere", "midpoint", "ssdirk", "tr_bdf2ere"};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
        OneBody scene;
        JnBake *bake = NULL;
        JnMotion motion = {.struct_size = sizeof motion};
        JnMessage message = {0};
        double start = 0;
        open_box(&scene, "harmonic");
        field.strength = 400;
        field.transform[3] = 0.5;
        scene.desc.integrator = methods[m];
        scene.desc.steps_per_frame = 2;
        scene.desc.frame_count = 97;
        scene.desc.kept_modes = 4;
        CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
        for (int frame = 0; frame < 97; ++frame) {
            CHECK(advance_frames(bake, 1, &message) == JN_OK);
            CHECK(jn_bake_motion(bake, &motion, &message) == JN_OK);
            start = frame <= 8 ? fmax(start, motion.largest_speed) : start;
            CHECK(motion.largest_speed < 1.15 * start || frame == 0);
        }
        CHECK(start > 5);
        jn_bake_end(bake, NULL);
        one_body_free(&scene);
    }
}

TEST(field_weakens_with_distance_and_ends) {
    const double x[3] = {3, 0, 0}, there[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    ForceField built;
    FieldState state = {.strength = 5};
    memcpy(state.transform, there, sizeof there);
    jn_field_init(&field, sizeof field);
    field.kind = "force";
    field.falloff = 2;
    double a[3] = {0, 0, 0}, rate = 0, spring = 0;
    CHECK(force_field_create(&field, 1, "", &built, NULL) == JN_OK);
    force_field_add(&built, &state, x, 0, a, &rate, &spring);
    CHECK_NEAR(a[0], 5.0 / 16, 1e-12); /* 1 + 3, squared */
    field.nearest = 2;
    CHECK(force_field_create(&field, 0.5, "", &built, NULL) == JN_OK); /* 3 m are 6 units */
    memset(a, 0, sizeof a);
    force_field_add(&built, &state, x, 0, a, &rate, &spring);
    CHECK_NEAR(a[0], 5.0 / 25, 1e-12);
    field.farthest = 5.9;
    CHECK(force_field_create(&field, 0.5, "", &built, NULL) == JN_OK);
    memset(a, 0, sizeof a);
    force_field_add(&built, &state, x, 0, a, &rate, &spring);
    CHECK(a[0] == 0 && rate == 0);
}

TEST(field_vortex_turns_counter_clockwise) {
    OneBody scene;
    double moved[3], velocity[3];
    open_box(&scene, "vortex");
    point_up(&field); /* around y */
    field.transform[3] = -1;
    field.strength = 1;
    bake_box(&scene, 6, moved, velocity);
    CHECK(velocity[2] < -0.2 && fabs(velocity[1]) < 1e-9); /* y cross x is -z */
}

TEST(field_turbulence_is_smooth_differs_by_seed_and_has_no_mean) {
    ForceField built, other;
    FieldState state = {.transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, .strength = 1};
    jn_field_init(&field, sizeof field);
    field.kind = "turbulence";
    field.size = 0.5;
    CHECK(force_field_create(&field, 1, "", &built, NULL) == JN_OK);
    field.seed = 7;
    CHECK(force_field_create(&field, 1, "", &other, NULL) == JN_OK);
    double sum[3] = {0, 0, 0}, largest = 0, differ = 0, jump = 0, rate = 0, spring = 0, before[3] = {0, 0, 0};
    const int count = 40000;
    for (int k = 0; k < count; ++k) {
        const double x[3] = {0.01 * k - 200, 0.003 * k, -0.002 * k};
        double a[3] = {0, 0, 0}, b[3] = {0, 0, 0};
        force_field_add(&built, &state, x, 0, a, &rate, &spring);
        force_field_add(&other, &state, x, 0, b, &rate, &spring);
        for (int i = 0; i < 3; ++i) {
            sum[i] += a[i] / count;
            largest = fmax(largest, fabs(a[i]));
            differ = fmax(differ, fabs(a[i] - b[i]));
            jump = k ? fmax(jump, fabs(a[i] - before[i])) : 0;
            before[i] = a[i];
        }
    }
    CHECK(largest > 0.5 && largest <= 1 && differ > 0.5);
    CHECK(fabs(sum[0]) < 0.05 && fabs(sum[1]) < 0.05 && fabs(sum[2]) < 0.05);
    CHECK(jump < 0.12); /* a hundredth of a metre is a fiftieth of a swirl */
}

/* Pushes frames up to, not including, number `end`, in which the field grows and moves. */
static JnStatus push_frames(JnBake *bake, double end, JnMessage *message) {
    JnStatus status = JN_OK;
    while (status == JN_OK && jn_bake_next_frame(bake) < end) {
        JnFrameInput input;
        JnFieldInput moved;
        jn_frame_input_init(&input, sizeof input);
        jn_field_input_init(&moved, sizeof moved);
        input.frame = jn_bake_next_frame(bake);
        moved.has_strength = moved.has_transform = 1;
        moved.strength = 4 * (input.frame - 1);
        moved.transform[3] = 0.1 * input.frame;
        input.fields = &moved;
        input.field_count = 1;
        status = jn_bake_advance(bake, &input, message);
    }
    return status;
}

static void open_blown(OneBody *scene, const char *path) {
    open_box(scene, "turbulence");
    field.size = 0.2;
    scene->desc.frame_count = 8;
    scene->desc.output_path = path;
}

/* Bakes up to `end`, going on with what is there. */
static void bake_blown(const char *path, double end) {
    OneBody scene;
    JnMessage message;
    JnBake *bake;
    open_blown(&scene, path);
    scene.desc.resume = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(push_frames(bake, end, &message) == JN_OK);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(field_keys_survive_a_resume) {
    bake_blown(whole_path, 9);
    bake_blown(parts_path, 4);
    bake_blown(parts_path, 9);
    CHECK(whole_equals_parts());
}

TEST(field_keyed_strength_is_ramped_between_frames) {
    OneBody scene;
    JnMessage message;
    JnBake *bake;
    JnMotion motion = {.struct_size = sizeof motion};
    open_box(&scene, "wind");
    field.strength = 0;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(push_frames(bake, 4, &message) == JN_OK);
    CHECK(jn_bake_motion(bake, &motion, &message) == JN_OK);
    double mass = 0, expected = 0;
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        mass += bake->model.system.masses[v];
    /* the strength at the end of each of the 8 steps of two frames, up to 8 m/s2 */
    for (int step = 1; step <= 16; ++step)
        expected += 8.0 * step / 16 / (24 * 8);
    CHECK_NEAR(motion.momentum[2] / mass, expected, 1e-9);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(field_settle_finds_the_rest_against_the_wind) {
    OneBody scene;
    JnMessage message;
    JnBake *bake;
    double moved[3];
    open_box(&scene, "wind");
    point_up(&field);
    field.strength = 9.81;
    one_body_pin(&scene);
    scene.body.material.young_modulus = 2e4;
    scene.desc.gravity[1] = -9.81;
    scene.body.settle = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 2, &message) == JN_OK);
    mean_position(bake, moved);
    for (int i = 0; i < 3; ++i)
        CHECK_NEAR(moved[i], 0.05, 1e-9);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(field_wrong_values_are_named) {
    OneBody scene;
    JnMessage message;
    JnBake *bake;
    open_box(&scene, "gale");
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_ERR_UNKNOWN_NAME && strstr(message.text, "turbulence"));
    field.kind = "wind";
    field.strength = NAN;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_ERR_ARGUMENT && strstr(message.text, "fields[0].strength"));
    field.strength = 1;
    field.transform[0] = INFINITY;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_ERR_ARGUMENT);
    field.transform[0] = 1;
    scene.desc.fields = NULL;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_ERR_ARGUMENT);
    scene.desc.fields = &field;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    JnFrameInput input;
    JnFieldInput wrong[2];
    jn_frame_input_init(&input, sizeof input);
    for (int i = 0; i < 2; ++i)
        jn_field_input_init(&wrong[i], sizeof wrong[i]);
    input.fields = wrong;
    input.field_count = 2;
    CHECK(jn_bake_advance(bake, &input, &message) == JN_ERR_ARGUMENT && strstr(message.text, "2 fields"));
    input.field_count = 1;
    wrong[0].has_damping = 1;
    wrong[0].damping = -1;
    CHECK(jn_bake_advance(bake, &input, &message) == JN_ERR_ARGUMENT && strstr(message.text, "damping"));
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}
