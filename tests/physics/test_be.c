/* Backward Euler against its discrete truth, and against what semi-implicit Euler does. */
#include "baking.h"
#include "harness.h"
#include "views.h"
#include "random.h"

#include "bake/bake_internal.h"

/* The largest residual of M (q1 - q0 - h v0) = h^2 f(q1, v1) over the free vertices, in accelerations, m/s2; lagged
   parts and inputs are those of the step just taken. */
static double step_error(JnBake *bake, const double *q0, const double *v0, double h) {
    size_t n = 3 * (size_t)bake->model.vertex_count;
    double *force = malloc(n * sizeof *force), worst = 0;
    forces_of(bake->motion.view, bake->motion.state.q, bake->motion.state.v, force);
    for (size_t i = 0; i < n; ++i)
        if (!bake->motion.view->roles[i / 3])
            worst = fmax(worst, fabs((bake->motion.state.q[i] - q0[i] - h * v0[i]) / (h * h) -
                                     force[i] / bake->model.system.masses[i / 3]));
    free(force);
    return worst;
}

TEST(be_follows_the_scalar_recurrence_on_linear_springs) {
    /* goals of one rate on every vertex, all moved alike: each is q'' = -rate q; backward Euler gives
       q1 = (q0 + h v0) / (1 + h^2 rate) */
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    JnRegion goal;
    one_body_init(&scene, tet_box_make(3, 2, 2, 0.1));
    float *weights = malloc(scene.box.vertex_count * sizeof *weights);
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        weights[v] = 1;
    jn_region_init(&goal, sizeof goal);
    goal.effect = "goal";
    goal.value = 300;
    goal.weights = weights;
    goal.weight_count = scene.box.vertex_count;
    scene.body.regions = &goal;
    scene.body.region_count = 1;
    scene.desc.integrator = "be";
    scene.desc.frame_count = 25;
    scene.desc.steps_per_frame = 1;
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double *velocities = calloc(n, sizeof *velocities), h = 1.0 / 24, q = 0, v = 1;
    for (size_t i = 0; i < n; i += 3)
        velocities[i] = v;
    scene.body.start_velocities = velocities;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance(bake, &message) == JN_OK);
    for (int frame = 1; frame < 25; ++frame) {
        CHECK(advance(bake, &message) == JN_OK);
        double q1 = (q + h * v) / (1 + h * h * 300);
        v = (q1 - q) / h;
        q = q1;
        for (size_t i = 0; i < n; i += 3) {
            CHECK_NEAR(bake->motion.state.q[i] - scene.box.positions[i], q, 1e-9);
            CHECK_NEAR(bake->motion.state.v[i], v, 1e-7);
        }
    }
    free(velocities);
    free(weights);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* A soft bar that is pinned, swings, and hits the floor, with damping; its positions after `frames` frames. */
static double *swing(const char *integrator, uint32_t steps_per_frame, double damping, uint32_t frames, size_t *n) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    double *positions = NULL;
    one_body_init(&scene, tet_box_make(8, 2, 2, 0.1));
    one_body_pin(&scene);
    scene.body.material.young_modulus = 5e4;
    scene.body.material.stiffness_damping = damping;
    scene.desc.integrator = integrator;
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = frames;
    scene.desc.steps_per_frame = steps_per_frame;
    if (jn_bake_begin(&scene.desc, &bake, &message) == JN_OK && advance_frames(bake, frames, &message) == JN_OK) {
        *n = 3 * (size_t)bake->model.vertex_count;
        positions = malloc(*n * sizeof *positions);
        memcpy(positions, bake->motion.state.q, *n * sizeof *positions);
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return positions;
}

static double largest_difference(const double *a, const double *b, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; ++i)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

TEST(be_and_si_meet_as_steps_shrink) {
    size_t n = 0;
    double difference[2], *rest = swing("si", 1, 0, 1, &n), moved = 0;
    for (int fine = 0; fine < 2; ++fine) {
        uint32_t steps = fine ? 128 : 16;
        double *si = swing("si", steps, 0.005, 5, &n), *be = swing("be", steps, 0.005, 5, &n);
        CHECK(si && be && rest);
        difference[fine] = largest_difference(si, be, n);
        moved = largest_difference(be, rest, n);
        free(si);
        free(be);
    }
    free(rest);
    CHECK(moved > 0.02);
    CHECK(difference[1] < 1e-3 * moved);
    CHECK(difference[1] < difference[0] / 6);
}

