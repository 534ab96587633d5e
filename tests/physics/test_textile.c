/* Textiles against statics, invariants and what a flag must do. */
#include "harness.h"
#include "random.h"
#include "shaped.h"
#include "whole_and_parts.h"

#include "bake/bake_internal.h"

TEST(textile_at_rest_stays_at_rest) {
    ShapedBody scene;
    JnBake *bake;
    JnMessage message;
    JnShape shape = shaped_shape("cloth", 1, 0.6, 8, 5);
    CHECK(shaped_init(&scene, "textile", &shape, 0));
    scene.desc.frame_count = 25;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 25, &message) == JN_OK);
    uint32_t count;
    double *now = read_positions(bake, &count);
    CHECK(count == scene.view.surface.vertex_count);
    for (uint32_t i = 0; i < 3 * count; ++i)
        CHECK_NEAR(now[i], scene.view.surface.positions[i], 1e-12);
    free(now);
    jn_bake_end(bake, NULL);
    shaped_free(&scene);
}

TEST(free_textile_keeps_its_momentum_and_its_mass_is_its_area) {
    ShapedBody scene;
    JnBake *bake;
    JnMessage message;
    uint64_t seed = 9;
    JnShape shape = shaped_shape("cloth", 1, 0.6, 8, 5);
    CHECK(shaped_init(&scene, "textile", &shape, 0));
    size_t n = 3 * (size_t)scene.view.surface.vertex_count;
    double *velocities = malloc(n * sizeof *velocities);
    for (size_t i = 0; i < n; ++i)
        velocities[i] = random_signed(&seed) + (i % 3 == 1);
    scene.body.start_velocities = velocities;
    scene.body.springs.mass_per_area = 0.3;
    scene.body.springs.cubic = 20;
    scene.body.material.stiffness_damping = 0.01;
    scene.desc.frame_count = 25;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    double before[3] = {0, 0, 0}, mass = 0;
    for (int frame = 0; frame < 25; ++frame) {
        double now[3] = {0, 0, 0};
        CHECK(advance(bake, &message) == JN_OK);
        for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
            for (uint32_t i = 0; i < 3; ++i)
                now[i] += bake->model.system.masses[v] * bake->motion.state.v[3 * v + i];
        if (frame == 0)
            memcpy(before, now, sizeof before);
        for (int i = 0; i < 3; ++i)
            CHECK_NEAR(now[i], before[i], 1e-10);
    }
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        mass += bake->model.system.masses[v];
    CHECK_NEAR(mass, 0.3 * 0.6, 1e-12);
    CHECK(fabs(before[1]) > 0.1);
    free(velocities);
    jn_bake_end(bake, NULL);
    shaped_free(&scene);
}

/* An L of one face: a fan from its first corner would cover more than the face. */
TEST(textile_of_a_concave_face_weighs_its_area) {
    static const double positions[18] = {2, 0, 0, 2, 1, 0, 1, 1, 0, 1, 2, 0, 0, 2, 0, 0, 0, 0};
    static const uint32_t size = 6, corners[6] = {0, 1, 2, 3, 4, 5};
    JnBakeDesc desc;
    JnBody body;
    JnBake *bake;
    JnMessage message;
    double mass = 0;
    jn_bake_desc_init(&desc, sizeof desc);
    jn_body_init(&body, sizeof body);
    body.kind = "textile";
    body.surface = (JnSurface){6, 1, 6, 0, positions, &size, corners, NULL};
    body.springs.mass_per_area = 0.3;
    desc.bodies = &body;
    desc.body_count = 1;
    CHECK(jn_bake_begin(&desc, &bake, &message) == JN_OK);
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        mass += bake->model.system.masses[v];
    CHECK_NEAR(mass, 0.3 * 3, 1e-12);
    jn_bake_end(bake, NULL);
}

TEST(textile_damping_said_as_a_ratio_is_the_stiffness_damping_that_it_becomes) {
    double last[2][3];
    for (int run = 0; run < 2; ++run) {
        ShapedBody scene;
        JnBake *bake;
        JnMessage message;
        JnShape shape = shaped_shape("cloth", 1, 0.6, 8, 5);
        CHECK(shaped_init(&scene, "textile", &shape, 0));
        size_t n = 3 * (size_t)scene.view.surface.vertex_count;
        double *velocities = calloc(n, sizeof *velocities);
        velocities[0] = 5;
        scene.body.start_velocities = velocities;
        if (run) {
            scene.body.material.damping_ratio = 0.1;
            scene.body.material.damping_frequency = 5;
        } else {
            scene.body.material.stiffness_damping = 0.2 / (10 * acos(-1));
        }
        CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
        CHECK(advance_frames(bake, 5, &message) == JN_OK);
        memcpy(last[run], bake->motion.state.q, sizeof last[run]);
        jn_bake_end(bake, NULL);
        free(velocities);
        shaped_free(&scene);
    }
    for (int i = 0; i < 3; ++i)
        CHECK_NEAR(last[0][i], last[1][i], 1e-12);
}

