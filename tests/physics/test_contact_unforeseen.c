/* What the start of a step does not show, and what other things must not switch off: with both methods of contact. */
#include "harness.h"
#include "touching.h"

/* A cube of 10 cm, all of it free but its upper side, is 2 cm over the floor; in one step its pins come down by
   `down`. How high its lowest point is after that. */
static double lowest_after_a_jump(const char *method, const char *integrator, double down) {
    Scene scene;
    double lowest = NAN;
    scene_init(&scene, method);
    scene.desc.collider_count = 1;
    scene.desc.steps_per_frame = 1;
    scene.desc.gravity[1] = 0;
    scene.desc.integrator = integrator;
    JnBody *body = scene_add_cube(&scene, 0, 0.02, 0);
    scene_pin_below(&scene, 1);
    for (uint32_t v = 0; v < body->tets.vertex_count; ++v)
        scene.weights[0][v] = body->tets.positions[3 * v + 1] > 0.09f;
    JnBodyInput input;
    JnFrameInput frame;
    jn_body_input_init(&input, sizeof input);
    jn_frame_input_init(&frame, sizeof frame);
    if (scene_begin(&scene, 1) == JN_OK) {
        input.has_transform = 1;
        memcpy(input.transform, body->transform, sizeof input.transform);
        input.transform[7] -= down;
        frame.bodies = &input;
        frame.body_count = 1;
        frame.frame = jn_bake_next_frame(scene.bake);
        if (jn_bake_advance(scene.bake, &frame, &scene.message) == JN_OK) {
            uint32_t count;
            double *points = calloc(3 * 27, sizeof *points);
            jn_bake_positions(scene.bake, 0, points, 3 * 27, &count, NULL);
            lowest = INFINITY; /* in the object's space, which has come down */
            for (uint32_t v = 0; v < count; ++v)
                lowest = fmin(lowest, points[3 * v + 1] + input.transform[7]);
            free(points);
        }
    }
    scene_end(&scene);
    return lowest;
}

TEST(points_that_pins_take_behind_a_floor_are_held_in_that_step) {
    static const char *const integrators[] = {"si", "be", "ssdirk", "newmark", "midpoint", "bdf2"};
    for (int m = 0; m < METHOD_COUNT; ++m)
        for (int k = 0; k < 6; ++k) {
            double lowest = lowest_after_a_jump(METHODS[m], integrators[k], 0.05);
            printf("%s, %s: lowest at %.3g mm\n", METHODS[m], integrators[k], 1e3 * lowest);
            CHECK(lowest > (m == 0 ? -1e-3 : 0));
        }
}

static JnMesh *make_ball(double size, JnMeshView *view) {
    JnShape shape;
    JnMesh *ball = NULL;
    *view = (JnMeshView){.struct_size = sizeof *view};
    jn_shape_init(&shape, sizeof shape, "ball");
    shape.size[0] = shape.size[1] = shape.size[2] = size;
    shape.cells[0] = 4;
    if (jn_shape_make(&shape, &ball, NULL) == JN_OK)
        jn_mesh_view(ball, view, NULL);
    return ball;
}

/* A ball drops on an arm that is modelled into a chest; both are pinned. How low its lowest point is at the end. */
static double falls_to(const char *method, double into_chest) {
    Scene scene;
    JnMeshView view;
    double lowest = NAN;
    JnMesh *ball = make_ball(0.1, &view);
    scene_init(&scene, method);
    scene_add_box(&scene, (const uint32_t[]){1, 1, 1}, 0.2, 0, 0, 0);
    scene_pin_below(&scene, 1);
    scene_add_box(&scene, (const uint32_t[]){1, 1, 1}, 0.2, 0.2 - into_chest, 0.013, 0.017);
    scene_pin_below(&scene, 1);
    scene_add(&scene, 0.3, 0.28, 0.1)->tets = view.tets;
    if (scene_begin(&scene, 24) == JN_OK)
        lowest = extent_of(&scene, 2).least[1];
    scene_end(&scene);
    jn_mesh_free(ball);
    return lowest;
}

