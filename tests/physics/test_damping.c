/* Damping said as seconds to settle or as a ratio: what it becomes, and that the motion keeps the promise. */
#include "baking.h"
#include "harness.h"

#include "bake/bake_internal.h"

static void open_beam(OneBody *scene) {
    one_body_init(scene, tet_box_make(8, 2, 4, 0.05)); /* twice as wide: its slowest wobbles differ */
    one_body_pin(scene);
    scene->body.material.young_modulus = 1e6;
    scene->desc.fps = 24;
    scene->desc.steps_per_frame = 100;
    scene->desc.frame_count = 25;
}

/* The damping of the scene's body; frequency NaN and the status if it cannot be begun. */
static JnDamping damping_of(const OneBody *scene, JnMessage *message) {
    JnBake *bake = NULL;
    JnDamping damping = {.struct_size = sizeof damping, .frequency = NAN};
    if (jn_bake_begin(&scene->desc, &bake, message) == JN_OK)
        jn_bake_damping(bake, 0, &damping, message);
    jn_bake_end(bake, NULL);
    return damping;
}

/* How fast the beam's swing shrinks, 1/s, from the logarithms of its tip's extremes after a kick. */
static double ring_down(OneBody *scene, JnMessage *message) {
    size_t n = 3 * (size_t)scene->box.vertex_count, tip = 0;
    double *velocities = calloc(n, sizeof *velocities), rate = NAN;
    for (size_t i = 0; i < n; i += 3) {
        /* nearly the first bending mode; others die sooner */
        double x = scene->box.positions[i] / 0.4;
        velocities[i + 1] = 1e-3 * x * x * (3 - x) / 2;
        tip = scene->box.positions[i] > scene->box.positions[3 * tip] ? i / 3 : tip;
    }
    scene->body.start_velocities = velocities;
    JnBake *bake = NULL;
    JnStatus status = jn_bake_begin(&scene->desc, &bake, message);
    if (status == JN_OK)
        status = advance(bake, message);
    double before = 0, now = 0, first_log = NAN, first_time = 0,
           h = 1 / (scene->desc.fps * scene->desc.steps_per_frame);
    uint32_t extremes = 0, steps = (scene->desc.frame_count - 1) * scene->desc.steps_per_frame;
    JnFrameInput input;
    jn_frame_input_init(&input, sizeof input);
    input.frame = 2;
    for (uint32_t step = 0; status == JN_OK && step < steps; ++step) {
        if (step == 0)
            status = inputs_begin_frame(bake, &input, message);
        if (status == JN_OK)
            status = bake_step(bake, h, message);
        double next = bake->motion.state.q[3 * tip + 1] - scene->box.positions[3 * tip + 1];
        if (fabs(now) > fabs(before) && fabs(now) > fabs(next)) {
            /* the top of the parabola through three samples */
            double slope = 0.5 * (next - before), bend = next - 2 * now + before;
            double top = now - 0.5 * slope * slope / bend, time = (step - slope / bend) * h;
            ++extremes;
            if (extremes == 3) {
                first_log = log(fabs(top));
                first_time = time;
            } else if (extremes > 3) {
                rate = -(log(fabs(top)) - first_log) / (time - first_time);
            }
        }
        before = now;
        now = next;
    }
    jn_bake_end(bake, NULL);
    free(velocities);
    scene->body.start_velocities = NULL;
    return extremes > 5 ? rate : NAN;
}

TEST(body_settles_in_the_seconds_that_were_asked_for) {
    JnMessage message;
    OneBody scene;
    open_beam(&scene);
    scene.body.material.settle_seconds = 2;
    JnDamping damping = damping_of(&scene, &message);
    double omega = 2 * acos(-1) * damping.frequency;
    CHECK(damping.frequency > 2 && damping.frequency < 10);
    CHECK_NEAR(damping.material_ratio, log(100) / (omega * 2), 1e-6);
    CHECK_NEAR(damping.stiffness_damping, 2 * damping.material_ratio / omega, 1e-9);
    CHECK(damping.mass_damping == 0 && damping.method_ratio < 0.3 * damping.material_ratio);
    /* what is measured is the material's part and the method's */
    double rate = ring_down(&scene, &message), material_rate = rate - damping.method_ratio * omega;
    printf("%.3g Hz: settled in %.4g s, with the method's damping in %.4g s (predicted %.4g s)\n", damping.frequency,
           log(100) / material_rate, log(100) / rate, damping.settle_seconds);
    CHECK_NEAR(log(100) / material_rate, 2, 0.04);
    CHECK_NEAR(log(100) / rate, damping.settle_seconds, 0.02 * damping.settle_seconds);
    one_body_free(&scene);
}

