/* What moves: keys, files, gravity, forces, colliders, frame by frame. */
#include "scene_fixture.h"

#define KEYS                                                                                                           \
    ", \"transform\": {\"translate\": [0, 5, 0]}, \"animation\": {\"keys\": [{\"frame\": 1}, {\"frame\": "             \
    "3, \"translate\": "                                                                                               \
    "[4, 0, 0], \"about\": [0, 5, 0]}, {\"frame\": 5, \"translate\": [4, 0, 0], \"rotate\": [0, 0, 90], "              \
    "\"about\": [0, 5, 0]}]}"

TEST(scene_frame_of_a_still_scene_says_that_nothing_moves) {
    JnScene *scene = fixture_load(BEAM_SCENE("", ""));
    CHECK(scene);
    JnFrameInput input;
    CHECK(jn_scene_frame(scene, 3, &input, sizeof input, &fixture_message) == JN_OK);
    CHECK(input.struct_size == sizeof input && input.frame == 3 && !input.has_gravity);
    CHECK(input.body_count == 1 && input.collider_count == 0);
    CHECK(input.bodies[0].struct_size == sizeof(JnBodyInput) && !input.bodies[0].targets && !input.bodies[0].forces);
    jn_scene_free(scene);
}

TEST(scene_keys_move_targets_in_the_space_of_the_scene) {
    JnScene *scene = fixture_load(BEAM_SCENE(", \"frames\": {\"steps_per_frame\": 1}", KEYS));
    CHECK(scene);
    const double *rest = scene->desc.bodies[0].tets.positions;
    JnFrameInput input;
    /* half way of the first stretch, and held before the first key */
    CHECK(jn_scene_frame(scene, 2, &input, sizeof input, NULL) == JN_OK);
    CHECK(input.bodies[0].sample_count == 1);
    for (size_t i = 0; i < 60; ++i)
        CHECK_NEAR(input.bodies[0].targets[i], rest[i] + (i % 3 == 0 ? 2 : 0), 1e-12);
    jn_scene_frame(scene, -7, &input, sizeof input, NULL);
    CHECK(memcmp(input.bodies[0].targets, rest, 60 * sizeof *rest) == 0);
    /* a quarter turn about the object's own origin, which stands at (0, 5, 0): x goes to y */
    jn_scene_frame(scene, 9, &input, sizeof input, NULL);
    for (size_t i = 0; i < 60; i += 3) {
        CHECK_NEAR(input.bodies[0].targets[i], 4 - rest[i + 1], 1e-12);
        CHECK_NEAR(input.bodies[0].targets[i + 1], rest[i], 1e-12);
    }
    jn_scene_free(scene);
}

TEST(scene_keys_are_sampled_within_a_frame_so_that_turns_are_arcs) {
    JnScene *scene = fixture_load(BEAM_SCENE(", \"frames\": {\"steps_per_frame\": 4}", KEYS));
    CHECK(scene);
    JnFrameInput input;
    jn_scene_frame(scene, 4, &input, sizeof input, NULL);
    CHECK(input.bodies[0].sample_count == 4);
    for (size_t s = 0; s < 4; ++s) {
        const double *x = input.bodies[0].targets + 60 * s;
        /* every vertex keeps its distance to the pivot, now at (4, 0, 0) of the object */
        const double *rest = scene->desc.bodies[0].tets.positions;
        double arm = hypot(rest[57], rest[58]);
        CHECK(arm > 1);
        CHECK_NEAR(hypot(x[57] - 4, x[58]), arm, 1e-12);
    }
    jn_scene_frame(scene, 1, &input, sizeof input, NULL);
    CHECK(input.bodies[0].sample_count == 1);
    jn_scene_free(scene);
}

TEST(scene_animated_body_starts_where_its_animation_is) {
    JnScene *scene = fixture_load(BEAM_SCENE(", \"frames\": {\"first\": 3}", KEYS));
    CHECK(scene);
    const JnBody *body = &scene->desc.bodies[0];
    CHECK(body->start_positions);
    for (size_t i = 0; i < 60; ++i)
        CHECK_NEAR(body->start_positions[i], body->tets.positions[i] + (i % 3 == 0 ? 4 : 0), 1e-12);
    jn_scene_free(scene);
}

