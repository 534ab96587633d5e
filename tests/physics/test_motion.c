/* Semi-implicit Euler against its discrete truth. */
#include "baking.h"
#include "harness.h"
#include "views.h"
#include "random.h"

#include "bake/bake_internal.h"

TEST(free_fall_under_si_equals_discrete_truth) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(4, 3, 3, 0.1));
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 25;
    scene.desc.steps_per_frame = 4;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 1, &message) == JN_OK);
    uint32_t count;
    double *start = read_positions(bake, &count), h = 1.0 / (24 * 4);
    for (int frame = 1; frame < 25; ++frame) {
        CHECK(advance(bake, &message) == JN_OK);
        double n = 4.0 * frame, fallen = -9.81 * h * h * n * (n + 1) / 2;
        double *now = read_positions(bake, &count);
        for (uint32_t i = 0; i < count; ++i) {
            CHECK_NEAR(now[3 * i], start[3 * i], 1e-10);
            CHECK_NEAR(now[3 * i + 1], start[3 * i + 1] + fallen, 1e-10);
            CHECK_NEAR(now[3 * i + 2], start[3 * i + 2], 1e-10);
        }
        free(now);
    }
    free(start);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(body_at_rest_stays_at_rest) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(5, 2, 2, 0.1));
    scene.desc.frame_count = 49;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 1, &message) == JN_OK);
    uint32_t count;
    double *start = read_positions(bake, &count);
    CHECK(advance_frames(bake, 48, &message) == JN_OK);
    double *end = read_positions(bake, &count);
    for (uint32_t i = 0; i < 3 * count; ++i)
        CHECK_NEAR(end[i], start[i], 1e-12);
    free(start);
    free(end);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* The state of a bake: positions, velocities and masses of the simulated vertices. */
static void momentum(const JnBake *bake, double linear[3]) {
    linear[0] = linear[1] = linear[2] = 0;
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        for (uint32_t i = 0; i < 3; ++i)
            linear[i] += bake->model.system.masses[v] * bake->motion.state.v[3 * v + i];
}

