/* Every integrator with everything that pushes: falling, pins that move, contact, friction, damping, air. */
#include "baking.h"
#include "harness.h"
#include "touching_methods.h"
#include "views.h"

#include "bake/bake_internal.h"

/* Calls check for every method of the table. */
static void for_each_method(void (*check)(const Integrator *method)) {
    for (uint32_t m = 0; m < integrator_table.count; ++m)
        check((const Integrator *)integrator_table.items + m);
}

static double potential_energy(JnBake *bake) {
    return potential_of(bake->motion.view, bake->motion.state.q);
}

static double total_energy(JnBake *bake) {
    return potential_energy(bake) + system_kinetic_energy(&bake->model.system, bake->motion.state.v);
}

/* ------------------------------------------------------------------------------------------------ no contact */

/* Whether free flight is among the modes that a method moves in closed form. */
static bool keeps_modes(const Integrator *method) {
    return strstr(method->entry.name, "ere") != NULL;
}

/* Methods of second order follow a parabola exactly; those of first order take a step's velocity from its end, unless
   they move it in closed form. */
static void check_free_fall(const Integrator *method) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    one_body_init(&scene, tet_box_make(3, 2, 2, 0.1));
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 13;
    scene.desc.integrator = method->entry.name;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 13, &message) == JN_OK);
    double h = 1.0 / (24 * scene.desc.steps_per_frame), n = 12.0 * scene.desc.steps_per_frame;
    bool late = method->order == 1 && !keeps_modes(method);
    double fallen = -9.81 * h * h * n * (late ? n + 1 : n) / 2;
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v) {
        const double *q = bake->motion.state.q + 3 * (size_t)v,
                     *rest = bake->model.bodies[0].mesh.positions + 3 * (size_t)v;
        CHECK_NEAR(q[0], rest[0], 1e-7);
        CHECK_NEAR(q[1], rest[1] + fallen, 1e-7);
        CHECK_NEAR(q[2], rest[2], 1e-7);
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(free_fall_is_right_in_every_method) {
    for_each_method(check_free_fall);
}

static void check_rest(const Integrator *method) {
    OneBody scene;
    JnBake *bake;
    one_body_init(&scene, tet_box_make(3, 2, 2, 0.1));
    scene.desc.frame_count = 25;
    scene.desc.integrator = method->entry.name;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
    CHECK(advance_frames(bake, 25, NULL) == JN_OK);
    for (size_t i = 0; i < (size_t)bake->model.vertex_count * 3; ++i)
        CHECK_NEAR(bake->motion.state.q[i], bake->model.bodies[0].mesh.positions[i], 1e-12);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(rest_stays_in_every_method) {
    for_each_method(check_rest);
}

/* A free bar that is stretched at first jumps together; nothing outside pushes it. */
static void check_momentum(const Integrator *method) {
    OneBody scene;
    JnBake *bake;
    one_body_init(&scene, tet_box_make(4, 1, 1, 0.1));
    double *start = malloc((size_t)scene.box.vertex_count * 3 * sizeof *start);
    for (uint32_t i = 0; i < scene.box.vertex_count * 3; ++i)
        start[i] =
            scene.box.positions[i] * (i % 3 == 0 ? 1.2 : 1) + (i % 3 == 1 ? 0.3 * scene.box.positions[i - 1] : 0);
    scene.body.start_positions = start;
    scene.body.material.young_modulus = 2e4;
    scene.body.material.stiffness_damping = 0.002;
    scene.desc.frame_count = 13;
    scene.desc.integrator = method->entry.name;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
    CHECK(advance_frames(bake, 13, NULL) == JN_OK);
    double sum[3] = {0, 0, 0}, size = 0;
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        for (uint32_t i = 0; i < 3; ++i) {
            sum[i] += bake->model.system.masses[v] * bake->motion.state.v[3 * v + i];
            size += bake->model.system.masses[v] * fabs(bake->motion.state.v[3 * v + i]);
        }
    CHECK(size > 0.01);
    for (int i = 0; i < 3; ++i)
        CHECK_NEAR(sum[i], 0, 1e-7 * size);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    free(start);
}

TEST(linear_momentum_is_kept_in_every_method) {
    for_each_method(check_momentum);
}

/* An undamped bar is let go: no method makes energy; those without damping of their own keep it. */
static void check_energy(const Integrator *method) {
    OneBody scene;
    JnBake *bake;
    one_body_init(&scene, tet_box_make(5, 2, 2, 0.05));
    one_body_pin(&scene);
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 49;
    scene.desc.steps_per_frame = 4;
    scene.desc.integrator = method->entry.name;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
    CHECK(advance_frames(bake, 1, NULL) == JN_OK);
    double start = total_energy(bake), deepest = 0, most = -INFINITY, end = 0;
    for (int frame = 1; frame < 49; ++frame) {
        CHECK(advance(bake, NULL) == JN_OK);
        end = total_energy(bake);
        most = fmax(most, end);
        deepest = fmax(deepest, system_kinetic_energy(&bake->model.system, bake->motion.state.v));
    }
    printf("%-20s total energy %.4f at first, %.4f at most, %.4f at the end; at most %.4f of it kinetic\n",
           method->entry.name, start, most, end, deepest);
    CHECK(most - start < 0.02 * deepest);
    const char *keeps[] = {"trapezoidal", "midpoint", "newmark", "rk4"};
    for (size_t k = 0; k < sizeof keeps / sizeof keeps[0]; ++k)
        if (strcmp(method->entry.name, keeps[k]) == 0)
            CHECK(fabs(end - start) < 0.02 * deepest);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(energy_never_grows_in_any_method) {
    for_each_method(check_energy);
}

/* ------------------------------------------------------------------------------------------------ moving things */

static void check_pins(const Integrator *method) {
    OneBody scene;
    JnBake *bake;
    one_body_init(&scene, tet_box_make(4, 2, 2, 0.1));
    one_body_pin(&scene);
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 13;
    scene.desc.integrator = method->entry.name;
    scene.body.material.stiffness_damping = 0.005;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
    CHECK(advance_shaken(bake, 13, NULL) == JN_OK);
    double lift = 0.05 * sin(13), speed = (lift - 0.05 * sin(12)) * 24, farthest = 0;
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v) {
        const double *q = bake->motion.state.q + 3 * (size_t)v,
                     *rest = bake->model.bodies[0].mesh.positions + 3 * (size_t)v;
        farthest = fmax(farthest, fabs(q[1] - rest[1] - lift));
        if (!bake->motion.view->roles[v])
            continue;
        CHECK(q[0] == rest[0] && q[2] == rest[2]);
        CHECK_NEAR(q[1], rest[1] + lift, 1e-14);
        CHECK_NEAR(bake->motion.state.v[3 * v + 1], speed, 1e-9);
    }
    CHECK(farthest > 0.005 && farthest < 0.3);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(moving_pins_are_followed_exactly_in_every_method) {
    for_each_method(check_pins);
}

/* ------------------------------------------------------------------------------------------------ contact */

static void open_floor(OneBody *scene, const char *method, double height) {
    one_body_init(scene, tet_box_make(3, 3, 3, 0.1));
    scene->body.transform[7] = height;
    scene->body.material.young_modulus = 5e4;
    scene->body.material.stiffness_damping = 0.01;
    scene->desc.gravity[1] = -9.81;
    scene->desc.steps_per_frame = 8;
    scene->desc.collider_count = 1;
    scene->collider.normal[1] = 1;
    scene->collider.friction = 0.5;
    scene->desc.integrator = method;
}

/* A soft block that falls on the floor is stopped by it and comes to rest. */
static void check_drop(const Integrator *method) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    if (strcmp(method->entry.name, "rk4") == 0)
        return; /* slow, and checked against the others by the tests of order */
    open_floor(&scene, method->entry.name, 0.2);
    scene.desc.frame_count = 49;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    JnStatus status = advance_frames(bake, 49, &message);
    JnStatistics statistics = {.struct_size = sizeof statistics};
    jn_bake_statistics(bake, &statistics, NULL);
    double lowest = INFINITY, fastest = 0;
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v) {
        lowest = fmin(lowest, bake->motion.state.q[3 * v + 1]);
        for (uint32_t i = 0; i < 3; ++i)
            fastest = fmax(fastest, fabs(bake->motion.state.v[3 * v + i]));
    }
    printf("%-20s lowest %.5f m, deepest %.5f m, fastest %.5f m/s, %u cuts %s\n", method->entry.name, lowest,
           statistics.deepest_penetration, fastest, statistics.cut_steps, status == JN_OK ? "" : message.text);
    CHECK(status == JN_OK);
    CHECK(lowest > -0.01 && lowest < 0.01);
    CHECK(statistics.deepest_penetration < 0.02);
    CHECK(fastest < 0.05);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

LONG_TEST(falling_block_comes_to_rest_in_every_method) {
    for (uint32_t m = 0; m < integrator_table.count; ++m)
        if (contact_is_judged_in(table_at(&integrator_table, m)->name) ||
            strcmp(table_at(&integrator_table, m)->name, "rk4") == 0)
            check_drop((const Integrator *)integrator_table.items + m);
}

TEST(ssdirk_keeps_its_matrix_for_the_place_of_the_last_stage) {
    /* where a solve would make the projected matrix */
    OneBody scene;
    JnBake *bake;
    one_body_init(&scene, tet_box_make(3, 2, 2, 0.1));
    scene.desc.gravity[1] = -9.81;
    scene.desc.integrator = "ssdirk";
    scene.desc.steps_per_frame = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, NULL) == JN_OK);
    CHECK(advance_frames(bake, 2, NULL) == JN_OK);
    double middle = (2 - sqrt(2)) / 24, fallen = -9.81 * middle * middle / 2;
    for (size_t i = 0; i < (size_t)bake->model.vertex_count * 3; ++i)
        CHECK_NEAR(bake->motion.view->jacobian->q[i], bake->model.bodies[0].mesh.positions[i] + (i % 3 == 1) * fallen,
                   1e-9);
    CHECK(bake->motion.view->jacobian->has_velocity);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}
