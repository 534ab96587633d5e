/* Obstacles of every kind: what rests on them, is carried, pushed, lifted or shot at them. */
#include "baking.h"
#include "closed_block.h"
#include "harness.h"

#include "bake/bake_internal.h"
#include "base/math3.h"

static const double G = 9.81;

/* ------------------------------------------------------------------------------------------------ surfaces */

enum { SIDE_MOST = 40 };

/* A surface made here; what is not used is 0. */
typedef struct Sheet {
    JnSurface surface;
    double positions[3 * (SIDE_MOST + 1) * (SIDE_MOST + 1)];
    uint32_t sizes[2 * SIDE_MOST * SIDE_MOST], corners[6 * SIDE_MOST * SIDE_MOST];
} Sheet;

static void sheet_face(Sheet *sheet, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t *at = &sheet->corners[sheet->surface.corner_count];
    at[0] = a;
    at[1] = b;
    at[2] = c;
    sheet->sizes[sheet->surface.face_count++] = 3;
    sheet->surface.corner_count += 3;
    sheet->surface.positions = sheet->positions;
    sheet->surface.face_sizes = sheet->sizes;
    sheet->surface.face_vertices = sheet->corners;
}

/* Two triangles per cell of a square of this width about the origin, at y = 0, normals up. */
static void sheet_make(Sheet *sheet, uint32_t side, double width) {
    memset(sheet, 0, sizeof *sheet);
    for (uint32_t j = 0; j <= side; ++j)
        for (uint32_t i = 0; i <= side; ++i) {
            double *x = &sheet->positions[3 * sheet->surface.vertex_count++];
            x[0] = width * ((double)i / side - 0.5);
            x[2] = width * ((double)j / side - 0.5);
        }
    for (uint32_t j = 0; j < side; ++j)
        for (uint32_t i = 0; i < side; ++i) {
            uint32_t v = j * (side + 1) + i;
            sheet_face(sheet, v, v + side + 1, v + 1);
            sheet_face(sheet, v + 1, v + side + 1, v + side + 2);
        }
}

/* ------------------------------------------------------------------------------------------------ blocks */

/* A stiff cube of 10 cm, whose lower side is at `height` and which stands over the origin. */
static void cube_init(OneBody *scene, double height) {
    one_body_init(scene, tet_box_make(2, 2, 2, 0.05));
    scene->body.transform[3] = scene->body.transform[11] = -0.05;
    scene->body.transform[7] = height;
    scene->body.material.young_modulus = 1e6;
    scene->body.material.stiffness_damping = 0.002;
    scene->desc.gravity[1] = -G;
    scene->desc.frame_count = 1000;
    scene->desc.collider_count = 1;
}

/* The points of the body in the scene. */
static double *points_in_scene(JnBake *bake, uint32_t *count) {
    double *positions = read_positions(bake, count);
    for (uint32_t i = 0; i < *count; ++i)
        affine_apply(bake->motion.bodies[0].transform_to, &positions[3 * i], &positions[3 * i]);
    return positions;
}

/* The least of a coordinate of all points, and its mean. */
static double least_of(JnBake *bake, int axis, double sign, double *mean) {
    uint32_t count;
    double *positions = points_in_scene(bake, &count), least = INFINITY;
    *mean = 0;
    for (uint32_t i = 0; i < count; ++i) {
        least = fmin(least, sign * positions[3 * i + (size_t)axis]);
        *mean += sign * positions[3 * i + (size_t)axis] / count;
    }
    free(positions);
    return least;
}

static double lowest(JnBake *bake) {
    double mean;
    return least_of(bake, 1, 1, &mean);
}

/* A frame with the collider moved. */
static JnStatus advance_moved(JnBake *bake, const double offset[3], const double *positions, JnMessage *message) {
    JnFrameInput input;
    JnColliderInput collider;
    jn_frame_input_init(&input, sizeof input);
    jn_collider_input_init(&collider, sizeof collider);
    input.frame = jn_bake_next_frame(bake);
    input.collider_count = 1;
    input.colliders = &collider;
    collider.has_transform = offset != NULL;
    for (int i = 0; offset && i < 3; ++i)
        collider.transform[4 * i + 3] = offset[i];
    collider.positions = positions;
    return jn_bake_advance(bake, &input, message);
}

/* ------------------------------------------------------------------------------------------------ rest */

/* How near the body is to the obstacle of the scene after two seconds, m, and how fast it still moves. The top of a
   mesh is at y = 0. */
