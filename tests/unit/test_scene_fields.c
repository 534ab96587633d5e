/* Fields of force, and bodies that matrices move, in scene files. */
#include "scene_fixture.h"

#define FIELDS(more) ", \"fields\": [{\"name\": \"fan\", \"kind\": \"wind\", \"strength\": 3" more "}]"
#define FIELD_KEYS                                                                                                     \
    ", \"keys\": [{\"frame\": 1}, {\"frame\": 3, \"strength\": 5, \"transform\": {\"translate\": [4, 0, 0]}}]"

TEST(scene_field_is_placed_and_keyed) {
    JnScene *scene = fixture_load(BEAM_SCENE(FIELDS(FIELD_KEYS), ""));
    CHECK(scene);
    CHECK(scene->desc.field_count == 1 && scene->desc.fields[0].strength == 3 && scene->desc.input_tag != 0);
    CHECK(isnan(scene->desc.fields[0].farthest) && strcmp(scene->desc.fields[0].kind, "wind") == 0);
    const double frames[] = {0, 2, 9}, strengths[] = {3, 4, 5}, places[] = {0, 2, 4};
    for (int f = 0; f < 3; ++f) {
        JnFrameInput input;
        CHECK(jn_scene_frame(scene, frames[f], &input, sizeof input, NULL) == JN_OK && input.field_count == 1);
        CHECK_NEAR(input.fields[0].strength, strengths[f], 1e-12);
        CHECK_NEAR(input.fields[0].transform[3], places[f], 1e-12);
    }
    jn_scene_free(scene);
}

TEST(scene_field_without_keys_stands_still) {
    JnScene *scene = fixture_load(BEAM_SCENE(FIELDS(""), ""));
    CHECK(scene && scene->desc.input_tag == 0);
    JnFrameInput input;
    CHECK(jn_scene_frame(scene, 2, &input, sizeof input, NULL) == JN_OK);
    CHECK(!input.fields[0].has_strength && !input.fields[0].has_transform);
    jn_scene_free(scene);
}

TEST(scene_field_that_is_wrong_is_refused_by_its_place) {
    CHECK_REFUSED(BEAM_SCENE(", \"fields\": [{\"name\": \"f\", \"kind\": \"gale\"}]", ""), JN_ERR_UNKNOWN_NAME,
                  "turbulence");
    CHECK_REFUSED(BEAM_SCENE(FIELDS(", \"keys\": [{\"frame\": 2}, {\"frame\": 2}]"), ""), JN_ERR_SCENE,
                  "fields[0].keys[1].frame is 2");
    CHECK_REFUSED(BEAM_SCENE(FIELDS(", \"keys\": [{\"frame\": 2, \"transform\": {\"scale\": [1, 1, -1]}}]"), ""),
                  JN_ERR_SCENE, "fields[0].keys[0].transform is flattened, or mirrored");
}

TEST(scene_body_goes_where_its_matrices_are) {
    const char *path = JN_TEST_OUTPUTS "/body_matrices.txt";
    FILE *file = fopen(path, "w");
    CHECK(file);
    fputs("1 1 0 0 0 0 1 0 0 0 0 1 0\n3 1 0 0 4 0 1 0 0 0 0 1 0\n", file);
    fclose(file);
    JnScene *scene = fixture_load(BEAM_SCENE("", ", \"matrices\": \"" JN_TEST_OUTPUTS "/body_matrices.txt\""));
    CHECK(scene && scene->desc.input_tag != 0);
    JnFrameInput input;
    CHECK(jn_scene_frame(scene, 2, &input, sizeof input, NULL) == JN_OK && input.bodies[0].has_transform);
    CHECK_NEAR(input.bodies[0].transform[3], 2, 1e-12);
    CHECK(scene->desc.bodies[0].transform[3] == 0);
    jn_scene_free(scene);
    CHECK_REFUSED(BEAM_SCENE("", ", \"matrices\": \"" JN_TEST_OUTPUTS "/body_matrices.txt\", \"animation\": {\"keys\": "
                                 "[{\"frame\": 1}]}"),
                  JN_ERR_SCENE, "bodies[0].matrices: the body's animation");
    CHECK_REFUSED(BEAM_SCENE("", ", \"matrices\": \"no.txt\""), JN_ERR_FILE, "bodies[0].matrices");
    remove(path);
}
