/* A rest shape that follows the animation: a bent elbow does not fight its pose, and still jiggles. */
#include "baking.h"
#include "harness.h"
#include "views.h"
#include "whole_and_parts.h"

#include "bake/bake_internal.h"

static const double LENGTH = 0.8;

/* A beam along x, both ends pinned to the animation. */
static void open_elbow(OneBody *scene, double rest_follows) {
    one_body_init(scene, tet_box_make(16, 3, 3, LENGTH / 16));
    one_body_pin(scene);
    for (uint32_t v = 0; v < scene->box.vertex_count; ++v)
        scene->pin_weights[v] = scene->box.positions[3 * v] == 0 || scene->box.positions[3 * v] > LENGTH - 1e-9;
    scene->body.rest_follows_animation = rest_follows;
    scene->body.material.mass_damping = 30;
    scene->desc.frame_count = 100;
}

/* The beam bent to an arc of `angle` in its x-y plane; its middle line keeps its length. */
static void bend(const OneBody *scene, double angle, double *pose) {
    for (uint32_t v = 0; v < scene->box.vertex_count; ++v) {
        const double *x = scene->box.positions + 3 * v;
        double y = x[1] - 0.075, a = angle * x[0] / LENGTH, radius = angle != 0 ? LENGTH / angle : 0;
        pose[3 * v] = angle != 0 ? (radius - y) * sin(a) : x[0];
        pose[3 * v + 1] = angle != 0 ? radius - (radius - y) * cos(a) : y;
        pose[3 * v + 2] = x[2];
    }
}

/* One frame with the beam animated to `pose`. */
static JnStatus push_pose(JnBake *bake, const double *pose, JnMessage *message) {
    JnFrameInput input;
    JnBodyInput body;
    jn_frame_input_init(&input, sizeof input);
    jn_body_input_init(&body, sizeof body);
    body.targets = pose;
    input.bodies = &body;
    input.body_count = 1;
    input.frame = jn_bake_next_frame(bake);
    return jn_bake_advance(bake, &input, message);
}

static const double RIGHT_ANGLE = 1.5707963267948966;

/* Bends over twelve frames, then holds until frame `end`. */
static JnStatus push_bending(const OneBody *scene, JnBake *bake, double end, JnMessage *message) {
    double *pose = malloc(3 * (size_t)scene->box.vertex_count * sizeof *pose);
    JnStatus status = JN_OK;
    while (status == JN_OK && jn_bake_next_frame(bake) < end) {
        bend(scene, RIGHT_ANGLE * fmin(1, (jn_bake_next_frame(bake) - 1) / 12), pose);
        status = push_pose(bake, pose, message);
    }
    free(pose);
    return status;
}

typedef struct Held {
    double energy;   /* J, elastic, at the end */
    double distance; /* m, largest of a vertex from its animated place */
    double *q;
    size_t bytes;
} Held;

/* The beam bent by 90 degrees and come to rest. */
static JnStatus bend_and_hold(OneBody *scene, uint32_t threads, Held *held, JnMessage *message) {
    JnBake *bake;
    scene->desc.thread_count = threads;
    JnStatus status = jn_bake_begin(&scene->desc, &bake, message);
    if (status == JN_OK)
        status = push_bending(scene, bake, 61, message);
    if (status == JN_OK) {
        held->bytes = 3 * (size_t)bake->model.vertex_count * sizeof(double);
        held->q = malloc(held->bytes);
        memcpy(held->q, bake->motion.state.q, held->bytes);
        held->energy = potential_of(bake->motion.view, held->q);
        held->distance = 0;
        for (size_t i = 0; i < 3 * (size_t)bake->model.vertex_count; ++i)
            held->distance = fmax(held->distance, fabs(held->q[i] - bake->motion.view->moment.targets[i]));
    }
    jn_bake_end(bake, NULL);
    return status;
}

TEST(following_rest_shape_does_not_fight_the_bent_pose) {
    Held held[3];
    const double amounts[3] = {0, 0.5, 1};
    for (int i = 0; i < 3; ++i) {
        OneBody scene;
        JnMessage message;
        open_elbow(&scene, amounts[i]);
        CHECK(bend_and_hold(&scene, 1, &held[i], &message) == JN_OK);
        one_body_free(&scene);
        free(held[i].q);
    }
    printf("energy %.3g %.3g %.3g J, distance %.3g %.3g %.3g m\n", held[0].energy, held[1].energy, held[2].energy,
           held[0].distance, held[1].distance, held[2].distance);
    CHECK(held[0].energy > 1 && held[0].distance > 0.005);
    CHECK(held[2].energy < 1e-6 * held[0].energy && held[2].distance < 1e-4);
    CHECK(held[1].energy > 0.1 * held[0].energy && held[1].energy < 0.5 * held[0].energy);
}

LONG_TEST(following_rest_shape_serves_every_law) {
    for (uint32_t m = 0; m < material_table.count; ++m) {
        OneBody scene;
        JnMessage message;
        Held held;
        open_elbow(&scene, 1);
        tet_box_free(&scene.box);
        scene.box = tet_box_make(16, 3, 3, LENGTH / 16);
        scene.body.tets = tet_box_view(&scene.box);
        scene.body.material.law = table_at(&material_table, m)->name;
        CHECK(bend_and_hold(&scene, 1, &held, &message) == JN_OK);
        CHECK(held.energy < 1e-4 && held.distance < 1e-3);
        one_body_free(&scene);
        free(held.q);
    }
}

