/* Time steps that fail, or are not accurate enough, are cut in two; what comes out is a motion, or a sentence. */
#include "baking.h"
#include "harness.h"

#include "base/status.h"
#include "bake/bake_internal.h"

/* Semi-implicit Euler that can be told to fail. */
static struct {
    const Integrator *real;
    double longest;  /* s: steps above it fail */
    bool makes_nan;  /* by a NaN that it does not notice; else by a status */
    JnStatus status; /* that it fails with */
    uint32_t restarts, calls;
} faulty;

static JnStatus faulty_step(void *self, View *view, State *state, double h, StepReport *report, JnMessage *message) {
    ++faulty.calls;
    JnStatus status = faulty.real->step(self, view, state, h, report, message);
    if (h <= faulty.longest * (1 + 1e-9))
        return status;
    state->q[4] = NAN;
    return faulty.makes_nan ? JN_OK : status_fail(message, faulty.status, "the test says no");
}

static void faulty_restart(void *self, RestartReason reason) {
    (void)self;
    faulty.restarts += reason == RESTART_CUT_STEP;
}

/* A bar that hangs and swings, stepped by the faulty method: 4 steps a frame. */
static JnBake *open_bar(OneBody *scene, double longest, JnStatus status) {
    static Integrator method;
    JnBake *bake = NULL;
    one_body_init(scene, tet_box_make(4, 1, 1, 0.1));
    one_body_pin(scene);
    scene->desc.gravity[1] = -9.81;
    scene->desc.frame_count = 6;
    scene->desc.steps_per_frame = 4;
    if (jn_bake_begin(&scene->desc, &bake, NULL) != JN_OK)
        return NULL;
    faulty.real = bake->model.integrator;
    faulty.longest = longest;
    faulty.status = status;
    faulty.makes_nan = status == JN_OK;
    faulty.restarts = faulty.calls = 0;
    method = *bake->model.integrator;
    method.step = faulty_step;
    method.restart = faulty_restart;
    bake->model.integrator = bake->model.stepper = &method;
    return bake;
}

/* Largest distance between the positions of two bakes. */
static double difference(const JnBake *a, const JnBake *b) {
    double largest = 0;
    for (size_t i = 0; i < (size_t)a->model.vertex_count * 3; ++i)
        largest = fmax(largest, fabs(a->motion.state.q[i] - b->motion.state.q[i]));
    return largest;
}

static void check_cut_bake(JnStatus failure) {
    OneBody scene, fine;
    JnBake *bake, *reference;
    double h = 1.0 / (24 * 4);
    bake = open_bar(&scene, h / 4, failure);
    CHECK(bake);
    JnFrameProgress progress = {.struct_size = sizeof progress};
    CHECK(jn_bake_frame_progress(bake, &progress, NULL) == JN_OK);
    CHECK(progress.part_count == 1 && progress.frame == 1 && !progress.reason);
    CHECK(advance_frames(bake, 6, NULL) == JN_OK);
    CHECK(jn_bake_frame_progress(bake, &progress, NULL) == JN_OK);
    CHECK(progress.part_count == 4 && progress.fraction == 0 && progress.reason);
    CHECK_STR_HAS(progress.reason, "do not converge");
    JnStatistics statistics = {.struct_size = sizeof statistics};
    CHECK(jn_bake_statistics(bake, &statistics, NULL) == JN_OK);
    /* the first step is cut twice; after that the parts stay small, because they never had room to grow */
    CHECK(statistics.cut_steps >= 2 && faulty.restarts == statistics.cut_steps);
    CHECK_NEAR(bake->motion.state.time, 6.0 / 24, 1e-12);

    one_body_init(&fine, tet_box_make(4, 1, 1, 0.1));
    one_body_pin(&fine);
    fine.desc.gravity[1] = -9.81;
    fine.desc.frame_count = 6;
    fine.desc.steps_per_frame = 16;
    CHECK(jn_bake_begin(&fine.desc, &reference, NULL) == JN_OK);
    CHECK(advance_frames(reference, 6, NULL) == JN_OK);
    CHECK(difference(bake, reference) < 1e-9);
    jn_bake_end(bake, NULL);
    jn_bake_end(reference, NULL);
    one_body_free(&scene);
    one_body_free(&fine);
}

TEST(step_that_diverges_is_cut_until_it_succeeds) {
    check_cut_bake(JN_ERR_DIVERGED);
}

TEST(step_that_ends_in_nan_is_cut_until_it_succeeds) {
    check_cut_bake(JN_OK);
}

