/* Scene files that are wrong, by accident or on purpose: a status and a message with the place, never a
 * crash. */
#include "settings/settings.h"
#include "scene_fixture.h"

TEST(scene_unknown_key_names_the_place_and_the_nearest_key) {
    CHECK_REFUSED(BEAM_SCENE("", ", \"material\": {\"youngs\": 5}"), JN_ERR_SCENE,
                  "shots/a.json: bodies[0].material.youngs is not a known key; did you mean young_modulus?");
    CHECK_REFUSED(BEAM_SCENE(", \"frame\": {}", ""), JN_ERR_SCENE, "did you mean frames?");
    CHECK_REFUSED(BEAM_SCENE(", \"output\": {\"qqqqqqqqqqqqqqqqqqqq\": 1}", ""), JN_ERR_SCENE,
                  "output.qqqqqqqqqqqqqqqqqqqq is not a known key; the keys here are path, velocities");
}

TEST(scene_missing_key_says_what_it_is_for) {
    CHECK_REFUSED("{\"jounce\": 1}", JN_ERR_SCENE, "bodies is missing");
    CHECK_REFUSED("{\"bodies\": [" BEAM_BODY("") "]}", JN_ERR_SCENE, "jounce is missing: Version");
    CHECK_REFUSED("{\"jounce\": 1, \"bodies\": [{\"name\": \"b\"}]}", JN_ERR_SCENE, "bodies[0].mesh is missing");
    CHECK_REFUSED("{\"jounce\": 1, \"bodies\": []}", JN_ERR_SCENE, "bodies is [], but must be a list of objects");
    CHECK_REFUSED("[]", JN_ERR_SCENE, "a scene must be an object");
}

TEST(scene_key_given_twice_is_refused) {
    CHECK_REFUSED(BEAM_SCENE(", \"jounce\": 1", ""), JN_ERR_SCENE, "jounce is given twice");
    CHECK_REFUSED(BEAM_SCENE("", ", \"weights\": {\"a\": {\"field\": \"end\"}, \"a\": {\"field\": \"end\"}}"),
                  JN_ERR_SCENE, "bodies[0].weights.a is given twice");
}

TEST(scene_value_out_of_range_names_place_value_and_limits) {
    CHECK_REFUSED(BEAM_SCENE("", ", \"material\": {\"density\": -5}"), JN_ERR_SCENE,
                  "bodies[0].material.density is -5, but must be a number from 0.001 to 100000 (kg/m3)");
    CHECK_REFUSED(BEAM_SCENE(", \"frames\": {\"count\": 2.5}", ""), JN_ERR_SCENE,
                  "frames.count is 2.5, but must be a whole number from 1 to 1000000");
    CHECK_REFUSED(BEAM_SCENE(", \"frames\": {\"fps\": 1e999}", ""), JN_ERR_SCENE, "frames.fps is inf");
    CHECK_REFUSED(BEAM_SCENE(", \"frames\": {\"fps\": \"24\"}", ""), JN_ERR_SCENE, "frames.fps is the text \"24\"");
    CHECK_REFUSED(BEAM_SCENE(", \"world\": {\"wind\": [1, 2]}", ""), JN_ERR_SCENE,
                  "world.wind is [1,2], but must be a list of three numbers");
    CHECK_REFUSED("{\"jounce\": 2, \"bodies\": [" BEAM_BODY("") "]}", JN_ERR_SCENE, "jounce is 2");
    CHECK_REFUSED(BEAM_SCENE("", ", \"weights\": {\"a\": {\"values\": [0, 0, 1.5]}}"), JN_ERR_SCENE,
                  "bodies[0].weights.a.values[2] is 1.5, but must be a number from 0 to 1");
    CHECK_REFUSED(BEAM_SCENE(", \"frames\": {\"fps\": NaN}", ""), JN_ERR_SCENE, "line 1, column");
}

