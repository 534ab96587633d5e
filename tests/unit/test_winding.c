/* The winding number against exact solid angles, and what is inside of surfaces with faults. */
#include "geometry/interior.h"
#include "geometry/soup.h"
#include "geometry/triangle.h"
#include "geometry/wall_crossings.h"
#include "harness.h"
#include "random.h"
#include "unit/test_geometry_helpers.h"
#include "unit/test_mesher_shapes.h"

#define PI 3.14159265358979323846

TEST(solid_angle_of_an_octant_is_an_eighth_of_the_sphere) {
    const double p[3] = {0, 0, 0}, a[3] = {1, 0, 0}, b[3] = {0, 2, 0}, c[3] = {0, 0, 3};
    CHECK_NEAR(triangle_solid_angle(p, a, b, c), PI / 2, 1e-14);
    CHECK_NEAR(triangle_solid_angle(p, a, c, b), -PI / 2, 1e-14);
    // a plane seen from very near fills half of the sphere
    const double near[3] = {1.0 / 3, 2.0 / 3, 1 - 1e-9};
    CHECK(triangle_solid_angle(near, a, b, c) > 1.99 * PI);
}

TEST(solid_angle_of_a_square_is_as_in_closed_form) {
    // a square of side 2 s seen from its axis at height h: 4 asin(s^2 / (s^2 + h^2))
    const double s = 0.7, h = 1.3;
    const double corners[4][3] = {{-s, -s, 0}, {s, -s, 0}, {s, s, 0}, {-s, s, 0}}, p[3] = {0, 0, -h};
    double angle = triangle_solid_angle(p, corners[0], corners[1], corners[2]) +
                   triangle_solid_angle(p, corners[0], corners[2], corners[3]);
    CHECK_NEAR(angle, 4 * asin(s * s / (s * s + h * h)), 1e-13);
}

/* Triangles of one flat face, turned in space: round-off puts their corners on either side of the plane. */
TEST(triangles_of_a_flat_face_do_not_cross_however_it_is_turned) {
    uint64_t random = 7;
    for (int n = 0; n < 20000; ++n) {
        double x[6][3], turn = 6 * random_signed(&random), tilt = 6 * random_signed(&random);
        const double *first[3], *second[3];
        for (int i = 0; i < 6; ++i) {
            double u = random_signed(&random), v = random_signed(&random), up = v * sin(turn);
            x[i][0] = u * cos(tilt) - up * sin(tilt) + 5;
            x[i][1] = u * sin(tilt) + up * cos(tilt);
            x[i][2] = v * cos(turn);
        }
        for (int i = 0; i < 3; ++i) {
            first[i] = x[i];
            second[i] = x[3 + i];
        }
        CHECK(!triangles_cross(first, second));
    }
}

