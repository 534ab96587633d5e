/* Bodies that stand, slide and collide on each other, with both methods of contact, against theory. */
#include "harness.h"
#include "touching.h"

#include "bake/bake_internal.h"

#include <stdbool.h>

/* ------------------------------------------------------------------------------------------------ stacks */

typedef struct Rest {
    double drift;   /* m: how far the mean of a cube moves after the first second, at most; NaN: failed */
    double fastest; /* m/s: of any vertex at a frame of the last second */
    double top;     /* m */
} Rest;

/* Cubes of these densities, the lowest first, are set on each other and left for so many seconds. */
static Rest stand(const char *method, uint32_t count, const double *densities, uint32_t seconds) {
    Scene scene;
    Rest rest = {NAN, 0, NAN};
    scene_init(&scene, method);
    scene.desc.collider_count = 1;
    for (uint32_t b = 0; b < count; ++b)
        scene_add_cube(&scene, 0.01 * b, 5e-4 + 0.1005 * b, 0)->material.density = densities[b];
    if (scene_begin(&scene, 24) == JN_OK) {
        Extent early[BODIES_MOST], late;
        for (uint32_t b = 0; b < count; ++b)
            early[b] = extent_of(&scene, b);
        JnStatus status = advance_frames(scene.bake, 24 * (seconds - 2), &scene.message);
        for (int frame = 0; status == JN_OK && frame < 24; ++frame) {
            status = advance(scene.bake, &scene.message);
            rest.fastest = fmax(rest.fastest, motion_of(&scene).largest_speed);
        }
        rest.drift = status == JN_OK ? 0 : NAN;
        for (uint32_t b = 0; b < count; ++b) {
            late = extent_of(&scene, b);
            rest.drift = fmax(rest.drift, distance_of(early[b].mean, late.mean));
            rest.top = late.most[1];
        }
    }
    scene_end(&scene);
    return rest;
}

static void check_stack(const char *method, uint32_t count, const double *densities, uint32_t seconds, double lowest,
                        double highest) {
    Rest rest = stand(method, count, densities, seconds);
    printf("%s: %u cubes drift %.3g mm, at most %.2g m/s in the last second, top at %.4f m\n", method, count,
           1e3 * rest.drift, rest.fastest, rest.top);
    CHECK(rest.drift < 1e-3);
    CHECK(rest.fastest < 1e-3); /* its kinetic energy is less than 1e-6 of what lifts it by its height */
    CHECK(rest.top > lowest && rest.top < highest);
}

LONG_TEST(two_cubes_on_each_other_stand_quietly_for_ten_seconds) {
    const double densities[] = {1000, 1000};
    for (int m = 0; m < METHOD_COUNT; ++m)
        check_stack(METHODS[m], 2, densities, 10, 0.199, 0.201);
}

LONG_TEST(three_cubes_on_each_other_stand_quietly_for_ten_seconds) {
    const double densities[] = {1000, 1000, 1000};
    for (int m = 0; m < METHOD_COUNT; ++m)
        check_stack(METHODS[m], 3, densities, 10, 0.299, 0.3015);
}

SLOW_TEST(light_cube_stands_on_a_heavy_one) {
    const double densities[] = {10000, 10};
    for (int m = 0; m < METHOD_COUNT; ++m)
        check_stack(METHODS[m], 2, densities, 4, 0.199, 0.201);
}

LONG_TEST(heavy_cube_stands_on_a_light_one) {
    /* its weight presses with 9.81 kPa on a material of 1 MPa, that is by 1 % of 10 cm, and its own by half of that */
    const double densities[] = {10, 10000};
    for (int m = 0; m < METHOD_COUNT; ++m)
        check_stack(METHODS[m], 2, densities, 4, 0.1975, 0.2);
}