static double rest_distance(OneBody *scene, double *speed) {
    JnBake *bake;
    JnMessage message;
    double least = INFINITY;
    if (jn_bake_begin(&scene->desc, &bake, &message) != JN_OK || advance_frames(bake, 48, &message) != JN_OK) {
        printf("%s\n", message.text);
        return NAN;
    }
    uint32_t count;
    double *positions = points_in_scene(bake, &count), normal[3];
    const Collider *collider = &bake->model.colliders[0];
    for (uint32_t i = 0; i < count; ++i)
        least = fmin(least, collider->kind->find ? positions[3 * i + 1]
                                                 : collider_distance(collider, &bake->motion.view->moment.colliders[0],
                                                                     &positions[3 * i], normal));
    *speed = 0;
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        *speed = fmax(*speed, vec3_length(&bake->motion.state.v[3 * (size_t)v]));
    free(positions);
    jn_bake_end(bake, NULL);
    return least;
}

TEST(cube_rests_on_every_kind_of_collider) {
    static const char *const kinds[] = {"plane", "box", "sphere", "capsule", "mesh", "mesh", "sphere", "box"};
    static Sheet surface;
    ClosedBlock block;
    for (int k = 0; k < 8; ++k) {
        OneBody scene;
        double speed = NAN;
        cube_init(&scene, 0.01);
        scene.collider.kind = kinds[k];
        scene.collider.radius = 1;
        scene.collider.size[1] = 2;
        scene.collider.point[0] = k == 3 ? -1 : 0;
        scene.collider.point[1] = k == 0 ? 0 : k >= 6 ? 1 : -1; /* the last ones are around the cube */
        scene.collider.hollow = k >= 6;
        scene.collider.end[0] = 1;
        scene.collider.end[1] = -1;
        if (k == 4)
            sheet_make(&surface, 7, 1);
        scene.collider.surface = k == 4 ? surface.surface : closed_block(1, 0.2, 1, &block);
        if (k == 5)
            scene.collider.transform[7] = -0.1;
        double distance = rest_distance(&scene, &speed);
        printf("%-8s rests at %.4f mm, %.2g m/s\n", kinds[k], 1e3 * distance, speed);
        /* the contact thickness of this cube is 0.1 mm */
        CHECK(distance > 0 && distance < 1e-4);
        CHECK(speed < 1e-3);
        one_body_free(&scene);
    }
}

TEST(collider_with_a_thickness_of_its_own_keeps_that_distance) {
    static const char *const kinds[] = {"plane", "box", "mesh"};
    ClosedBlock block;
    for (int k = 0; k < 3; ++k) {
        OneBody scene;
        double speed = NAN;
        cube_init(&scene, 0.03);
        scene.collider.kind = kinds[k];
        scene.collider.size[0] = scene.collider.size[2] = 1;
        scene.collider.surface = closed_block(1, 1, 1, &block);
        scene.collider.thickness = 0.02;
        scene.collider.transform[7] = k == 0 ? 0 : -0.5;
        double distance = rest_distance(&scene, &speed);
        printf("%-8s rests at %.4f mm of 20\n", kinds[k], 1e3 * distance);
        CHECK(distance > 0.0199 && distance < 0.02 && speed < 1e-3);
        one_body_free(&scene);
    }
}

/* A cube that begins a third deep in a solid is pushed out, and does not fly away. */
TEST(cube_that_begins_inside_is_pushed_out) {
    static const char *const kinds[] = {"sphere", "box", "mesh"};
    ClosedBlock block;
    for (int k = 0; k < 3; ++k) {
        OneBody scene;
        double speed = NAN;
        cube_init(&scene, -0.03);
        scene.collider.kind = kinds[k];
        scene.collider.surface = closed_block(1, 1, 1, &block);
        scene.collider.transform[7] = k == 0 ? -1 : -0.5;
        double distance = rest_distance(&scene, &speed);
        printf("%-8s rests at %.4f mm, %.2g m/s\n", kinds[k], 1e3 * distance, speed);
        CHECK(distance > 0 && distance < 2e-3);
        one_body_free(&scene);
    }
}