TEST(scene_syntax_error_names_line_and_column) {
    CHECK_REFUSED("{\n  \"jounce\": 1,\n  \"bodies\" [\n}", JN_ERR_SCENE, "shots/a.json: line 3, column 12");
    CHECK_REFUSED("{\"jounce\": 1}\n trailing", JN_ERR_SCENE, "line 2, column 2");
    CHECK_REFUSED("", JN_ERR_SCENE, "line 1, column 1");
    /* columns count characters, not bytes */
    CHECK_REFUSED("{\"note\": \"\xC3\xA9\xC3\xA9\" x}", JN_ERR_SCENE, "line 1, column 15");
    CHECK_REFUSED("{\"note\": \"one\ntwo\"}", JN_ERR_SCENE, "line 1, column 14");
    CHECK_REFUSED("{\"note\": \"\xC3\x28\"}", JN_ERR_SCENE, "not UTF-8");
    CHECK_REFUSED("{\"note\": \"\xED\xA0\x80\"}", JN_ERR_SCENE, "not UTF-8");
    CHECK_REFUSED("{\"note\": \"a\\u0000b\"}", JN_ERR_SCENE, "\\u0000");
    JnScene *scene;
    CHECK(scene_load_text("{\0}", 3, "a.json", &scene, &fixture_message) == JN_ERR_SCENE);
    CHECK_STR_HAS(fixture_message.text, "zero byte");
}

TEST(scene_deep_nesting_is_refused) {
    static char text[200001];
    memset(text, '[', 200000);
    CHECK_REFUSED(text, JN_ERR_SCENE, "nested too deeply");
    for (size_t i = 0; i < 200000; i += 5)
        memcpy(text + i, "{\"a\":", 5);
    CHECK_REFUSED(text, JN_ERR_SCENE, "nested too deeply");
}

/* Scenes with one collider, whose keys after its name are given. */
#define COLLIDER_REFUSED(keys, status, text)                                                                           \
    CHECK_REFUSED(BEAM_SCENE(", \"colliders\": [{\"name\": \"c\", " keys "}]", ""), status, text)

TEST(scene_collider_mistakes_are_refused_by_name) {
    COLLIDER_REFUSED("\"kind\": \"spher\"", JN_ERR_UNKNOWN_NAME, "did you mean 'sphere'");
    COLLIDER_REFUSED("\"kind\": \"mesh\"", JN_ERR_SCENE, "colliders[0].mesh is missing");
    COLLIDER_REFUSED("\"kind\": \"mesh\", \"mesh\": \"nowhere.obj\"", JN_ERR_FILE, "nowhere.obj");
    COLLIDER_REFUSED("\"kind\": \"box\", \"mesh\": \"a.obj\"", JN_ERR_SCENE, "colliders[0].mesh: a box has no mesh");
    COLLIDER_REFUSED("\"kind\": \"mesh\", \"mesh\": {\"shape\": \"fibres\"}", JN_ERR_MESH, "holds no faces");
    COLLIDER_REFUSED("\"kind\": \"sphere\", \"radius\": -1", JN_ERR_SCENE, "colliders[0].radius");
    COLLIDER_REFUSED("\"kind\": \"mesh\", \"mesh\": {\"shape\": \"ball\"}, \"animation\": {\"files\": \"no####.obj\"}",
                     JN_ERR_FILE, "for frame 1");
    COLLIDER_REFUSED("\"kind\": \"sphere\", \"animation\": {\"files\": \"no####.obj\"}", JN_ERR_SCENE,
                     "a sphere does not deform");
}

