/* Scene files that are right: what they become. */
#include "scene_fixture.h"

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

TEST(scene_with_nothing_but_a_body_has_the_defaults) {
    JnScene *scene = fixture_load(BEAM_SCENE("", ""));
    CHECK(scene);
    JnBakeDesc desc, plain;
    JnBody body;
    jn_bake_desc_init(&plain, sizeof plain);
    jn_body_init(&body, sizeof body);
    CHECK(jn_scene_desc(scene, &desc, sizeof desc, NULL) == JN_OK);
    CHECK(desc.struct_size == plain.struct_size && desc.body_count == 1 && desc.collider_count == 0);
    CHECK(desc.frame_count == plain.frame_count && desc.first_frame == plain.first_frame && desc.fps == plain.fps);
    CHECK(memcmp(desc.gravity, plain.gravity, sizeof desc.gravity) == 0);
    CHECK(desc.contact.smoothing_speed == plain.contact.smoothing_speed && isnan(desc.contact.thickness));
    CHECK(strcmp(desc.integrator, plain.integrator) == 0);
    CHECK(strcmp(desc.output_path, "shots/a.abc") == 0);
    CHECK(strcmp(desc.bodies[0].name, "beam") == 0);
    CHECK(desc.bodies[0].tets.vertex_count == 20 && desc.bodies[0].surface.vertex_count == 0);
    CHECK(memcmp(desc.bodies[0].transform, body.transform, sizeof body.transform) == 0);
    CHECK(desc.bodies[0].material.young_modulus == body.material.young_modulus);
    CHECK(!desc.bodies[0].start_positions && !desc.bodies[0].start_velocities);
    CHECK(desc.bodies[0].settle == 0 && desc.bodies[0].keep_shape == 0);
    CHECK(desc.bodies[0].collides == 1 && desc.bodies[0].self_contact == 0 && desc.bodies[0].ignore_groups == 0);
    CHECK(isnan(desc.bodies[0].friction) && isnan(desc.bodies[0].contact_thickness) && desc.contact.strict == 0);
    jn_scene_free(scene);
}

TEST(scene_groups_become_bits_shared_by_bodies_and_colliders) {
    JnScene *scene =
        fixture_load("{\"jounce\": 1, \"bodies\": [{\"name\": \"arm\", \"mesh\": {\"shape\": \"beam\"}, "
                     "\"ignore_groups\": [\"skin\", \"floor\", \"skin\"]}, {\"name\": \"belly\", \"mesh\": "
                     "{\"shape\": \"beam\"}, \"ignore_groups\": [\"skin\"], \"collides\": false, \"self_contact\": "
                     "true, \"friction\": 0.75, \"contact_thickness\": 0.25}, {\"name\": \"hat\", \"mesh\": "
                     "{\"shape\": \"beam\"}, \"ignore_groups\": []}], \"colliders\": [{\"name\": \"ground\", "
                     "\"ignore_groups\": [\"floor\"]}, {\"name\": \"wall\"}], \"contact\": {\"strict\": true}}");
    CHECK(scene);
    JnBakeDesc desc;
    jn_scene_desc(scene, &desc, sizeof desc, NULL);
    const JnBody *bodies = desc.bodies;
    uint64_t floor_bit = desc.colliders[0].ignore_groups, skin_bit = bodies[1].ignore_groups;
    CHECK(floor_bit && skin_bit && !(floor_bit & (floor_bit - 1)) && !(skin_bit & (skin_bit - 1)));
    CHECK(floor_bit != skin_bit && bodies[0].ignore_groups == (floor_bit | skin_bit));
    CHECK(bodies[2].ignore_groups == 0 && desc.colliders[1].ignore_groups == 0);
    CHECK(bodies[0].collides == 1 && bodies[1].collides == 0 && bodies[1].self_contact == 1);
    CHECK(bodies[1].friction == 0.75 && bodies[1].contact_thickness == 0.25 && desc.contact.strict == 1);
    jn_scene_free(scene);
}

/* A scene whose beam is in groups "0", "1", ..., and its collider in group "more" too. */
static JnStatus load_groups(int count) {
    char names[1000] = "", text[2000];
    for (int i = 0; i < count; ++i)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s\"%d\"", i ? ", " : "", i);
    snprintf(
        text, sizeof text,
        BEAM_SCENE(", \"colliders\": [{\"name\": \"c\", \"ignore_groups\": [\"more\"]}]", ", \"ignore_groups\": [%s]"),
        names);
    return fixture_status(text);
}

