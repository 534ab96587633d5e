/* Faces cut into triangles: these have the area of the face together, and none is turned over, so that they cover it
   once. */
#include "geometry/polygon.h"
#include "geometry/triangle.h"
#include "geometry/vec3.h"
#include "harness.h"
#include "unit/test_mesher_shapes.h"

enum { MOST = 4000 };

typedef struct Outline {
    uint32_t size;
    double points[MOST][2];
} Outline;

static double outline_area(const Outline *outline) {
    double area = 0;
    for (uint32_t i = 0; i < outline->size; ++i) {
        const double *p = outline->points[i], *q = outline->points[(i + 1) % outline->size];
        area += 0.5 * (p[0] * q[1] - p[1] * q[0]);
    }
    return area;
}

static void add(Outline *outline, double x, double y) {
    outline->points[outline->size][0] = x;
    outline->points[outline->size++][1] = y;
}

/* Cuts the outline, leant in space and begun at corner `start`, backwards if asked to. */
static void check_cut(const Outline *outline, uint32_t start, bool backwards) {
    static double positions[3 * MOST];
    static uint32_t corners[MOST], triangles[3 * MOST];
    uint32_t size = outline->size;
    double normal[3] = {0, 0, backwards ? -1 : 1}, sum = 0, lowest = 0;
    point_lean(normal, 0.7);
    for (uint32_t i = 0; i < size; ++i) {
        double *p = &positions[3 * i];
        p[0] = outline->points[i][0], p[1] = outline->points[i][1], p[2] = 0;
        point_lean(p, 0.7);
        corners[i] = backwards ? (2 * size - 1 - i - start) % size : (i + start) % size;
    }
    CHECK(polygon_triangulate(positions, corners, size, triangles));
    for (uint32_t t = 0; t + 2 < size; ++t) {
        double cross[3];
        const uint32_t *v = &triangles[3 * t];
        CHECK(v[0] < size && v[1] < size && v[2] < size);
        triangle_normal(&positions[3 * v[0]], &positions[3 * v[1]], &positions[3 * v[2]], cross);
        double area = 0.5 * vec3_dot(cross, normal);
        sum += area;
        lowest = fmin(lowest, area);
    }
    double truth = outline_area(outline);
    CHECK_NEAR(sum, truth, 1e-9 * truth);
    CHECK(lowest >= -1e-9 * truth);
}

static void check_everywhere(const Outline *outline) {
    uint32_t step = outline->size > 60 ? outline->size / 3 : 1;
    for (uint32_t start = 0; start < outline->size; start += step)
        for (int backwards = 0; backwards < 2; ++backwards)
            check_cut(outline, start, backwards);
}

static double chance(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed / 4294967296.0;
}

TEST(concave_faces_are_covered_once) {
    static Outline outline;
    const double arrow[4][2] = {{0, 0}, {2, -1}, {0.5, 0}, {2, 1}};
    const double hook[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
    outline = (Outline){.size = 4};
    memcpy(outline.points, arrow, sizeof arrow);
    check_everywhere(&outline);
    outline = (Outline){.size = 6};
    memcpy(outline.points, hook, sizeof hook);
    check_everywhere(&outline);
    uint32_t seed = 1;
    for (uint32_t size = 4; size <= 50; ++size) {
        outline = (Outline){0};
        for (uint32_t i = 0; i < size; ++i) {
            double angle = 6.28318530717958647692 * (i + 0.8 * chance(&seed)) / size, radius = 0.1 + chance(&seed);
            add(&outline, radius * cos(angle), radius * sin(angle));
        }
        check_everywhere(&outline);
    }
}

TEST(combs_spirals_and_rings_are_covered_once) {
    static Outline outline;
    // a comb, with corners in straight sides
    outline = (Outline){0};
    for (int i = 0; i <= 300; ++i)
        add(&outline, i, 0);
    for (int i = 300; i >= 0; --i)
        add(&outline, i, i % 2 ? 1 : 40);
    check_everywhere(&outline);
    // three turns of a spiral
    outline = (Outline){0};
    for (int i = 0; i <= 900; ++i)
        add(&outline, (2 + 0.01 * i) * cos(0.02 * i), (2 + 0.01 * i) * sin(0.02 * i));
    for (int i = 900; i >= 0; --i)
        add(&outline, (1 + 0.01 * i) * cos(0.02 * i), (1 + 0.01 * i) * sin(0.02 * i));
    if (outline_area(&outline) < 0)
        for (uint32_t i = 0; i < outline.size; ++i)
            outline.points[i][1] = -outline.points[i][1];
    check_everywhere(&outline);
    // a square with a hole, to which a cut leads
    const double ring[10][2] = {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}, {1, 1}, {1, 3}, {3, 3}, {3, 1}, {1, 1}};
    outline = (Outline){.size = 10};
    memcpy(outline.points, ring, sizeof ring);
    check_everywhere(&outline);
}

TEST(face_that_crosses_itself_or_is_flat_has_all_its_triangles) {
    const double positions[15] = {0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 2, 2, 0};
    const uint32_t faces[3][5] = {{0, 1, 2, 3, 4}, {0, 1, 4, 1, 0}, {2, 2, 2, 2, 2}};
    for (int f = 0; f < 3; ++f) {
        uint32_t triangles[9];
        memset(triangles, 0xff, sizeof triangles);
        CHECK(polygon_triangulate(positions, faces[f], 5, triangles));
        for (int i = 0; i < 9; ++i)
            CHECK(triangles[i] < 5);
    }
}