TEST(overlap_of_two_bodies_does_not_let_a_third_one_through) {
    for (int m = 0; m < METHOD_COUNT; ++m) {
        double beside = falls_to(METHODS[m], -0.02), overlapping = falls_to(METHODS[m], 0.05);
        printf("%s: lies at %.4f m on an arm beside the chest, at %.4f on one inside of it\n", METHODS[m], beside,
               overlapping);
        CHECK(beside > 0.21 && overlapping > 0.21);
    }
}

/* A slab of one cell falls on a ball that is smaller than its faces. How low its lowest point is at the end. */
static double slab_on(const char *kind, const char *method, double thickness) {
    Scene scene;
    scene_init(&scene, method);
    scene.desc.collider_count = 1;
    scene.floor.kind = kind;
    scene.floor.radius = 0.05;
    scene.floor.end[2] = 0.01;
    scene.desc.contact.thickness = thickness;
    scene_add_box(&scene, (const uint32_t[]){1, 1, 1}, 0.4, -0.2, 0.06, -0.2);
    double lowest = scene_begin(&scene, 8) == JN_OK ? extent_of(&scene, 0).least[1] : NAN;
    scene_end(&scene);
    return lowest;
}

TEST(face_rests_on_a_ball_and_a_capsule_that_are_smaller_than_it) {
    static const char *const kinds[] = {"sphere", "capsule"};
    for (int m = 0; m < METHOD_COUNT; ++m)
        for (int k = 0; k < 2; ++k) {
            double lowest = slab_on(kinds[k], METHODS[m], NAN);
            printf("%s, %s: lowest at %.4f m\n", METHODS[m], kinds[k], lowest);
            CHECK(lowest > 0.04); /* it begins to tip over */
        }
}

TEST(bodies_hold_each_other_with_a_thickness_of_0) {
    for (int m = 0; m < METHOD_COUNT; ++m) {
        Scene scene;
        scene_init(&scene, METHODS[m]);
        scene.desc.collider_count = 1;
        scene.desc.contact.thickness = 0;
        scene_add_cube(&scene, 0, 1e-3, 0);
        scene_add_cube(&scene, 0.01, 0.103, 0);
        CHECK(scene_begin(&scene, 24) == JN_OK);
        double low = extent_of(&scene, 0).least[1], high = extent_of(&scene, 1).least[1];
        printf("%s: at %.4f and %.4f m\n", METHODS[m], low, high);
        CHECK(low > -2e-3 && high > 0.097);
        scene_end(&scene);
    }
}

/* They fall on each other by 5 cm, their edges exactly over each other. */
TEST(bodies_that_fall_on_each_other_with_a_thickness_of_0_do_not_cross) {
    Scene scene;
    scene_init(&scene, "barrier");
    scene.desc.collider_count = 1;
    scene.desc.contact.thickness = 0;
    for (int b = 0; b < 2; ++b)
        scene_add_cube(&scene, 0, 0.05 + 0.15 * b, 0)->material.young_modulus = 2e4;
    CHECK(scene_begin(&scene, 0) == JN_OK);
    for (int frame = 0; frame < 12; ++frame) {
        CHECK(advance(scene.bake, &scene.message) == JN_OK);
        CHECK(contact_of(&scene).overlap_count == 0);
    }
    scene_end(&scene);
}

TEST(thickness_beyond_all_bodies_is_refused_by_name) {
    for (int where = 0; where < 3; ++where) {
        Scene scene;
        scene_init(&scene, "penalty");
        scene.floor.name = "ground";
        scene.desc.collider_count = 1;
        JnBody *cube = scene_add_cube(&scene, 0, 0.01, 0);
        *(where == 0   ? &scene.desc.contact.thickness
          : where == 1 ? &cube->contact_thickness
                       : &scene.floor.thickness) = 1000;
        CHECK(jn_bake_begin(&scene.desc, &scene.bake, &scene.message) == JN_ERR_ARGUMENT);
        CHECK_STR_HAS(scene.message.text, where == 0 ? "contact.thickness" : where == 1 ? "'first'" : "'ground'");
        CHECK_STR_HAS(scene.message.text, "1000 m");
        scene_end(&scene);
    }
}