/* The stretch of a hanging cloth at rest, m, as its lower edge's mean. Gravity pulls along it, away from its pins. */
static double hanging_stretch(ShapedBody *scene, JnMessage *message) {
    JnBake *bake;
    scene->desc.gravity[0] = 9.81;
    scene->desc.frame_count = 73;
    if (jn_bake_begin(&scene->desc, &bake, message) != JN_OK || advance_frames(bake, 73, message) != JN_OK) {
        jn_bake_end(bake, NULL);
        return NAN;
    }
    uint32_t count;
    double *now = read_positions(bake, &count), lowest = 0, fastest = 0;
    for (uint32_t v = 0; v < count; ++v)
        lowest = fmax(lowest, now[3 * v]);
    for (uint32_t i = 0; i < 3 * bake->model.vertex_count; ++i)
        fastest = fmax(fastest, fabs(bake->motion.state.v[i]));
    free(now);
    jn_bake_end(bake, NULL);
    return fastest < 1e-6 ? lowest - 1 : NAN;
}

TEST(hanging_textile_stretches_as_a_sheet_of_its_modulus_does) {
    /* a strip of length L, modulus E, thickness t under its own weight: rho g L^2 / (2 E), whatever t */
    for (uint32_t cells = 4; cells <= 16; cells *= 2) {
        ShapedBody scene;
        JnMessage message;
        JnShape shape = shaped_shape("cloth", 1, 0.5, cells, 3);
        CHECK(shaped_init(&scene, "textile", &shape, 1));
        scene.body.springs.shear = scene.body.springs.bending = 0;
        scene.body.material.young_modulus = 2e5;
        scene.body.material.stiffness_damping = 0.02;
        scene.body.material.mass_damping = 10;
        CHECK_NEAR(hanging_stretch(&scene, &message), 1000 * 9.81 / (2 * 2e5), 1e-8);
        shaped_free(&scene);
    }
}

TEST(hanging_textile_with_all_default_springs_stretches_as_its_material_does) {
    /* cells of 1 : 8 to 8 : 1 */
    static const uint32_t cells[][2] = {{4, 2}, {8, 4}, {16, 8}, {6, 1}, {16, 1}, {4, 16}, {3, 12}};
    for (size_t c = 0; c < sizeof cells / sizeof cells[0]; ++c) {
        ShapedBody scene;
        JnMessage message;
        JnShape shape = shaped_shape("cloth", 1, 0.5, cells[c][0], cells[c][1]);
        CHECK(shaped_init(&scene, "textile", &shape, 1));
        scene.body.material.young_modulus = 2e5;
        scene.body.material.stiffness_damping = 0.02;
        scene.body.material.mass_damping = 10;
        double ratio = hanging_stretch(&scene, &message) / (1000 * 9.81 / (2 * 2e5));
        printf("%u x %u cells: %.4f of the theory\n", cells[c][0], cells[c][1], ratio);
        CHECK_NEAR(ratio, 1, 0.02);
        shaped_free(&scene);
    }
}

/* The stretch along y of a hanging strip of equilateral triangles, rows of them one above the other. */
static double triangles_stretch(double bending, JnMessage *message) {
    enum { ROW = 7, ROWS = 13 };
    const double l = 0.05;
    double positions[3 * ROW * ROWS];
    uint32_t faces[6 * (ROW - 1) * (ROWS - 1)], sizes[2 * (ROW - 1) * (ROWS - 1)], corner = 0;
    float pinned[ROW * ROWS];
    for (uint32_t v = 0; v < ROW * ROWS; ++v) {
        uint32_t row = v / ROW;
        positions[3 * v] = l * (v % ROW + 0.5 * (row % 2));
        positions[3 * v + 1] = -sqrt(0.75) * l * row;
        positions[3 * v + 2] = 0;
        pinned[v] = row == 0;
        if (row + 1 == ROWS || v % ROW + 1 == ROW)
            continue;
        /* two triangles, cut along the side that is as long as the others */
        uint32_t below = v + ROW, odd = row % 2;
        const uint32_t pair[6] = {v, below, odd ? below + 1 : v + 1, v + 1, odd ? v : below, below + 1};
        memcpy(faces + corner, pair, sizeof pair);
        corner += 6;
    }
    for (uint32_t f = 0; f < corner / 3; ++f)
        sizes[f] = 3;
    ShapedBody scene;
    JnBake *bake;
    JnShape shape = shaped_shape("cloth", 1, 1, 1, 1);
    if (!shaped_init(&scene, "textile", &shape, 1))
        return NAN;
    scene.body.surface = (JnSurface){.vertex_count = ROW * ROWS,
                                     .face_count = corner / 3,
                                     .corner_count = corner,
                                     .positions = positions,
                                     .face_sizes = sizes,
                                     .face_vertices = faces};
    scene.pin.weights = pinned;
    scene.pin.weight_count = ROW * ROWS;
    scene.body.springs.bending = bending;
    scene.body.material.young_modulus = 2e5;
    scene.body.material.stiffness_damping = 0.02;
    scene.body.material.mass_damping = 10;
    scene.desc.gravity[1] = -9.81;
    scene.desc.frame_count = 73;
    JnStatus status = jn_bake_begin(&scene.desc, &bake, message);
    status = status == JN_OK ? advance_frames(bake, 73, message) : status;
    double lowest = 0;
    for (uint32_t v = ROW * (ROWS - 1); status == JN_OK && v < ROW * ROWS; ++v)
        lowest += (positions[3 * v + 1] - bake->motion.state.q[3 * (size_t)v + 1]) / ROW;
    jn_bake_end(bake, NULL);
    shaped_free(&scene);
    return status == JN_OK ? lowest : NAN;
}

