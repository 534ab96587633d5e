/* Numbers that change over time: stiffness, goals, pins and gravity take effect at their frame, and not before. */
#include "baking.h"
#include "harness.h"
#include "whole_and_parts.h"

#include "bake/bake_internal.h"

/* A beam that hangs from x = 0, dull enough to come to rest soon. */
static void open_beam(OneBody *scene, const char *path) {
    one_body_init(scene, tet_box_make(8, 2, 2, 0.05));
    one_body_pin(scene);
    scene->body.material.young_modulus = 2e5;
    scene->body.material.mass_damping = 20;
    scene->desc.gravity[1] = -9.81;
    scene->desc.frame_count = 60;
    scene->desc.output_path = path;
}

/* What is keyed at one frame. */
typedef struct Key {
    double frame;
    JnBodyInput body;
    bool has_gravity;
    double gravity;
} Key;

/* Bakes the frames before `end`, giving the key at its frame. */
static JnStatus push_frames(JnBake *bake, const Key *key, double end, JnMessage *message) {
    JnStatus status = JN_OK;
    while (status == JN_OK && jn_bake_next_frame(bake) < end) {
        JnFrameInput input;
        JnBodyInput body;
        jn_frame_input_init(&input, sizeof input);
        jn_body_input_init(&body, sizeof body);
        input.frame = jn_bake_next_frame(bake);
        if (key && input.frame == key->frame) {
            body = key->body;
            input.has_gravity = key->has_gravity;
            input.gravity[1] = key->gravity;
        }
        input.bodies = &body;
        input.body_count = 1;
        status = jn_bake_advance(bake, &input, message);
    }
    return status;
}

static double tip_height(const JnBake *bake) {
    double tip = 0, most = -1;
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        if (bake->model.bodies[0].mesh.positions[3 * v] > most) {
            most = bake->model.bodies[0].mesh.positions[3 * v];
            tip = bake->motion.state.q[3 * v + 1] - bake->model.bodies[0].mesh.positions[3 * v + 1];
        }
    return tip;
}

TEST(keyed_stiffness_changes_the_sag_from_its_frame_on_and_not_before) {
    JnMessage message;
    OneBody plain_scene, keyed_scene;
    JnBake *plain, *keyed;
    Key key = {.frame = 32};
    jn_body_input_init(&key.body, sizeof key.body);
    key.body.has_stiffness = 1;
    key.body.stiffness = 2;
    open_beam(&plain_scene, NULL);
    open_beam(&keyed_scene, NULL);
    CHECK(jn_bake_begin(&plain_scene.desc, &plain, &message) == JN_OK);
    CHECK(jn_bake_begin(&keyed_scene.desc, &keyed, &message) == JN_OK);
    size_t bytes = 3 * (size_t)plain->model.vertex_count * sizeof(double);
    CHECK(push_frames(plain, NULL, 32, &message) == JN_OK && push_frames(keyed, &key, 32, &message) == JN_OK);
    CHECK(memcmp(plain->motion.state.q, keyed->motion.state.q, bytes) == 0 &&
          memcmp(plain->motion.state.v, keyed->motion.state.v, bytes) == 0);
    double soft = tip_height(plain);
    CHECK(soft < -0.005);
    CHECK(push_frames(keyed, &key, 33, &message) == JN_OK && push_frames(plain, NULL, 33, &message) == JN_OK);
    CHECK(memcmp(plain->motion.state.q, keyed->motion.state.q, bytes) != 0);
    CHECK(push_frames(keyed, &key, 61, &message) == JN_OK);
    /* small strains: twice as stiff, half the sag */
    CHECK_NEAR(tip_height(keyed) / soft, 0.5, 0.02);
    CHECK(keyed->counts.cut_steps == 0);
    jn_bake_end(plain, NULL);
    jn_bake_end(keyed, NULL);
    one_body_free(&plain_scene);
    one_body_free(&keyed_scene);
}

TEST(keyed_stiffness_equals_the_stiffer_material_from_the_first_frame) {
    JnMessage message;
    OneBody scenes[2];
    JnBake *bakes[2];
    Key key = {.frame = 1};
    jn_body_input_init(&key.body, sizeof key.body);
    key.body.has_stiffness = 1;
    key.body.stiffness = 4;
    for (int run = 0; run < 2; ++run) {
        open_beam(&scenes[run], NULL);
        scenes[run].body.material.young_modulus *= run ? 4 : 1;
        scenes[run].body.material.stiffness_damping = 0.01;
        CHECK(jn_bake_begin(&scenes[run].desc, &bakes[run], &message) == JN_OK);
        CHECK(push_frames(bakes[run], run ? NULL : &key, 13, &message) == JN_OK);
    }
    CHECK(tip_height(bakes[0]) < -0.001);
    CHECK_NEAR(tip_height(bakes[0]), tip_height(bakes[1]), 1e-12);
    for (int run = 0; run < 2; ++run) {
        jn_bake_end(bakes[run], NULL);
        one_body_free(&scenes[run]);
    }
}

