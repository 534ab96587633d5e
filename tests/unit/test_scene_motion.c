/* Animation of a scene from point caches and numbered files: which sample plays at which frame, and what is refused. */
#include "scene_fixture.h"
#include "unit/test_mesh_samples.h"

static const char *output(const char *name) {
    static char path[600];
    snprintf(path, sizeof path, "%s/motion_%s", JN_TEST_OUTPUT, name);
    return path;
}

static void write_bytes(const char *name, const void *bytes, size_t size) {
    FILE *file = fopen(output(name), "wb");
    fwrite(bytes, 1, size, file);
    fclose(file);
}

enum { VERTICES = 4, SAMPLES = 3 };
static const char rest[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

/* In sample n vertex 0 is at (10 n^2, 2, 3), so that no two steps are alike. */
static double sample_x(int sample) {
    return 10.0 * sample * sample;
}

static void put_samples(Sample *file, bool big) {
    for (int s = 0; s < SAMPLES; ++s)
        for (int i = 0; i < 3 * VERTICES; ++i)
            put_f32(file, i == 0 ? (float)sample_x(s) : i == 1 ? 2 : i == 2 ? 3 : (float)sample_positions[i], big);
}

static Sample fill_pc2(int32_t vertices, float start, float rate, int32_t samples) {
    Sample file = {.name = "pc2"};
    put_text(&file, "POINTCACHE2");
    file.size = 12;
    put_i32(&file, 1, false);
    put_i32(&file, vertices, false);
    put_f32(&file, start, false);
    put_f32(&file, rate, false);
    put_i32(&file, samples, false);
    put_samples(&file, false);
    return file;
}

static Sample fill_mdd(int32_t vertices, int32_t samples, const float times[SAMPLES]) {
    Sample file = {.name = "mdd"};
    put_i32(&file, samples, true);
    put_i32(&file, vertices, true);
    for (int s = 0; s < SAMPLES; ++s)
        put_f32(&file, times[s], true);
    put_samples(&file, true);
    return file;
}

/* A scene of frames 10 to 13 at 24 frames a second, animated by `cache`; NULL with a message if it is refused. */
static JnScene *load(const char *key, const char *cache, const char *more) {
    char text[1000];
    JnScene *scene = NULL;
    write_bytes("rest.obj", rest, strlen(rest));
    snprintf(text, sizeof text,
             "{\"jounce\": 1, \"frames\": {\"first\": 10, \"count\": 4, \"fps\": 24}%s, \"bodies\": [{\"name\": \"b\", "
             "\"mesh\": \"motion_rest.obj\", \"animation\": {\"%s\": %s}}]}",
             more, key, cache);
    scene_load_text(text, strlen(text), output("scene.json"), &scene, &fixture_message);
    return scene;
}

/* Where vertex 0 is along x at `frame`; NaN on failure. */
static double x_at(JnScene *scene, double frame) {
    JnFrameInput input;
    if (!scene || jn_scene_frame(scene, frame, &input, sizeof input, &fixture_message) != JN_OK) {
        printf("%s\n", fixture_message.text);
        return NAN;
    }
    return input.bodies[0].targets[0];
}

TEST(scene_pc2_plays_by_its_start_frame_and_sample_rate) {
    Sample file = fill_pc2(VERTICES, 11, 1, SAMPLES);
    write_bytes("a.pc2", file.bytes, file.size);
    JnScene *scene = load("cache", "\"motion_a.pc2\"", "");
    CHECK(scene);
    CHECK(x_at(scene, 10) == 0 && x_at(scene, 11) == 0 && x_at(scene, 12) == 10 && x_at(scene, 13) == 40);
    CHECK_NEAR(x_at(scene, 12.25), 17.5, 1e-12);
    CHECK(x_at(scene, 99) == 40);
    CHECK(jn_scene_reads(scene, output("a.pc2")) && scene->desc.input_tag != 0);
    jn_scene_free(scene);

    /* a sample every other frame */
    file = fill_pc2(VERTICES, 10, 2, SAMPLES);
    write_bytes("a.pc2", file.bytes, file.size);
    scene = load("cache", "\"motion_a.pc2\"", "");
    CHECK_NEAR(x_at(scene, 11), 5, 1e-12);
    CHECK(x_at(scene, 12) == 10);
    CHECK_NEAR(x_at(scene, 13), 25, 1e-12);
    jn_scene_free(scene);

    /* moved to another frame, and made at 12 frames a second: half as fast */
    scene = load("cache", "{\"file\": \"motion_a.pc2\", \"first_frame\": 9, \"fps\": 12}", "");
    CHECK(x_at(scene, 9) == 0);
    CHECK_NEAR(x_at(scene, 13), 10, 1e-12);
    jn_scene_free(scene);
}

TEST(scene_mdd_plays_by_its_times_from_the_first_frame) {
    static const float times[SAMPLES] = {5, 5 + 2 / 24.0f, 5 + 3 / 24.0f}, zeros[SAMPLES] = {0, 0, 0};
    Sample file = fill_mdd(VERTICES, SAMPLES, times);
    write_bytes("a.mdd", file.bytes, file.size);
    JnScene *scene = load("cache", "\"motion_a.mdd\"", "");
    CHECK(scene);
    CHECK_NEAR(x_at(scene, 10), 0, 1e-12);
    CHECK_NEAR(x_at(scene, 11), 5, 1e-4);
    CHECK_NEAR(x_at(scene, 12), 10, 1e-4);
    CHECK_NEAR(x_at(scene, 13), 40, 1e-4);
    jn_scene_free(scene);
    scene = load("cache", "{\"file\": \"motion_a.mdd\", \"first_frame\": 11}", "");
    CHECK(x_at(scene, 10) == 0 && x_at(scene, 11) == 0);
    CHECK_NEAR(x_at(scene, 12), 5, 1e-4);
    jn_scene_free(scene);

    /* times that do not run are refused, unless the rate is given */
    file = fill_mdd(VERTICES, SAMPLES, zeros);
    write_bytes("a.mdd", file.bytes, file.size);
    CHECK(!load("cache", "\"motion_a.mdd\"", ""));
    CHECK_STR_HAS(fixture_message.text, "bodies[0].animation.cache: ");
    CHECK_STR_HAS(fixture_message.text, "the time of sample 1 is 0 s");
    CHECK_STR_HAS(fixture_message.text, "give its fps");
    scene = load("cache", "{\"file\": \"motion_a.mdd\", \"fps\": 24}", "");
    CHECK_NEAR(x_at(scene, 11), 10, 1e-9);
    CHECK_NEAR(x_at(scene, 12), 40, 1e-9);
    jn_scene_free(scene);
}

TEST(scene_point_cache_stands_as_the_scene_unless_its_axis_is_given) {
    Sample file = fill_pc2(VERTICES, 10, 1, SAMPLES);
    write_bytes("up.pc2", file.bytes, file.size);
    static const struct {
        const char *cache, *axis;
        double y, z;
    } cases[] = {{"\"motion_up.pc2\"", "z", 2, 3},
                 {"{\"file\": \"motion_up.pc2\", \"up_axis\": \"y\"}", "z", -3, 2},
                 {"{\"file\": \"motion_up.pc2\", \"up_axis\": \"z\"}", "y", 3, -2},
                 {"{\"file\": \"motion_up.pc2\", \"up_axis\": \"z\"}", "z", 2, 3}};
    for (int i = 0; i < 4; ++i) {
        char units[60];
        JnFrameInput input;
        snprintf(units, sizeof units, ", \"units\": {\"up_axis\": \"%s\"}", cases[i].axis);
        JnScene *scene = load("cache", cases[i].cache, units);
        CHECK(scene && jn_scene_frame(scene, 10, &input, sizeof input, NULL) == JN_OK);
        CHECK(input.bodies[0].targets[1] == cases[i].y && input.bodies[0].targets[2] == cases[i].z);
        jn_scene_free(scene);
    }
}

TEST(scene_numbered_files_may_begin_at_another_frame_and_have_another_rate) {
    for (int n = 100; n < 104; ++n) {
        char name[60], text[200];
        snprintf(name, sizeof name, "walk.%04d.obj", n);
        snprintf(text, sizeof text, "v %g 2 3\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\n", sample_x(n - 100));
        write_bytes(name, text, strlen(text));
    }
    static const char *const patterns[] = {"motion_walk.####.obj", "motion_walk.%04d.obj", "motion_walk.0%d.obj"};
    for (int i = 0; i < 3; ++i) {
        char cache[200];
        snprintf(cache, sizeof cache, "{\"file\": \"%s\", \"first_frame\": 10, \"first_file\": 100}", patterns[i]);
        JnScene *scene = load("cache", cache, "");
        CHECK(scene);
        CHECK(x_at(scene, 10) == 0 && x_at(scene, 11) == 10 && x_at(scene, 12) == 40 && x_at(scene, 13) == 90);
        CHECK_NEAR(x_at(scene, 11.5), 25, 1e-12);
        CHECK(jn_scene_reads(scene, output("walk.0103.obj")) && !jn_scene_reads(scene, output("rest.json")));
        jn_scene_free(scene);
        snprintf(cache, sizeof cache, "{\"file\": \"%s\", \"first_file\": 100, \"fps\": 12}", patterns[i]);
        scene = load("cache", cache, "");
        CHECK_NEAR(x_at(scene, 11), 5, 1e-12);
        CHECK(x_at(scene, 12) == 10);
        jn_scene_free(scene);
    }
    CHECK(!load("cache", "{\"file\": \"motion_walk.####.obj\", \"first_file\": 101}", ""));
    CHECK(fixture_message.status == JN_ERR_FILE);
    CHECK_STR_HAS(fixture_message.text, "motion_walk.0104.obj for frame 13");
    CHECK(!load("files", "\"motion_walk.obj\"", ""));
    CHECK_STR_HAS(fixture_message.text, "needs #### in place of the frame number");
}

TEST(scene_point_cache_that_is_wrong_is_refused_with_a_sentence) {
    static const float times[SAMPLES] = {0, 1, 2};
    float not_a_number = NAN;
    Sample nan_value = fill_pc2(VERTICES, 10, 1, SAMPLES), version = nan_value, name = nan_value;
    Sample cut = nan_value, head = nan_value;
    put_bytes(&nan_value, &not_a_number, 4, false);
    memcpy(&nan_value.bytes[32 + 48 + 4], &nan_value.bytes[nan_value.size - 4], 4);
    version.bytes[12] = 2;
    name.bytes[0] = 'p';
    cut.size -= 1;
    head.size = 31;
    const struct {
        Sample file;
        const char *ending, *words;
        JnStatus status;
    } cases[] = {
        {fill_pc2(3, 10, 1, 4), "pc2", "has 3 vertices at frame 10, but that of the scene has 4", JN_ERR_SCENE},
        {fill_mdd(6, 2, times), "mdd", "has 6 vertices at frame 10, but that of the scene has 4", JN_ERR_SCENE},
        {fill_pc2(VERTICES, 10, 1, 0), "pc2", "announces 0 samples of 4 vertices", JN_ERR_FORMAT},
        {fill_pc2(VERTICES, 10, 1, -1), "pc2", "announces -1 samples", JN_ERR_FORMAT},
        {fill_pc2(INT32_MAX, 10, 1, INT32_MAX), "pc2", "it is cut short or damaged", JN_ERR_FORMAT},
        {fill_mdd(INT32_MAX, INT32_MAX, times), "mdd", "it is cut short or damaged", JN_ERR_FORMAT},
        {fill_mdd(-4, SAMPLES, times), "mdd", "samples of -4 vertices", JN_ERR_FORMAT},
        {fill_pc2(VERTICES, NAN, 1, SAMPLES), "pc2", "starts at frame nan", JN_ERR_FORMAT},
        {fill_pc2(VERTICES, 10, 0, SAMPLES), "pc2", "with 0 frames a sample", JN_ERR_FORMAT},
        {nan_value, "pc2", "a coordinate of vertex 0 in sample 1 is nan", JN_ERR_FORMAT},
        {version, "pc2", "it is no .pc2 file", JN_ERR_FORMAT},
        {name, "pc2", "it is no .pc2 file", JN_ERR_FORMAT},
        {cut, "pc2", "it is cut short or damaged", JN_ERR_FORMAT},
        {head, "pc2", "ends within its head", JN_ERR_FORMAT},
        {{.size = 0}, "mdd", "ends within its head", JN_ERR_FORMAT},
        {{.size = 0}, "fbx", "must end in one of .abc .mdd .pc2", JN_ERR_FORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char file[60], cache[100];
        snprintf(file, sizeof file, "wrong.%s", cases[i].ending);
        snprintf(cache, sizeof cache, "\"motion_wrong.%s\"", cases[i].ending);
        write_bytes(file, cases[i].file.bytes, cases[i].file.size);
        CHECK(!load("cache", cache, ""));
        CHECK(fixture_message.status == cases[i].status);
        CHECK_STR_HAS(fixture_message.text, "bodies[0].animation.cache");
        CHECK_STR_HAS(fixture_message.text, cases[i].words);
    }
    CHECK(!load("cache", "\"motion_none.pc2\"", ""));
    CHECK(fixture_message.status == JN_ERR_FILE);
    Sample good = fill_pc2(VERTICES, 10, 1, SAMPLES);
    write_bytes("wrong.pc2", good.bytes, good.size);
    CHECK(!load("cache", "{\"file\": \"motion_wrong.pc2\", \"object\": \"/a\"}", ""));
    CHECK_STR_HAS(fixture_message.text, "a .pc2 file holds one mesh");
    CHECK(!load("cache", "{\"file\": \"motion_wrong.pc2\", \"first_file\": 3}", ""));
    CHECK_STR_HAS(fixture_message.text, "first_file: a .pc2 file has no numbered files");
}

TEST(scene_point_cache_moves_a_collider) {
    Sample file = fill_pc2(VERTICES, 10, 1, SAMPLES);
    write_bytes("wall.pc2", file.bytes, file.size);
    write_bytes("rest.obj", rest, strlen(rest));
    const char *text =
        "{\"jounce\": 1, \"frames\": {\"first\": 10, \"count\": 3}, \"bodies\": [{\"name\": \"b\", \"mesh\": "
        "{\"shape\": \"beam\", \"cells\": [1, 1, 1]}}], \"colliders\": [{\"name\": \"c\", \"kind\": "
        "\"mesh\", \"mesh\": \"motion_rest.obj\", \"animation\": {\"cache\": \"motion_wall.pc2\"}}]}";
    JnScene *scene = NULL;
    JnFrameInput input;
    CHECK(scene_load_text(text, strlen(text), output("scene.json"), &scene, &fixture_message) == JN_OK);
    CHECK(jn_scene_frame(scene, 12, &input, sizeof input, NULL) == JN_OK);
    CHECK(input.colliders[0].positions[0] == 40 && !input.colliders[0].has_transform);
    jn_scene_free(scene);
}