TEST(scene_frames_may_come_in_any_order) {
    JnScene *scene = fixture_load(BEAM_SCENE("", KEYS));
    CHECK(scene);
    JnFrameInput input;
    double first[60];
    jn_scene_frame(scene, 4.25, &input, sizeof input, NULL);
    memcpy(first, input.bodies[0].targets, sizeof first);
    jn_scene_frame(scene, 40, &input, sizeof input, NULL);
    CHECK(memcmp(first, input.bodies[0].targets, sizeof first) != 0);
    jn_scene_frame(scene, -4, &input, sizeof input, NULL);
    jn_scene_frame(scene, 4.25, &input, sizeof input, NULL);
    CHECK(memcmp(first, input.bodies[0].targets, sizeof first) == 0);
    jn_scene_free(scene);
}

TEST(scene_gravity_keys_are_straight_in_between) {
    JnScene *scene =
        fixture_load(BEAM_SCENE(", \"frames\": {\"first\": 10}, \"world\": {\"gravity\": {\"keys\": "
                                "[{\"frame\": 5, \"value\": [0, -10, 0]}, {\"frame\": 25, \"value\": [2, 10, 0]}]}}",
                                ""));
    CHECK(scene);
    CHECK_NEAR(scene->desc.gravity[1], -5, 1e-12);
    JnFrameInput input;
    jn_scene_frame(scene, 15, &input, sizeof input, NULL);
    CHECK(input.has_gravity);
    CHECK_NEAR(input.gravity[0], 1, 1e-12);
    CHECK_NEAR(input.gravity[1], 0, 1e-12);
    jn_scene_frame(scene, 100, &input, sizeof input, NULL);
    CHECK_NEAR(input.gravity[1], 10, 1e-12);
    jn_scene_free(scene);
}

TEST(scene_body_keys_blend_between_the_keys_that_have_them) {
    JnScene *scene = fixture_load(BEAM_SCENE(
        ", \"frames\": {\"first\": 1}", ", \"keys\": [{\"frame\": 5, \"stiffness\": 1, \"pin\": 1}, {\"frame\": 7, "
                                        "\"pin\": 0}, {\"frame\": 15, \"stiffness\": 4}]"));
    CHECK(scene);
    CHECK(scene->desc.bodies[0].releasable_pins == 1 && scene->desc.input_tag != 0);
    JnFrameInput input;
    const double frames[] = {1, 5, 6, 10, 15, 99}, stiffness[] = {1, 1, pow(4, 0.1), 2, 4, 4},
                 pin[] = {1, 1, 0.5, 0, 0, 0};
    for (int i = 0; i < 6; ++i) {
        jn_scene_frame(scene, frames[i], &input, sizeof input, NULL);
        const JnBodyInput *body = &input.bodies[0];
        CHECK(body->has_stiffness && body->has_pin_strength && !body->has_goal_strength);
        CHECK_NEAR(body->stiffness, stiffness[i], 1e-12);
        CHECK_NEAR(body->pin_strength, pin[i], 1e-12);
    }
    /* another key is another input: a resume sees it */
    uint64_t tag = scene->desc.input_tag;
    jn_scene_free(scene);
    scene = fixture_load(BEAM_SCENE(", \"frames\": {\"first\": 1}",
                                    ", \"keys\": [{\"frame\": 5, \"stiffness\": 1, \"pin\": 1}, "
                                    "{\"frame\": 7, \"pin\": 0}, {\"frame\": 15, "
                                    "\"stiffness\": 5}]"));
    CHECK(scene && scene->desc.input_tag != tag);
    jn_scene_free(scene);
}