TEST(step_that_always_fails_leaves_the_last_good_frame_and_says_where) {
    OneBody scene;
    JnMessage message;
    JnBake *bake = open_bar(&scene, 1, JN_OK);
    CHECK(bake);
    CHECK(advance_frames(bake, 3, NULL) == JN_OK);
    uint32_t count;
    double *before = read_positions(bake, &count);
    faulty.longest = 0;
    CHECK(advance(bake, &message) == JN_ERR_DIVERGED);
    CHECK_STR_HAS(message.text, "frame 4");
    CHECK_STR_HAS(message.text, "steps_per_frame");
    double *after = read_positions(bake, &count);
    CHECK(memcmp(before, after, (size_t)count * 3 * sizeof *before) == 0);
    for (size_t i = 0; i < (size_t)bake->model.vertex_count * 3; ++i)
        CHECK(isfinite(bake->motion.state.q[i]) && isfinite(bake->motion.state.v[i]));
    /* and goes on when it can */
    faulty.longest = 1;
    CHECK(advance(bake, &message) == JN_OK);
    free(before);
    free(after);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* Opens the bar with a method that has no damping and fails at every step. */
static JnBake *open_undamped_bar(OneBody *scene) {
    static Integrator undamped;
    JnBake *bake = open_bar(scene, 0, JN_ERR_DIVERGED);
    if (!bake)
        return NULL;
    undamped = *bake->model.integrator;
    undamped.undamped = true;
    bake->model.integrator = bake->model.stepper = &undamped;
    return bake;
}

TEST(step_that_an_undamped_method_fails_at_is_left_to_a_damped_one_and_counted) {
    OneBody scene, fine;
    JnBake *bake = open_undamped_bar(&scene), *reference;
    CHECK(bake);
    CHECK(advance_frames(bake, 6, NULL) == JN_OK);
    JnStatistics statistics = {.struct_size = sizeof statistics};
    JnMotion motion = {.struct_size = sizeof motion};
    CHECK(jn_bake_statistics(bake, &statistics, NULL) == JN_OK);
    CHECK(jn_bake_motion(bake, &motion, NULL) == JN_OK);
    /* every quarter of 20 steps */
    CHECK(statistics.damped_steps == 80 && motion.damped_steps == 80);
    CHECK(faulty.restarts == statistics.cut_steps + statistics.damped_steps);
    /* longer parts are tried after 4, 8, 16 and 32 good ones, not after every 4 */
    CHECK(statistics.cut_steps == 6);

    one_body_init(&fine, tet_box_make(4, 1, 1, 0.1));
    one_body_pin(&fine);
    fine.desc.integrator = "be";
    fine.desc.gravity[1] = -9.81;
    fine.desc.frame_count = 6;
    fine.desc.steps_per_frame = 16;
    CHECK(jn_bake_begin(&fine.desc, &reference, NULL) == JN_OK);
    CHECK(advance_frames(reference, 6, NULL) == JN_OK);
    CHECK(difference(bake, reference) < 1e-9);
    jn_bake_end(bake, NULL);
    jn_bake_end(reference, NULL);
    one_body_free(&scene);
    one_body_free(&fine);
}

TEST(undamped_method_that_succeeds_when_cut_is_never_replaced) {
    OneBody scene;
    JnBake *bake = open_undamped_bar(&scene);
    CHECK(bake);
    faulty.longest = 1.0 / (24 * 4 * 4);
    CHECK(advance_frames(bake, 6, NULL) == JN_OK);
    CHECK(bake->counts.cut_steps >= 2 && bake->motion.damped_steps == 0);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(undamped_method_is_not_replaced_without_safeguards) {
    OneBody scene;
    JnBake *bake = open_undamped_bar(&scene);
    CHECK(bake);
    bake->settings.safeguards = 0;
    bake->settings.error_tolerance = 1e-3;
    CHECK(advance_frames(bake, 2, NULL) == JN_ERR_DIVERGED);
    CHECK(bake->motion.damped_steps == 0);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(step_that_lacks_memory_is_not_tried_again) {
    OneBody scene;
    JnBake *bake = open_bar(&scene, 1, JN_ERR_MEMORY);
    CHECK(bake);
    CHECK(advance_frames(bake, 2, NULL) == JN_OK);
    faulty.longest = 0;
    faulty.calls = 0;
    CHECK(advance(bake, NULL) == JN_ERR_MEMORY);
    CHECK(faulty.calls == 1);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(step_is_not_cut_without_safeguards) {
    OneBody scene;
    JnBake *bake = open_bar(&scene, 1, JN_ERR_DIVERGED);
    CHECK(bake);
    bake->settings.safeguards = 0;
    CHECK(advance_frames(bake, 2, NULL) == JN_OK);
    faulty.longest = 0;
    faulty.calls = 0;
    CHECK(advance(bake, NULL) == JN_ERR_DIVERGED);
    CHECK(faulty.calls == 1);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* Positions of a swinging bar after 12 frames, one step a frame cut as the tolerance asks. */
static JnBake *swing(OneBody *scene, const char *method, uint32_t steps_per_frame, double tolerance) {
    JnBake *bake = NULL;
    one_body_init(scene, tet_box_make(4, 1, 1, 0.1));
    one_body_pin(scene);
    scene->desc.gravity[1] = -9.81;
    scene->desc.frame_count = 13;
    scene->desc.steps_per_frame = steps_per_frame;
    scene->desc.integrator = method;
    scene->desc.error_tolerance = tolerance;
    if (jn_bake_begin(&scene->desc, &bake, NULL) == JN_OK && advance_frames(bake, 13, NULL) != JN_OK) {
        jn_bake_end(bake, NULL);
        return NULL;
    }
    return bake;
}

SLOW_TEST(error_tolerance_bounds_the_error_and_frames_stay_on_time) {
    static const char *const methods[] = {"si", "sdirk", "bdf2", "generalized_alpha"};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; ++m) {
        OneBody scenes[4];
        JnBake *truth = swing(&scenes[0], "sdirk", 400, 0), *coarse = swing(&scenes[1], methods[m], 1, 0);
        JnBake *loose = swing(&scenes[2], methods[m], 1, 1e-2), *tight = swing(&scenes[3], methods[m], 1, 1e-4);
        CHECK(truth && coarse && loose && tight);
        CHECK_NEAR(tight->motion.state.time, 13.0 / 24, 1e-12);
        CHECK_NEAR(loose->motion.state.time, 13.0 / 24, 1e-12);
        double errors[] = {difference(truth, coarse), difference(truth, loose), difference(truth, tight)};
        printf("%s: error %.2e coarse, %.2e loose in %u steps, %.2e tight in %u steps\n", methods[m], errors[0],
               errors[1], loose->motion.steps_done, errors[2], tight->motion.steps_done);
        CHECK(errors[2] < errors[1] && errors[1] < errors[0]);
        /* 12 frames of at most so much error a step and part; the bar is 0.4 m long */
        CHECK(errors[2] < 0.1 * errors[0]);
        CHECK(tight->motion.steps_done > loose->motion.steps_done);
        jn_bake_end(truth, NULL);
        jn_bake_end(coarse, NULL);
        jn_bake_end(loose, NULL);
        jn_bake_end(tight, NULL);
        for (int s = 0; s < 4; ++s)
            one_body_free(&scenes[s]);
    }
}

/* A box on a floor that slides, in wind, placed at x; returns the steps taken in 8 frames. */
static uint32_t slide(double x, double *moved) {
    OneBody scene;
    JnBake *bake = NULL;
    one_body_init(&scene, tet_box_make(2, 2, 2, 0.1));
    scene.body.transform[3] = x;
    scene.desc.gravity[1] = -9.81;
    scene.desc.wind[0] = 5;
    scene.desc.air_density = 1.2;
    scene.desc.frame_count = 9;
    scene.desc.collider_count = 1;
    scene.collider.normal[1] = 1;
    scene.collider.friction = 0.8;
    uint32_t steps = 0;
    if (jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK) {
        for (int f = 0; f < 9; ++f) {
            JnFrameInput input;
            JnColliderInput floor;
            jn_frame_input_init(&input, sizeof input);
            jn_collider_input_init(&floor, sizeof floor);
            input.frame = jn_bake_next_frame(bake);
            const double transform[12] = {1, 0, 0, 0.1 * f / 24, 0, 1, 0, 0, 0, 0, 1, 0};
            memcpy(floor.transform, transform, sizeof transform);
            floor.has_transform = 1;
            input.colliders = &floor;
            input.collider_count = 1;
            if (jn_bake_advance(bake, &input, NULL) != JN_OK)
                break;
        }
        steps = bake->motion.steps_done;
        *moved = bake->motion.state.q[0] - x;
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return steps;
}

TEST(wind_and_sliding_floors_cut_no_steps_wherever_the_scene_lies) {
    double here, there;
    OneBody defaults;
    one_body_init(&defaults, tet_box_make(1, 1, 1, 1));
    uint32_t steps = 8 * defaults.desc.steps_per_frame;
    one_body_free(&defaults);
    CHECK(slide(0, &here) == steps);
    CHECK(slide(100, &there) == steps);
    CHECK(slide(-100, &there) == steps);
    CHECK_NEAR(here, there, 1e-9);
}

/* A method whose history is told that a motion begins anew. */
static uint32_t jumps_seen;
static void count_jumps(void *self, RestartReason reason) {
    (void)self;
    jumps_seen += reason == RESTART_JUMP;
}

TEST(gravity_that_jumps_restarts_histories) {
    OneBody scene;
    JnBake *bake = open_bar(&scene, 1, JN_OK);
    CHECK(bake);
    Integrator method = *bake->model.integrator;
    method.restart = count_jumps;
    bake->model.integrator = bake->model.stepper = &method;
    CHECK(advance_frames(bake, 3, NULL) == JN_OK);
    CHECK(jumps_seen == 0);
    JnFrameInput input;
    jn_frame_input_init(&input, sizeof input);
    input.frame = jn_bake_next_frame(bake);
    input.has_gravity = 1;
    input.gravity[1] = 5;
    CHECK(jn_bake_advance(bake, &input, NULL) == JN_OK);
    CHECK(jumps_seen == 1);
    CHECK(advance_frames(bake, 1, NULL) == JN_OK);
    CHECK(jumps_seen == 1);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}