TEST(scene_feature_that_comes_later_is_refused_by_name) {
    CHECK_REFUSED(BEAM_SCENE(", \"integrator\": {\"method\": \"async_be\"}", ""), JN_ERR_NOT_BUILT,
                  "integrator.method");
    CHECK_REFUSED(
        BEAM_SCENE("", ", \"weights\": {\"t\": {\"field\": \"end\"}}, \"regions\": [{\"weights\": \"t\", \"effect\": "
                       "\"fast\", \"value\": 0.5}]"),
        JN_ERR_SCENE,
        "bodies[0].regions[0].value is 0.5: a fast region takes a whole number of small time steps, 1 to 150");
    CHECK_REFUSED(BEAM_SCENE("", ", \"material\": {\"law\": \"jello\"}"), JN_ERR_UNKNOWN_NAME,
                  "bodies[0].material.law");
    CHECK_REFUSED(BEAM_SCENE("", ", \"material\": {\"preset\": \"jely\"}"), JN_ERR_UNKNOWN_NAME,
                  "did you mean 'jelly'");
}

TEST(scene_parts_that_do_not_fit_together_are_refused) {
    const struct {
        const char *body, *part;
    } cases[] = {
        {", \"regions\": [{\"weights\": \"a\", \"effect\": \"pin\"}]", "bodies[0].weights has no map 'a'"},
        {", \"weights\": {\"tail\": {\"field\": \"end\"}}, \"regions\": [{\"weights\": \"tale\", \"effect\": "
         "\"pin\"}]",
         "did you mean 'tail'?"},
        {", \"weights\": {\"a\": {\"field\": \"fin\"}}", "the mesh has no field 'fin'; it has start, end"},
        {", \"weights\": {\"a\": {}}", "bodies[0].weights.a must have exactly one of the keys field, file, values"},
        {", \"weights\": {\"a\": {\"field\": \"end\", \"box\": [[0, 0, 0], [1, 1, 1]]}}", "exactly one of the keys"},
        {", \"weights\": {\"a\": {\"values\": [1, 0]}}", "holds 2 numbers, but the body has 20 points"},
        {", \"weights\": {\"a\": {\"ramp\": [[1, 1, 1], [1, 1, 1]]}}", "its two points are the same"},
        {", \"weights\": {\"a\": {\"box\": [[9, 9, 9], [8, 8, 8]]}}, \"regions\": [{\"weights\": \"a\", "
         "\"effect\": \"pin\"}]",
         "is 0 at every point"},
        {", \"weights\": {\"a\": {\"field\": \"end\"}}, \"regions\": [{\"weights\": \"a\", \"effect\": "
         "\"goal\"}]",
         "bodies[0].regions[0].value is missing"},
        {", \"weights\": {\"a\": {\"field\": \"end\"}}, \"regions\": [{\"weights\": \"a\", \"effect\": "
         "\"pin\", \"value\": 1}]",
         "takes no value"},
        {", \"transform\": {\"scale\": 0}", "bodies[0].transform.scale is 0"},
        {", \"transform\": [1, 2, 3, 0, 2, 4, 6, 0, 0, 0, 1, 0]", "bodies[0].transform flattens"},
        {", \"animation\": {}", "bodies[0].animation must have exactly one of the keys keys, files, cache"},
        {", \"animation\": {\"keys\": []}", "give at least one key"},
        {", \"animation\": {\"keys\": [{\"frame\": 5}, {\"frame\": 5}]}", "keys[1].frame is 5, but must be later"},
        {", \"animation\": {\"files\": \"pose.obj\"}", "needs #### in place of"},
        {", \"weights\": {\"a\": {\"field\": \"end\"}}, \"forces\": [{\"weights\": \"a\", \"force\": [1, 0, "
         "0], \"from\": 9, "
         "\"to\": 5}]",
         "bodies[0].forces[0].to is 5"},
        {", \"keys\": [{\"frame\": 5, \"stiffness\": 2}, {\"frame\": 5, \"goal\": 0}]",
         "bodies[0].keys[1].frame is 5, but must be later"},
        {", \"keys\": [{\"frame\": 5}]", "bodies[0].keys[0] has no value"},
        {", \"material\": {\"settle_seconds\": 1, \"damping_ratio\": 0.1}",
         "bodies[0].material gives its damping twice, by settle_seconds and by damping_ratio"},
        {", \"material\": {\"settle_seconds\": 1, \"stiffness_damping\": 0}",
         "by settle_seconds and by stiffness_damping"},
        {", \"material\": {\"damping_frequency\": 3}", "bodies[0].material.damping_frequency has no effect alone"},
        {", \"keys\": [{\"frame\": 5, \"stiffness\": 0}]", "bodies[0].keys[0].stiffness is 0"},
        {", \"rest_follows_animation\": 1.5", "bodies[0].rest_follows_animation is 1.5"},
        {", \"ignore_groups\": \"skin\"", "bodies[0].ignore_groups is the text \"skin\", but must be a list of names"},
        {", \"ignore_groups\": [\"skin\", \"\"]", "bodies[0].ignore_groups is [\"skin\",\"\"], but must be a list of"},
        {", \"ignore_groups\": [[\"skin\"]]", "bodies[0].ignore_groups is [[\"skin\"]], but must be a list of names"},
        {", \"collides\": 1", "bodies[0].collides is 1, but must be true or false"},
        {", \"friction\": -0.1", "bodies[0].friction is -0.1, but must be a number from 0 to 100"},
        {", \"weights\": {\"a\": {\"field\": \"end\"}}, \"regions\": [{\"weights\": \"a\", \"effect\": "
         "\"rest_follows\", \"value\": 2}]",
         "bodies[0].regions[0].value is 2: the rest shape follows"},
        {", \"start\": {\"pose\": {\"field\": \"end\"}}", "has 1 numbers per vertex, but 3 are needed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[2000];
        snprintf(text, sizeof text,
                 "{\"jounce\": 1, \"bodies\": [{\"name\": \"beam\", \"mesh\": {\"shape\": \"beam\", "
                 "\"size\": [4, 1, 1], "
                 "\"cells\": [4, 1, 1]}%s}]}",
                 cases[i].body);
        CHECK_REFUSED(text, JN_ERR_SCENE, cases[i].part);
    }
    CHECK_REFUSED(BEAM_SCENE(", \"world\": {\"wind\": [1, 0, 0]}", ""), JN_ERR_SCENE, "set world.air_density");
    CHECK_REFUSED(BEAM_SCENE(", \"colliders\": [{\"name\": \"c\", \"normal\": [0, 0, 0]}]", ""), JN_ERR_SCENE,
                  "colliders[0].normal");
    CHECK_REFUSED("{\"jounce\": 1, \"bodies\": [{\"name\": \"b\", \"mesh\": {\"shape\": \"beam\", \"cells\": "
                  "[999, 999, 999]}}]}",
                  JN_ERR_SCENE, "bodies[0].mesh.cells needs");
    CHECK_REFUSED(BEAM_SCENE("", ", \"animation\": {\"cache\": \"no_such.abc\"}"), JN_ERR_FILE,
                  "bodies[0].animation.cache: ");
    CHECK_REFUSED("{\"jounce\": 1, \"bodies\": [{\"name\": \"b\", \"mesh\": \"no_such.msh\"}]}", JN_ERR_FILE,
                  "bodies[0].mesh: ");
}

TEST(scene_with_too_many_maps_is_refused) {
    static char text[40000];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "{\"jounce\": 1, \"bodies\": [{\"name\": \"b\", \"mesh\": \"m\", \"weights\": {");
    for (int i = 0; i < 257; ++i)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\"m%d\": {\"field\": \"end\"}", i ? ", " : "", i);
    snprintf(text + used, sizeof text - used, "}}]}");
    CHECK_REFUSED(text, JN_ERR_SCENE, "bodies[0].weights has 257 names, more than the 256 allowed");
}