TEST(be_solves_each_step_with_moving_pins_damping_and_contact) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(8, 2, 2, 0.1));
    one_body_pin(&scene);
    scene.body.material.young_modulus = 2e4;
    scene.body.material.stiffness_damping = 0.01;
    scene.body.material.mass_damping = 0.5;
    scene.desc.integrator = "be";
    scene.desc.gravity[1] = -9.81;
    scene.desc.wind[2] = 4;
    scene.desc.air_density = 1.2;
    scene.desc.frame_count = 25;
    scene.desc.steps_per_frame = 1;
    scene.desc.collider_count = 1;
    scene.collider.point[1] = -0.25;
    scene.collider.friction = 0.6;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double *targets = malloc(n * sizeof *targets), *q0 = calloc(n, sizeof *q0), *v0 = calloc(n, sizeof *v0);
    double h = 1.0 / 24;
    uint32_t touched = 0;
    for (int frame = 0; frame < 25; ++frame) {
        JnFrameInput input;
        JnBodyInput body;
        JnStatistics statistics = {.struct_size = sizeof statistics};
        jn_frame_input_init(&input, sizeof input);
        jn_body_input_init(&body, sizeof body);
        for (size_t i = 0; i < n; ++i)
            targets[i] = scene.box.positions[i] + (i % 3 == 0 ? 0.3 * sin(frame * 0.7) : 0);
        body.targets = targets;
        input.bodies = &body;
        input.body_count = 1;
        input.frame = jn_bake_next_frame(bake);
        memcpy(q0, bake->motion.state.q, n * sizeof *q0);
        memcpy(v0, bake->motion.state.v, n * sizeof *v0);
        CHECK(jn_bake_advance(bake, &input, &message) == JN_OK);
        for (size_t i = 0; i < n; ++i)
            if (scene.box.positions[i - i % 3] == 0)
                CHECK(bake->motion.state.q[i] == targets[i]);
        if (frame > 0)
            CHECK_NEAR(step_error(bake, q0, v0, h), 0, 1e-3);
        CHECK(jn_bake_statistics(bake, &statistics, &message) == JN_OK);
        touched += statistics.contact_count;
    }
    CHECK(touched > 0);
    free(targets);
    free(q0);
    free(v0);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* A free soft bar, stretched to `stretch` times its length at first: the most that any step adds to its energy, as a
   part of what it had at first. */
static double energy_gain(const char *integrator, uint32_t safeguards, double stretch) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    double gain = INFINITY;
    one_body_init(&scene, tet_box_make(8, 2, 2, 0.1));
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double *pose = malloc(n * sizeof *pose);
    for (size_t i = 0; i < n; ++i)
        pose[i] = scene.box.positions[i] * (i % 3 == 0 ? stretch : 1);
    scene.body.start_positions = pose;
    scene.desc.integrator = integrator;
    scene.desc.safeguards = safeguards;
    scene.desc.frame_count = 25;
    scene.desc.steps_per_frame = 1;
    if (jn_bake_begin(&scene.desc, &bake, &message) == JN_OK && advance(bake, &message) == JN_OK) {
        double first = potential_of(bake->motion.view, bake->motion.state.q), before = first;
        gain = -INFINITY;
        for (int frame = 1; frame < 25; ++frame) {
            double now = INFINITY;
            if (advance(bake, &message) == JN_OK)
                now = potential_of(bake->motion.view, bake->motion.state.q) +
                      system_kinetic_energy(&bake->model.system, bake->motion.state.v);
            gain = fmax(gain, (now - before) / first);
            before = now;
            if (!isfinite(now))
                break;
        }
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    free(pose);
    return gain;
}

TEST(be_never_gains_energy_where_si_does) {
    double worst_si = -INFINITY;
    for (double stretch = 0.2; stretch < 5; stretch *= 2) {
        worst_si = fmax(worst_si, energy_gain("si", 0, stretch));
        CHECK(energy_gain("be", 1, stretch) < 1e-9);
    }
    CHECK(worst_si > 1); /* these frames are hard */
}

