/* Bodies of the law linear that are seen warped, in bakes: against the nonlinear law, with pins, animation and
   velocities. */
#include "baking.h"
#include "bar_surface.h"
#include "harness.h"

#include "bake/bake_internal.h"
#include "elastic/tet_elements.h"

static const double LENGTH = 1, CELL = 1.0 / 24;

/* A bar along x of 1 x 1/8 x 1/8 m, pinned at x = 0, that hangs under its own weight. */
static void open_bar(OneBody *scene, const char *law, uint32_t warp) {
    one_body_init(scene, tet_box_make(24, 3, 3, CELL));
    one_body_pin(scene);
    scene->body.material.law = law;
    scene->body.material.warp = warp;
    scene->body.material.young_modulus = 6e5;
    scene->body.material.poisson_ratio = 0.3;
    scene->body.settle = 1;
    scene->desc.gravity[1] = -9.81;
}

static uint32_t threads = 1;

typedef struct Seen {
    double volume, length; /* relative to those at rest */
    double tip[3];         /* the middle of the free end, m */
    double *points;
} Seen;

/* The bar at rest under its weight. */
static Seen hang(const char *law, uint32_t warp) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    Seen seen = {.volume = 0};
    open_bar(&scene, law, warp);
    scene.desc.thread_count = threads;
    if (jn_bake_begin(&scene.desc, &bake, &message) != JN_OK || advance(bake, &message) != JN_OK) {
        printf("%s\n", message.text);
        harness_failed = 1;
    } else {
        const double *x = warped_positions(bake);
        size_t bytes = 3 * (size_t)scene.box.vertex_count * sizeof(double);
        seen.points = malloc(bytes);
        memcpy(seen.points, x, bytes);
        for (size_t t = 0; t < scene.box.tet_count; ++t)
            seen.volume += tet_volume(x, scene.box.tets + 4 * t) * 64 / LENGTH;
        /* the middle of each section */
        double before[3] = {0, 0, 0};
        for (size_t i = 0; i <= 24; ++i) {
            double middle[3] = {0, 0, 0}, square = 0;
            for (size_t k = 0; k < 16; ++k)
                for (size_t c = 0; c < 3; ++c)
                    middle[c] += x[3 * (i + 25 * k) + c] / 16;
            for (size_t c = 0; c < 3; ++c)
                square += (middle[c] - before[c]) * (middle[c] - before[c]);
            seen.length += i > 0 ? sqrt(square) / LENGTH : 0;
            memcpy(before, middle, sizeof before);
        }
        memcpy(seen.tip, before, sizeof before);
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return seen;
}