TEST(free_body_keeps_its_momentum_and_loses_energy) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    uint64_t seed = 4;
    one_body_init(&scene, tet_box_make(4, 2, 2, 0.1));
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double *velocities = malloc(n * sizeof *velocities), before[3], after[3];
    for (size_t i = 0; i < n; ++i)
        velocities[i] = 0.5 * random_signed(&seed) + (i % 3 == 0);
    scene.body.start_velocities = velocities;
    scene.desc.frame_count = 25;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 1, &message) == JN_OK);
    momentum(bake, before);
    CHECK(fabs(before[0]) > 1);
    double energy = system_kinetic_energy(&bake->model.system, bake->motion.state.v);
    for (int frame = 1; frame < 25; ++frame) {
        CHECK(advance(bake, &message) == JN_OK);
        momentum(bake, after);
        for (int i = 0; i < 3; ++i)
            CHECK_NEAR(after[i], before[i], 1e-9);
        double left = system_kinetic_energy(&bake->model.system, bake->motion.state.v) +
                      potential_of(bake->motion.view, bake->motion.state.q);
        CHECK(left <= energy * (1 + 1e-9));
        energy = left;
    }
    free(velocities);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(hanging_beam_sags_by_its_weight_and_comes_to_rest) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(10, 2, 2, 0.05));
    one_body_pin(&scene);
    scene.body.material.young_modulus = 1e6;
    scene.body.material.mass_damping = 5;
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 97;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 97, &message) == JN_OK);
    double tip = 0;
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v) {
        if (scene.box.positions[3 * v] == 0)
            for (uint32_t i = 0; i < 3; ++i)
                CHECK(bake->motion.state.q[3 * v + i] == scene.box.positions[3 * v + i]);
        tip = fmin(tip, bake->motion.state.q[3 * v + 1] - scene.box.positions[3 * v + 1]);
        for (uint32_t i = 0; i < 3; ++i)
            CHECK_NEAR(bake->motion.state.v[3 * v + i], 0, 1e-3);
    }
    /* Euler-Bernoulli: rho g A L^4 / (8 E I) = 12 rho g L^4 / (8 E h^2); linear tets are stiffer, so at least a third
     * of it */
    double theory = 12 * 1000 * 9.81 * pow(0.5, 4) / (8 * 1e6 * 0.1 * 0.1);
    CHECK(-tip > theory / 3 && -tip < 1.1 * theory);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(pins_follow_their_animation_exactly) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(6, 2, 2, 0.1));
    one_body_pin(&scene);
    scene.desc.frame_count = 13;
    scene.desc.first_frame = -3.5;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double *targets = malloc(n * sizeof *targets), moved = 0;
    for (int frame = 0; frame < 13; ++frame) {
        JnFrameInput input;
        JnBodyInput body;
        jn_frame_input_init(&input, sizeof input);
        jn_body_input_init(&body, sizeof body);
        for (size_t i = 0; i < n; ++i)
            targets[i] = scene.box.positions[i] + (i % 3 == 1 ? 0.1 * sin(frame * 0.7) : 0);
        body.targets = targets;
        input.bodies = &body;
        input.body_count = 1;
        input.frame = -3.5 + frame;
        CHECK(jn_bake_advance(bake, &input, &message) == JN_OK);
        for (size_t i = 0; i < n; ++i) {
            if (scene.box.positions[i - i % 3] == 0)
                CHECK(bake->motion.state.q[i] == targets[i]);
            else
                moved = fmax(moved, fabs(bake->motion.state.q[i] - scene.box.positions[i]));
        }
    }
    CHECK(moved > 0.05);
    free(targets);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(goal_holds_a_body_against_gravity) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    JnRegion goal;
    one_body_init(&scene, tet_box_make(3, 3, 3, 0.1));
    float *weights = malloc(scene.box.vertex_count * sizeof *weights);
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        weights[v] = 1;
    jn_region_init(&goal, sizeof goal);
    goal.effect = "goal";
    goal.value = 400; /* 1/s2: gravity moves it by 9.81 / 400 */
    goal.weights = weights;
    goal.weight_count = scene.box.vertex_count;
    scene.body.regions = &goal;
    scene.body.region_count = 1;
    scene.body.material.mass_damping = 10;
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 73;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 73, &message) == JN_OK);
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        CHECK_NEAR(bake->motion.state.q[3 * v + 1] - scene.box.positions[3 * v + 1], -9.81 / 400, 1e-5);
    free(weights);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(force_on_points_accelerates_the_body) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(2, 2, 2, 0.1));
    scene.desc.frame_count = 25;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double *forces = calloc(n, sizeof *forces), after[3];
    for (size_t v = 0; v < scene.box.vertex_count; ++v)
        forces[3 * v] = 0.5;
    for (int frame = 0; frame < 25; ++frame) {
        JnFrameInput input;
        JnBodyInput body;
        jn_frame_input_init(&input, sizeof input);
        jn_body_input_init(&body, sizeof body);
        body.forces = forces;
        input.bodies = &body;
        input.body_count = 1;
        input.frame = jn_bake_next_frame(bake);
        CHECK(jn_bake_advance(bake, &input, &message) == JN_OK);
    }
    momentum(bake, after);
    CHECK_NEAR(after[0], 0.5 * scene.box.vertex_count * 1.0, 1e-9); /* force times one second */
    CHECK_NEAR(after[1], 0, 1e-9);
    free(forces);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(wind_drives_a_body_up_to_its_own_speed) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(2, 2, 2, 0.1));
    scene.body.material.density = 1;
    scene.desc.wind[0] = 3;
    scene.desc.air_density = 1.2;
    scene.desc.frame_count = 241;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 241, &message) == JN_OK);
    double after[3], mass = 0.008;
    momentum(bake, after);
    CHECK(after[0] / mass > 2.5 && after[0] / mass < 3);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(same_motion_to_the_bit_on_one_and_on_three_threads) {
    double *results[2];
    size_t n = 0;
    for (uint32_t run = 0; run < 2; ++run) {
        OneBody scene;
        JnBake *bake;
        JnMessage message;
        one_body_init(&scene, tet_box_make(20, 4, 4, 0.05));
        one_body_pin(&scene);
        scene.desc.gravity[1] = -9.81;
        scene.desc.frame_count = 13;
        scene.desc.thread_count = run == 0 ? 1 : 3;
        scene.desc.collider_count = 1;
        scene.collider.point[1] = -0.2;
        scene.collider.normal[1] = 1;
        CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
        CHECK(advance_frames(bake, 13, &message) == JN_OK);
        n = 3 * (size_t)bake->model.vertex_count;
        results[run] = malloc(n * sizeof(double));
        memcpy(results[run], bake->motion.state.q, n * sizeof(double));
        jn_bake_end(bake, NULL);
        one_body_free(&scene);
    }
    CHECK(memcmp(results[0], results[1], n * sizeof(double)) == 0);
    free(results[0]);
    free(results[1]);
}