TEST(triangles_stretch_the_same_with_and_without_default_bending) {
    JnMessage message;
    const double length = sqrt(0.75) * 0.05 * 12, theory = 1000 * 9.81 * length * length / (2 * 2e5);
    double bare = triangles_stretch(0, &message), usual = triangles_stretch(NAN, &message);
    printf("triangles: %.4f of the theory without bending springs, %.4f with them\n", bare / theory, usual / theory);
    CHECK_NEAR(usual / bare, 1, 0.01);
    CHECK_NEAR(usual / theory, 1, 0.1); /* the ragged sides of so narrow a strip count */
}

TEST(hanging_textile_of_cubic_springs_stretches_by_its_law) {
    /* k d^3 / l^2 = weight below, spring after spring */
    enum { CELLS = 6 };
    const double k = 3000, area_mass = 0.2, width = 0.1, l = 1.0 / CELLS;
    ShapedBody scene;
    JnMessage message;
    JnShape shape = shaped_shape("cloth", 1, width, CELLS, 1);
    CHECK(shaped_init(&scene, "textile", &shape, 1));
    scene.body.springs = (JnSprings){.struct_size = sizeof scene.body.springs,
                                     .structural = k,
                                     .cubic = 1,
                                     .thickness = NAN,
                                     .tip_thickness = NAN,
                                     .torsion_modulus = NAN,
                                     .mass_per_area = area_mass,
                                     .mass_per_length = NAN};
    scene.body.material.stiffness_damping = 0.02;
    scene.body.material.mass_damping = 10;
    double expected = 0;
    for (int edge = 0; edge < CELLS; ++edge) {
        double weight = 9.81 * area_mass * (width / 2) * l * (CELLS - edge - 0.5);
        expected += cbrt(weight * l * l / k);
    }
    CHECK(expected > 0.02);
    CHECK_NEAR(hanging_stretch(&scene, &message), expected, 1e-6);
    shaped_free(&scene);
}

TEST(textile_painted_stiffer_stretches_less_there) {
    ShapedBody scene;
    JnMessage message;
    JnShape shape = shaped_shape("cloth", 1, 0.5, 8, 3);
    double stretches[2];
    for (int painted = 0; painted < 2; ++painted) {
        CHECK(shaped_init(&scene, "textile", &shape, 1));
        uint32_t count = scene.view.surface.vertex_count;
        float *all = malloc(count * sizeof *all);
        for (uint32_t v = 0; v < count; ++v)
            all[v] = 1;
        JnRegion regions[3] = {scene.pin, scene.pin, scene.pin};
        regions[1].effect = "stiffness", regions[1].value = 4, regions[1].weights = all;
        regions[2].effect = "density", regions[2].value = 2, regions[2].weights = all;
        scene.body.regions = regions;
        scene.body.region_count = painted ? 3 : 1;
        scene.body.material.stiffness_damping = 0.02;
        scene.body.material.mass_damping = 10;
        stretches[painted] = hanging_stretch(&scene, &message);
        free(all);
        shaped_free(&scene);
    }
    CHECK(stretches[0] > 0.03);
    CHECK_NEAR(stretches[1], stretches[0] / 2, 0.02 * stretches[0]);
}