/* Faces without area, twice, or with the other side up; points without a face. */
TEST(cube_rests_on_a_dirty_mesh) {
    static Sheet sheet;
    OneBody scene;
    double speed = NAN;
    sheet_make(&sheet, 6, 1);
    uint32_t face_count = sheet.surface.face_count;
    for (uint32_t f = 0; f < face_count; ++f) {
        const uint32_t *face = &sheet.corners[3 * f];
        if (f % 3 == 0) { /* turned over */
            uint32_t corner = face[0];
            sheet.corners[3 * f] = face[1];
            sheet.corners[3 * f + 1] = corner;
        } else if (f % 3 == 1) { /* twice */
            sheet_face(&sheet, face[0], face[1], face[2]);
        } else { /* a line, a point */
            sheet_face(&sheet, face[0], face[1], face[0]);
            sheet_face(&sheet, face[0], face[0], face[0]);
        }
    }
    sheet.surface.vertex_count += 1; /* at the origin */
    cube_init(&scene, 0.01);
    scene.collider.kind = "mesh";
    scene.collider.surface = sheet.surface;
    double distance = rest_distance(&scene, &speed);
    printf("rests at %.4f mm, %.2g m/s\n", 1e3 * distance, speed);
    CHECK(distance > 0 && distance < 1e-4 && speed < 1e-3);
    one_body_free(&scene);
}

/* How far a cube slides in a second on a slope of which the tangent is 0.6 with a friction of 0.5, m. */
static double slid_on(const char *kind, const JnSurface *surface) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    double start[3], end[3], slope = atan(0.6), slid = NAN;
    cube_init(&scene, 9e-5);
    scene.desc.gravity[0] = G * sin(slope);
    scene.desc.gravity[1] = -G * cos(slope);
    scene.collider.kind = kind;
    scene.collider.surface = *surface;
    if (jn_bake_begin(&scene.desc, &bake, &message) == JN_OK && advance(bake, &message) == JN_OK) {
        mean_position(bake, start);
        if (advance_frames(bake, 24, &message) == JN_OK) {
            mean_position(bake, end);
            slid = end[0] - start[0];
        }
    }
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return slid;
}

TEST(cube_slides_over_the_edges_of_a_mesh_as_on_a_plane) {
    static Sheet sheet;
    sheet_make(&sheet, 40, 4);
    double on_plane = slid_on("plane", &sheet.surface), on_mesh = slid_on("mesh", &sheet.surface);
    double rigid = 0.5 * G * (sin(atan(0.6)) - 0.5 * cos(atan(0.6)));
    printf("slides %.6f m on a plane, %.6f on a mesh; a rigid one %.6f\n", on_plane, on_mesh, rigid);
    CHECK_NEAR(on_mesh, on_plane, 1e-6);
    CHECK_NEAR(on_mesh / rigid, 1, 0.03);
}

/* ------------------------------------------------------------------------------------------------ moved */