TEST(triangles_cross_if_one_enters_the_other_by_a_hundredth_of_its_size) {
    const double a[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    for (int deep = 0; deep < 2; ++deep) {
        double z = deep ? -0.01 : 0.01;
        const double b[3][3] = {{0.3, 0.3, z}, {0.3, 0.3, 1}, {0.9, 0.9, 1}};
        const double *first[3] = {a[0], a[1], a[2]}, *second[3] = {b[0], b[1], b[2]};
        CHECK(triangles_cross(first, second) == deep && triangles_cross(second, first) == deep);
    }
}

TEST(winding_number_by_the_tree_is_near_the_exact_sum) {
    Shape ball = ball_shape(1, 40);
    Winding winding;
    CHECK(winding_build(ball.surface.positions, ball.surface.face_vertices, ball.surface.face_count, &winding, NULL) ==
          JN_OK);
    // half of the ball as well: an open surface
    Winding half;
    uint32_t half_count = ball.surface.face_count / 2;
    CHECK(winding_build(ball.surface.positions, ball.surface.face_vertices, half_count, &half, NULL) == JN_OK);
    uint64_t random = 7;
    double worst = 0, largest = 0;
    for (int i = 0; i < 300; ++i) {
        double p[3];
        for (int a = 0; a < 3; ++a)
            p[a] = 1.2 * random_signed(&random);
        double exact =
            winding_number_exact(ball.surface.positions, ball.surface.face_vertices, ball.surface.face_count, p);
        double radius = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        if (fabs(radius - 0.5) > 0.02)
            CHECK_NEAR(exact, radius < 0.5 ? 1 : 0, 1e-9);
        worst = fmax(worst, fabs(winding_number(&winding, p) - exact));
        double open = winding_number_exact(ball.surface.positions, ball.surface.face_vertices, half_count, p);
        worst = fmax(worst, fabs(winding_number(&half, p) - open));
        largest = fmax(largest, fabs(open));
    }
    CHECK(largest > 0.3);
    CHECK(worst < 0.05);
    winding_free(&winding);
    winding_free(&half);
    shape_free(&ball);
}

TEST(winding_numbers_do_not_depend_on_threads) {
    Shape ball = ball_shape(1, 20);
    Winding winding;
    CHECK(winding_build(ball.surface.positions, ball.surface.face_vertices, ball.surface.face_count, &winding, NULL) ==
          JN_OK);
    enum { COUNT = 2000 };
    double *points = malloc(3 * COUNT * sizeof *points), numbers[2][COUNT];
    uint64_t random = 3;
    for (int i = 0; i < 3 * COUNT; ++i)
        points[i] = 0.6 * random_signed(&random);
    Pool *pool = pool_create(4);
    winding_numbers(&winding, NULL, points, COUNT, numbers[0]);
    winding_numbers(&winding, pool, points, COUNT, numbers[1]);
    pool_destroy(pool);
    CHECK(memcmp(numbers[0], numbers[1], sizeof numbers[0]) == 0);
    int count = 0;
    for (int i = 0; i < COUNT; ++i)
        count += winding_is_inside(numbers[0][i]);
    CHECK_NEAR(count / (double)COUNT, 4 * PI / 3 * 0.125 / 1.728, 0.04);
    free(points);
    winding_free(&winding);
    shape_free(&ball);
}

/* Counting from the start and summing in every stretch give the same answer, also for an open
   surface; where a segment meets an edge, which is two crossings in one place, nothing is counted. */
TEST(wall_crossings_count_what_the_winding_number_says) {
    Shape ball = ball_shape(1, 24);
    uint64_t random = 11;
    int counted_stretches = 0;
    for (uint32_t part = 0; part < 2; ++part) {
        Winding winding;
        uint32_t count = ball.surface.face_count - part * ball.surface.face_count / 3;
        CHECK(winding_build(ball.surface.positions, ball.surface.face_vertices, count, &winding, NULL) == JN_OK);
        for (int i = 0; i < 300; ++i) {
            double start[3], way[3], end[3];
            for (int a = 0; a < 3; ++a) {
                start[a] = 0.7 * random_signed(&random);
                end[a] = 0.7 * random_signed(&random);
                way[a] = end[a] - start[a];
            }
            WallCrossings walls;
            wall_crossings_find(&winding, start, way, &walls);
            double numbers[2] = {winding_number(&winding, start), winding_number(&winding, end)};
            if (!wall_crossings_agree(&walls, numbers[0], numbers[1]))
                continue;
            for (int passed = 0; passed <= walls.count; ++passed) {
                ++counted_stretches;
                CHECK(wall_crossings_inside(&walls, numbers[0], true, passed) ==
                      wall_crossings_inside(&walls, numbers[0], false, passed));
            }
        }
        winding_free(&winding);
    }
    CHECK(counted_stretches > 400);
    shape_free(&ball);
    // through the diagonal of two faces of a cube
    Shape cube = cube_shape(1);
    Winding winding;
    WallCrossings walls;
    CHECK(winding_build(cube.surface.positions, cube.surface.face_vertices, cube.surface.face_count, &winding, NULL) ==
          JN_OK);
    double lower[3], center[3];
    for (int a = 0; a < 3; ++a) {
        lower[a] = winding.bvh.nodes[0].lower[a];
        center[a] = 0.5 * (lower[a] + winding.bvh.nodes[0].upper[a]);
    }
    double start[3] = {center[0], center[1], lower[2] - 1}, way[3] = {0, 0, 10};
    wall_crossings_find(&winding, start, way, &walls);
    CHECK(walls.count > 2 && walls.doubtful && !wall_crossings_agree(&walls, 0, 0));
    winding_free(&winding);
    shape_free(&cube);
}

/* Empty, and thereby wrong, if it fails. */
static Soup clean(const JnSurface *surface) {
    Soup soup;
    soup_build(surface, &soup, NULL);
    return soup;
}

static uint32_t found(const Soup *soup, FindingKind kind) {
    return soup->findings.of[kind].count;
}

TEST(soup_counts_what_it_drops_and_turns) {
    // a cube of triangles with one face turned, one copy, one copy from behind, one flat triangle, a loose vertex
    Shape cube = cube_shape(1);
    uint32_t *last = shape_add_triangles(&cube, 3);
    memcpy(last, cube.corners, 3 * sizeof *last);
    last[3] = cube.corners[3], last[4] = cube.corners[5], last[5] = cube.corners[4];
    last[6] = 0, last[7] = 1, last[8] = 1;
    uint32_t swap = cube.corners[6];
    cube.corners[6] = cube.corners[7], cube.corners[7] = swap;
    shape_add_vertex(&cube, 5, 5, 5);
    Soup soup = clean(&cube.surface);
    CHECK(soup.triangle_count == 12 && soup.vertex_count == 8 && soup.component_count == 1);
    CHECK(found(&soup, FINDING_COPIES) == 2 && found(&soup, FINDING_FLAT) == 1);
    CHECK(found(&soup, FINDING_TURNED) == 1 && found(&soup, FINDING_LOOSE) == 1);
    CHECK(soup.open_edge_count == 0 && found(&soup, FINDING_CROWDED_EDGES) == 0);
    CHECK(soup.findings.of[FINDING_LOOSE].place[0] == 5 && soup.findings.marks[8] == 1u << FINDING_LOOSE);
    CHECK(soup.vertex_of_point[8] == SOUP_NONE);
    CHECK_NEAR(soup.upper[0], 1, 0); // loose vertices do not count as part of the surface
    soup_free(&soup);
    shape_free(&cube);
}

TEST(soup_finds_open_rims_and_closes_them_outwards) {
    // a cube without its lid, modelled inwards, and one without two opposite faces
    Shape cube = cube_shape(1);
    shape_turn(&cube);
    cube.surface.face_count = 10;
    cube.surface.corner_count = 30;
    Soup soup = clean(&cube.surface);
    CHECK(soup.open_edge_count == 4 && found(&soup, FINDING_OPEN_LOOPS) == 1 && found(&soup, FINDING_TURNED) == 10);
    soup_free(&soup);
    shape_free(&cube);
}

TEST(soup_keeps_a_cavity_and_turns_a_flipped_part) {
    // a small cube inside a large one: modelled inwards it is a cavity, outwards part of the solid; beside it, it is
    // turned outwards
    for (int inwards = 0; inwards < 2; ++inwards)
        for (int beside = 0; beside < 2; ++beside) {
            Shape large = cube_shape(3), small = cube_shape(1);
            if (inwards)
                shape_turn(&small);
            shape_move(&small, beside ? 5 : 1, 1, 1);
            shape_join(&large, &small);
            Soup soup = clean(&large.surface);
            const double in_small[3] = {beside ? 5.5 : 1.5, 1.5, 1.5};
            double number = winding_number_exact(soup.positions, soup.triangles, soup.triangle_count, in_small);
            CHECK_NEAR(number, beside ? 1 : inwards ? 0 : 2, 1e-12);
            CHECK(soup.component_count == 2);
            soup_free(&soup);
            shape_free(&large);
        }
}

TEST(soup_welds_vertices_that_single_precision_keeps_apart) {
    Shape cube = cube_shape(1);
    shape_unweld(&cube, 1e-8);
    CHECK(cube.surface.vertex_count == 36);
    Soup soup = clean(&cube.surface);
    CHECK(soup.vertex_count == 8 && found(&soup, FINDING_WELDED) == 28 && soup.open_edge_count == 0);
    soup_free(&soup);
    shape_free(&cube);
}
