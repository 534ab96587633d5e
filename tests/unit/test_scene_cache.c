/* Bodies animated by an Alembic cache. */
#include "alembic_io.h"
#include "scene_fixture.h"

static int write_file(const char *name, const char *text) {
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", JN_TEST_OUTPUT, name);
    FILE *file = fopen(path, "wb");
    if (!file)
        return 0;
    fputs(text, file);
    return fclose(file) == 0;
}

static int write_rest(const char *name) {
    char obj[100];
    snprintf(obj, sizeof obj, "scene_cache_%s.obj", name);
    return write_file(obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
}

/* Writes scene_cache_<name>.abc and .obj, named apart because tests run side by side: `mesh_count`
   tetrahedra, three frames from frame 10 at 24 a second, whose first vertex is at x = -frame / 10; each under
   a transform that moves it by (1, 2, 3 * (frame - 10)) if `moving`. Returns 1 on success. */
static int write_cache(const char *name, uint32_t mesh_count, int moving) {
    char path[1000];
    AbcError error;
    AbcWriter *writer;
    AbcWriterDesc desc = abc_writer_desc_default();
    snprintf(path, sizeof path, "%s/scene_cache_%s.abc", JN_TEST_OUTPUT, name);
    const double start = 10 / 24.0;
    const int32_t sizes[4] = {3, 3, 3, 3}, corners[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    AbcTimeSampling sampling = {ABC_UNIFORM, 1 / 24.0, 1, &start};
    AbcAnimation animation = {0, 3};
    uint32_t parents[2], meshes[2];
    if (abc_writer_create(&writer, path, &desc, &error) != ABC_OK ||
        abc_writer_add_time_sampling(writer, &sampling, &animation.time_sampling, &error) != ABC_OK)
        return 0;
    int good = 1;
    for (uint32_t m = 0; m < mesh_count; ++m) {
        AbcXformDesc xform = abc_xform_desc_default();
        xform.name = m ? "b" : "a";
        xform.animation = moving ? animation : xform.animation;
        AbcMeshDesc mesh = abc_mesh_desc_default();
        mesh.name = "shape";
        mesh.animation = animation;
        mesh.vertex_count = mesh.face_count = 4;
        mesh.index_count = 12;
        mesh.face_counts = sizes;
        mesh.face_indices = corners;
        good = good && abc_writer_add_xform(writer, ABC_ROOT, &xform, &parents[m], &error) == ABC_OK &&
               abc_writer_add_mesh(writer, parents[m], &mesh, &meshes[m], &error) == ABC_OK;
    }
    for (int frame = 10; frame < 13; ++frame) {
        const double positions[12] = {-0.1 * frame, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
        const double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3.0 * (frame - 10), 1};
        AbcMeshSample sample = {.vertex_count = 4, .positions = {.f64 = positions}};
        for (uint32_t m = 0; m < mesh_count; ++m) {
            good = good && abc_writer_mesh_sample(writer, meshes[m], &sample, &error) == ABC_OK;
            if (moving)
                good = good && abc_writer_xform_sample(writer, parents[m], matrix, &error) == ABC_OK;
        }
        good = good && abc_writer_commit(writer, &error) == ABC_OK;
    }
    return abc_writer_close(writer, &error) == ABC_OK && good && write_rest(name);
}

/* Loads a scene whose only body is scene_cache_<name>.obj, animated by `cache` (JSON); `more` are further
 * keys of the body. */
static JnScene *load(const char *name, const char *cache, const char *scene_more, const char *body_more) {
    char text[1000];
    snprintf(text, sizeof text,
             "{\"jounce\": 1, \"frames\": {\"first\": 10, \"count\": 3}%s, \"bodies\": [{\"name\": \"b\", "
             "\"mesh\": "
             "\"scene_cache_%s.obj\", \"animation\": {\"cache\": %s}%s}]}",
             scene_more, name, cache, body_more);
    JnScene *scene = NULL;
    scene_load_text(text, strlen(text), JN_TEST_OUTPUT "/scene_cache.json", &scene, &fixture_message);
    return scene;
}

TEST(scene_cache_gives_targets_at_and_between_its_samples) {
    CHECK(write_cache("between", 1, 0));
    JnScene *scene = load("between", "\"scene_cache_between.abc\"", "", ", \"transform\": {\"translate\": [0, 7, 0]}");
    CHECK(scene);
    JnFrameInput input;
    CHECK_NEAR(scene->desc.bodies[0].start_positions[0], -1, 1e-6);
    CHECK(scene->desc.bodies[0].transform[7] == 7);
    CHECK(jn_scene_frame(scene, 12, &input, sizeof input, &fixture_message) == JN_OK);
    CHECK_NEAR(input.bodies[0].targets[0], -1.2, 1e-6);
    CHECK(input.bodies[0].sample_count == 1 && !input.bodies[0].has_transform);
    jn_scene_frame(scene, 10.5, &input, sizeof input, NULL);
    CHECK_NEAR(input.bodies[0].targets[0], -1.05, 1e-6);
    /* the ends hold */
    jn_scene_frame(scene, 99, &input, sizeof input, NULL);
    CHECK_NEAR(input.bodies[0].targets[0], -1.2, 1e-6);
    jn_scene_free(scene);
}

TEST(scene_cache_transforms_place_the_body) {
    CHECK(write_cache("places", 1, 1));
    JnScene *scene = load("places", "\"scene_cache_places.abc\"", "", "");
    CHECK(scene);
    JnFrameInput input;
    CHECK_NEAR(scene->desc.bodies[0].transform[3], 1, 1e-12);
    CHECK_NEAR(scene->desc.bodies[0].transform[11], 0, 1e-12);
    jn_scene_frame(scene, 12, &input, sizeof input, NULL);
    CHECK(input.bodies[0].has_transform);
    CHECK_NEAR(input.bodies[0].transform[7], 2, 1e-12);
    CHECK_NEAR(input.bodies[0].transform[11], 6, 1e-12);
    jn_scene_free(scene);
    CHECK(!load("places", "\"scene_cache_places.abc\"", "", ", \"transform\": {\"scale\": 2}"));
    CHECK_STR_HAS(fixture_message.text, "bodies[0].transform: the animation cache places the object");
}

TEST(scene_cache_is_turned_upright_for_a_scene_with_z_up) {
    CHECK(write_cache("upright", 1, 1));
    JnScene *scene = load("upright", "\"scene_cache_upright.abc\"", ", \"units\": {\"up_axis\": \"z\"}", "");
    CHECK(scene);
    JnFrameInput input;
    jn_scene_frame(scene, 11, &input, sizeof input, NULL);
    /* y-up (1, 2, 3) is z-up (1, -3, 2) */
    CHECK_NEAR(input.bodies[0].transform[3], 1, 1e-12);
    CHECK_NEAR(input.bodies[0].transform[7], -3, 1e-12);
    CHECK_NEAR(input.bodies[0].transform[11], 2, 1e-12);
    /* vertex 2 stands on the y axis of the file, the z axis of the scene; vertex 3 on z, now -y */
    CHECK_NEAR(input.bodies[0].targets[8], 1, 1e-7);
    CHECK_NEAR(input.bodies[0].targets[10], -1, 1e-7);
    jn_scene_free(scene);
}

TEST(scene_cache_with_several_meshes_needs_a_name) {
    CHECK(write_cache("several", 2, 0));
    CHECK(!load("several", "\"scene_cache_several.abc\"", "", ""));
    CHECK(fixture_message.status == JN_ERR_SCENE);
    CHECK_STR_HAS(fixture_message.text, "holds 2 meshes: say which by {\"file\": .., \"object\": \"/a/shape\"}");
    CHECK(!load("several", "{\"file\": \"scene_cache_several.abc\", \"object\": \"/a\"}", "", ""));
    CHECK_STR_HAS(fixture_message.text, "the file holds no mesh '/a'");
    JnScene *scene = load("several", "{\"file\": \"scene_cache_several.abc\", \"object\": \"/b/shape\"}", "", "");
    CHECK(scene);
    jn_scene_free(scene);
}

TEST(scene_cache_of_other_things_is_refused) {
    CHECK(write_cache("other", 1, 0));
    CHECK(write_file("scene_cache_other_text.abc", "not an archive at all"));
    CHECK(!load("other", "\"scene_cache_other_text.abc\"", "", ""));
    CHECK(fixture_message.status == JN_ERR_FORMAT);
    CHECK_STR_HAS(fixture_message.text, "bodies[0].animation.cache: ");
    CHECK(write_file("scene_cache_other.obj",
                     "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 5\nf 3 4 5\n"
                     "f 4 2 5\n"));
    CHECK(!load("other", "\"scene_cache_other.abc\"", "", ""));
    CHECK(fixture_message.status == JN_ERR_SCENE);
    CHECK_STR_HAS(fixture_message.text,
                  "scene_cache_other.abc has 4 vertices at frame 10, but that of the scene has 5");
}

/* ------------------------------------------------------------------------------------------------ colliders */

/* A scene with the tetrahedron as a collider; `more` are further keys of it. */
static JnScene *load_collider(const char *mesh, const char *more) {
    char text[1000];
    snprintf(text, sizeof text,
             "{\"jounce\": 1, \"frames\": {\"first\": 10, \"count\": 3}, \"bodies\": [{\"name\": \"b\", \"mesh\": "
             "{\"shape\": \"beam\", \"cells\": [1, 1, 1]}}], \"colliders\": [{\"name\": \"c\", \"kind\": \"mesh\", "
             "\"mesh\": \"%s\"%s}]}",
             mesh, more);
    JnScene *scene = NULL;
    scene_load_text(text, strlen(text), JN_TEST_OUTPUT "/scene_cache.json", &scene, &fixture_message);
    return scene;
}

TEST(scene_cache_deforms_and_places_a_collider) {
    CHECK(write_cache("collider", 1, 1));
    JnScene *scene =
        load_collider("scene_cache_collider.abc", ", \"animation\": {\"cache\": \"scene_cache_collider.abc\"}");
    CHECK(scene);
    JnFrameInput input;
    CHECK(scene->desc.colliders[0].surface.vertex_count == 4 && scene->desc.input_tag != 0);
    CHECK(jn_scene_frame(scene, 12, &input, sizeof input, &fixture_message) == JN_OK);
    CHECK_NEAR(input.colliders[0].positions[0], -1.2, 1e-6);
    CHECK(input.colliders[0].has_transform);
    CHECK_NEAR(input.colliders[0].transform[7], 2, 1e-6);
    CHECK_NEAR(input.colliders[0].transform[11], 6, 1e-6);
    CHECK(jn_scene_reads(scene, JN_TEST_OUTPUT "/scene_cache_collider.abc"));
    jn_scene_free(scene);
    /* and it bakes */
    scene = load_collider("scene_cache_collider.abc", ", \"animation\": {\"cache\": \"scene_cache_collider.abc\"}");
    JnBake *bake;
    JnBakeDesc desc = scene->desc;
    desc.output_path = NULL;
    CHECK(jn_bake_begin(&desc, &bake, &fixture_message) == JN_OK);
    for (int frame = 10; frame < 13; ++frame)
        CHECK(jn_scene_frame(scene, frame, &input, sizeof input, &fixture_message) == JN_OK &&
              jn_bake_advance(bake, &input, &fixture_message) == JN_OK);
    jn_bake_end(bake, NULL);
    jn_scene_free(scene);
}

TEST(scene_collider_at_rest_comes_from_an_alembic_file_as_it_is_placed_there) {
    CHECK(write_cache("still", 1, 1));
    JnScene *scene = load_collider("scene_cache_still.abc", "");
    CHECK(scene);
    const double *x = scene->desc.colliders[0].surface.positions;
    CHECK_NEAR(x[0], 0, 1e-6);
    CHECK_NEAR(x[1], 2, 1e-6);
    CHECK(scene->desc.input_tag == 0);
    jn_scene_free(scene);
}

TEST(scene_files_deform_a_collider) {
    CHECK(write_rest("files"));
    for (int frame = 10; frame < 13; ++frame) {
        char name[100], text[200];
        snprintf(name, sizeof name, "scene_collider_%04d.obj", frame);
        snprintf(text, sizeof text, "v 0 %d 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\n", frame);
        CHECK(write_file(name, text));
    }
    JnScene *scene =
        load_collider("scene_cache_files.obj", ", \"animation\": {\"files\": \"scene_collider_####.obj\"}");
    CHECK(scene);
    JnFrameInput input;
    CHECK(jn_scene_frame(scene, 11, &input, sizeof input, &fixture_message) == JN_OK);
    CHECK(input.colliders[0].positions[1] == 11 && !input.colliders[0].has_transform);
    CHECK(jn_scene_reads(scene, JN_TEST_OUTPUT "/scene_collider_0012.obj"));
    jn_scene_free(scene);
}

TEST(scene_collider_with_another_number_of_vertices_names_file_and_frame) {
    CHECK(write_cache("few", 1, 0));
    CHECK(write_file("scene_collider_five.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 1\nf 1 3 2\nf 3 4 5\n"));
    CHECK(!load_collider("scene_collider_five.obj", ", \"animation\": {\"cache\": \"scene_cache_few.abc\"}"));
    CHECK(fixture_message.status == JN_ERR_SCENE);
    CHECK_STR_HAS(fixture_message.text, "colliders[0].animation.cache: ");
    CHECK_STR_HAS(fixture_message.text, "scene_cache_few.abc has 4 vertices at frame 10, but that of the scene has 5");
    CHECK(!load_collider("scene_cache_few.obj", ", \"transform\": {\"scale\": 0}"));
}
