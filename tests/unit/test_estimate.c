/* What a bake is said to cost, by a clock that ticks whenever the core looks at it: the same in every run. */
#include "baking.h"
#include "harness.h"

#include "base/os/os.h"

static uint32_t looks;

double __wrap_os_clock_seconds(void);

double __wrap_os_clock_seconds(void) {
    return 1e-3 * ++looks;
}

/* The seconds of the whole bake, and those that it takes in truth. */
static bool measure(const JnBakeDesc *desc, double *estimated, double *taken) {
    JnEstimate estimate = {.struct_size = sizeof estimate};
    JnBake *bake;
    JnMessage message;
    bool ok = jn_bake_estimate(desc, &estimate, &message) == JN_OK;
    *estimated = estimate.total_seconds;
    uint32_t before = looks;
    ok = ok && jn_bake_begin(desc, &bake, &message) == JN_OK && advance(bake, &message) == JN_OK;
    *taken = 1e-3 * (looks - before);
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