TEST(body_with_a_following_rest_shape_still_jiggles) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    open_elbow(&scene, 1);
    scene.body.material.young_modulus = 2e4;
    scene.body.material.mass_damping = 0;
    scene.desc.frame_count = 40;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(push_bending(&scene, bake, 14, &message) == JN_OK);
    double left = 0, most = 0;
    while (jn_bake_next_frame(bake) < 40) {
        CHECK(push_bending(&scene, bake, jn_bake_next_frame(bake) + 1, &message) == JN_OK);
        left = 0;
        for (size_t i = 0; i < 3 * (size_t)bake->model.vertex_count; ++i)
            left = fmax(left, fabs(bake->motion.state.q[i] - bake->motion.view->moment.targets[i]));
        most = fmax(most, left);
    }
    CHECK(most > 0.01);       /* the stop at frame 13 threw it past its pose */
    CHECK(left < 0.5 * most); /* and it comes back to it */
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(painted_amount_follows_only_where_it_is_painted) {
    /* a free beam, its half from x = LENGTH / 2 on painted; the animation stretches it to twice its width */
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(16, 2, 2, LENGTH / 16));
    one_body_pin(&scene);
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        scene.pin_weights[v] = scene.box.positions[3 * v] > LENGTH / 2 - 1e-9;
    scene.pin.effect = "rest_follows";
    scene.pin.value = 1;
    scene.body.material.mass_damping = 30;
    scene.desc.frame_count = 60;
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double *wide = malloc(n * sizeof *wide);
    for (size_t i = 0; i < n; ++i)
        wide[i] = scene.box.positions[i] * (i % 3 == 2 ? 2 : 1);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(push_pose(bake, scene.box.positions, &message) == JN_OK);
    for (int frame = 1; frame < 60; ++frame)
        CHECK(push_pose(bake, wide, &message) == JN_OK);
    CHECK(bake->counts.cut_steps == 0); /* the work of a rest shape that moves is no energy from nowhere */
    double low[2] = {1, 1}, high[2] = {-1, -1};
    for (size_t v = 0; v < scene.box.vertex_count; ++v) {
        double x = scene.box.positions[3 * v], z = bake->motion.state.q[3 * v + 2];
        int end = x == 0 ? 0 : x > LENGTH - 1e-9 ? 1 : -1;
        if (end >= 0) {
            low[end] = fmin(low[end], z);
            high[end] = fmax(high[end], z);
        }
    }
    CHECK_NEAR(high[0] - low[0], 0.1, 2e-3);
    CHECK_NEAR(high[1] - low[1], 0.2, 4e-3);
    free(wide);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(first_frame_in_another_pose_than_the_rest_shape_is_quiet) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    open_elbow(&scene, 1);
    double *pose = malloc(3 * (size_t)scene.box.vertex_count * sizeof *pose);
    bend(&scene, RIGHT_ANGLE, pose);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    for (int frame = 0; frame < 12; ++frame) {
        CHECK(push_pose(bake, pose, &message) == JN_OK);
        for (size_t i = 0; i < 3 * (size_t)bake->model.vertex_count; ++i)
            CHECK_NEAR(bake->motion.state.q[i], pose[i], 1e-9);
    }
    free(pose);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(crushed_and_inverted_poses_are_survived_and_counted) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    open_elbow(&scene, 1);
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double *pose = malloc(n * sizeof *pose);
    JnStatistics statistics = {.struct_size = sizeof statistics};
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(push_pose(bake, scene.box.positions, &message) == JN_OK);
    CHECK(jn_bake_statistics(bake, &statistics, &message) == JN_OK && statistics.limited_rest_count == 0);
    /* the pose of the middle is mirrored in y, the ends keep theirs */
    for (size_t i = 0; i < n; ++i) {
        double x = scene.box.positions[i - i % 3];
        bool middle = x > 0.2 && x < 0.6;
        pose[i] = i % 3 == 1 && middle ? 0.15 - scene.box.positions[i] : scene.box.positions[i];
    }
    for (int frame = 0; frame < 12; ++frame)
        CHECK(push_pose(bake, pose, &message) == JN_OK);
    CHECK(jn_bake_statistics(bake, &statistics, &message) == JN_OK);
    CHECK(statistics.limited_rest_count > 50 && statistics.limited_rest_count <= statistics.tet_count);
    for (size_t i = 0; i < n; ++i)
        CHECK(fabs(bake->motion.state.q[i]) < 2);
    free(pose);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(following_rest_shape_is_the_same_on_one_and_on_three_threads) {
    Held held[2];
    for (uint32_t run = 0; run < 2; ++run) {
        OneBody scene;
        JnMessage message;
        open_elbow(&scene, 0.7);
        CHECK(bend_and_hold(&scene, run ? 3 : 1, &held[run], &message) == JN_OK);
        one_body_free(&scene);
    }
    CHECK(memcmp(held[0].q, held[1].q, held[0].bytes) == 0 && held[0].energy == held[1].energy);
    free(held[0].q);
    free(held[1].q);
}

TEST(resume_with_a_following_rest_shape_is_the_same_to_the_byte) {
    JnMessage message;
    OneBody scene;
    JnBake *bake;
    for (int run = 0; run < 2; ++run) {
        const double stops[] = {5, 21};
        open_elbow(&scene, 0.7);
        scene.desc.frame_count = 20;
        scene.desc.output_path = run ? parts_path : whole_path;
        for (int part = run ? 0 : 1; part < 2; ++part) {
            scene.desc.resume = run && part > 0;
            CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
            CHECK(push_bending(&scene, bake, stops[part], &message) == JN_OK);
            CHECK(jn_bake_end(bake, &message) == JN_OK);
        }
        one_body_free(&scene);
    }
    CHECK(whole_equals_parts());
}