TEST(scene_load_refuses_bad_arguments_and_absent_files) {
    JnScene *scene = (JnScene *)&fixture_message;
    CHECK(jn_scene_load(NULL, &scene, &fixture_message) == JN_ERR_ARGUMENT && scene == NULL);
    CHECK(jn_scene_load("a.json", NULL, &fixture_message) == JN_ERR_ARGUMENT);
    CHECK(jn_scene_load("no/such/scene.json", &scene, &fixture_message) == JN_ERR_FILE && scene == NULL);
    CHECK_STR_HAS(fixture_message.text, "no/such/scene.json");
    CHECK(jn_scene_load("no/such/scene.json", &scene, NULL) == JN_ERR_FILE);
}

/* A scene that uses most of the format. */
static const char whole[] = BEAM_SCENE(", \"note\": \"\xC3\xA9\\n\", \"units\": {\"up_axis\": \"y\"}, "
                                       "\"frames\": {\"first\": -2.5, \"count\": 3}, "
                                       "\"world\": {\"gravity\": {\"keys\": [{\"frame\": 1, \"value\": [0, "
                                       "0, 0]}]}, \"wind\": [0, 0, 1], \"air_density\": 1}, "
                                       "\"colliders\": [{\"name\": \"c\", \"animation\": {\"keys\": "
                                       "[{\"frame\": 1, \"scale\": 2}]}}], \"output\": {\"path\": "
                                       "\"b.abc\"}",
                                       ", \"transform\": {\"rotate\": [1, 2, 3]}, \"material\": {\"preset\": "
                                       "\"jelly\", \"law\": \"stable_neohooke\"}, "
                                       "\"weights\": {\"a\": {\"box\": [[-1, -1, -1], [9, 9, 9]]}, \"b\": "
                                       "{\"field\": \"end\"}}, \"regions\": [{\"weights\": "
                                       "\"a\", \"effect\": \"goal\", \"value\": 1}], \"forces\": "
                                       "[{\"weights\": \"b\", \"force\": [1e-3, 0, 0]}], "
                                       "\"animation\": {\"keys\": [{\"frame\": 0}, {\"frame\": 9, "
                                       "\"rotate\": [0, 1, 0]}]}, \"start\": {\"velocity\": [0, 0, 1]}");