/* No vertex of one lies over the other: only their rims cross. */
SLOW_TEST(plank_lies_quietly_across_a_plank) {
    for (int m = 0; m < METHOD_COUNT; ++m) {
        Scene scene;
        scene_init(&scene, METHODS[m]);
        scene.desc.collider_count = 1;
        scene_add_box(&scene, (const uint32_t[]){3, 1, 1}, 0.1, -0.45, 1e-4, -0.05)->transform[0] = 3;
        scene_add_box(&scene, (const uint32_t[]){1, 1, 3}, 0.1, -0.05, 0.1002, -0.45)->transform[10] = 3;
        CHECK(scene_begin(&scene, 48) == JN_OK);
        Extent lower = extent_of(&scene, 0), upper = extent_of(&scene, 1);
        double fastest = motion_of(&scene).largest_speed;
        scene_end(&scene);
        printf("%s: the upper plank is %.4f m high on average, at most %.2g m/s\n", METHODS[m], upper.mean[1], fastest);
        /* 88 N on 1 dm2 of 1 MPa press each by at most 1 % of 10 cm; its arms, one cell thick, hardly hang */
        CHECK(upper.mean[1] > 0.145 && upper.mean[1] < 0.151);
        CHECK(lower.most[1] > 0.098 && fastest < 1e-2);
        CHECK(fabs(upper.mean[0]) < 1e-3 && fabs(upper.mean[2]) < 1e-3);
    }
}

/* What holds them in a step is not foreseen from where they are, only by what held them before. */
SLOW_TEST(slabs_of_few_cells_lie_quietly_on_each_other) {
    for (int m = 0; m < METHOD_COUNT; ++m) {
        Scene scene;
        JnShape shape;
        JnMesh *mesh;
        JnMeshView view = {.struct_size = sizeof view};
        jn_shape_init(&shape, sizeof shape, "beam");
        memcpy(shape.size, (const double[]){0.2, 0.1, 0.2}, sizeof shape.size);
        memcpy(shape.cells, (const uint32_t[]){2, 1, 2}, sizeof shape.cells);
        CHECK(jn_shape_make(&shape, &mesh, NULL) == JN_OK && jn_mesh_view(mesh, &view, NULL) == JN_OK);
        scene_init(&scene, METHODS[m]);
        scene.desc.collider_count = 1;
        for (uint32_t b = 0; b < 3; ++b) {
            JnBody *body = scene_add(&scene, 0.005 * b, 0.0503 + 0.1003 * b, 0);
            body->tets = view.tets;
            body->material.young_modulus = 2e5;
            body->material.poisson_ratio = 0.47;
            body->material.stiffness_damping = 0.005;
        }
        CHECK(scene_begin(&scene, 36) == JN_OK);
        uint64_t rounds = scene.bake->model.system.contact_rounds;
        CHECK(advance_frames(scene.bake, 12, &scene.message) == JN_OK);
        double fastest = motion_of(&scene).largest_speed;
        rounds = scene.bake->model.system.contact_rounds - rounds;
        scene_end(&scene);
        jn_mesh_free(mesh);
        printf("%s: at most %.2g m/s, %g rounds a frame\n", METHODS[m], fastest, (double)rounds / 12);
        CHECK(fastest < 1e-3 && rounds < 12 * 12);
    }
}

/* ------------------------------------------------------------------------------------------------ friction */

/* A frame in which gravity is inclined by `angle` from now on. */
static JnStatus advance_inclined(Scene *scene, double angle) {
    JnFrameInput input;
    jn_frame_input_init(&input, sizeof input);
    input.frame = jn_bake_next_frame(scene->bake);
    input.has_gravity = 1;
    input.gravity[0] = G * sin(angle);
    input.gravity[1] = -G * cos(angle);
    return jn_bake_advance(scene->bake, &input, &scene->message);
}

/* A block lies on another one, which is fixed. Gravity is inclined to `angle` in so many frames; then how far it slides
   in the last 12 of 18, m, NaN: failed, and its speed at their start. The coefficients are those of the lower and of
   the upper block. */