TEST(cube_is_carried_by_a_moving_mesh) {
    OneBody scene;
    static Sheet sheet;
    JnBake *bake;
    JnMessage message;
    double mean[3], start[3];
    cube_init(&scene, 1e-4);
    sheet_make(&sheet, 5, 1);
    scene.collider.kind = "mesh";
    scene.collider.surface = sheet.surface;
    scene.collider.friction = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    JnStatus status = JN_OK;
    for (int f = 0; status == JN_OK && f <= 48; ++f) {
        double t = f / 24.0;
        const double offset[3] = {0.5 * t * t / 2, 0, 0}; /* 0.5 m/s2, well below the limit of friction */
        status = advance_moved(bake, offset, NULL, &message);
        if (f == 0)
            mean_position(bake, start);
    }
    CHECK(status == JN_OK);
    mean_position(bake, mean);
    printf("carried %.4f m of 1 m\n", mean[0] - start[0]);
    CHECK_NEAR(mean[0] - start[0], 1, 0.01);
    CHECK_NEAR(lowest(bake), 0, 2e-4);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(cube_is_pushed_by_a_moving_box) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    double mean;
    cube_init(&scene, 0);
    memset(scene.desc.gravity, 0, sizeof scene.desc.gravity);
    scene.collider.kind = "box";
    scene.collider.point[0] = -0.2;
    scene.collider.point[1] = 0.05;
    scene.collider.size[0] = 0.2;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    JnStatus status = JN_OK;
    for (int f = 0; status == JN_OK && f <= 48; ++f) {
        const double offset[3] = {0.5 * f / 24.0, 0, 0};
        status = advance_moved(bake, offset, NULL, &message);
    }
    CHECK(status == JN_OK);
    double least = least_of(bake, 0, 1, &mean);
    printf("the box is at 0.9 m, the cube at %.4f\n", least);
    /* it leaves the box at most at twice its speed, as a bouncing ball does */
    CHECK(least > 0.9 && least < 1.9);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* The corners of the cube slide around a ball that is much faster than it sinks in: what is reported is what is seen at
   the end of the steps, one a frame. */
TEST(deepest_penetration_of_a_moving_ball_is_that_of_the_motion) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    const double radius = 0.05, from[3] = {-0.15, 0.07, 0.02};
    double deepest = 0;
    cube_init(&scene, 0);
    memset(scene.desc.gravity, 0, sizeof scene.desc.gravity);
    scene.desc.steps_per_frame = 1;
    scene.desc.contact.stiffness = 3e4; /* N/m3: soft enough to sink in */
    scene.collider.kind = "sphere";
    scene.collider.radius = radius;
    memcpy(scene.collider.point, from, sizeof from);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    JnStatus status = JN_OK;
    for (int f = 0; status == JN_OK && f <= 12; ++f) {
        const double offset[3] = {2 * f / 24.0, 0, 0};
        status = advance_moved(bake, offset, NULL, &message);
        for (uint32_t v = 0; v < bake->model.vertex_count; ++v) {
            double way[3];
            for (int i = 0; i < 3; ++i)
                way[i] = bake->motion.state.q[3 * v + (size_t)i] - from[i] - offset[i];
            deepest = fmax(deepest, radius - vec3_length(way));
        }
    }
    CHECK(status == JN_OK);
    double told = contact_frame_report(bake).deepest_penetration;
    printf("%.4f mm deep, told %.4f\n", 1e3 * deepest, 1e3 * told);
    CHECK(deepest > 1e-4);
    CHECK_NEAR(told, deepest, 1e-6);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

TEST(deforming_mesh_lifts_a_cube_and_drags_it_along) {
    OneBody scene;
    static Sheet sheet;
    JnBake *bake;
    JnMessage message;
    double mean[3], start[3];
    cube_init(&scene, 1e-4);
    sheet_make(&sheet, 8, 1);
    double shape[3 * 81];
    scene.collider.kind = "mesh";
    scene.collider.surface = sheet.surface;
    scene.collider.friction = 1;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    JnStatus status = JN_OK;
    for (int f = 0; status == JN_OK && f <= 48; ++f) {
        double t = f / 24.0;
        /* the middle rises and moves sideways, the rim stays */
        for (uint32_t v = 0; v < 81; ++v) {
            double x = sheet.positions[3 * v], z = sheet.positions[3 * v + 2];
            double part = fmax(0, fmin(1, 4 * (0.5 - fmax(fabs(x), fabs(z)))));
            shape[3 * v] = x + part * 0.02 * t * t;
            shape[3 * v + 1] = part * 0.05 * t * t;
            shape[3 * v + 2] = z;
        }
        status = advance_moved(bake, NULL, shape, &message);
        if (f == 0)
            mean_position(bake, start);
    }
    CHECK(status == JN_OK);
    mean_position(bake, mean);
    printf("lifted %.4f of 0.2, dragged %.4f of 0.08\n", mean[1] - start[1], mean[0] - start[0]);
    CHECK_NEAR(mean[1] - start[1], 0.2, 2e-3);
    CHECK_NEAR(mean[0] - start[0], 0.08, 2e-3);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
}

/* ------------------------------------------------------------------------------------------------ fast and thin */

/* How far the middle of a cube that is shot at 100 m/s at a wall at y = 0 stays before it at least, and any of its
   points at last, m. wall: NULL for a box. side: 1 from above, -1 from below. */
static double shot_distance(const char *method, const char *contact_method, int frames, const JnSurface *wall,
                            double side, double *last) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    double least = INFINITY, mean;
    cube_init(&scene, side > 0 ? 0.5 : -0.6);
    scene.desc.integrator = method;
    scene.desc.contact.method = contact_method;
    scene.desc.steps_per_frame = 1;
    scene.collider.kind = wall ? "mesh" : "box";
    if (wall)
        scene.collider.surface = *wall;
    scene.collider.size[0] = scene.collider.size[2] = 400;
    scene.collider.size[1] = 1e-3;
    double *velocities = calloc((size_t)scene.box.vertex_count * 3, sizeof *velocities);
    for (uint32_t v = 0; v < scene.box.vertex_count; ++v)
        velocities[3 * v + 1] = -100 * side;
    scene.body.start_velocities = velocities;
    JnStatus status = jn_bake_begin(&scene.desc, &bake, &message);
    for (int f = 0; status == JN_OK && f < frames; ++f) {
        status = advance(bake, &message);
        *last = least_of(bake, 1, side, &mean);
        least = fmin(least, mean);
    }
    if (status != JN_OK) {
        printf("%s: %s\n", method, message.text);
        least = -INFINITY;
    }
    free(velocities);
    jn_bake_end(bake, NULL);
    one_body_free(&scene);
    return least;
}