SLOW_TEST(scene_truncated_at_every_byte_returns_error) {
    CHECK(fixture_status(whole) == JN_OK);
    static char text[sizeof whole];
    for (size_t length = 0; length + 1 < sizeof whole; ++length) {
        memcpy(text, whole, length);
        text[length] = '\0';
        CHECK(fixture_status(text) == JN_ERR_SCENE);
        CHECK_STR_HAS(fixture_message.text, "line 1, column ");
    }
}

TEST(scene_with_any_byte_changed_returns_a_status) {
    static char text[sizeof whole];
    const char replacements[] = {'"', '{', ']', ',', '9', '-', ' ', '\\', '\x80', '\0'};
    int accepted = 0, refused = 0;
    for (size_t at = 0; at + 1 < sizeof whole; ++at)
        for (size_t r = 0; r < sizeof replacements; ++r) {
            memcpy(text, whole, sizeof whole);
            text[at] = replacements[r];
            JnScene *scene;
            JnStatus status = scene_load_text(text, sizeof whole - 1, "a.json", &scene, &fixture_message);
            CHECK((status == JN_OK) == (scene != NULL) && status == fixture_message.status);
            CHECK((status == JN_OK) == (fixture_message.text[0] == '\0'));
            jn_scene_free(scene);
            accepted += status == JN_OK;
            refused += status != JN_OK;
        }
    CHECK(accepted > 0 && refused > 10 * accepted / 2);
}