TEST(bodies_that_are_modelled_on_each_other_exactly_stand) {
    for (int m = 0; m < METHOD_COUNT; ++m)
        for (double aside = 0; aside < 0.04; aside += 0.03) {
            Scene scene;
            scene_init(&scene, METHODS[m]);
            scene.desc.collider_count = 1;
            scene_add_cube(&scene, 0, 0, 0);
            scene_add_cube(&scene, aside, 0.1, 0);
            CHECK(scene_begin(&scene, 24) == JN_OK);
            double low = extent_of(&scene, 0).least[1], high = extent_of(&scene, 1).least[1];
            printf("%s: at %.4f and %.4f m, %.2g m/s\n", METHODS[m], low, high, motion_of(&scene).largest_speed);
            CHECK(low > -1e-3 && high > 0.099 && high < 0.101 && motion_of(&scene).largest_speed < 1e-3);
            scene_end(&scene);
        }
}

enum { TUBE_SIDES = 12, TUBE_ROWS = 12, TUBE_FACES = TUBE_SIDES * (TUBE_ROWS - 1) * 2 };

/* A tube of twelve flat sides, 4 cm wide, upright, with a wider mouth at a height of 20 cm; rows of triangles go around
   it, one every 43.5 mm. */
typedef struct Tube {
    double positions[TUBE_ROWS * TUBE_SIDES * 3];
    uint32_t sizes[TUBE_FACES], corners[TUBE_FACES * 3];
} Tube;

static JnSurface make_tube(Tube *tube) {
    for (uint32_t row = 0; row < TUBE_ROWS; ++row)
        for (uint32_t side = 0; side < TUBE_SIDES; ++side) {
            uint32_t a = row * TUBE_SIDES + side, b = row * TUBE_SIDES + (side + 1) % TUBE_SIDES;
            double angle = 2 * acos(-1) * side / TUBE_SIDES, radius = row == 0 ? 0.05 : row == 1 ? 0.026 : 0.02;
            double place[3] = {radius * cos(angle), 0.2 - 0.0435 * row, radius * sin(angle)};
            memcpy(&tube->positions[3 * (size_t)a], place, sizeof place);
            uint32_t faces[6] = {a, b, a + TUBE_SIDES, b, b + TUBE_SIDES, a + TUBE_SIDES};
            if (row + 1 < TUBE_ROWS)
                memcpy(&tube->corners[6 * (size_t)a], faces, sizeof faces);
        }
    for (uint32_t f = 0; f < TUBE_FACES; ++f)
        tube->sizes[f] = 3;
    return (JnSurface){.vertex_count = TUBE_ROWS * TUBE_SIDES,
                       .face_count = TUBE_FACES,
                       .corner_count = 3 * TUBE_FACES,
                       .positions = tube->positions,
                       .face_sizes = tube->sizes,
                       .face_vertices = tube->corners};
}

/* How high a ball of 5 cm is that was shot into the tube at 4 m/s, after four frames; *longest: from its lowest to its
   highest point. */
static double shot_into_a_tube(const char *method, uint32_t steps, double *longest) {
    Scene scene;
    Tube tube;
    JnMeshView view;
    JnMesh *ball = make_ball(0.05, &view);
    scene_init(&scene, method);
    scene.desc.collider_count = 1;
    scene.desc.steps_per_frame = steps;
    scene.desc.integrator = "si";
    scene.floor.kind = "mesh";
    scene.floor.surface = make_tube(&tube);
    scene.floor.friction = 0.05;
    JnBody *body = scene_add(&scene, 0, 0.2, 0);
    body->tets = view.tets;
    body->friction = 0.05;
    body->material.young_modulus = 5e3;
    body->material.poisson_ratio = 0.4;
    body->material.stiffness_damping = 0.005;
    scene_throw(&scene, 0, -4, 0.02);
    scene_begin(&scene, 4);
    Extent extent = extent_of(&scene, 0);
    scene_end(&scene);
    jn_mesh_free(ball);
    *longest = extent.most[1] - extent.least[1];
    return extent.mean[1];
}