TEST(bullet_does_not_pass_a_wall_of_a_millimetre) {
    static const char *const methods[] = {"si", "ssdirk", "be", "midpoint"};
    static Sheet sheet;
    ClosedBlock block;
    sheet_make(&sheet, 6, 400);
    const JnSurface walls[2] = {sheet.surface, closed_block(400, 1e-3, 400, &block)};
    for (int m = 0; m < 4; ++m)
        for (int w = 0; w < 3; ++w)
            for (int side = -1; side < 2; side += 2) {
                double last = NAN,
                       least = shot_distance(methods[m], "penalty", 24, w < 2 ? &walls[w] : NULL, side, &last);
                printf("%-10s %-6s side %2d: middle at least %.4f m before it, at last %.4f\n", methods[m],
                       w == 0   ? "open"
                       : w == 1 ? "closed"
                                : "box",
                       side, least, last);
                CHECK(least > 0 && last > -1e-3);
            }
}

/* None of whose stages may be near the wall. */
TEST(bullet_of_the_explicit_method_does_not_pass_either) {
    double last = NAN, least = shot_distance("rk4", "barrier", 3, NULL, 1, &last);
    CHECK(least > 0 && last > 0);
}

/* ------------------------------------------------------------------------------------------------ a funnel */

/* The radius of the funnel's rings at a height, m. */
static double funnel_radius(double y) {
    static const double heights[] = {0.4130, 0.4565, 0.5}, radii[] = {0.02, 0.048, 0.12};
    if (y < heights[0])
        return radii[0];
    int k = y < heights[1] ? 0 : 1;
    return radii[k] + (radii[k + 1] - radii[k]) * (y - heights[k]) / (heights[k + 1] - heights[k]);
}

TEST(ball_comes_to_rest_in_an_open_funnel) {
    JnMesh *funnel, *ball;
    JnMessage message;
    if (jn_mesh_read(JN_TEST_ASSETS "/surface/funnel_obstacle.obj", &funnel, &message) != JN_OK)
        SKIP("the funnel is not there");
    JnMeshView funnel_view = {.struct_size = sizeof funnel_view}, ball_view = {.struct_size = sizeof ball_view};
    JnShape shape;
    jn_shape_init(&shape, sizeof shape, "ball");
    shape.size[0] = shape.size[1] = shape.size[2] = 0.12;
    shape.cells[0] = 8;
    CHECK(jn_mesh_view(funnel, &funnel_view, &message) == JN_OK && jn_shape_make(&shape, &ball, &message) == JN_OK &&
          jn_mesh_view(ball, &ball_view, &message) == JN_OK);
    OneBody scene;
    JnBake *bake;
    cube_init(&scene, 0.6);
    scene.body.transform[3] = 0.02; /* not over the middle */
    scene.body.transform[11] = 0;
    scene.body.tets = ball_view.tets;
    scene.body.material.young_modulus = 2e5;
    scene.collider.kind = "mesh";
    scene.collider.surface = funnel_view.surface;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 72, &message) == JN_OK);
    uint32_t count, outside = 0;
    double *positions = points_in_scene(bake, &count), lowest_point = INFINITY, speed = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const double *x = &positions[3 * i];
        /* its facets are flat between the twelve points of a ring: inside of the round cone, at most */
        outside += x[1] < 0.5 && hypot(x[0], x[2]) > funnel_radius(x[1]);
        lowest_point = fmin(lowest_point, x[1]);
    }
    for (uint32_t v = 0; v < bake->model.vertex_count; ++v)
        speed = fmax(speed, vec3_length(&bake->motion.state.v[3 * (size_t)v]));
    printf("lowest point at %.4f m, %u points outside, fastest %.2g m/s\n", lowest_point, outside, speed);
    CHECK(outside == 0);
    CHECK(lowest_point > 0.42 && lowest_point < 0.5);
    CHECK(speed < 2e-3);
    free(positions);
    jn_bake_end(bake, NULL);
    jn_mesh_free(funnel);
    jn_mesh_free(ball);
    one_body_free(&scene);
}