TEST(method_damping_is_reported_beside_the_material) {
    JnMessage message;
    OneBody scene;
    open_beam(&scene);
    scene.desc.steps_per_frame = 2;
    JnDamping damping = damping_of(&scene, &message);
    double x = 2 * acos(-1) * damping.frequency / 48;
    CHECK(damping.material_ratio == 0);
    CHECK_NEAR(damping.method_ratio, log1p(x * x) / x / 2, 1e-8);
    CHECK_NEAR(damping.settle_seconds, log(100) / (damping.method_ratio * 48 * x), 1e-9);
    one_body_free(&scene);
}

TEST(damping_ratio_at_a_frequency_becomes_stiffness_damping) {
    JnMessage message;
    OneBody scene;
    open_beam(&scene);
    scene.body.material.damping_ratio = 0.1;
    scene.body.material.damping_frequency = 5;
    JnDamping damping = damping_of(&scene, &message);
    double omega = 10 * acos(-1);
    CHECK_NEAR(damping.stiffness_damping, 0.2 / omega, 1e-12);
    /* drag that is given counts towards it */
    scene.body.material.mass_damping = 2;
    damping = damping_of(&scene, &message);
    CHECK_NEAR(damping.stiffness_damping, 2 * (0.1 - 1 / omega) / omega, 1e-12);
    CHECK(damping.mass_damping == 2);
    double slowest = 2 * acos(-1) * damping.frequency;
    CHECK_NEAR(damping.material_ratio, damping.stiffness_damping * slowest / 2 + 1 / slowest, 1e-9);
    scene.body.material.mass_damping = 20;
    damping = damping_of(&scene, &message);
    CHECK(isnan(damping.frequency));
    CHECK_STR_HAS(message.text, "mass_damping alone damps");
    one_body_free(&scene);
}

TEST(damping_said_twice_or_beyond_reach_is_refused) {
    JnMessage message;
    OneBody scene;
    JnBake *bake;
    const struct {
        double stiffness, settle, ratio, frequency;
        const char *part;
    } cases[] = {{0.01, 1, NAN, NAN, "by settle_seconds and by stiffness_damping"},
                 {0.01, NAN, 0.1, NAN, "by damping_ratio and by stiffness_damping"},
                 {0, 1, 0.1, NAN, "by settle_seconds and by damping_ratio"},
                 {0, NAN, NAN, 3, "damping_frequency has no effect alone"},
                 {0, 0.01, NAN, 3, "less than 0.244 s"},
                 {0, -1, NAN, NAN, "settle_seconds is -1"},
                 {0, INFINITY, NAN, NAN, "settle_seconds is inf"},
                 {0, NAN, 11, NAN, "damping_ratio is 11"},
                 {0, NAN, 0.1, 0, "damping_frequency is 0"}};
    open_beam(&scene);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        scene.body.material.stiffness_damping = cases[i].stiffness;
        scene.body.material.settle_seconds = cases[i].settle;
        scene.body.material.damping_ratio = cases[i].ratio;
        scene.body.material.damping_frequency = cases[i].frequency;
        CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_ERR_ARGUMENT);
        CHECK_STR_HAS(message.text, cases[i].part);
    }
    /* a body that is pinned all over cannot wobble */
    scene.body.material.damping_ratio = 0.1;
    scene.body.material.damping_frequency = NAN;
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        scene.pin_weights[v] = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "free to vibrate");
    scene.body.material.damping_ratio = NAN;
    CHECK(damping_of(&scene, &message).frequency == 0);
    one_body_free(&scene);
}