static double distance(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* The linear bar bends by 80 degrees. How far the nonlinear one sinks is another matter: its weight loses its lever. */
TEST(warped_bar_that_hangs_far_keeps_length_and_volume_as_the_nonlinear_one_does) {
    Seen linear = hang("linear", 0), warped = hang("linear", 1), truth = hang("corotational", 0);
    const Seen *all[3] = {&linear, &warped, &truth};
    for (int k = 0; k < 3; ++k) {
        printf("volume %.3f, length %.3f, tip %.3f %.3f\n", all[k]->volume, all[k]->length, all[k]->tip[0],
               all[k]->tip[1]);
        free(all[k]->points);
    }
    CHECK(linear.volume > 2 && linear.length > 1.4);
    CHECK_NEAR(warped.volume, truth.volume, 0.01);
    CHECK_NEAR(warped.length, truth.length, 0.01);
    CHECK(distance(warped.tip, truth.tip) < 0.65 * distance(linear.tip, truth.tip));
}

TEST(warped_bar_on_several_threads_is_that_of_one) {
    Seen seen[2];
    for (uint32_t k = 0; k < 2; ++k) {
        threads = 1 + 2 * k;
        seen[k] = hang("linear", 1);
    }
    threads = 1;
    CHECK(memcmp(seen[0].points, seen[1].points, 3 * 25 * 16 * sizeof(double)) == 0);
    free(seen[0].points);
    free(seen[1].points);
}

/* What holds it is a spring of a pin, so that nothing is prescribed. */
TEST(warped_bar_held_by_springs_stays_at_them) {
    OneBody scene;
    JnBake *bake;
    open_bar(&scene, "linear", 1);
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        scene.pin_weights[v] *= 0.99f;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance(bake, NULL) == JN_OK);
    const double *seen = warped_positions(bake), *state = bake->motion.state.q;
    double held[3] = {0, 0, 0}, moved = 0;
    for (size_t v = 0; v < scene.box.vertex_count; ++v) {
        for (size_t i = 0; i < 3 && scene.pin_weights[v] > 0; ++i)
            held[i] += (seen[3 * v + i] - state[3 * v + i]) / 16;
        moved = fmax(moved, distance(seen + 3 * v, state + 3 * v));
    }
    CHECK(moved > 0.3);
    CHECK(distance(held, (double[3]){0, 0, 0}) < 1e-3);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(warped_bar_is_exact_at_its_pins_and_the_state_does_not_know) {
    OneBody scenes[2];
    JnBake *bakes[2];
    for (uint32_t k = 0; k < 2; ++k) {
        open_bar(&scenes[k], "linear", k);
        scenes[k].body.settle = 0;
        CHECK(jn_bake_begin(&scenes[k].desc, &bakes[k], NULL) == JN_OK && advance_frames(bakes[k], 9, NULL) == JN_OK);
    }
    size_t bytes = 3 * (size_t)scenes[0].box.vertex_count * sizeof(double);
    CHECK(memcmp(bakes[0]->motion.state.q, bakes[1]->motion.state.q, bytes) == 0);
    CHECK(memcmp(bakes[0]->motion.state.v, bakes[1]->motion.state.v, bytes) == 0);
    CHECK(bakes[0]->warped == NULL && bakes[1]->warped != NULL);
    uint32_t count;
    double *seen = read_positions(bakes[1], &count), moved = 0;
    for (uint32_t v = 0; v < count; ++v) {
        const double *rest = scenes[1].box.positions + 3 * (size_t)bakes[1]->model.bodies[0].cached_points[v];
        CHECK(rest[0] > 0 || memcmp(seen + 3 * (size_t)v, rest, 3 * sizeof(double)) == 0);
        moved = fmax(moved, distance(seen + 3 * (size_t)v, rest));
    }
    CHECK(moved > 0.1);
    free(seen);
    for (uint32_t k = 0; k < 2; ++k) {
        jn_bake_end(bakes[k], NULL);
        one_body_free(&scenes[k]);
    }
}

/* In so short steps the velocity is how far a vertex is seen to go in one of them. */
TEST(warped_velocities_are_those_of_what_is_seen) {
    OneBody scene;
    JnBake *bake;
    open_bar(&scene, "linear", 1);
    scene.body.material.young_modulus = 2e4;
    scene.body.settle = 0;
    scene.desc.steps_per_frame = 10;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance_frames(bake, 13, NULL) == JN_OK);
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double *before = malloc(n * sizeof *before), fastest = 0, farthest = 0, unlike = 0;
    memcpy(before, warped_positions(bake), n * sizeof *before);
    bake->settings.fps = 5000; /* a frame of one more step */
    CHECK(bake_step(bake, 1.0 / 5000, NULL) == JN_OK && warped_update(bake, true, NULL) == JN_OK);
    const double *seen = warped_positions(bake), *velocities = warped_velocities(bake);
    for (size_t i = 0; i < n; ++i) {
        double way = (seen[i] - before[i]) * 5000;
        fastest = fmax(fastest, fabs(way));
        farthest = fmax(farthest, fabs(velocities[i] - way));
        unlike = fmax(unlike, fabs(bake->motion.state.v[i] - way));
    }
    printf("fastest %.3f m/s, off by %.5f, those of the state by %.3f\n", fastest, farthest, unlike);
    CHECK(fastest > 1 && unlike > 0.3 * fastest && farthest < 0.01 * fastest);
    free(before);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* The bar turned about z by `angle`. */
static void turn(const OneBody *scene, double angle, double *pose) {
    for (size_t v = 0; v < scene->box.vertex_count; ++v) {
        const double *x = scene->box.positions + 3 * v;
        pose[3 * v] = cos(angle) * x[0] - sin(angle) * x[1];
        pose[3 * v + 1] = sin(angle) * x[0] + cos(angle) * x[1];
        pose[3 * v + 2] = x[2];
    }
}

/* An animation that turns the whole body by more than a right angle, which neither strains it nor throws it about. */
TEST(warped_body_whose_rest_shape_follows_turns_with_its_animation) {
    const double turn_per_frame = 0.15;
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    open_bar(&scene, "linear", 1);
    scene.body.settle = 0;
    scene.body.rest_follows_animation = 1;
    scene.body.travel_influence = 0;
    scene.desc.gravity[1] = 0;
    scene.desc.frame_count = 16;
    size_t n = scene.box.vertex_count;
    double *pose = malloc(3 * n * sizeof *pose);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    for (int frame = 0; frame < 16; ++frame) {
        JnFrameInput input;
        JnBodyInput body;
        jn_frame_input_init(&input, sizeof input);
        jn_body_input_init(&body, sizeof body);
        turn(&scene, turn_per_frame * frame, pose);
        body.targets = pose;
        input.bodies = &body;
        input.body_count = 1;
        input.frame = jn_bake_next_frame(bake);
        CHECK(jn_bake_advance(bake, &input, &message) == JN_OK);
        const double *seen = warped_positions(bake);
        for (size_t i = 0; i < 3 * n; ++i)
            CHECK_NEAR(seen[i], pose[i], 2e-3); /* pins go straight from frame to frame, and squeeze it a little */
    }
    jn_bake_end(bake, NULL);
    free(pose);
    one_body_free(&scene);
}

/* A surface in tets that the core makes. */
TEST(surface_in_a_warped_body_is_seen_where_its_warped_tets_have_it) {
    BarSurface bar;
    OneBody scene;
    JnBake *bake;
    open_bar(&scene, "linear", 1);
    CHECK(bar_surface_make(LENGTH, LENGTH / 8, 16, 2, &bar));
    float *weights = calloc(bar.surface.vertex_count, sizeof *weights);
    for (size_t v = 0; v < bar.surface.vertex_count; ++v)
        weights[v] = bar.positions[3 * v] < 1e-9;
    scene.body.tets = (JnTets){0};
    scene.body.surface = bar.surface;
    scene.body.resolution = 16;
    scene.pin.weights = weights;
    scene.pin.weight_count = bar.surface.vertex_count;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance(bake, NULL) == JN_OK);
    uint32_t count;
    double *seen = read_positions(bake, &count), *expected = malloc(3 * (size_t)count * sizeof *expected), moved = 0;
    const Body *body = &bake->model.bodies[0];
    embedding_apply(&body->embedding, warped_positions(bake), expected);
    for (size_t v = 0; v < count; ++v) {
        const double *x = body->pinned_points[v] ? bar.positions + 3 * v : expected + 3 * v;
        CHECK(distance(seen + 3 * v, x) < 1e-12);
        moved = fmax(moved, distance(seen + 3 * v, bar.positions + 3 * v));
    }
    CHECK(moved > 0.3);
    free(seen);
    free(expected);
    free(weights);
    jn_bake_end(bake, NULL);
    bar_surface_free(&bar);
    one_body_free(&scene);
}