/* The smallest object of each scope that puts it somewhere in a scene: %s stands for the object's members. */
static const char *const surroundings[][2] = {
    {"scene", "{\"jounce\": 1, \"bodies\": [" BEAM_BODY("") "], %s}"},
    {"units", BEAM_SCENE(", \"units\": {%s}", "")},
    {"frames", BEAM_SCENE(", \"frames\": {%s}", "")},
    {"world", BEAM_SCENE(", \"world\": {%s}", "")},
    {"gravity", BEAM_SCENE(", \"world\": {\"gravity\": {%s}}", "")},
    {"gravity_key", BEAM_SCENE(", \"world\": {\"gravity\": {\"keys\": [{%s}]}}", "")},
    {"integrator", BEAM_SCENE(", \"integrator\": {%s}", "")},
    {"contact", BEAM_SCENE(", \"contact\": {%s}", "")},
    {"body", "{\"jounce\": 1, \"bodies\": [{%s}]}"},
    {"shape", "{\"jounce\": 1, \"bodies\": [{\"name\": \"b\", \"mesh\": {%s}}]}"},
    {"transform", BEAM_SCENE("", ", \"transform\": {%s}")},
    {"material", BEAM_SCENE("", ", \"material\": {%s}")},
    {"springs", BEAM_SCENE("", ", \"springs\": {%s}")},
    {"weights", BEAM_SCENE("", ", \"weights\": {\"w\": {%s}}")},
    {"region", BEAM_SCENE("", ", \"regions\": [{%s}]")},
    {"bone", BEAM_SCENE("", ", \"bones\": [{%s}]")},
    {"body_key", BEAM_SCENE("", ", \"keys\": [{%s}]")},
    {"animation", BEAM_SCENE("", ", \"animation\": {%s}")},
    {"cache", BEAM_SCENE("", ", \"animation\": {\"cache\": {%s}}")},
    {"pose_key", BEAM_SCENE("", ", \"animation\": {\"keys\": [{%s}]}")},
    {"start", BEAM_SCENE("", ", \"start\": {%s}")},
    {"start_pose", BEAM_SCENE("", ", \"start\": {\"pose\": {%s}}")},
    {"force", BEAM_SCENE("", ", \"forces\": [{%s}]")},
    {"collider", BEAM_SCENE(", \"colliders\": [{%s}]", "")},
    {"field", BEAM_SCENE(", \"fields\": [{%s}]", "")},
    {"field_key", BEAM_SCENE(", \"fields\": [{\"name\": \"f\", \"kind\": \"wind\", \"keys\": [{%s}]}]", "")},
    {"output", BEAM_SCENE(", \"output\": {%s}", "")},
};

static const char *surrounding(const char *scope) {
    for (size_t i = 0; i < sizeof surroundings / sizeof surroundings[0]; ++i)
        if (strcmp(surroundings[i][0], scope) == 0)
            return surroundings[i][1];
    return NULL;
}

TEST(scene_wrong_type_for_every_key_is_refused_by_its_name) {
    const char *values[] = {"null", "true",   "-7e300",        "\"\"",        "[]",
                            "[[]]", "[1, 2]", "[\"x\", 1, 2]", "{\"zz\": 1}", "[{}, 1]"};
    uint32_t tried = 0;
    for (uint32_t i = 0; i < jn_setting_count(); ++i) {
        const JnSetting *setting = jn_setting(i);
        const char *around = surrounding(setting->scope);
        CHECK(around != NULL);
        for (size_t v = 0; v < sizeof values / sizeof values[0]; ++v) {
            char member[200], text[2000];
            snprintf(member, sizeof member, "\"%s\": %s", setting->key, values[v]);
            snprintf(text, sizeof text, around, member);
            JnStatus status = fixture_status(text);
            /* what the key accepts: empty lists and maps, free text, true for a switch */
            if (setting->built && status == JN_OK) {
                CHECK(strcmp(values[v], "[]") == 0 || strcmp(values[v], "\"\"") == 0 || strcmp(values[v], "true") == 0);
                continue;
            }
            CHECK(status == (setting->built ? JN_ERR_SCENE : JN_ERR_NOT_BUILT) || status == JN_ERR_UNKNOWN_NAME);
            CHECK_STR_HAS(fixture_message.text,
                          setting->built && strstr(fixture_message.text, "missing") ? "" : setting->key);
            ++tried;
        }
    }
    CHECK(tried > 9 * jn_setting_count() - 40);
}