TEST(scene_has_as_many_groups_as_there_are_bits_and_no_more) {
    CHECK(load_groups(63) == JN_OK);
    CHECK(load_groups(64) == JN_ERR_SCENE);
    CHECK_STR_HAS(fixture_message.text, "bodies[0].ignore_groups: '63' is one group too many, a scene may have 64");
}

TEST(scene_gives_every_number_to_the_desc) {
    JnScene *scene = fixture_load(
        BEAM_SCENE(", \"units\": {\"metres_per_unit\": 0.01, \"up_axis\": \"z\"}, \"frames\": {\"first\": -3.5, "
                   "\"count\": 7, "
                   "\"fps\": 25, \"steps_per_frame\": 6, \"samples_per_frame\": 3}, \"world\": {\"wind\": [1, 2, 3], "
                   "\"air_density\": 1.2}, \"contact\": {\"thickness\": 0.5, \"stiffness\": 1e6, \"smoothing_speed\": "
                   "0.002}, "
                   "\"colliders\": [{\"name\": \"wall\", \"point\": [1, 2, 3], \"friction\": 0.25}], "
                   "\"output\": {\"path\": \"../out/b.abc\", \"velocities\": false}",
                   ", \"resolution\": 9, \"settle\": true, \"keep_shape\": true, \"material\": {\"density\": 700, "
                   "\"preset\": \"rubber\"}"));
    CHECK(scene);
    JnBakeDesc desc;
    jn_scene_desc(scene, &desc, sizeof desc, NULL);
    CHECK(desc.metres_per_unit == 0.01 && desc.up_axis == JN_UP_Z && desc.first_frame == -3.5);
    CHECK(desc.frame_count == 7 && desc.fps == 25 && desc.steps_per_frame == 6 && desc.samples_per_frame == 3);
    CHECK(desc.gravity[1] == 0 && desc.gravity[2] == -9.81);
    CHECK(desc.wind[2] == 3 && desc.air_density == 1.2);
    CHECK(desc.contact.thickness == 0.5 && desc.contact.stiffness == 1e6 && desc.contact.smoothing_speed == 0.002);
    CHECK(desc.collider_count == 1 && strcmp(desc.colliders[0].name, "wall") == 0);
    CHECK(desc.colliders[0].point[1] == 2 && desc.colliders[0].normal[2] == 1 && desc.colliders[0].normal[1] == 0);
    CHECK(desc.colliders[0].friction == 0.25);
    CHECK(strcmp(desc.output_path, "shots/../out/b.abc") == 0 && desc.write_velocities == 0);
    CHECK(desc.bodies[0].resolution == 9 && desc.bodies[0].settle == 1 && desc.bodies[0].keep_shape == 1);
    CHECK(desc.bodies[0].material.density == 700 && desc.bodies[0].material.young_modulus == 2e6);
    jn_scene_free(scene);
}

TEST(scene_transform_scales_then_turns_then_moves) {
    JnScene *scene = fixture_load(
        BEAM_SCENE("", ", \"transform\": {\"translate\": [10, 20, 30], \"rotate\": [0, 0, 90], \"scale\": [2, 1, 1]}"));
    CHECK(scene);
    /* x axis: doubled, then turned to y */
    const double expected[12] = {0, -1, 0, 10, 2, 0, 0, 20, 0, 0, 1, 30};
    for (int i = 0; i < 12; ++i)
        CHECK_NEAR(scene->desc.bodies[0].transform[i], expected[i], 1e-12);
    jn_scene_free(scene);
    scene = fixture_load(BEAM_SCENE("", ", \"transform\": [1, 2, 0, 4, 0, 6, 7, 8, 0, 1, 11, 12]"));
    CHECK(scene);
    CHECK(scene->desc.bodies[0].transform[1] == 2 && scene->desc.bodies[0].transform[11] == 12);
    jn_scene_free(scene);
}

TEST(scene_turns_about_x_then_y_then_z) {
    Pose pose = {.rotate = {90, 90, 0}, .scale = {1, 1, 1}};
    double matrix[12];
    pose_matrix(&pose, matrix);
    /* y goes to z by the turn about x, then to x by the turn about y */
    CHECK_NEAR(matrix[1], 1, 1e-15);
    CHECK_NEAR(matrix[5], 0, 1e-15);
    CHECK_NEAR(matrix[9], 0, 1e-15);
}

