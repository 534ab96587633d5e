/* What a bake is said to cost, by a clock that ticks whenever the core looks at it: the same in every run. */
#include "baking.h"
#include "harness.h"

#include "bake/bake_internal.h"
#include "base/os/os.h"

static uint32_t looks, steps;
static double tick = 1e-3;

double __wrap_os_clock_seconds(void);
JnStatus __wrap_bake_step(JnBake *bake, double h, JnMessage *message);
JnStatus __real_bake_step(JnBake *bake, double h, JnMessage *message);

double __wrap_os_clock_seconds(void) {
    return tick * ++looks;
}

JnStatus __wrap_bake_step(JnBake *bake, double h, JnMessage *message) {
    ++steps;
    return __real_bake_step(bake, h, message);
}

/* The seconds of the whole bake, and those that it takes in truth. */
static bool measure(const JnBakeDesc *desc, double *estimated, double *taken) {
    JnEstimate estimate = {.struct_size = sizeof estimate};
    JnBake *bake;
    JnMessage message;
    bool ok = jn_bake_estimate(desc, &estimate, &message) == JN_OK;
    *estimated = estimate.total_seconds;
    uint32_t before = looks;
    ok = ok && jn_bake_begin(desc, &bake, &message) == JN_OK &&
         advance_frames(bake, desc->frame_count, &message) == JN_OK;
    *taken = tick * (looks - before);
    jn_bake_end(ok ? bake : NULL, NULL);
    return ok;
}

TEST(estimate_knows_how_long_the_start_pose_takes) {
    OneBody scene;
    double estimated[3], taken[3];
    one_body_init(&scene, tet_box_make(6, 2, 2, 0.05));
    one_body_pin(&scene);
    scene.body.material.young_modulus = 2.5e5;
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 1;
    for (int run = 0; run < 3; ++run) {
        scene.body.settle = run == 1;
        scene.body.keep_shape = run == 2;
        CHECK(measure(&scene.desc, &estimated[run], &taken[run]));
        CHECK_NEAR(estimated[run], taken[run], 0.01);
    }
    CHECK(taken[1] > taken[0] + 0.05 && taken[2] > taken[0] + 0.02);
    one_body_free(&scene);
}

/* A box that falls on the floor and jumps off it. */
static void drop(OneBody *scene) {
    one_body_init(scene, tet_box_make(3, 3, 3, 0.05));
    scene->body.material.young_modulus = 2e4;
    scene->desc.gravity[1] = -9.81;
    scene->desc.steps_per_frame = 4;
    scene->desc.collider_count = 1;
    scene->collider.point[1] = -0.1;
    scene->collider.normal[1] = 1;
}

TEST(estimate_knows_what_happens_after_the_first_steps) {
    OneBody scene;
    double estimated, taken;
    const char *const integrators[] = {"si", "ssdirk", "be", "sdirk"};
    drop(&scene);
    scene.desc.frame_count = 60;
    tick = 1e-4;
    for (size_t i = 0; i < sizeof integrators / sizeof integrators[0]; ++i) {
        scene.desc.integrator = integrators[i];
        CHECK(measure(&scene.desc, &estimated, &taken));
        CHECK(taken > 0.5);
        CHECK_NEAR(estimated, taken, 0.25 * taken);
    }
    tick = 1e-3;
    one_body_free(&scene);
}

/* The steps that the estimate takes if each of them is slow; UINT32_MAX: it fails, or counts them wrongly. */
static uint32_t slow_steps(OneBody *scene, uint32_t frame_count, uint32_t steps_per_frame) {
    JnEstimate estimate = {.struct_size = sizeof estimate};
    scene->desc.frame_count = frame_count;
    scene->desc.steps_per_frame = steps_per_frame;
    steps = 0;
    tick = 100;
    JnStatus status = jn_bake_estimate(&scene->desc, &estimate, NULL);
    tick = 1e-3;
    return status == JN_OK && estimate.trial_frame_count * steps_per_frame == steps ? steps : UINT32_MAX;
}

TEST(estimate_of_slow_frames_takes_one_and_few_steps_if_frames_have_only_one) {
    OneBody scene;
    drop(&scene);
    CHECK(slow_steps(&scene, 60, 8) == 8);
    CHECK(slow_steps(&scene, 60, 32) == 32);
    CHECK(slow_steps(&scene, 60, 1) == 3);
    CHECK(slow_steps(&scene, 3, 1) == 2);
    CHECK(slow_steps(&scene, 1, 8) == 0);
    one_body_free(&scene);
}

/* The frames that the estimate takes if the clock is so fast. */
static uint32_t frames_tried(const OneBody *scene, double with_tick) {
    JnEstimate estimate = {.struct_size = sizeof estimate};
    tick = with_tick;
    JnStatus status = jn_bake_estimate(&scene->desc, &estimate, NULL);
    tick = 1e-3;
    return status == JN_OK ? estimate.trial_frame_count : UINT32_MAX;
}

TEST(estimate_takes_more_than_one_frame_only_if_that_takes_less_than_a_fifth_of_a_second) {
    OneBody scene;
    JnBake *bake;
    drop(&scene);
    scene.desc.frame_count = 60;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance(bake, NULL) == JN_OK);
    uint32_t before = looks;
    CHECK(advance(bake, NULL) == JN_OK);
    uint32_t looks_per_frame = looks - before;
    CHECK(frames_tried(&scene, 0.21 / looks_per_frame) == 1);
    uint32_t quick = frames_tried(&scene, 0.19 / looks_per_frame);
    CHECK(quick > 1 && quick <= 12);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(estimate_of_quick_frames_takes_at_most_half_of_them) {
    OneBody scene;
    drop(&scene);
    scene.desc.frame_count = 21;
    CHECK(frames_tried(&scene, 1e-9) == 10);
    scene.desc.frame_count = 1000000;
    CHECK(frames_tried(&scene, 1e-9) == 200);
    one_body_free(&scene);
}
