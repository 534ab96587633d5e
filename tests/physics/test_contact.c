/* Contact with a plane: rest, slopes, moving floors. */
#include "baking.h"
#include "harness.h"

#include "bake/bake_internal.h"

/* A stiff block that lies on a slope of `angle` along x, friction mu; its speed down the slope after one second, m/s.
 */
static double slope_speed(double angle, double mu, uint32_t steps_per_frame) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(3, 2, 3, 0.1));
    double c = cos(angle), s = sin(angle);
    /* the block is turned with the slope, about z */
    const double turn[12] = {c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, 0};
    memcpy(scene.body.transform, turn, sizeof turn);
    scene.body.material.young_modulus = 1e6;
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 25;
    scene.desc.steps_per_frame = steps_per_frame;
    scene.desc.collider_count = 1;
    scene.collider.normal[0] = -s;
    scene.collider.normal[1] = c;
    scene.collider.friction = mu;
    double speed = NAN;
    if (jn_bake_begin(&scene.desc, &bake, &message) == JN_OK && advance_frames(bake, 25, &message) == JN_OK) {
        double momentum = 0, mass = 0;
        for (uint32_t v = 0; v < bake->model.vertex_count; ++v) {
            mass += bake->model.system.masses[v];
            momentum -=
                bake->model.system.masses[v] * (c * bake->motion.state.v[3 * v] + s * bake->motion.state.v[3 * v + 1]);
        }
        speed = momentum / mass;
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return speed;
}

TEST(block_on_a_slope_slips_if_and_only_if_tan_exceeds_mu) {
    const double smoothing_speed = 1e-4; /* the default */
    JnBakeDesc desc;
    jn_bake_desc_init(&desc, sizeof desc);
    CHECK(desc.contact.smoothing_speed == smoothing_speed);
    for (double mu = 0.1; mu < 1.05; mu += 0.3)
        for (int side = -1; side <= 1; side += 2) {
            double speed = slope_speed(atan(mu * (1 + 0.05 * side)), mu, 4);
            if (side < 0)
                CHECK(speed >= 0 && speed < smoothing_speed);
            else
                CHECK(speed > smoothing_speed);
        }
}

TEST(sliding_block_accelerates_as_theory_says) {
    /* g (sin a - mu cos a) for one second */
    double angle = 0.5, mu = 0.2, expected = 9.81 * (sin(angle) - mu * cos(angle));
    CHECK_NEAR(slope_speed(angle, mu, 4), expected, 0.02 * expected);
    CHECK_NEAR(slope_speed(angle, mu, 32), expected, 0.01 * expected);
}

TEST(block_dropped_on_the_floor_comes_to_rest_there) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(3, 3, 3, 0.1));
    scene.body.transform[7] = 0.2; /* 20 cm above the floor */
    scene.body.material.stiffness_damping = 0.005;
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 97;
    scene.desc.collider_count = 1;
    scene.collider.normal[1] = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    double lowest_ever = 1;
    for (int frame = 0; frame < 96; ++frame) {
        CHECK(advance(bake, &message) == JN_OK);
        for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
            lowest_ever = fmin(lowest_ever, bake->motion.state.q[3 * v + 1]);
    }
    /* it never sank by more than a hundredth of its size, and rests within two thousandths */
    CHECK(lowest_ever > -0.003);
    double mean[3], later[3], lowest = 1; /* in the body's own space, 20 cm above the floor */
    mean_position(bake, mean);
    CHECK(advance(bake, &message) == JN_OK);
    mean_position(bake, later);
    for (int i = 0; i < 3; ++i)
        CHECK_NEAR(later[i], mean[i], 1e-6);
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        lowest = fmin(lowest, bake->motion.state.q[3 * v + 1]);
    CHECK_NEAR(lowest, 0, 6e-4);
    CHECK(mean[1] + 0.2 > 0.13 && mean[1] + 0.2 < 0.15);
    JnStatistics statistics = {.struct_size = sizeof statistics};
    CHECK(jn_bake_statistics(bake, &statistics, &message) == JN_OK);
    CHECK(statistics.contact_count >= 16);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(block_that_is_set_down_soon_takes_one_round_a_step) {
    OneBody scene;
    JnBake *bake;
    JnContactFrame contact = {.struct_size = sizeof contact};
    uint32_t settling = 0, settled = 0;
    one_body_init(&scene, tet_box_make(6, 6, 6, 0.04));
    scene.body.material.young_modulus = 3e4;
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 100;
    scene.desc.steps_per_frame = 4;
    scene.desc.collider_count = 1;
    scene.collider.normal[1] = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK && advance(bake, NULL) == JN_OK);
    for (int frame = 0; frame < 16; ++frame) {
        CHECK(advance(bake, NULL) == JN_OK && jn_bake_contact(bake, &contact, NULL) == JN_OK);
        *(frame < 8 ? &settling : &settled) += contact.round_count;
    }
    printf("%u rounds in the first 32 steps, %u in the next 32\n", settling, settled);
    CHECK(contact.contact_count == 49 && contact.sticking_count > 40);
    CHECK(settling < 3 * 32 && settled == 32);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* How far a block is carried along x in its second second by a floor that moves at half a metre a second along x and at
   `rise` along y. */
static double carried(double rise) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(2, 1, 2, 0.1));
    scene.body.material.young_modulus = 1e6;
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 49;
    scene.desc.collider_count = 1;
    scene.collider.normal[1] = 1;
    scene.collider.friction = 0.8;
    double start[3] = {0, 0, 0}, end[3] = {0, 0, 0};
    JnStatus status = jn_bake_begin(&scene.desc, &bake, &message);
    for (int frame = 0; status == JN_OK && frame < 49; ++frame) {
        JnFrameInput input;
        JnColliderInput floor;
        jn_frame_input_init(&input, sizeof input);
        jn_collider_input_init(&floor, sizeof floor);
        const double moved[12] = {1, 0, 0, 0.5 * frame / 24, 0, 1, 0, rise * frame / 24, 0, 0, 1, 0};
        floor.has_transform = 1;
        memcpy(floor.transform, moved, sizeof moved);
        input.colliders = &floor;
        input.collider_count = 1;
        input.frame = jn_bake_next_frame(bake);
        status = jn_bake_advance(bake, &input, &message);
        if (frame == 24)
            mean_position(bake, start);
    }
    mean_position(bake, end);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return status == JN_OK ? end[0] - start[0] : NAN;
}

TEST(moving_floor_carries_the_block_by_friction) {
    CHECK_NEAR(carried(0), 0.5, 0.01);
}

TEST(rising_and_sinking_floors_carry_the_block_as_a_level_one_does) {
    CHECK_NEAR(carried(0.5), 0.5, 0.02);
    CHECK_NEAR(carried(-0.5), 0.5, 0.02);
}

TEST(soft_tower_collapses_without_diverging) {
    /* a tower of jelly cannot stand; with the raw stiffness of every element it does not fall but blows up */
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(6, 30, 6, 0.05));
    scene.body.material.young_modulus = 3e3;
    scene.body.material.poisson_ratio = 0.45;
    scene.body.transform[7] = 0.1;
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 37;
    scene.desc.steps_per_frame = 2;
    scene.desc.collider_count = 1;
    scene.collider.normal[1] = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 37, &message) == JN_OK);
    double highest = 0;
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v) {
        highest = fmax(highest, bake->motion.state.q[3 * v + 1]);
        for (uint32_t i = 0; i < 3; ++i)
            CHECK(fabs(bake->motion.state.q[3 * v + i]) < 3);
    }
    CHECK(highest < 1.2);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}