TEST(scene_weights_come_from_fields_boxes_ramps_values) {
    JnScene *scene = fixture_load(BEAM_SCENE(
        "", ", \"weights\": {\"left\": {\"field\": \"start\"}, \"half\": {\"box\": [[5, 5, 5], [2, -1, -1]]}, "
            "\"ramp\": {\"ramp\": [[1, 0, 0], [3, 0, 0]]}, "
            "\"some\": {\"values\": [1, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.25]}}, "
            "\"regions\": [{\"weights\": \"left\", \"effect\": \"pin\"}, "
            "{\"weights\": \"half\", \"effect\": \"stiffness\", \"value\": 10}, "
            "{\"weights\": \"ramp\", \"effect\": \"goal\", \"value\": 50}, "
            "{\"weights\": \"some\", \"effect\": \"density\", \"value\": 2}]"));
    CHECK(scene);
    const JnBody *body = &scene->desc.bodies[0];
    CHECK(body->region_count == 4 && strcmp(body->regions[1].effect, "stiffness") == 0);
    CHECK(body->regions[1].value == 10 && body->regions[1].struct_size == sizeof(JnRegion));
    int pinned = 0, inside = 0;
    for (uint32_t i = 0; i < 20; ++i) {
        double x = body->tets.positions[3 * i];
        CHECK(body->regions[0].weights[i] == (x == 0));
        CHECK(body->regions[1].weights[i] == (x >= 2));
        CHECK_NEAR((double)body->regions[2].weights[i], fmin(fmax((x - 1) / 2, 0), 1), 1e-7);
        pinned += body->regions[0].weights[i] > 0;
        inside += body->regions[1].weights[i] > 0;
    }
    CHECK(pinned == 4 && inside == 12);
    CHECK(body->regions[3].weights[1] == 0.5f && body->regions[3].weights[19] == 0.25f);
    jn_scene_free(scene);
}

TEST(scene_weights_file_is_read_beside_the_scene) {
    JnMessage message;
    JnScene *scene = NULL;
    const char *text = BEAM_SCENE("", ", \"weights\": {\"a\": {\"file\": \"scene_weights.txt\"}}");
    const char *path = JN_TEST_OUTPUT "/scene_weights.json";
    write_file(path, text);
    write_file(JN_TEST_OUTPUT "/scene_weights.txt", "1, .5 5e-1\n0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\t1\n");
    CHECK(jn_scene_load(path, &scene, &message) == JN_OK);
    CHECK(scene->bodies[0].maps[0].values[1] == 0.5f && scene->bodies[0].maps[0].values[2] == 0.5f);
    CHECK_NEAR(scene->bodies[0].maps[0].sum, 3, 1e-12);
    jn_scene_free(scene);

    write_file(JN_TEST_OUTPUT "/scene_weights.txt", "1 0 0");
    CHECK(jn_scene_load(path, &scene, &message) == JN_ERR_SCENE);
    CHECK_STR_HAS(message.text, "holds 3 numbers, but the body has 20 points");
    write_file(JN_TEST_OUTPUT "/scene_weights.txt", "1 0 zero");
    CHECK(jn_scene_load(path, &scene, &message) == JN_ERR_FORMAT);
    CHECK_STR_HAS(message.text, "'zero'");
    CHECK(scene == NULL);
}

TEST(scene_weights_are_channels_of_colours_of_the_mesh_file) {
    JnMessage message;
    JnScene *scene = NULL;
    const char *path = JN_TEST_OUTPUT "/scene_colours.json";
    static const char *const names[] = {"Col.r", "Col.g", "Col.2", "Col.y"};
    write_file(JN_TEST_OUTPUT "/scene_colours.obj",
               "v 0 0 0 1 .25 0\nv 1 0 0 .5 .25 0\nv 0 1 0 0 .25 1\nv 0 0 1 0 .75 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n"
               "f 2 3 4\n");
    static const float expected[4][4] = {
        {1, .5f, 0, 0}, {.25f, .25f, .25f, .75f}, {0, 0, 1, 1}, {.25f, .25f, .25f, .75f}};
    for (int i = 0; i < 4; ++i) {
        char text[300];
        snprintf(text, sizeof text,
                 "{\"jounce\": 1, \"bodies\": [{\"name\": \"b\", \"mesh\": \"scene_colours.obj\", \"weights\": "
                 "{\"w\": {\"field\": \"%s\"}}}]}",
                 names[i]);
        write_file(path, text);
        CHECK(jn_scene_load(path, &scene, &message) == JN_OK);
        CHECK(memcmp(scene->bodies[0].maps[0].values, expected[i], sizeof expected[i]) == 0);
        jn_scene_free(scene);
    }
    static const char *const wrong[][2] = {
        {"Col", "the field 'Col' has 3 numbers per vertex: name one of Col.r, Col.g, Col.b"},
        {"Col.a", "the mesh has no field 'Col.a'; it has Col.r, Col.g, Col.b"},
        {"tail", "the mesh has no field 'tail'; it has Col.r, Col.g, Col.b"},
        {"tail.r", "no field 'tail.r'"}};
    for (int i = 0; i < 4; ++i) {
        char text[300];
        snprintf(text, sizeof text,
                 "{\"jounce\": 1, \"bodies\": [{\"name\": \"b\", \"mesh\": \"scene_colours.obj\", \"weights\": "
                 "{\"w\": {\"field\": \"%s\"}}}]}",
                 wrong[i][0]);
        write_file(path, text);
        CHECK(jn_scene_load(path, &scene, &message) == JN_ERR_SCENE);
        CHECK_STR_HAS(message.text, wrong[i][1]);
    }
}

