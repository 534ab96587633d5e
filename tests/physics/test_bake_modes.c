/* Modes of a scene: units, pins, damping, which body and region moves, and where they agree with the motion itself. */
#include "baking.h"
#include "harness.h"

#include "base/math3.h"
#include "bake/bake_internal.h"

static const double PI = 3.14159265358979323846;

static int get(const JnModes *modes, uint32_t index, JnMode *mode) {
    mode->struct_size = (uint32_t)sizeof *mode;
    return jn_modes_get(modes, index, mode, NULL) == JN_OK;
}

TEST(modes_of_a_bar_in_any_unit_have_the_same_frequencies) {
    double frequencies[2];
    for (int run = 0; run < 2; ++run) {
        OneBody scene;
        JnModes *modes;
        JnMode mode;
        one_body_init(&scene, tet_box_make(10, 2, 2, run ? 5 : 0.05));
        one_body_pin(&scene);
        scene.desc.metres_per_unit = run ? 0.01 : 1;
        scene.body.transform[3] = 7;
        CHECK(jn_bake_modes(&scene.desc, 3, &modes, NULL) == JN_OK);
        CHECK(get(modes, 0, &mode));
        CHECK(!mode.rigid && mode.frequency > 0.1);
        CHECK_NEAR(mode.eigenvalue, pow(2 * PI * mode.frequency, 2), 1e-9 * mode.eigenvalue);
        frequencies[run] = mode.frequency;
        /* points: the longest vector is 1 unit long, those of pins are 0 */
        uint32_t count = 0;
        CHECK(jn_modes_shape(modes, 0, 0, NULL, 0, &count, NULL) == JN_ERR_ARGUMENT);
        CHECK(count == scene.box.vertex_count);
        double *shape = malloc(3 * count * sizeof *shape), longest = 0;
        CHECK(jn_modes_shape(modes, 0, 0, shape, 3 * count, &count, NULL) == JN_OK);
        for (uint32_t v = 0; v < count; ++v) {
            double length = vec3_length(shape + 3 * v);
            CHECK(scene.pin_weights[v] == 0 || length == 0);
            longest = fmax(longest, length);
        }
        CHECK_NEAR(longest, 1, 1e-12);
        free(shape);
        jn_modes_free(modes);
        one_body_free(&scene);
    }
    CHECK_NEAR(frequencies[0], frequencies[1], 1e-9 * frequencies[0]);
}