TEST(scene_forces_act_in_their_frames_and_sum_to_the_whole) {
    JnScene *scene = fixture_load(
        BEAM_SCENE("", ", \"weights\": {\"tip\": {\"field\": \"end\"}, \"ramp\": {\"ramp\": [[0, 0, 0], [4, 0, 0]]}}, "
                       "\"forces\": [{\"weights\": \"tip\", \"force\": [0, 8, 0], \"from\": 10, \"to\": 12}, "
                       "{\"weights\": \"ramp\", \"force\": [0, 0, 30], \"from\": 12}]"));
    CHECK(scene);
    JnFrameInput input;
    double sum[3];
    for (double frame = 9; frame <= 13; ++frame) {
        jn_scene_frame(scene, frame, &input, sizeof input, NULL);
        const double *forces = input.bodies[0].forces;
        CHECK((forces != NULL) == (frame >= 10));
        memset(sum, 0, sizeof sum);
        for (size_t i = 0; forces && i < 60; ++i)
            sum[i % 3] += forces[i];
        CHECK_NEAR(sum[1], frame >= 10 && frame <= 12 ? 8 : 0, 1e-12);
        CHECK_NEAR(sum[2], frame >= 12 ? 30 : 0, 1e-12);
    }
    /* in proportion to the weight: x = 2 gets half of what x = 4 gets */
    const double *x = scene->desc.bodies[0].tets.positions;
    double middle = 0, end = 0;
    for (size_t i = 0; i < 20; ++i) {
        middle = x[3 * i] == 2 ? input.bodies[0].forces[3 * i + 2] : middle;
        end = x[3 * i] == 4 ? input.bodies[0].forces[3 * i + 2] : end;
    }
    CHECK(end > 0);
    CHECK_NEAR(middle, end / 2, 1e-12);
    jn_scene_free(scene);
}

TEST(scene_collider_keys_become_its_transform) {
    JnScene *scene =
        fixture_load(BEAM_SCENE(", \"colliders\": [{\"name\": \"a\"}, {\"name\": \"b\", \"animation\": {\"keys\": "
                                "[{\"frame\": 0}, {\"frame\": 10, \"translate\": [0, 5, 0]}]}}]",
                                ""));
    CHECK(scene);
    JnFrameInput input;
    jn_scene_frame(scene, 4, &input, sizeof input, NULL);
    CHECK(input.collider_count == 2 && !input.colliders[0].has_transform && input.colliders[1].has_transform);
    CHECK_NEAR(input.colliders[1].transform[7], 2, 1e-12);
    CHECK_NEAR(input.colliders[1].transform[0], 1, 1e-12);
    jn_scene_free(scene);
}

static void write_pose(int frame, double x) {
    char path[600];
    snprintf(path, sizeof path, "%s/scene_pose_%04d.obj", JN_TEST_OUTPUT, frame);
    FILE *file = fopen(path, "wb");
    if (!file)
        return;
    fprintf(file, "v %g 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", x);
    fclose(file);
}

TEST(scene_pose_files_are_read_by_frame_number_and_blended_between) {
    const char *path = JN_TEST_OUTPUT "/scene_poses.json";
    JnMessage message;
    JnScene *scene;
    JnFrameInput input;
    for (int frame = 8; frame <= 11; ++frame)
        write_pose(frame, -0.1 * frame);
    FILE *file = fopen(path, "wb");
    CHECK(file);
    fputs("{\"jounce\": 1, \"frames\": {\"first\": 8, \"count\": 4}, \"bodies\": [{\"name\": \"b\", \"mesh\": "
          "\"scene_pose_0008.obj\", \"animation\": {\"files\": \"scene_pose_####.obj\"}}]}",
          file);
    fclose(file);
    CHECK(jn_scene_load(path, &scene, &message) == JN_OK);
    CHECK(jn_scene_frame(scene, 11, &input, sizeof input, &message) == JN_OK);
    CHECK_NEAR(input.bodies[0].targets[0], -1.1, 1e-12);
    CHECK(jn_scene_frame(scene, 8.5, &input, sizeof input, &message) == JN_OK);
    CHECK_NEAR(input.bodies[0].targets[0], -0.85, 1e-12);
    CHECK(jn_scene_frame(scene, 12, &input, sizeof input, &message) == JN_ERR_FILE);
    CHECK_STR_HAS(message.text, "scene_pose_0012.obj");
    jn_scene_free(scene);

    /* a missing frame is found before the bake */
    CHECK(remove(JN_TEST_OUTPUT "/scene_pose_0010.obj") == 0);
    CHECK(jn_scene_load(path, &scene, &message) == JN_ERR_FILE);
    CHECK_STR_HAS(message.text, "scene_pose_0010.obj for frame 10");
}

