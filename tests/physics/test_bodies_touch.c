/* Bodies that touch each other and themselves, with both methods of contact, against theory. */
#include "baking.h"
#include "exact_intersection.h"
#include "harness.h"

#include "base/math3.h"

static const double G = 9.81;
static const char *const METHODS[] = {"penalty", "barrier"};

/* ------------------------------------------------------------------------------------------------ scenes */

enum { BODIES_MOST = 3 };

/* Up to three bodies, and a floor at y = 0 if collider_count is set to 1. Must not move once it has bodies. */
typedef struct Scene {
    JnBakeDesc desc;
    JnBody bodies[BODIES_MOST];
    TetBox boxes[BODIES_MOST];
    JnRegion pins[BODIES_MOST];
    double *velocities[BODIES_MOST]; /* or NULL */
    float *weights[BODIES_MOST];
    JnCollider floor;
    JnBake *bake;
    JnMessage message;
} Scene;

static void scene_init(Scene *scene, const char *method) {
    memset(scene, 0, sizeof *scene);
    jn_bake_desc_init(&scene->desc, sizeof scene->desc);
    jn_collider_init(&scene->floor, sizeof scene->floor);
    scene->floor.normal[1] = 1;
    scene->desc.bodies = scene->bodies;
    scene->desc.colliders = &scene->floor;
    scene->desc.contact.method = method;
    scene->desc.thread_count = 1;
    scene->desc.frame_count = 1000;
    scene->desc.gravity[1] = -G;
}

/* A body of a stiff material at this place; tets or a surface are to be given. */
static JnBody *scene_add(Scene *scene, double x, double y, double z) {
    static const char *const names[BODIES_MOST] = {"first", "second", "third"};
    JnBody *body = &scene->bodies[scene->desc.body_count];
    jn_body_init(body, sizeof *body);
    body->name = names[scene->desc.body_count++];
    body->material.young_modulus = 1e6;
    body->material.stiffness_damping = 0.002;
    body->transform[3] = x;
    body->transform[7] = y;
    body->transform[11] = z;
    return body;
}

/* A box of cells, its corner of least coordinates at this place. */
static JnBody *scene_add_box(Scene *scene, const uint32_t cells[3], double cell, double x, double y, double z) {
    TetBox *box = &scene->boxes[scene->desc.body_count];
    *box = tet_box_make(cells[0], cells[1], cells[2], cell);
    JnBody *body = scene_add(scene, x, y, z);
    body->tets = tet_box_view(box);
    return body;
}

/* A cube of 10 cm. */
static JnBody *scene_add_cube(Scene *scene, double x, double y, double z) {
    return scene_add_box(scene, (const uint32_t[]){2, 2, 2}, 0.05, x, y, z);
}

/* Pins the points of the last body below a height in its own space. */
static void scene_pin_below(Scene *scene, double height) {
    uint32_t last = scene->desc.body_count - 1, count = scene->bodies[last].tets.vertex_count;
    JnRegion *pin = &scene->pins[last];
    scene->weights[last] = malloc(count * sizeof(float));
    for (uint32_t v = 0; v < count; ++v)
        scene->weights[last][v] = scene->bodies[last].tets.positions[3 * v + 1] < height;
    jn_region_init(pin, sizeof *pin);
    pin->effect = "pin";
    pin->weights = scene->weights[last];
    pin->weight_count = count;
    scene->bodies[last].regions = pin;
    scene->bodies[last].region_count = 1;
}

/* Lets the last body start with this velocity. */
static void scene_throw(Scene *scene, double x, double y, double z) {
    uint32_t last = scene->desc.body_count - 1, count = scene->bodies[last].tets.vertex_count;
    const double velocity[3] = {x, y, z};
    scene->velocities[last] = malloc(3 * (size_t)count * sizeof(double));
    for (size_t i = 0; i < 3 * (size_t)count; ++i)
        scene->velocities[last][i] = velocity[i % 3];
    scene->bodies[last].start_velocities = scene->velocities[last];
}

/* Bakes the start pose and so many frames after it. */
static JnStatus scene_begin(Scene *scene, uint32_t frames) {
    JnStatus status = jn_bake_begin(&scene->desc, &scene->bake, &scene->message);
    if (status == JN_OK)
        status = advance_frames(scene->bake, 1 + frames, &scene->message);
    if (status != JN_OK)
        printf("%s\n", scene->message.text);
    return status;
}