static double slid_on_block(const char *method, double angle, uint32_t frames, const double mus[2], double *speed) {
    Scene scene;
    double slid = NAN;
    scene_init(&scene, method);
    scene_add_box(&scene, (const uint32_t[]){12, 1, 3}, 0.1, 0, -0.1, -0.15)->friction = mus[0];
    scene_pin_below(&scene, 1);
    JnBody *block = scene_add_box(&scene, (const uint32_t[]){3, 1, 2}, 0.07, 0.1, 3e-4, -0.07);
    block->friction = mus[1];
    block->material.young_modulus = 1e7;
    JnStatus status = scene_begin(&scene, 12);
    for (uint32_t frame = 1; status == JN_OK && frame <= frames; ++frame)
        status = advance_inclined(&scene, angle * frame / frames);
    if (status == JN_OK && advance_frames(scene.bake, 6, &scene.message) == JN_OK) {
        double mass = block->material.density * 6 * 0.07 * 0.07 * 0.07, start = extent_of(&scene, 1).mean[0];
        *speed = motion_of(&scene).momentum[0] / mass;
        status = advance_frames(scene.bake, 12, &scene.message);
        slid = status == JN_OK ? extent_of(&scene, 1).mean[0] - start : NAN;
    }
    scene_end(&scene);
    return slid;
}

/* By theory, if mu holds between the two. */
static void check_slides(const char *method, double lower_mu, double upper_mu, double mu) {
    const double steep = atan(1.5 * mu), flat = atan(0.95 * mu), h = 1.0 / 96, mus[2] = {lower_mu, upper_mu};
    const double gained = G * (sin(steep) - mu * cos(steep)) * h * h * 48 * 49 / 2; /* in 48 steps of backward Euler */
    double speed = NAN, slid = slid_on_block(method, steep, 1, mus, &speed), resting = NAN;
    double held = slid_on_block(method, flat, 12, mus, &resting);
    printf("%s: mu %.2f slides %.4f of the rigid distance, creeps %.3g mm\n", method, mu, slid / (gained + 0.5 * speed),
           1e3 * held);
    CHECK(speed > 0.1);
    CHECK_NEAR(slid, gained + 0.5 * speed, 0.02 * gained);
    CHECK(fabs(held) < 0.5 * 1e-4); /* slower than the speed at which friction is smoothed */
}

SLOW_TEST(block_on_a_block_slips_if_and_only_if_tan_exceeds_mu) {
    for (int m = 0; m < METHOD_COUNT; ++m)
        for (double mu = 0.2; mu < 0.9; mu += 0.3)
            check_slides(METHODS[m], mu, mu, mu);
}

LONG_TEST(friction_of_two_bodies_is_the_geometric_mean) {
    for (int m = 0; m < METHOD_COUNT; ++m) {
        check_slides(METHODS[m], 0.9, 0.1, 0.3);
        check_slides(METHODS[m], 0.1, 0.9, 0.3);
        check_slides(METHODS[m], NAN, 0.3, 0.3);
        check_slides(METHODS[m], 0.3, NAN, 0.3);
        check_slides(METHODS[m], NAN, NAN, 0.5);
    }
}

/* ------------------------------------------------------------------------------------------------ collisions */

/* A ball of 10 cm flies at 1 m/s at an equal one, `aside` beside its centre, in a space without gravity. How fast they
   part, m/s. */
static void collide(const char *method, const char *integrator, uint32_t steps_per_frame, double aside,
                    double *parting) {
    Scene scene;
    JnShape shape;
    JnMesh *ball;
    JnMeshView view = {.struct_size = sizeof view};
    scene_init(&scene, method);
    jn_shape_init(&shape, sizeof shape, "ball");
    shape.size[0] = shape.size[1] = shape.size[2] = 0.1;
    shape.cells[0] = 4;
    CHECK(jn_shape_make(&shape, &ball, NULL) == JN_OK && jn_mesh_view(ball, &view, NULL) == JN_OK);
    scene.desc.gravity[1] = 0;
    scene.desc.integrator = integrator;
    scene.desc.steps_per_frame = steps_per_frame;
    scene.desc.reuse_factor = 0; /* which solves to 1e-8 */
    for (int b = 0; b < 2; ++b) {
        JnBody *body = scene_add(&scene, 0.12 * b, aside * b, 0);
        body->tets = view.tets;
        body->material.young_modulus = 2e4;
        body->material.stiffness_damping = 0;
        if (b == 0)
            scene_throw(&scene, 1, 0, 0);
    }
    CHECK(scene_begin(&scene, 0) == JN_OK);
    JnMotion first = motion_of(&scene);
    double gain = -INFINITY, lost = 0, stored = 0, apart[2] = {0, 0};
    CHECK(first.momentum[0] > 0.3);
    for (int frame = 0; frame < 24; ++frame) {
        CHECK(advance(scene.bake, &scene.message) == JN_OK);
        JnMotion now = motion_of(&scene);
        gain = fmax(gain, now.total_energy / first.total_energy - 1);
        lost = fmax(lost, distance_of(now.momentum, first.momentum) / first.momentum[0]);
        stored = fmax(stored, now.elastic_energy / first.total_energy);
        apart[0] = apart[1];
        apart[1] = distance_of(extent_of(&scene, 0).mean, extent_of(&scene, 1).mean);
    }
    *parting = 24 * (apart[1] - apart[0]);
    printf("%s %s, %u steps: momentum changes by %.2g, energy by %.2g; %.3f of it was elastic; they part at %.3f m/s\n",
           method, integrator, steps_per_frame, lost, gain, stored, *parting);
    scene_end(&scene);
    jn_mesh_free(ball);
    CHECK(stored > 0.02); /* they met */
    CHECK(lost < 1e-11);
    CHECK(gain < 1e-6);
}

