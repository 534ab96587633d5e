/* Bones in scene files: volumes, and motions by keys, by matrices and by an animated mesh. */
#include "scene_fixture.h"

#include "base/math3.h"

#define CAPSULE "\"name\": \"spine\", \"point\": [0.5, 0.5, 0.5], \"end\": [3.5, 0.5, 0.5], \"radius\": 0.4"
#define BONES(more) ", \"bones\": [{" CAPSULE more "}]"
#define BONE_KEYS                                                                                                      \
    ", \"animation\": {\"keys\": [{\"frame\": 1}, {\"frame\": 3, \"translate\": [4, 0, 0], \"rotate\": [0, 90, 0]}]}"

TEST(scene_bone_is_a_capsule_that_keys_move) {
    JnScene *scene = fixture_load(BEAM_SCENE("", BONES(BONE_KEYS ", \"strength\": 0.7")));
    if (!scene)
        printf("%s\n", fixture_message.text);
    CHECK(scene);
    const JnBody *body = &scene->desc.bodies[0];
    CHECK(body->bone_count == 1 && body->bones[0].radius == 0.4 && body->bones[0].strength == 0.7);
    CHECK(strcmp(body->bones[0].name, "spine") == 0 && scene->desc.input_tag != 0);
    JnFrameInput input;
    CHECK(jn_scene_frame(scene, 2, &input, sizeof input, NULL) == JN_OK);
    CHECK(input.bodies[0].bones && !input.bodies[0].targets);
    CHECK_NEAR(input.bodies[0].bones[3], 2, 1e-12);
    CHECK_NEAR(input.bodies[0].bones[0], sqrt(0.5), 1e-12);
    jn_scene_free(scene);
}

TEST(scene_bone_rests_where_its_animation_has_it_at_the_rest_frame) {
    JnScene *scene = fixture_load(
        BEAM_SCENE("", ", \"animation\": {\"keys\": [{\"frame\": 1}]}, \"rest_frame\": 3" BONES(BONE_KEYS)));
    CHECK(scene);
    const JnBone *bone = &scene->desc.bodies[0].bones[0];
    double moved[12];
    JnFrameInput input;
    CHECK_NEAR(bone->transform[3], 4, 1e-12);
    for (int frame = 1; frame <= 3; frame += 2) {
        CHECK(jn_scene_frame(scene, frame, &input, sizeof input, NULL) == JN_OK);
        affine_multiply(input.bodies[0].bones, bone->transform, moved);
        CHECK_NEAR(moved[3], frame == 1 ? 0 : 4, 1e-12);
        CHECK_NEAR(moved[0], frame == 1 ? 1 : 0, 1e-12);
    }
    jn_scene_free(scene);
}

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

TEST(scene_bone_follows_the_matrices_of_a_file) {
    const char *path = JN_TEST_OUTPUTS "/bone_matrices.txt";
    write_text(path, "1  1 0 0 0  0 1 0 0  0 0 1 0\n3  1 0 0 2  0 1 0 0  0 0 1 -1\n");
    JnScene *scene = fixture_load(BEAM_SCENE("", BONES(", \"matrices\": \"" JN_TEST_OUTPUTS "/bone_matrices.txt\"")));
    if (!scene)
        printf("%s\n", fixture_message.text);
    CHECK(scene);
    static const double shifts[] = {0, 0, 1, 2, 2};
    for (int frame = 0; frame < 5; ++frame) {
        JnFrameInput input;
        CHECK(jn_scene_frame(scene, frame, &input, sizeof input, NULL) == JN_OK);
        CHECK_NEAR(input.bodies[0].bones[3], shifts[frame], 1e-12);
        CHECK_NEAR(input.bodies[0].bones[11], -0.5 * shifts[frame], 1e-12);
    }
    jn_scene_free(scene);
    write_text(path, "1  1 0 0 0  0 1 0 0  0 0 1\n");
    CHECK_REFUSED(BEAM_SCENE("", BONES(", \"matrices\": \"" JN_TEST_OUTPUTS "/bone_matrices.txt\"")), JN_ERR_SCENE,
                  "holds 12 numbers");
    write_text(path, "1 one\n");
    CHECK_REFUSED(BEAM_SCENE("", BONES(", \"matrices\": \"" JN_TEST_OUTPUTS "/bone_matrices.txt\"")), JN_ERR_FORMAT,
                  "comes 'one'");
    CHECK_REFUSED(BEAM_SCENE("", BONES(BONE_KEYS ", \"matrices\": \"a.txt\"")), JN_ERR_SCENE,
                  "bones[0] has both animation and matrices");
    remove(path);
}

TEST(scene_bone_of_a_mesh_follows_the_rigid_motion_of_its_files) {
    static const double rest[4][3] = {{1, 0.2, 0.2}, {2, 0.2, 0.2}, {1, 0.8, 0.2}, {1, 0.2, 0.8}};
    for (int frame = 0; frame <= 2; ++frame) {
        char path[256], text[512] = "";
        snprintf(path, sizeof path, "%s/bone_%d.obj", JN_TEST_OUTPUTS, frame);
        for (int v = 0; v < 4; ++v)
            snprintf(text + strlen(text), sizeof text - strlen(text), "v %g %g %g\n", rest[v][0] + frame, rest[v][1],
                     rest[v][2]);
        strcat(text, "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
        write_text(path, text);
    }
    JnScene *scene =
        fixture_load(BEAM_SCENE(", \"frames\": {\"first\": 1, \"count\": 2}",
                                ", \"bones\": [{\"name\": \"jaw\", \"mesh\": \"" JN_TEST_OUTPUTS
                                "/bone_0.obj\", \"animation\": {\"files\": \"" JN_TEST_OUTPUTS "/bone_#.obj\"}}]"));
    if (!scene)
        printf("%s\n", fixture_message.text);
    CHECK(scene);
    JnFrameInput input;
    CHECK(jn_scene_frame(scene, 2, &input, sizeof input, NULL) == JN_OK);
    for (int i = 0; i < 12; ++i)
        CHECK_NEAR(input.bodies[0].bones[i], i == 3 ? 2 : i % 5 == 0, 1e-12);
    jn_scene_free(scene);
    CHECK_REFUSED(BEAM_SCENE(", \"frames\": {\"first\": 1, \"count\": 2}",
                             BONES(", \"animation\": {\"files\": \"" JN_TEST_OUTPUTS "/bone_#.obj\"}")),
                  JN_ERR_SCENE, "a capsule is moved by keys or by matrices");
    for (int frame = 0; frame <= 2; ++frame) {
        char path[256];
        snprintf(path, sizeof path, "%s/bone_%d.obj", JN_TEST_OUTPUTS, frame);
        remove(path);
    }
}
