/* Energies and momenta that a bake reports, against what they must be. */
#include "baking.h"
#include "harness.h"
#include "views.h"
#include "random.h"

#include "bake/bake_internal.h"

static JnMotion motion_now(JnBake *bake) {
    JnMotion motion = {.struct_size = sizeof motion};
    JnMessage message;
    if (jn_bake_motion(bake, &motion, &message) != JN_OK)
        motion.total_energy = NAN;
    return motion;
}

static double whole_mass(const JnBake *bake) {
    double mass = 0;
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        mass += bake->model.system.masses[v];
    return mass;
}

TEST(motion_of_a_falling_body_is_that_of_a_point_mass) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(3, 2, 2, 0.1));
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 13;
    scene.desc.steps_per_frame = 4;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 1, &message) == JN_OK);
    JnMotion start = motion_now(bake);
    CHECK(start.kinetic_energy == 0 && start.steps_done == 0 && start.time == 0 && isnan(start.residual));
    CHECK(advance_frames(bake, 12, &message) == JN_OK);
    JnMotion end = motion_now(bake);
    double mass = whole_mass(bake), h = 1.0 / (24 * 4), n = 48, speed = 9.81 * h * n;
    double fallen = 9.81 * h * h * n * (n + 1) / 2;
    CHECK(mass > 1);
    CHECK_NEAR(end.time, 0.5, 1e-12);
    CHECK_NEAR(end.frame, scene.desc.first_frame + 12, 0);
    CHECK(end.steps_done == 48 && end.extra_steps == 0);
    CHECK_NEAR(end.kinetic_energy, 0.5 * mass * speed * speed, 1e-8 * end.kinetic_energy);
    CHECK_NEAR(end.gravity_energy - start.gravity_energy, -mass * 9.81 * fallen, 1e-8 * mass * 9.81 * fallen);
    CHECK_NEAR(end.elastic_energy, 0, 1e-9);
    CHECK_NEAR(end.momentum[1], -mass * speed, 1e-8 * mass * speed);
    CHECK_NEAR(end.momentum[0], 0, 1e-9);
    CHECK_NEAR(end.largest_speed, speed, 1e-8);
    double parts = end.kinetic_energy + end.elastic_energy + end.gravity_energy + end.force_energy + end.goal_energy +
                   end.contact_energy;
    CHECK_NEAR(end.total_energy, parts, 1e-12 * fabs(parts));
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(motion_of_a_turning_body_has_its_angular_momentum) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(4, 2, 2, 0.1));
    size_t count = scene.box.vertex_count;
    double *velocities = malloc(3 * count * sizeof *velocities), rate = 2;
    const double *p = scene.body.tets.positions;
    /* v = rate z x p: turns about the z axis through the origin */
    for (size_t v = 0; v < count; ++v) {
        velocities[3 * v] = -rate * p[3 * v + 1];
        velocities[3 * v + 1] = rate * p[3 * v];
        velocities[3 * v + 2] = 0;
    }
    scene.body.start_velocities = velocities;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 1, &message) == JN_OK);
    double inertia = 0;
    for (size_t v = 0; v < count; ++v) {
        const double *q = bake->motion.state.q + 3 * v;
        inertia += bake->model.system.masses[v] * (q[0] * q[0] + q[1] * q[1]);
    }
    JnMotion motion = motion_now(bake);
    CHECK(inertia > 0.01);
    CHECK_NEAR(motion.angular_momentum[2], inertia * rate, 1e-10 * inertia);
    CHECK_NEAR(motion.kinetic_energy, 0.5 * inertia * rate * rate, 1e-10 * inertia);
    free(velocities);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* Every potential of the system is counted once: squeezed body, gravity, given forces. */
TEST(motion_energies_add_up_to_the_systems) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    uint64_t seed = 11;
    one_body_init(&scene, tet_box_make(3, 2, 2, 0.1));
    size_t n = 3 * (size_t)scene.box.vertex_count;
    double *start = malloc(n * sizeof *start), *forces = malloc(n * sizeof *forces);
    for (size_t i = 0; i < n; ++i) {
        start[i] = scene.body.tets.positions[i] + 0.005 * random_signed(&seed);
        forces[i] = random_signed(&seed);
    }
    scene.body.start_positions = start;
    scene.desc.gravity[1] = -9.81;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    JnFrameInput input;
    JnBodyInput body;
    jn_frame_input_init(&input, sizeof input);
    jn_body_input_init(&body, sizeof body);
    body.forces = forces;
    input.frame = jn_bake_next_frame(bake);
    input.bodies = &body;
    input.body_count = 1;
    CHECK(jn_bake_advance(bake, &input, &message) == JN_OK);
    JnMotion motion = motion_now(bake);
    CHECK(motion.elastic_energy > 1e-3);
    CHECK(fabs(motion.force_energy) > 1e-6);
    CHECK(motion.gravity_energy != 0);
    double potential = potential_of(bake->motion.view, bake->motion.state.q);
    CHECK_NEAR(motion.total_energy - motion.kinetic_energy, potential, 1e-10 * fabs(potential) + 1e-12);
    free(start);
    free(forces);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(motion_is_refused_where_it_is_not_known) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    JnMotion motion = {.struct_size = sizeof motion};
    one_body_init(&scene, tet_box_make(2, 2, 2, 0.1));
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(jn_bake_motion(bake, &motion, &message) == JN_ERR_ORDER);
    CHECK(jn_bake_motion(NULL, &motion, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_bake_motion(bake, NULL, &message) == JN_ERR_ARGUMENT);
    CHECK(advance_frames(bake, 1, &message) == JN_OK);
    CHECK(jn_bake_motion(bake, &motion, &message) == JN_OK && message.text[0] == '\0');
    motion.struct_size = 8;
    CHECK(jn_bake_motion(bake, &motion, &message) == JN_ERR_STRUCT_SIZE);
    /* a frame that was cancelled under way leaves contacts and inputs of its own behind */
    motion.struct_size = sizeof motion;
    JnFrameInput input;
    jn_frame_input_init(&input, sizeof input);
    input.frame = jn_bake_next_frame(bake);
    bake->motion.state.v[0] = 1e30;
    CHECK(jn_bake_advance(bake, &input, &message) == JN_ERR_DIVERGED);
    CHECK(jn_bake_motion(bake, &motion, &message) == JN_ERR_ORDER);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}