static void check_collisions(const char *method, const char *integrator, bool first_order) {
    double parting = NAN, aside = NAN;
    collide(method, integrator, 8, 0, &parting);
    collide(method, integrator, 2, 0.03, &aside);
    /* in tiny steps 0.94 m/s, the rest rings in the balls; methods of first order damp what comes back */
    CHECK(parting > (first_order ? 0.5 : 0.85) && parting < 1);
    CHECK(aside > 0.2 && aside < 1);
}

SLOW_TEST(balls_that_collide_keep_their_momentum_gain_no_energy_and_part) {
    for (int m = 0; m < METHOD_COUNT; ++m) {
        check_collisions(METHODS[m], "si", true);
        check_collisions(METHODS[m], "be", true);
        check_collisions(METHODS[m], "ssdirk", false);
        check_collisions(METHODS[m], "midpoint", false);
    }
}

/* ------------------------------------------------------------------------------------------------ who touches */

/* How far a cube falls in half a second that is dropped from 1 cm above one that is fixed, m. */
static double fallen(const char *method, uint64_t lower_groups, uint64_t upper_groups, uint32_t collides) {
    Scene scene;
    double distance = NAN;
    scene_init(&scene, method);
    scene_add_cube(&scene, 0, 0, 0)->ignore_groups = lower_groups;
    scene_pin_below(&scene, 1);
    JnBody *cube = scene_add_cube(&scene, 0.01, 0.11, 0.01);
    cube->ignore_groups = upper_groups;
    cube->collides = collides;
    if (scene_begin(&scene, 12) == JN_OK)
        distance = 0.16 - extent_of(&scene, 1).mean[1];
    scene_end(&scene);
    return distance;
}

TEST(bodies_of_one_ignored_group_pass_through_each_other) {
    /* backward Euler's own fall in 48 steps */
    const double h = 1.0 / 96, free_fall = G * h * h * 48 * 49 / 2;
    for (int m = 0; m < METHOD_COUNT; ++m) {
        CHECK_NEAR(fallen(METHODS[m], 4, 6, 1), free_fall, 1e-9);
        CHECK_NEAR(fallen(METHODS[m], 0, 0, 0), free_fall, 1e-9);
        CHECK_NEAR(fallen(METHODS[m], 4, 2, 1), 0.01, 0.002);
        CHECK_NEAR(fallen(METHODS[m], 0, 0, 1), 0.01, 0.002);
    }
}

TEST(body_and_collider_of_one_ignored_group_pass_through_each_other) {
    const double h = 1.0 / 96, free_fall = G * h * h * 48 * 49 / 2;
    for (int m = 0; m < METHOD_COUNT; ++m)
        for (uint64_t group = 0; group < 2; ++group) {
            Scene scene;
            scene_init(&scene, METHODS[m]);
            scene.desc.collider_count = 1;
            scene.floor.ignore_groups = 1;
            scene_add_cube(&scene, 0, 0.01, 0)->ignore_groups = group;
            CHECK(scene_begin(&scene, 12) == JN_OK);
            CHECK_NEAR(0.01 - extent_of(&scene, 0).least[1], group ? free_fall : 0.01, group ? 1e-9 : 0.002);
            scene_end(&scene);
        }
}