TEST(be_with_one_step_a_frame_holds_a_hanging_body_without_a_sound) {
    /* backward Euler keeps an equilibrium that it has reached */
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(6, 2, 2, 0.1));
    one_body_pin(&scene);
    scene.body.material.mass_damping = 20;
    scene.desc.integrator = "be";
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 121;
    scene.desc.steps_per_frame = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 121, &message) == JN_OK);
    double sag = 0;
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v) {
        sag = fmax(sag, scene.box.positions[3 * v + 1] - bake->motion.state.q[3 * v + 1]);
        for (uint32_t i = 0; i < 3; ++i)
            CHECK_NEAR(bake->motion.state.v[3 * v + i], 0, 1e-4);
    }
    CHECK(sag > 0.01);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(be_with_strong_damping_needs_no_cut_steps) {
    /* at this bend some elements have negative directions, at which the damping must not jump */
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(20, 5, 5, 0.05));
    one_body_pin(&scene);
    scene.body.material.stiffness_damping = 0.05;
    scene.desc.integrator = "be";
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 11;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 11, &message) == JN_OK);
    CHECK(bake->motion.steps_done == 40);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* A free bar, squeezed to 95 % of its length at first and let go, with much stiffness damping: 8 frames of 2 steps. */
static JnStatus release_squeezed(const char *integrator, double poisson_ratio, uint32_t locking_cure, uint32_t *steps,
                                 JnMessage *message) {
    OneBody scene;
    JnBake *bake;
    one_body_init(&scene, tet_box_make(8, 2, 2, 0.1));
    double *pose = malloc(3 * scene.box.vertex_count * sizeof *pose);
    for (uint32_t i = 0; i < 3 * scene.box.vertex_count; ++i)
        pose[i] = scene.box.positions[i] * (i % 3 == 0 ? 0.95 : 1);
    scene.body.start_positions = pose;
    scene.body.material.poisson_ratio = poisson_ratio;
    scene.body.material.stiffness_damping = 0.1;
    scene.body.material.locking_cure = locking_cure;
    scene.desc.integrator = integrator;
    scene.desc.frame_count = 9;
    scene.desc.steps_per_frame = 2;
    JnStatus status = jn_bake_begin(&scene.desc, &bake, message);
    if (status == JN_OK)
        status = advance_frames(bake, 9, message);
    *steps = (uint32_t)bake->motion.steps_done;
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    free(pose);
    return status;
}

TEST(be_releases_a_squeezed_bar_without_cut_steps) {
    static const double ratios[] = {0.45, 0.49};
    for (int r = 0; r < 2; ++r)
        for (uint32_t cure = 0; cure < 2; ++cure) {
            JnMessage message;
            uint32_t steps;
            CHECK(release_squeezed("be", ratios[r], cure, &steps, &message) == JN_OK);
            CHECK(steps == 16);
        }
}

/* The directions of Newton's method are solved only as far as what is out of balance asks for: a jelly that lands
   sliding takes 11 linear systems a step, 21 if each direction is solved to rounding. */
TEST(be_lands_in_few_rounds_of_contact) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(5, 5, 5, 0.04));
    scene.body.material.young_modulus = 5e3;
    scene.body.material.poisson_ratio = 0.45;
    scene.body.material.stiffness_damping = 0.002;
    scene.body.transform[7] = 0.05;
    scene.desc.integrator = "be";
    scene.desc.gravity[1] = -9.81;
    scene.desc.collider_count = 1;
    double *velocities = calloc((size_t)scene.box.vertex_count * 3, sizeof *velocities);
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        velocities[3 * v] = 1;
    scene.body.start_velocities = velocities;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 12, &message) == JN_OK);
    double steps = 11.0 * scene.desc.steps_per_frame, rounds = (double)bake->model.system.contact_rounds / steps;
    printf("%.1f rounds a step\n", rounds);
    CHECK(rounds > 1 && rounds < 15);
    jn_bake_end(bake, NULL);
    free(velocities);
    one_body_free(&scene);
}