static double surface_area(const JnSurface *surface, const double *positions) {
    double area = 0;
    for (uint32_t f = 0; f < surface->face_count; ++f)
        for (uint32_t half = 0; half < 2; ++half) {
            const uint32_t *corners = surface->face_vertices + 4 * (size_t)f;
            const double *a = positions + 3 * (size_t)corners[0], *b = positions + 3 * (size_t)corners[half + 1],
                         *c = positions + 3 * (size_t)corners[half + 2];
            double x = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]);
            double y = (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);
            double z = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            area += 0.5 * sqrt(x * x + y * y + z * z);
        }
    return area;
}

/* The flag of Michels, Luan, Tokman 2017, section 4.2, coarser: held at the pole, the wind not quite in its plane. */
static int open_flag(ShapedBody *scene) {
    JnShape shape = shaped_shape("cloth", 1.4, 1, 14, 10);
    if (!shaped_init(scene, "textile", &shape, 1))
        return 0;
    scene->body.springs.structural = 1e4;
    scene->body.springs.shear = 1e3;
    scene->body.springs.bending = 1e2;
    scene->body.springs.cubic = 100;
    scene->body.springs.mass_per_area = 0.15;
    scene->desc.gravity[1] = -9.81;
    scene->desc.wind[0] = 9;
    scene->desc.wind[2] = 2.5;
    scene->desc.air_density = 1.2;
    scene->desc.frame_count = 48;
    return 1;
}

TEST(flag_waves_in_the_wind_and_keeps_its_area) {
    ShapedBody scene;
    JnBake *bake;
    JnMessage message;
    CHECK(open_flag(&scene));
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    double left = 0, right = 0;
    uint32_t tip = 14 * 11 + 5;
    for (int frame = 1; frame <= 48; ++frame) {
        CHECK(advance(bake, &message) == JN_OK);
        uint32_t count;
        double *now = read_positions(bake, &count);
        CHECK_NEAR(surface_area(&scene.view.surface, now), 1.4, 0.03 * 1.4);
        for (uint32_t v = 0; v < 11; ++v)
            CHECK(memcmp(now + 3 * v, scene.view.surface.positions + 3 * v, 3 * sizeof *now) == 0);
        double sideways = now[3 * tip + 2];
        left = fmin(left, sideways), right = fmax(right, sideways);
        free(now);
    }
    CHECK(right - left > 0.3);
    CHECK(system_kinetic_energy(&bake->model.system, bake->motion.state.v) > 1e-3); /* it has not come to rest */
    JnStatistics statistics = {.struct_size = sizeof statistics};
    CHECK(jn_bake_statistics(bake, &statistics, &message) == JN_OK);
    CHECK(statistics.tet_count == 0 && statistics.projected_steps == 0);
    CHECK(statistics.spring_count == 14 * 11 + 15 * 10 + 2 * 140 + 13 * 11 + 15 * 9);
    jn_bake_end(bake, NULL);
    shaped_free(&scene);
}

TEST(textile_falls_on_a_floor_and_lies_there) {
    ShapedBody scene;
    JnBake *bake;
    JnMessage message;
    JnCollider floor;
    JnShape shape = shaped_shape("cloth", 0.5, 0.5, 8, 8);
    CHECK(shaped_init(&scene, "textile", &shape, 0));
    jn_collider_init(&floor, sizeof floor);
    scene.desc.colliders = &floor;
    scene.desc.collider_count = 1;
    floor.point[2] = -0.1;
    floor.normal[1] = 0, floor.normal[2] = 1;
    scene.desc.gravity[2] = -9.81;
    scene.desc.frame_count = 49;
    scene.body.material.stiffness_damping = 0.005;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 49, &message) == JN_OK);
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        CHECK_NEAR(bake->motion.state.q[3 * v + 2], -0.1, 2e-3);
    CHECK(system_kinetic_energy(&bake->model.system, bake->motion.state.v) < 1e-6);
    jn_bake_end(bake, NULL);
    shaped_free(&scene);
}

TEST(flag_is_the_same_on_two_threads_and_after_a_resume) {
    const char *paths[] = {whole_path, parts_path};
    for (int run = 0; run < 2; ++run) {
        ShapedBody scene;
        JnBake *bake;
        JnMessage message;
        CHECK(open_flag(&scene));
        scene.desc.frame_count = 8;
        scene.desc.output_path = paths[run];
        scene.desc.thread_count = 1 + (uint32_t)run;
        CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
        CHECK(advance_frames(bake, run ? 3 : 8, &message) == JN_OK);
        CHECK(jn_bake_end(bake, &message) == JN_OK);
        if (run) {
            scene.desc.resume = 1;
            CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
            CHECK(advance_frames(bake, 5, &message) == JN_OK);
            CHECK(jn_bake_end(bake, &message) == JN_OK);
        }
        shaped_free(&scene);
    }
    CHECK(whole_equals_parts());
}