TEST(pose_of_a_mode_moves_what_the_cache_shows) {
    OneBody scene;
    JnModes *modes;
    JnMeshView view = {.struct_size = sizeof view};
    /* turned by a quarter about z, and doubled */
    const double transform[12] = {0, -2, 0, 7, 2, 0, 0, 1, 0, 0, 2, 0};
    one_body_init(&scene, tet_box_make(6, 2, 2, 0.05));
    one_body_pin(&scene);
    memcpy(scene.body.transform, transform, sizeof transform);
    CHECK(jn_bake_modes(&scene.desc, 2, &modes, NULL) == JN_OK);
    CHECK(jn_modes_mesh(modes, 0, &view, NULL) == JN_OK);
    uint32_t count = view.surface.vertex_count, points = scene.box.vertex_count;
    CHECK(count > 0 && count < points && view.surface.face_count > 0);
    double *shape = malloc(3 * points * sizeof *shape), *pose = malloc(3 * count * sizeof *pose);
    CHECK(jn_modes_shape(modes, 1, 0, shape, 3 * (size_t)points, NULL, NULL) == JN_OK);
    CHECK(jn_modes_pose(modes, 1, 0, 0.5, pose, 3 * (size_t)count, NULL) == JN_OK);
    for (uint32_t v = 0; v < count; ++v) {
        /* the point of the box that is here at rest */
        uint32_t found = UINT32_MAX;
        for (uint32_t p = 0; p < points; ++p) {
            double placed[3], apart[3];
            affine_apply(transform, scene.box.positions + 3 * p, placed);
            vec3_sub(placed, view.surface.positions + 3 * v, apart);
            if (vec3_length(apart) < 1e-9)
                found = p;
        }
        CHECK(found < points);
        const double *u = shape + 3 * found, *rest = view.surface.positions + 3 * v;
        CHECK_NEAR(pose[3 * v], rest[0] - u[1], 1e-12);
        CHECK_NEAR(pose[3 * v + 1], rest[1] + u[0], 1e-12);
        CHECK_NEAR(pose[3 * v + 2], rest[2] + u[2], 1e-12);
    }
    JnMessage message;
    CHECK(jn_modes_pose(modes, 1, 0, 0.5, pose, 3 * (size_t)count - 1, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_modes_pose(modes, 1, 0, NAN, pose, 3 * (size_t)count, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_modes_pose(modes, 99, 0, 0, pose, 3 * (size_t)count, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_modes_pose(modes, 0, 1, 0, pose, 3 * (size_t)count, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_modes_mesh(modes, 1, &view, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_modes_mesh(NULL, 0, &view, &message) == JN_ERR_ARGUMENT && strstr(message.text, "jn_bake_modes"));
    free(shape);
    free(pose);
    jn_modes_free(modes);
    one_body_free(&scene);
}

TEST(modes_damping_is_that_of_the_material) {
    for (uint32_t consistent = 0; consistent < 2; ++consistent) {
        OneBody scene;
        JnModes *modes;
        one_body_init(&scene, tet_box_make(10, 2, 2, 0.05));
        one_body_pin(&scene);
        scene.desc.consistent_mass = consistent;
        scene.body.material.stiffness_damping = 0.003;
        scene.body.material.mass_damping = 0.7;
        CHECK(jn_bake_modes(&scene.desc, 5, &modes, NULL) == JN_OK);
        CHECK(jn_modes_count(modes) >= 5);
        for (uint32_t k = 0; k < jn_modes_count(modes); ++k) {
            JnMode mode;
            CHECK(get(modes, k, &mode));
            double rate = 2 * PI * mode.frequency, decay = 0.5 * (0.003 * rate * rate + 0.7);
            CHECK_NEAR(mode.decay_rate, decay, 1e-9 * decay);
            CHECK_NEAR(mode.damping_ratio, decay / rate, 1e-9 * decay / rate);
        }
        jn_modes_free(modes);
        one_body_free(&scene);
    }
}

/* All of a stiff body is drawn to its place by springs as slow as 3 Hz: six swings of it as a whole, equally fast, far
   below the largest eigenvalue. */
TEST(modes_of_a_body_that_follows_softly_are_its_swings) {
    OneBody scene;
    JnMessage message;
    JnModes *modes;
    one_body_init(&scene, tet_box_make(12, 12, 12, 0.002));
    one_body_pin(&scene);
    JnRegion goal = scene.pin;
    float *weights = malloc(scene.box.vertex_count * sizeof *weights);
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        weights[v] = 1;
    double rate = pow(2 * acos(-1) * 3, 2);
    goal.effect = "goal";
    goal.value = rate;
    goal.weights = weights;
    scene.body.regions = &goal;
    scene.body.region_count = 1;
    scene.body.material.young_modulus = 1e9;
    CHECK(jn_bake_modes(&scene.desc, 1, &modes, &message) == JN_OK);
    CHECK(jn_modes_count(modes) >= 6);
    for (uint32_t k = 0; k < 6; ++k) {
        JnMode mode = {.struct_size = sizeof mode};
        CHECK(jn_modes_get(modes, k, &mode, &message) == JN_OK);
        CHECK_NEAR(mode.frequency, 3, 1e-5);
    }
    jn_modes_free(modes);
    free(weights);
    one_body_free(&scene);
}

TEST(modes_name_the_body_and_the_region_that_move_most) {
    /* two bars, the second one softer, hanging on goals at one end, with its free end painted */
    OneBody scene;
    JnBody bodies[2];
    JnRegion regions[2];
    JnModes *modes;
    JnMode mode;
    one_body_init(&scene, tet_box_make(8, 2, 2, 0.05));
    uint32_t n = scene.box.vertex_count;
    float *weights = calloc(2 * n, sizeof *weights);
    for (uint32_t v = 0; v < n; ++v) {
        weights[v] = scene.box.positions[3 * v] < 0.01;
        weights[n + v] = scene.box.positions[3 * v] > 0.34;
    }
    for (uint32_t r = 0; r < 2; ++r) {
        jn_region_init(&regions[r], sizeof regions[r]);
        regions[r].effect = r ? "density" : "goal";
        regions[r].value = r ? 2 : 1e6;
        regions[r].weights = weights + r * n;
        regions[r].weight_count = n;
    }
    bodies[0] = bodies[1] = scene.body;
    bodies[1].name = "soft";
    bodies[1].material.young_modulus /= 100;
    bodies[0].regions = bodies[1].regions = regions;
    bodies[0].region_count = bodies[1].region_count = 2;
    scene.desc.bodies = bodies;
    scene.desc.body_count = 2;
    CHECK(jn_bake_modes(&scene.desc, 1, &modes, NULL) == JN_OK);
    CHECK(get(modes, 0, &mode));
    CHECK(!mode.rigid && mode.frequency > 0.1); /* goals hold it */
    CHECK(mode.body_index == 1 && mode.region_index == 1);
    CHECK_NEAR(mode.body_share, 1, 1e-9);
    jn_modes_free(modes);
    free(weights);
    one_body_free(&scene);
}

TEST(modes_frequency_is_that_of_the_swing) {
    /* a bar let go in its first mode swings as cos(2 pi f t), up to what semi-implicit Euler takes away */
    OneBody scene;
    JnModes *modes;
    JnMode mode;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(8, 2, 2, 0.05));
    one_body_pin(&scene);
    scene.body.material.law = "linear";
    CHECK(jn_bake_modes(&scene.desc, 1, &modes, &message) == JN_OK);
    CHECK(get(modes, 0, &mode));
    uint32_t n = scene.box.vertex_count, tip = 0;
    double *shape = malloc(3 * n * sizeof *shape), *start = malloc(3 * n * sizeof *start);
    CHECK(jn_modes_shape(modes, 0, 0, shape, 3 * n, NULL, NULL) == JN_OK);
    for (uint32_t i = 0; i < 3 * n; ++i) {
        start[i] = scene.box.positions[i] + 0.01 * shape[i];
        tip = fabs(shape[i]) > fabs(shape[tip]) ? i : tip;
    }
    scene.body.start_positions = start;
    scene.desc.fps = 400 * mode.frequency; /* a quarter swing is a hundred frames */
    scene.desc.steps_per_frame = 10;
    scene.desc.frame_count = 101;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 51, &message) == JN_OK);
    CHECK_NEAR((bake->motion.state.q[tip] - scene.box.positions[tip]) / (0.01 * shape[tip]), sqrt(0.5), 2e-3);
    CHECK(advance_frames(bake, 50, &message) == JN_OK);
    CHECK_NEAR((bake->motion.state.q[tip] - scene.box.positions[tip]) / (0.01 * shape[tip]), 0, 2e-3);
    jn_bake_end(bake, NULL);
    jn_modes_free(modes);
    free(shape);
    free(start);
    one_body_free(&scene);
}

TEST(modes_wrong_arguments_are_refused_in_words) {
    OneBody scene;
    JnModes *modes = (JnModes *)&scene;
    JnMode mode = {0};
    JnMessage message;
    one_body_init(&scene, tet_box_make(2, 1, 1, 0.1));
    CHECK(jn_bake_modes(&scene.desc, 0, &modes, &message) == JN_ERR_ARGUMENT && !modes);
    CHECK_STR_HAS(message.text, "1 to 1000");
    CHECK(jn_bake_modes(NULL, 5, &modes, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_bake_modes(&scene.desc, 5, NULL, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_modes_count(NULL) == 0);
    CHECK(jn_modes_get(NULL, 0, &mode, &message) == JN_ERR_ARGUMENT);
    scene.desc.consistent_mass = 2;
    CHECK(jn_bake_modes(&scene.desc, 5, &modes, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "consistent_mass");
    scene.desc.consistent_mass = 0;
    CHECK(jn_bake_modes(&scene.desc, 5, &modes, &message) == JN_OK);
    CHECK(jn_modes_count(modes) >= 11);
    CHECK(jn_modes_get(modes, 0, &mode, &message) == JN_ERR_STRUCT_SIZE);
    CHECK(jn_modes_get(modes, jn_modes_count(modes), &mode, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_modes_shape(modes, 0, 1, NULL, 0, NULL, &message) == JN_ERR_ARGUMENT);
    CHECK(get(modes, 0, &mode) && mode.rigid && mode.frequency == 0);
    jn_modes_free(modes);
    jn_modes_free(NULL);
    one_body_free(&scene);
}