TEST(nearly_incompressible_body_has_the_damping_that_was_asked_for) {
    /* its patches damp as its tets do */
    JnMessage message;
    OneBody scene;
    open_beam(&scene);
    scene.body.material.poisson_ratio = 0.49;
    scene.body.material.damping_ratio = 0.1;
    JnDamping damping = damping_of(&scene, &message);
    CHECK(damping.frequency > 1);
    CHECK_NEAR(damping.material_ratio, 0.1, 1e-6);
    one_body_free(&scene);
}

TEST(free_body_has_an_elastic_wobble_and_each_body_its_own) {
    JnMessage message;
    OneBody scene;
    JnBake *bake;
    JnBody bodies[2];
    open_beam(&scene);
    bodies[0] = bodies[1] = scene.body;
    bodies[1].name = "stiffer";
    bodies[1].material.young_modulus *= 4;
    bodies[1].region_count = bodies[0].region_count = 0;
    bodies[1].material.settle_seconds = 1;
    scene.desc.bodies = bodies;
    scene.desc.body_count = 2;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    JnDamping damping[2] = {{.struct_size = sizeof(JnDamping)}, {.struct_size = sizeof(JnDamping)}};
    CHECK(jn_bake_damping(bake, 0, &damping[0], &message) == JN_OK);
    CHECK(jn_bake_damping(bake, 1, &damping[1], &message) == JN_OK);
    CHECK(damping[0].frequency > 10);
    CHECK_NEAR(damping[1].frequency / damping[0].frequency, 2, 1e-6);
    CHECK(damping[0].material_ratio == 0);
    CHECK_NEAR(damping[1].material_ratio, log(100) / (2 * acos(-1) * damping[1].frequency), 1e-6);
    CHECK(jn_bake_damping(bake, 2, &damping[0], &message) == JN_ERR_ARGUMENT);
    CHECK(advance(bake, &message) == JN_OK);
    CHECK(jn_bake_damping(bake, 0, &damping[0], &message) == JN_ERR_ORDER);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(painted_damping_multiplies_both_parts_where_it_is_painted) {
    JnMessage message;
    OneBody scene;
    open_beam(&scene);
    scene.body.material.stiffness_damping = 0.004;
    scene.body.material.mass_damping = 1;
    double plain = damping_of(&scene, &message).material_ratio;
    CHECK(plain > 0.01);

    /* everywhere, then towards the tip only */
    double all, tip;
    JnRegion regions[2] = {scene.pin, scene.pin};
    float *weights = malloc(scene.box.vertex_count * sizeof *weights);
    regions[1].effect = "damping";
    regions[1].value = 3;
    regions[1].weights = weights;
    scene.body.regions = regions;
    scene.body.region_count = 2;
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        weights[v] = 1;
    all = damping_of(&scene, &message).material_ratio;
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        weights[v] = scene.box.positions[3 * v] > 0.2;
    tip = damping_of(&scene, &message).material_ratio;
    CHECK_NEAR(all / plain, 3, 1e-9);
    CHECK(tip > 1.1 * plain && tip < 2.5 * plain);

    /* 0 undamps: what is left rings as without damping */
    regions[1].value = 0;
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        weights[v] = 1;
    CHECK(damping_of(&scene, &message).material_ratio == 0);
    free(weights);
    one_body_free(&scene);
}

LONG_TEST(painted_damping_shortens_the_ringing) {
    JnMessage message;
    OneBody scene;
    open_beam(&scene);
    scene.body.material.stiffness_damping = 0.002;
    double plain = ring_down(&scene, &message);
    JnRegion regions[2] = {scene.pin, scene.pin};
    float *weights = malloc(scene.box.vertex_count * sizeof *weights);
    regions[1].effect = "damping";
    regions[1].value = 3;
    regions[1].weights = weights;
    scene.body.regions = regions;
    scene.body.region_count = 2;
    /* where a cantilever bends: at its root */
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        weights[v] = scene.box.positions[3 * v] < 0.2;
    double painted = ring_down(&scene, &message);
    JnDamping damping = damping_of(&scene, &message);
    double omega = 2 * acos(-1) * damping.frequency;
    CHECK(painted > 1.5 * plain);
    CHECK_NEAR(painted, (damping.material_ratio + damping.method_ratio) * omega, 0.03 * painted);
    free(weights);
    one_body_free(&scene);
}