/* With steps twice and four times as short as the shorter one, it comes to -0.48 and -0.51 m. */
TEST(ball_slides_through_a_tube_and_is_not_caught_by_the_edges_of_its_triangles) {
    static const uint32_t steps[] = {8, 14};
    for (int k = 0; k < 2 * METHOD_COUNT; ++k) {
        double longest, height = shot_into_a_tube(METHODS[k % METHOD_COUNT], steps[k / METHOD_COUNT], &longest);
        printf("%s, %u steps a frame: at %.3f m, %.1f mm long\n", METHODS[k % METHOD_COUNT],
               (unsigned)steps[k / METHOD_COUNT], height, 1e3 * longest);
        CHECK(height < -0.33 && height > -0.55 && longest < 0.06);
    }
}

enum { GRID = 11, GRID_CELLS = GRID - 1 };

/* A flat floor of 1 m, its squares of 10 cm all cut along the same diagonal. */
typedef struct Grid {
    double positions[GRID * GRID * 3];
    uint32_t sizes[GRID_CELLS * GRID_CELLS * 2], corners[GRID_CELLS * GRID_CELLS * 6];
} Grid;

static JnSurface make_grid(Grid *grid) {
    for (uint32_t v = 0; v < GRID * GRID; ++v) {
        double place[3] = {0.1 * (v / GRID) - 0.5, 0, 0.1 * (v % GRID) - 0.5};
        memcpy(&grid->positions[3 * (size_t)v], place, sizeof place);
    }
    for (uint32_t c = 0; c < GRID_CELLS * GRID_CELLS; ++c) {
        uint32_t a = c / GRID_CELLS * GRID + c % GRID_CELLS, b = a + GRID;
        uint32_t faces[6] = {a, a + 1, b + 1, a, b + 1, b};
        memcpy(&grid->corners[6 * (size_t)c], faces, sizeof faces);
        grid->sizes[2 * c] = grid->sizes[2 * c + 1] = 3;
    }
    return (JnSurface){.vertex_count = GRID * GRID,
                       .face_count = GRID_CELLS * GRID_CELLS * 2,
                       .corner_count = GRID_CELLS * GRID_CELLS * 6,
                       .positions = grid->positions,
                       .face_sizes = grid->sizes,
                       .face_vertices = grid->corners};
}

/* A slab lies on the floor, its corners on edges of it, and is thrown along at 1 m/s: it comes v^2 / (2 mu g) far. */
TEST(slab_slides_as_far_over_a_flat_mesh_as_theory_says) {
    static const char *const integrators[] = {"si", "ssdirk", "be"};
    const double theory = 1 / (2 * 0.5 * G);
    for (int k = 0; k < 3 * METHOD_COUNT; ++k) {
        Scene scene;
        Grid grid;
        scene_init(&scene, METHODS[k % METHOD_COUNT]);
        scene.desc.collider_count = 1;
        scene.desc.steps_per_frame = 16;
        scene.desc.integrator = integrators[k / METHOD_COUNT];
        scene.floor.kind = "mesh";
        scene.floor.surface = make_grid(&grid);
        scene_add_box(&scene, (const uint32_t[]){4, 1, 4}, 0.05, -0.1, 2e-4, -0.1);
        scene_throw(&scene, 1, 0, 0);
        CHECK(scene_begin(&scene, 6) == JN_OK);
        double way = extent_of(&scene, 0).mean[0];
        printf("%s, %s: %.1f mm, theory %.1f\n", METHODS[k % METHOD_COUNT], scene.desc.integrator, 1e3 * way,
               1e3 * theory);
        CHECK_NEAR(way, theory, 0.02 * theory);
        scene_end(&scene);
    }
}