TEST(scene_surface_file_gives_points_and_tets_carry_their_fields_to_it) {
    JnMessage message;
    JnScene *scene = NULL;
    const char *path = JN_TEST_OUTPUT "/scene_surface.json";
    write_file(JN_TEST_OUTPUT "/scene_surface.obj",
               "v 0.5 0.5 0.5\nv 3.5 0.2 0.2\nv 3.5 0.8 0.2\nv 3.5 0.5 0.8\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    write_file(path,
               BEAM_SCENE("", ", \"surface\": \"scene_surface.obj\", \"weights\": {\"e\": {\"field\": \"end\"}}"));
    CHECK(jn_scene_load(path, &scene, &message) == JN_OK);
    const JnBody *body = &scene->desc.bodies[0];
    CHECK(body->tets.vertex_count == 20 && body->surface.vertex_count == 4 && body->surface.face_count == 4);
    /* the field "end" is 0 up to x = 3 and 1 at x = 4 */
    CHECK_NEAR((double)scene->bodies[0].maps[0].values[0], 0, 1e-6);
    CHECK_NEAR((double)scene->bodies[0].maps[0].values[1], 0.5, 1e-6);
    jn_scene_free(scene);

    /* the surface alone: its vertices are the points, and there are no tets */
    write_file(path, "{\"jounce\": 1, \"bodies\": [{\"name\": \"b\", \"mesh\": \"scene_surface.obj\"}]}");
    CHECK(jn_scene_load(path, &scene, &message) == JN_OK);
    CHECK(scene->desc.bodies[0].tets.tet_count == 0 && scene->desc.bodies[0].surface.vertex_count == 4);
    jn_scene_free(scene);
}

TEST(scene_start_pose_and_velocity_stand_apart_from_the_rest_shape) {
    JnScene *scene =
        fixture_load(BEAM_SCENE("", ", \"transform\": {\"translate\": [7, 0, 0]}, \"start\": {\"velocity\": [1, 2, 3], "
                                    "\"angular_velocity\": [0, 0, 180]}"));
    CHECK(scene);
    const JnBody *body = &scene->desc.bodies[0];
    CHECK(body->start_velocities && !body->start_positions);
    double centre[2] = {0, 0};
    for (uint32_t i = 0; i < 20; ++i) {
        centre[0] += body->tets.positions[3 * i] / 20;
        centre[1] += body->tets.positions[3 * i + 1] / 20;
    }
    for (uint32_t i = 0; i < 20; ++i) {
        double x = body->tets.positions[3 * i] - centre[0], y = body->tets.positions[3 * i + 1] - centre[1];
        CHECK_NEAR(body->start_velocities[3 * i], 1 - acos(-1.0) * y, 1e-12);
        CHECK_NEAR(body->start_velocities[3 * i + 1], 2 + acos(-1.0) * x, 1e-12);
        CHECK_NEAR(body->start_velocities[3 * i + 2], 3, 1e-12);
    }
    jn_scene_free(scene);
}

TEST(scene_output_is_beside_the_scene_whatever_its_name) {
    const char *text = BEAM_SCENE("", "");
    const char *cases[][2] = {{"a.json", "a.abc"},
                              {"a.b/scene", "a.b/scene.abc"},
                              {"/x/.scene", "/x/.scene.abc"},
                              {"take.1.json", "take.1.abc"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        JnScene *scene;
        CHECK(scene_load_text(text, strlen(text), cases[i][0], &scene, NULL) == JN_OK);
        CHECK(strcmp(scene->desc.output_path, cases[i][1]) == 0);
        jn_scene_free(scene);
    }
}
