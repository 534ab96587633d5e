/* Bodies that fold over themselves, begin inside each other, or are pressed where there is no room. */
#include "exact_intersection.h"
#include "harness.h"
#include "touching.h"

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

static void check_fold(const char *method) {
    Extent end;
    int without = frames_crossed(method, 0, &end), with = frames_crossed(method, 1, &end);
    printf("%s: crossed at %d frames without self-contact, at %d with it; heights %.2g to %.2g m\n", method, without,
           with, end.least[1], end.most[1]);
    CHECK(without > 0 && with == 0);
    CHECK(end.least[1] > -1e-3 && end.most[1] < 0.06);
}

LONG_TEST(folded_sheet_lies_on_itself) {
    for (int m = 0; m < METHOD_COUNT; ++m)
        check_fold(METHODS[m]);
}

/* ------------------------------------------------------------------------------------------------ overlaps */

/* Two cubes on the floor, one 3 cm inside the other. */
static void overlap_init(Scene *scene, const char *method) {
    scene_init(scene, method);
    scene->desc.collider_count = 1;
    scene_add_cube(scene, 0, 2e-4, 0);
    scene_add_cube(scene, 0.07, 2e-4, 0.01);
}

static void check_overlap(const char *method) {
    Scene scene;
    double fastest = 0, apart = NAN;
    int unreported = 0;
    overlap_init(&scene, method);
    CHECK(scene_begin(&scene, 0) == JN_OK);
    JnContactFrame first = contact_of(&scene);
    CHECK(first.overlap_count > 0 && first.overlap_first && first.overlap_second);
    for (int frame = 0; frame < 24; ++frame) {
        CHECK(advance(scene.bake, &scene.message) == JN_OK);
        apart = extent_of(&scene, 1).least[0] - extent_of(&scene, 0).most[0];
        unreported += apart < -1e-3 && contact_of(&scene).overlap_count == 0;
        fastest = fmax(fastest, motion_of(&scene).largest_speed);
    }
    Extent left = extent_of(&scene, 0), right = extent_of(&scene, 1);
    uint32_t cut_steps = cut_steps_of(&scene);
    printf("%s: at most %.2f m/s, %.1f mm apart at the end, %d frames not reported, %u steps cut\n", method, fastest,
           1e3 * apart, unreported, cut_steps);
    scene_end(&scene);
    CHECK(fastest < 1);
    /* not deeper than at first, and both still on the floor */
    CHECK(apart > -0.0305 && apart < 0.1);
    CHECK(fabs(left.mean[1] - 0.05) < 5e-3 && fabs(right.mean[1] - 0.05) < 5e-3);
    CHECK(unreported == 0);
    CHECK(cut_steps < 24 * 4);
}

SLOW_TEST(bodies_that_begin_inside_each_other_are_reported_and_neither_stop_the_bake_nor_explode) {
    for (int m = 0; m < METHOD_COUNT; ++m)
        check_overlap(METHODS[m]);
}