TEST(diverging_motion_is_caught_before_it_reaches_the_cache) {
    /* semi-implicit Euler on a very soft body that is flung apart */
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    uint64_t seed = 8;
    one_body_init(&scene, tet_box_make(6, 2, 2, 0.1));
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double *velocities = malloc(n * sizeof *velocities);
    for (size_t i = 0; i < n; ++i)
        velocities[i] = 1e7 * random_signed(&seed);
    scene.body.start_velocities = velocities;
    scene.desc.steps_per_frame = scene.desc.samples_per_frame = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance(bake, &message) == JN_OK);
    uint32_t count;
    double *before = read_positions(bake, &count);
    CHECK(advance(bake, &message) == JN_ERR_DIVERGED);
    CHECK_STR_HAS(message.text, "frame 2");
    CHECK_STR_HAS(message.text, "steps_per_frame");
    double *after = read_positions(bake, &count);
    CHECK(memcmp(before, after, 3 * count * sizeof *before) == 0);
    CHECK(jn_bake_next_frame(bake) == 2);
    free(before);
    free(after);
    free(velocities);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(small_body_in_fast_flight_is_no_divergence) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(2, 2, 2, 0.005));
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double *velocities = calloc(n, sizeof *velocities), mean[3];
    for (size_t i = 0; i < n; i += 3)
        velocities[i] = 100;
    scene.body.start_velocities = velocities;
    scene.desc.steps_per_frame = 1;
    scene.desc.frame_count = 25;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 25, &message) == JN_OK);
    mean_position(bake, mean);
    CHECK_NEAR(mean[0], 100.005, 1e-6);
    free(velocities);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* The momentum along x that wind gives a thin plate in half a second, after its start pose has turned it about y. */
static double plate_momentum(double angle) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(1, 8, 8, 0.02));
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double *pose = malloc(n * sizeof *pose), c = cos(angle), s = sin(angle), after[3] = {NAN, NAN, NAN};
    for (size_t i = 0; i < n; i += 3) {
        const double *rest = scene.box.positions + i;
        pose[i] = c * rest[0] + s * rest[2], pose[i + 1] = rest[1], pose[i + 2] = -s * rest[0] + c * rest[2];
    }
    scene.body.start_positions = pose;
    scene.body.material.density = 100;
    scene.desc.wind[0] = 5;
    scene.desc.air_density = 1.2;
    scene.desc.frame_count = 13;
    if (jn_bake_begin(&scene.desc, &bake, &message) == JN_OK && advance_frames(bake, 13, &message) == JN_OK)
        momentum(bake, after);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    free(pose);
    return after[0];
}

TEST(wind_pushes_a_plate_less_when_it_turns_its_edge) {
    double face = plate_momentum(0), edge = plate_momentum(acos(-1) / 2);
    CHECK(face > 0.01);
    CHECK(edge > 0 && edge < 0.3 * face);
}

TEST(first_targets_pose_a_body_without_pins) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    JnFrameInput input;
    JnBodyInput body;
    double targets[81], mean[3];
    one_body_init(&scene, tet_box_make(2, 2, 2, 0.1));
    for (int i = 0; i < 81; ++i)
        targets[i] = scene.box.positions[i] + (i % 3 == 0);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    jn_frame_input_init(&input, sizeof input);
    jn_body_input_init(&body, sizeof body);
    body.targets = targets;
    input.bodies = &body;
    input.body_count = 1;
    input.frame = 1;
    CHECK(jn_bake_advance(bake, &input, &message) == JN_OK);
    mean_position(bake, mean);
    CHECK_NEAR(mean[0], 1.1, 1e-12);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}