TEST(scene_frame_refuses_bad_arguments) {
    JnScene *scene = fixture_load(BEAM_SCENE("", ""));
    CHECK(scene);
    JnFrameInput input;
    JnBakeDesc desc;
    CHECK(jn_scene_frame(NULL, 1, &input, sizeof input, &fixture_message) == JN_ERR_ARGUMENT);
    CHECK(jn_scene_frame(scene, 1, NULL, sizeof input, &fixture_message) == JN_ERR_ARGUMENT);
    CHECK(jn_scene_frame(scene, NAN, &input, sizeof input, &fixture_message) == JN_ERR_ARGUMENT);
    CHECK(jn_scene_frame(scene, 1e300, &input, sizeof input, NULL) == JN_ERR_ARGUMENT);
    CHECK(jn_scene_desc(NULL, &desc, sizeof desc, &fixture_message) == JN_ERR_ARGUMENT);
    CHECK(jn_scene_desc(scene, NULL, sizeof desc, &fixture_message) == JN_ERR_ARGUMENT);
    jn_scene_free(scene);
    jn_scene_free(NULL);
}

TEST(scene_rest_frame_makes_its_pose_the_rest_shape_and_leaves_the_start) {
    JnScene *scene = fixture_load(BEAM_SCENE(", \"frames\": {\"first\": 1}", KEYS ", \"rest_frame\": 9"));
    JnScene *plain = fixture_load(BEAM_SCENE(", \"frames\": {\"first\": 1}", KEYS));
    CHECK(scene && plain);
    const JnBody *body = &scene->desc.bodies[0];
    const double *modelled = plain->desc.bodies[0].tets.positions;
    JnFrameInput input;
    CHECK(jn_scene_frame(plain, 9, &input, sizeof input, NULL) == JN_OK);
    const double *pose = input.bodies[0].targets + (size_t)(input.bodies[0].sample_count - 1) * 60;
    CHECK(memcmp(body->tets.positions, pose, 60 * sizeof *pose) == 0);
    CHECK(memcmp(body->tets.positions, modelled, 60 * sizeof *pose) != 0);
    CHECK(memcmp(body->start_positions, modelled, 60 * sizeof *pose) == 0);
    jn_scene_free(scene);
    jn_scene_free(plain);
    CHECK_REFUSED(BEAM_SCENE("", ", \"rest_frame\": 2"), JN_ERR_SCENE,
                  "bodies[0].rest_frame: the body has no animation");
}

TEST(scene_cuts_and_the_part_of_the_simulation_reach_their_frames) {
    JnScene *scene = fixture_load(
        BEAM_SCENE("", KEYS ", \"cuts\": [4, 2.5], \"keys\": [{\"frame\": 2, \"simulation\": 1}, {\"frame\": 4, "
                            "\"simulation\": 0}]"));
    CHECK(scene);
    JnFrameInput input;
    for (int frame = 1; frame < 7; ++frame) {
        CHECK(jn_scene_frame(scene, frame, &input, sizeof input, NULL) == JN_OK);
        CHECK(input.bodies[0].cut == (frame == 3 || frame == 4));
        CHECK(input.bodies[0].has_simulation);
        CHECK_NEAR(input.bodies[0].simulation, frame <= 2 ? 1 : frame == 3 ? 0.5 : 0, 1e-12);
    }
    jn_scene_free(scene);
    CHECK_REFUSED(BEAM_SCENE("", ", \"cuts\": [2]"), JN_ERR_SCENE, "bodies[0].cuts: the body has no animation to cut");
}