TEST(keyed_gravity_flips_the_sag) {
    JnMessage message;
    OneBody scene;
    JnBake *bake;
    Key key = {.frame = 30, .has_gravity = true, .gravity = 9.81};
    jn_body_input_init(&key.body, sizeof key.body);
    open_beam(&scene, NULL);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(push_frames(bake, &key, 30, &message) == JN_OK);
    double down = tip_height(bake);
    CHECK(push_frames(bake, &key, 60, &message) == JN_OK);
    CHECK(down < -0.005);
    CHECK_NEAR(tip_height(bake), -down, 0.02 * -down);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(keyed_goal_of_strength_zero_lets_the_body_fall) {
    JnMessage message;
    OneBody scene;
    JnBake *bake;
    Key key = {.frame = 25};
    jn_body_input_init(&key.body, sizeof key.body);
    key.body.has_goal_strength = 1;
    key.body.goal_strength = 0;
    one_body_init(&scene, tet_box_make(2, 2, 2, 0.1));
    one_body_pin(&scene);
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        scene.pin_weights[v] = 1;
    scene.pin.effect = "goal";
    scene.pin.value = 1e4;
    scene.desc.gravity[1] = -9.81;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(push_frames(bake, &key, 24, &message) == JN_OK);
    CHECK_NEAR(tip_height(bake), -9.81 / 1e4, 1e-5);
    CHECK(push_frames(bake, &key, 26, &message) == JN_OK);
    /* free fall from there: frames 25 to 37 are half a second, SI a little ahead */
    double start = tip_height(bake);
    CHECK(push_frames(bake, &key, 38, &message) == JN_OK);
    double fallen = start - tip_height(bake), h = 1.0 / 96, speed = 9.81 * 4 * h;
    CHECK(fallen > 9.81 / 8 && fallen < 9.81 / 2 * (0.5 + h) * (0.5 + h) + 0.5 * speed);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(releasable_pins_hold_like_pins_and_then_let_go) {
    JnMessage message;
    OneBody scenes[2];
    JnBake *bakes[2];
    Key key = {.frame = 21};
    jn_body_input_init(&key.body, sizeof key.body);
    key.body.has_pin_strength = 1;
    key.body.pin_strength = 0;
    for (uint32_t run = 0; run < 2; ++run) {
        open_beam(&scenes[run], NULL);
        scenes[run].body.releasable_pins = run;
        scenes[run].body.material.mass_damping = 0;
        CHECK(jn_bake_begin(&scenes[run].desc, &bakes[run], &message) == JN_OK);
        CHECK(push_frames(bakes[run], NULL, 21, &message) == JN_OK);
    }
    double most = 0;
    for (uint32_t i = 0; i < 3 * bakes[0]->model.vertex_count; ++i)
        most = fmax(most, fabs(bakes[0]->motion.state.q[i] - bakes[1]->motion.state.q[i]));
    CHECK(tip_height(bakes[0]) < -0.005);
    CHECK(most > 0 && most < 1e-4); /* the beam is 40 cm long, and its tip is 11 cm down */
    CHECK(push_frames(bakes[0], &key, 22, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "releasable_pins");
    CHECK(push_frames(bakes[1], &key, 46, &message) == JN_OK);
    double mean[3];
    mean_position(bakes[1], mean);
    CHECK(mean[1] < -3); /* a second of free fall */
    for (int run = 0; run < 2; ++run) {
        jn_bake_end(bakes[run], NULL);
        one_body_free(&scenes[run]);
    }
}

TEST(resume_across_a_key_is_the_same_to_the_byte) {
    JnMessage message;
    OneBody scene;
    JnBake *bake;
    Key key = {.frame = 5};
    jn_body_input_init(&key.body, sizeof key.body);
    key.body.has_stiffness = key.body.has_pin_strength = 1;
    key.body.stiffness = 0.5;
    key.body.pin_strength = 0.2;
    for (int run = 0; run < 2; ++run) {
        /* the second time in three parts: the keyed values must still be known after a stop */
        const double stops[] = {5, 6, 12};
        open_beam(&scene, run ? parts_path : whole_path);
        scene.body.releasable_pins = 1;
        scene.desc.frame_count = 11;
        for (int part = run ? 0 : 2; part < 3; ++part) {
            scene.desc.resume = run && part > 0;
            CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
            CHECK(push_frames(bake, &key, stops[part], &message) == JN_OK);
            CHECK(jn_bake_end(bake, &message) == JN_OK);
        }
        one_body_free(&scene);
    }
    CHECK(whole_equals_parts());
}

TEST(keyed_numbers_out_of_range_are_refused) {
    JnMessage message;
    OneBody scene;
    JnBake *bake;
    const double bad[] = {0, -1, NAN, INFINITY, 1e7};
    open_beam(&scene, NULL);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        Key key = {.frame = 1};
        jn_body_input_init(&key.body, sizeof key.body);
        key.body.has_stiffness = 1;
        key.body.stiffness = bad[i];
        CHECK(push_frames(bake, &key, 2, &message) == JN_ERR_ARGUMENT);
        CHECK_STR_HAS(message.text, "input.bodies[0].stiffness");
    }
    Key key = {.frame = 1};
    jn_body_input_init(&key.body, sizeof key.body);
    key.body.has_goal_strength = 1;
    key.body.goal_strength = -1;
    CHECK(push_frames(bake, &key, 2, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "goal_strength");
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}