static void scene_end(Scene *scene) {
    jn_bake_end(scene->bake, NULL);
    for (uint32_t b = 0; b < BODIES_MOST; ++b) {
        tet_box_free(&scene->boxes[b]);
        free(scene->velocities[b]);
        free(scene->weights[b]);
    }
}

/* ------------------------------------------------------------------------------------------------ measures */

/* The cached points of a body that is where its description places it, in the scene. The caller frees them. */
static double *scene_points(const Scene *scene, uint32_t body, uint32_t *count) {
    jn_bake_positions(scene->bake, body, NULL, 0, count, NULL);
    double *points = calloc(3 * (size_t)*count + 1, sizeof *points);
    jn_bake_positions(scene->bake, body, points, 3 * (size_t)*count, count, NULL);
    for (uint32_t v = 0; v < *count; ++v)
        affine_apply(scene->bodies[body].transform, &points[3 * (size_t)v], &points[3 * (size_t)v]);
    return points;
}

/* Mean and extremes along every axis. NaN if a point is not finite. */
typedef struct Extent {
    double mean[3], least[3], most[3];
} Extent;

static Extent extent_of(const Scene *scene, uint32_t body) {
    Extent extent = {{0, 0, 0}, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    uint32_t count;
    double *points = scene_points(scene, body, &count);
    for (size_t i = 0; i < 3 * (size_t)count; ++i) {
        extent.mean[i % 3] += points[i] / count;
        extent.least[i % 3] = isfinite(points[i]) ? fmin(extent.least[i % 3], points[i]) : NAN;
        extent.most[i % 3] = isfinite(points[i]) ? fmax(extent.most[i % 3], points[i]) : NAN;
    }
    free(points);
    return extent;
}

static double distance_of(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static JnMotion motion_of(Scene *scene) {
    JnMotion motion = {.struct_size = sizeof motion};
    if (jn_bake_motion(scene->bake, &motion, &scene->message) != JN_OK)
        motion.total_energy = motion.kinetic_energy = motion.largest_speed = NAN;
    return motion;
}

/* ------------------------------------------------------------------------------------------------ stacks */

/* Cubes of these densities, the lowest first, are set on each other and left for so many seconds. Over all but the
   first second, how far the mean of any of them moves, m; NaN: failed. At the end, kinetic energy over what lifts the
   lightest by its height, and where the top is. */
static double stand(const char *method, uint32_t count, const double *densities, uint32_t seconds, double *kinetic,
                    double *top) {
    Scene scene;
    double drift = NAN, lightest = INFINITY;
    scene_init(&scene, method);
    scene.desc.collider_count = 1;
    for (uint32_t b = 0; b < count; ++b) {
        JnBody *body = scene_add_cube(&scene, 0.01 * b, 5e-4 + 0.1005 * b, 0);
        body->material.density = densities[b];
        lightest = fmin(lightest, densities[b]);
    }
    *kinetic = *top = NAN;
    if (scene_begin(&scene, 24) == JN_OK) {
        Extent early[BODIES_MOST];
        for (uint32_t b = 0; b < count; ++b)
            early[b] = extent_of(&scene, b);
        drift = advance_frames(scene.bake, 24 * (seconds - 1), &scene.message) == JN_OK ? 0 : NAN;
        for (uint32_t b = 0; b < count; ++b) {
            Extent late = extent_of(&scene, b);
            drift = fmax(drift, distance_of(early[b].mean, late.mean));
            *top = late.most[1];
        }
        *kinetic = motion_of(&scene).kinetic_energy / (lightest * 0.001 * G * 0.1);
    }
    scene_end(&scene);
    return drift;
}

static void check_stacks(uint32_t count, const double *densities, uint32_t seconds, double highest, double lowest) {
    for (int m = 0; m < 2; ++m) {
        double kinetic, top, drift = stand(METHODS[m], count, densities, seconds, &kinetic, &top);
        printf("%s: %u cubes drift %.3g mm, kinetic energy %.2g, top at %.4f m\n", METHODS[m], count, 1e3 * drift,
               kinetic, top);
        CHECK(drift < 1e-3);
        CHECK(kinetic < 1e-7);
        CHECK(top > lowest && top < highest);
    }
}

SLOW_TEST(two_cubes_on_each_other_stand_quietly_for_ten_seconds) {
    const double densities[] = {1000, 1000};
    check_stacks(2, densities, 10, 0.201, 0.199);
}

SLOW_TEST(three_cubes_on_each_other_stand_quietly_for_ten_seconds) {
    const double densities[] = {1000, 1000, 1000};
    check_stacks(3, densities, 10, 0.3015, 0.299);
}

SLOW_TEST(light_cube_stands_on_a_heavy_one) {
    const double densities[] = {10000, 10};
    check_stacks(2, densities, 4, 0.201, 0.199);
}

SLOW_TEST(heavy_cube_stands_on_a_light_one) {
    /* its weight presses with 9.81 kPa on a material of 1 MPa, that is by 1 % of 10 cm, and its own by half of that */
    const double densities[] = {10, 10000};
    check_stacks(2, densities, 4, 0.2, 0.1975);
}

/* ------------------------------------------------------------------------------------------------ friction */

/* How far a block slides in `seconds` on another one which is fixed, where gravity is inclined by `angle`; NaN: failed.
   The coefficients are those of the lower and of the upper block. */
static double slid_on_block(const char *method, double angle, double lower_mu, double upper_mu, double seconds) {
    Scene scene;
    scene_init(&scene, method);
    scene.desc.gravity[0] = G * sin(angle);
    scene.desc.gravity[1] = -G * cos(angle);
    scene_add_box(&scene, (const uint32_t[]){12, 1, 3}, 0.1, 0, -0.1, -0.15)->friction = lower_mu;
    scene_pin_below(&scene, 1);
    JnBody *block = scene_add_box(&scene, (const uint32_t[]){3, 1, 2}, 0.07, 0.1, 3e-4, -0.07);
    block->friction = upper_mu;
    double slid = NAN;
    if (scene_begin(&scene, 2) == JN_OK) { /* it lies */
        Extent start = extent_of(&scene, 1);
        double before = motion_of(&scene).momentum[0];
        JnStatus status = advance_frames(scene.bake, (uint32_t)lround(24 * seconds), &scene.message);
        Extent end = extent_of(&scene, 1);
        double mass = block->material.density * 6 * 0.07 * 0.07 * 0.07;
        slid = status == JN_OK ? end.mean[0] - start.mean[0] - before / mass * seconds : NAN;
    }
    scene_end(&scene);
    return slid;
}

/* By theory, if mu holds between the two. */
static void check_slides(const char *method, double lower_mu, double upper_mu, double mu) {
    double steep = atan(1.5 * mu), flat = atan(0.95 * mu), seconds = 0.5;
    double expected = 0.5 * G * (sin(steep) - mu * cos(steep)) * seconds * seconds;
    double slid = slid_on_block(method, steep, lower_mu, upper_mu, seconds);
    double held = slid_on_block(method, flat, lower_mu, upper_mu, seconds);
    printf("%s: mu %.2f slides %.4f of the rigid distance, creeps %.3g mm\n", method, mu, slid / expected, 1e3 * held);
    CHECK_NEAR(slid, expected, 0.04 * expected);
    CHECK(fabs(held) < 1e-4 * seconds); /* slower than the speed at which friction is smoothed */
}

SLOW_TEST(block_on_a_block_slips_if_and_only_if_tan_exceeds_mu) {
    for (int m = 0; m < 2; ++m)
        for (double mu = 0.2; mu < 0.9; mu += 0.3)
            check_slides(METHODS[m], mu, mu, mu);
}

SLOW_TEST(friction_of_two_bodies_is_the_geometric_mean) {
    for (int m = 0; m < 2; ++m) {
        check_slides(METHODS[m], 0.9, 0.1, 0.3);
        check_slides(METHODS[m], 0.1, 0.9, 0.3);
        check_slides(METHODS[m], NAN, 0.3, 0.3);
        check_slides(METHODS[m], 0.3, NAN, 0.3);
        check_slides(METHODS[m], NAN, NAN, 0.5);
    }
}

/* ------------------------------------------------------------------------------------------------ collisions */

/* A ball of 10 cm flies at 2 m/s at an equal one, `aside` beside its centre, in a space without gravity. */
static void collide(const char *method, const char *integrator, uint32_t steps_per_frame, double aside) {
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
        body->material.young_modulus = 1e5;
        body->material.stiffness_damping = 0;
        if (b == 0)
            scene_throw(&scene, 2, 0, 0);
    }
    CHECK(scene_begin(&scene, 0) == JN_OK);
    JnMotion first = motion_of(&scene);
    double gain = 0, lost = 0, stored = 0;
    CHECK(first.momentum[0] > 0.5);
    for (int frame = 0; frame < 12; ++frame) {
        CHECK(advance(scene.bake, &scene.message) == JN_OK);
        JnMotion now = motion_of(&scene);
        gain = fmax(gain, now.total_energy / first.total_energy - 1);
        lost = fmax(lost, distance_of(now.momentum, first.momentum) / first.momentum[0]);
        stored = fmax(stored, now.elastic_energy / first.total_energy);
    }
    Extent from = extent_of(&scene, 0), to = extent_of(&scene, 1);
    printf("%s %s: momentum changes by %.2g, energy grows by %.2g; %.3f of it was in the balls; %.3f m apart\n", method,
           integrator, lost, gain, stored, distance_of(from.mean, to.mean));
    CHECK(stored > 0.05); /* they met */
    CHECK(lost < 1e-11);
    CHECK(gain < 1e-6);
    CHECK(distance_of(from.mean, to.mean) > 0.099 && to.mean[0] > 0.17);
    scene_end(&scene);
    jn_mesh_free(ball);
}

TEST(balls_that_collide_keep_their_momentum_and_gain_no_energy) {
    static const char *const integrators[] = {"si", "ssdirk", "be", "midpoint"};
    for (int m = 0; m < 2; ++m)
        for (int i = 0; i < 4; ++i) {
            collide(METHODS[m], integrators[i], 8, 0);
            collide(METHODS[m], integrators[i], 2, 0.03);
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
    for (int m = 0; m < 2; ++m) {
        CHECK_NEAR(fallen(METHODS[m], 4, 6, 1), free_fall, 1e-9);
        CHECK_NEAR(fallen(METHODS[m], 0, 0, 0), free_fall, 1e-9);
        CHECK_NEAR(fallen(METHODS[m], 4, 2, 1), 0.01, 0.002);
        CHECK_NEAR(fallen(METHODS[m], 0, 0, 1), 0.01, 0.002);
    }
}

TEST(body_and_collider_of_one_ignored_group_pass_through_each_other) {
    const double h = 1.0 / 96, free_fall = G * h * h * 48 * 49 / 2;
    for (int m = 0; m < 2; ++m)
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

/* ------------------------------------------------------------------------------------------------ folds */

enum { LONG = 24, WIDE = 6, SHEET_POINTS = (LONG + 1) * (WIDE + 1), SHEET_FACES = 2 * LONG * WIDE };

/* A sheet of 40 by 10 cm. */
typedef struct Sheet {
    double flat[3 * SHEET_POINTS], folded[3 * SHEET_POINTS];
    uint32_t sizes[SHEET_FACES], corners[3 * SHEET_FACES], edges[6 * SHEET_FACES];
} Sheet;

/* Folded in the middle around a radius of 2 cm, its lower half at `height`. */
static JnSurface sheet_make(Sheet *sheet, double height) {
    const double cell = 0.4 / LONG, radius = 0.02, pi = acos(-1), arc = pi * radius, leg = (0.4 - arc) / 2;
    for (uint32_t v = 0; v < SHEET_POINTS; ++v) {
        double along = cell * (v % (LONG + 1)), z = 0.1 / WIDE * (v / (LONG + 1));
        double angle = fmin(fmax((along - leg) / radius, 0), pi);
        double x = along < leg ? along : along > leg + arc ? leg - (along - leg - arc) : leg + radius * sin(angle);
        const double flat[3] = {along, 0, z}, folded[3] = {x, height + radius * (1 - cos(angle)), z};
        memcpy(&sheet->flat[3 * v], flat, sizeof flat);
        memcpy(&sheet->folded[3 * v], folded, sizeof folded);
    }
    uint32_t *corner = sheet->corners, *edge = sheet->edges;
    for (uint32_t j = 0; j < WIDE; ++j)
        for (uint32_t i = 0; i < LONG; ++i) {
            uint32_t a = j * (LONG + 1) + i, d = a + LONG + 1;
            const uint32_t two[6] = {a, d, a + 1, a + 1, d, d + 1};
            memcpy(corner, two, sizeof two);
            corner += 6;
        }
    for (uint32_t f = 0; f < SHEET_FACES; ++f) {
        sheet->sizes[f] = 3;
        for (uint32_t k = 0; k < 3; ++k, edge += 2) {
            edge[0] = sheet->corners[3 * f + k];
            edge[1] = sheet->corners[3 * f + (k + 1) % 3];
        }
    }
    return (JnSurface){.vertex_count = SHEET_POINTS,
                       .face_count = SHEET_FACES,
                       .corner_count = 3 * SHEET_FACES,
                       .positions = sheet->flat,
                       .face_sizes = sheet->sizes,
                       .face_vertices = sheet->corners};
}

/* A limp folded sheet falls on the floor and its upper half on the lower one: at how many frames it crosses itself. */
static int frames_crossed(const char *method, uint32_t self_contact, Extent *end) {
    static Sheet sheet;
    Scene scene;
    int crossed = -1;
    scene_init(&scene, method);
    scene.desc.collider_count = 1;
    JnBody *body = scene_add(&scene, 0, 0, 0);
    body->kind = "textile";
    body->surface = sheet_make(&sheet, 0.01);
    body->start_positions = sheet.folded;
    body->springs.structural = 100;
    body->springs.bending = 0.02;
    body->springs.mass_per_area = 0.2;
    body->self_contact = self_contact;
    JnStatus status = scene_begin(&scene, 0);
    for (int frame = 0; status == JN_OK && frame < 36; ++frame) {
        uint32_t count;
        status = advance(scene.bake, &scene.message);
        double *points = scene_points(&scene, 0, &count);
        crossed = frame == 0 ? 0 : crossed;
        crossed += exact_count_crossings(points, sheet.edges, 3 * SHEET_FACES, sheet.corners, SHEET_FACES, NULL) != 0;
        free(points);
    }
    *end = extent_of(&scene, 0);
    scene_end(&scene);
    return status == JN_OK ? crossed : -1;
}

SLOW_TEST(folded_sheet_lies_on_itself) {
    for (int m = 0; m < 2; ++m) {
        Extent end;
        int without = frames_crossed(METHODS[m], 0, &end), with = frames_crossed(METHODS[m], 1, &end);
        printf("%s: crossed at %d frames without self-contact, at %d with it; heights %.2g to %.2g m\n", METHODS[m],
               without, with, end.least[1], end.most[1]);
        CHECK(without > 0 && with == 0);
        CHECK(end.least[1] > -1e-3 && end.most[1] < 0.06);
    }
}

/* ------------------------------------------------------------------------------------------------ overlaps */

static JnContactFrame contact_of(Scene *scene) {
    JnContactFrame contact = {.struct_size = sizeof contact};
    jn_bake_contact(scene->bake, &contact, &scene->message);
    return contact;
}

/* Two cubes on the floor, one 3 cm inside the other. */
static void overlap_init(Scene *scene, const char *method) {
    scene_init(scene, method);
    scene->desc.collider_count = 1;
    scene_add_cube(scene, 0, 2e-4, 0);
    scene_add_cube(scene, 0.07, 2e-4, 0.01);
}

TEST(bodies_that_begin_inside_each_other_are_reported_and_neither_stop_the_bake_nor_explode) {
    for (int m = 0; m < 2; ++m) {
        Scene scene;
        overlap_init(&scene, METHODS[m]);
        CHECK(scene_begin(&scene, 0) == JN_OK);
        JnContactFrame first = contact_of(&scene);
        CHECK(first.overlap_count > 0 && first.overlap_first && first.overlap_second);
        double fastest = 0;
        for (int frame = 0; frame < 72; ++frame) {
            CHECK(advance(scene.bake, &scene.message) == JN_OK);
            fastest = fmax(fastest, motion_of(&scene).largest_speed);
        }
        Extent left = extent_of(&scene, 0), right = extent_of(&scene, 1);
        printf("%s: at most %.2f m/s, %.1f mm apart at the end\n", METHODS[m], fastest,
               1e3 * (right.least[0] - left.most[0]));
        CHECK(fastest < 1);
        /* not deeper than at first, and both still on the floor */
        CHECK(right.least[0] - left.most[0] > -0.031 && right.least[0] - left.most[0] < 0.1);
        CHECK(fabs(left.mean[1] - 0.05) < 5e-3 && fabs(right.mean[1] - 0.05) < 5e-3);
        scene_end(&scene);
    }
}

TEST(strict_contact_refuses_bodies_that_begin_inside_each_other) {
    for (int m = 0; m < 2; ++m) {
        Scene scene;
        overlap_init(&scene, METHODS[m]);
        scene.desc.contact.strict = 1;
        CHECK(jn_bake_begin(&scene.desc, &scene.bake, &scene.message) == JN_OK);
        CHECK(advance(scene.bake, &scene.message) == JN_ERR_OVERLAP);
        CHECK_STR_HAS(scene.message.text, "first");
        CHECK_STR_HAS(scene.message.text, "second");
        scene_end(&scene);
    }
}

/* The frame after the last one, to which the second body is moved by its animation. */
static JnStatus advance_second(Scene *scene, double height) {
    JnFrameInput input;
    JnBodyInput bodies[2];
    jn_frame_input_init(&input, sizeof input);
    for (int b = 0; b < 2; ++b)
        jn_body_input_init(&bodies[b], sizeof bodies[b]);
    bodies[1].has_transform = 1;
    memcpy(bodies[1].transform, scene->bodies[1].transform, sizeof bodies[1].transform);
    bodies[1].transform[7] = height;
    input.frame = jn_bake_next_frame(scene->bake);
    input.bodies = bodies;
    input.body_count = 2;
    return jn_bake_advance(scene->bake, &input, &scene->message);
}

SLOW_TEST(arm_driven_through_a_belly_into_the_floor_neither_stops_the_bake_nor_explodes) {
    for (int m = 0; m < 2; ++m) {
        Scene scene;
        scene_init(&scene, METHODS[m]);
        scene.desc.collider_count = 1;
        scene_add_box(&scene, (const uint32_t[]){4, 4, 4}, 0.05, 0, 1e-3, 0);
        scene.bodies[0].material.young_modulus = 2e4;
        scene.bodies[0].material.stiffness_damping = 0.01;
        scene_pin_below(&scene, 0.01);
        const double above = 0.25, below = -0.03;
        scene_add_box(&scene, (const uint32_t[]){2, 2, 10}, 0.03, 0.07, above, -0.05);
        scene_pin_below(&scene, 1);
        CHECK(scene_begin(&scene, 0) == JN_OK);
        double fastest = 0, deepest = 0, widest = 0;
        uint32_t overlaps = 0;
        for (int frame = 1; frame <= 48; ++frame) {
            double part = frame <= 6 ? frame / 6.0 : frame <= 12 ? 1 : fmax(0, 1 - (frame - 12) / 6.0);
            CHECK(advance_second(&scene, above + part * (below - above)) == JN_OK);
            JnContactFrame contact = contact_of(&scene);
            Extent belly = extent_of(&scene, 0);
            fastest = fmax(fastest, motion_of(&scene).largest_speed);
            deepest = fmax(deepest, contact.deepest_penetration);
            overlaps = contact.overlap_count > overlaps ? contact.overlap_count : overlaps;
            for (int i = 0; i < 3; ++i)
                widest = fmax(widest, belly.most[i] - belly.least[i]);
        }
        Extent belly = extent_of(&scene, 0);
        printf("%s: at most %.2f m/s, %.2f m wide, %.3f m deep, %u overlaps; its top at %.4f m\n", METHODS[m], fastest,
               widest, deepest, overlaps, belly.most[1]);
        /* the arm moves at 1.1 m/s; what snaps back after it may be faster */
        CHECK(fastest < 8 && widest < 0.6);
        /* in the pins of the belly and in the floor there was no room for it */
        CHECK(overlaps > 0);
        /* when it has gone, the belly is as it was, but for its weight: less than 10 % of 20 cm */
        CHECK(belly.most[1] > 0.18 && belly.most[1] < 0.203);
        CHECK(motion_of(&scene).largest_speed < 0.05);
        scene_end(&scene);
    }
}