TEST(strict_contact_refuses_bodies_that_begin_inside_each_other) {
    for (int m = 0; m < METHOD_COUNT; ++m) {
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

/* The arm below moves at 1.1 m/s. What it has crushed to nothing holds 35 kJ/m3, which is 8.3 m/s when it is let go; a
   corner that snaps back may be twice as fast. */
static const double FASTEST = 17;

typedef struct Press {
    double fastest, widest, slowest; /* m/s, m at any frame; m/s at the end */
    uint32_t overlaps;               /* at any frame */
    uint32_t cut_steps;
    Extent belly; /* at the end */
} Press;

/* An arm, all of it pinned, is pressed into a soft belly of 20 cm, whose lower side is pinned on the floor, until its
   own lower side is at the height `to`; it stays there, and goes back. The frames take a quarter of a second each way.
 */
static JnStatus press(const char *method, double to, int frame_count, Press *result) {
    Scene scene;
    const double from = 0.25;
    memset(result, 0, sizeof *result);
    scene_init(&scene, method);
    scene.desc.collider_count = 1;
    JnBody *belly = scene_add_box(&scene, (const uint32_t[]){4, 4, 4}, 0.05, 0, 1e-3, 0);
    belly->material.young_modulus = 2e4;
    belly->material.stiffness_damping = 0.01;
    belly->friction = 0; /* so that the arm does not take it along */
    scene_pin_below(&scene, 0.01);
    scene_add_box(&scene, (const uint32_t[]){2, 2, 10}, 0.03, 0.07, from, -0.05)->friction = 0;
    scene_pin_below(&scene, 1);
    JnStatus status = scene_begin(&scene, 0);
    for (int frame = 1; status == JN_OK && frame <= frame_count && !(result->fastest > FASTEST); ++frame) {
        double part = frame <= 6 ? frame / 6.0 : frame <= 12 ? 1 : fmax(0, 1 - (frame - 12) / 6.0);
        status = advance_second(&scene, from + part * (to - from));
        result->belly = extent_of(&scene, 0);
        result->slowest = motion_of(&scene).largest_speed;
        result->fastest = fmax(result->fastest, result->slowest);
        uint32_t overlaps = contact_of(&scene).overlap_count;
        result->overlaps = overlaps > result->overlaps ? overlaps : result->overlaps;
        for (int i = 0; i < 3; ++i)
            result->widest = fmax(result->widest, result->belly.most[i] - result->belly.least[i]);
    }
    result->cut_steps = cut_steps_of(&scene);
    printf("%s: %s; at most %.2f m/s, %.2f m wide, %u overlaps, %u steps cut; at the end %.3f m high, %.3f m/s\n",
           method, status == JN_OK ? "done" : scene.message.text, result->fastest, result->widest, result->overlaps,
           result->cut_steps, result->belly.most[1], result->slowest);
    scene_end(&scene);
    return status;
}

static void check_possible_press(const char *method) {
    Press result;
    CHECK(press(method, 0.06, 48, &result) == JN_OK);
    CHECK(result.overlaps == 0);
    CHECK(result.fastest < 3 && result.widest < 0.3);
    /* its own weight makes it 3 % shorter than 20 cm, at most */
    CHECK(result.belly.most[1] > 0.191 && result.belly.most[1] < 0.201 && result.slowest < 0.05);
}

SLOW_TEST(arm_pressed_into_a_belly_does_not_enter_it_and_leaves_it_as_it_was) {
    for (int m = 0; m < METHOD_COUNT; ++m)
        check_possible_press(METHODS[m]);
}

static void check_impossible_press(const char *method) {
    Press result;
    CHECK(press(method, -0.03, 24, &result) == JN_OK);
    CHECK(result.overlaps > 0); /* there is no room for it */
    CHECK(result.fastest < FASTEST && result.widest < 0.6);
    CHECK(result.cut_steps < 24 * 4);
}

SLOW_TEST(arm_pressed_through_a_belly_into_the_floor_neither_stops_the_bake_nor_explodes) {
    for (int m = 0; m < METHOD_COUNT; ++m)
        check_impossible_press(METHODS[m]);
}

/* Nothing pins this belly, and it is rough: the arm takes it along, folds it and presses it flat. */
SLOW_TEST(arm_pressed_through_a_loose_belly_does_not_stop_the_bake) {
    Scene scene;
    double fastest = 0;
    uint32_t overlaps = 0;
    scene_init(&scene, "barrier");
    scene.desc.collider_count = 1;
    JnBody *belly = scene_add_box(&scene, (const uint32_t[]){4, 4, 4}, 0.05, 0, 1e-3, 0);
    belly->material.young_modulus = 2e4;
    belly->material.poisson_ratio = 0.45;
    belly->material.stiffness_damping = 0.005;
    scene_add_box(&scene, (const uint32_t[]){1, 1, 4}, 0.06, 0.07, 0.21, -0.02);
    scene_pin_below(&scene, 1);
    JnStatus status = scene_begin(&scene, 0);
    for (int frame = 1; status == JN_OK && frame <= 6; ++frame) {
        status = advance_second(&scene, 0.21 - frame * 0.05);
        fastest = fmax(fastest, motion_of(&scene).largest_speed);
        overlaps = contact_of(&scene).overlap_count;
    }
    printf("%s; at most %.2f m/s, %u overlaps at the end, %u steps cut\n",
           status == JN_OK ? "done" : scene.message.text, fastest, overlaps, cut_steps_of(&scene));
    CHECK(status == JN_OK);
    CHECK(overlaps > 0 && fastest < FASTEST);
    scene_end(&scene);
}
