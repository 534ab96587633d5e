/* Queries of a triangle mesh that is collided with, against all triangles tried one by one. */
#include "base/math3.h"
#include "contact/surface_tree.h"
#include "contact_mesh.h"
#include "harness.h"
#include "random.h"

static const PairAdvance how = {0.01, 0.05, 0.1, 64};

typedef struct Fixture {
    ContactMesh mesh;
    double *end;
    SurfaceTree surface;
} Fixture;

/* An open wavy mesh with a degenerate and a repeated triangle, that moves by a tenth of its size. */
static int open_fixture(Fixture *f) {
    JnMessage message;
    uint64_t seed = 2;
    if (!contact_mesh_sheets(2, 12, 0.3, &f->mesh))
        return 0;
    f->mesh.triangles[1] = f->mesh.triangles[0];
    memcpy(&f->mesh.triangles[9], &f->mesh.triangles[6], 3 * sizeof(uint32_t));
    f->end = malloc(3 * sizeof(double) * f->mesh.vertex_count);
    if (!f->end)
        return 0;
    for (uint32_t i = 0; i < 3 * f->mesh.vertex_count; ++i)
        f->end[i] = f->mesh.positions[i] + 0.1 * (i % 3 == 2) + 0.01 * random_signed(&seed);
    return surface_tree_create(f->mesh.triangles, f->mesh.triangle_count, f->mesh.positions, &f->surface, &message) ==
           JN_OK;
}

static void close_fixture(Fixture *f) {
    surface_tree_free(&f->surface);
    contact_mesh_free(&f->mesh);
    free(f->end);
}

static void gather(const Fixture *f, const double *positions, uint32_t triangle, double x[12]) {
    for (uint32_t i = 0; i < 9; ++i)
        x[3 + i] = positions[3 * f->mesh.triangles[3 * triangle + i / 3] + i % 3];
}

TEST(surface_tree_nearest_is_that_of_all_triangles) {
    Fixture f;
    uint64_t seed = 3;
    int found = 0;
    CHECK(open_fixture(&f));
    surface_tree_move(&f.surface, f.mesh.positions, f.end, NULL);
    for (int trial = 0; trial < 1000; ++trial) {
        const double *positions = trial % 2 ? f.end : f.mesh.positions;
        double x[12], radius = trial % 3 ? 0.2 : INFINITY, best = radius * radius;
        uint32_t triangle = UINT32_MAX;
        SurfacePoint nearest;
        for (int a = 0; a < 3; ++a)
            x[a] = 0.5 + random_signed(&seed);
        if (trial % 10 == 0) /* at a vertex, near six triangles at once */
            memcpy(x, &positions[3 * (trial / 10)], 3 * sizeof *x);
        for (uint32_t t = 0; t < f.mesh.triangle_count; ++t) {
            PairDistance d;
            gather(&f, positions, t, x);
            pair_distance(PAIR_POINT_TRIANGLE, x, &d);
            if (d.squared < best || (d.squared == best && triangle == UINT32_MAX)) {
                best = d.squared;
                triangle = t;
            }
        }
        bool any = surface_tree_nearest(&f.surface, positions, x, radius, &nearest);
        CHECK(any == (triangle != UINT32_MAX));
        if (!any)
            continue;
        ++found;
        double offset[3], blend[3] = {0, 0, 0};
        gather(&f, positions, nearest.triangle, x);
        vec3_sub(x, nearest.position, offset);
        for (int i = 0; i < 9; ++i)
            blend[i % 3] += nearest.weights[i / 3] * x[3 + i];
        CHECK(nearest.triangle == triangle && nearest.distance == sqrt(best));
        CHECK_NEAR(vec3_length(nearest.normal), 1, 1e-14);
        CHECK_NEAR(vec3_dot(offset, nearest.normal), nearest.distance, 1e-14);
        for (int a = 0; a < 3; ++a)
            CHECK_NEAR(blend[a], nearest.position[a], 1e-14);
    }
    CHECK(found > 400 && found < 1000);
    close_fixture(&f);
}

/* Whether the boxes of the point's and the triangle's way are within the thickness of each other. */
static bool boxes_meet(const double x0[12], const double x1[12]) {
    for (int a = 0; a < 3; ++a) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 3 + a; i < 12; i += 3) {
            low = fmin(low, fmin(x0[i], x1[i]));
            high = fmax(high, fmax(x0[i], x1[i]));
        }
        if (fmin(x0[a], x1[a]) - how.thickness > high || fmax(x0[a], x1[a]) + how.thickness < low)
            return false;
    }
    return true;
}

TEST(surface_tree_advance_is_the_least_of_all_triangles) {
    Fixture f;
    uint64_t seed = 4;
    int stopped = 0;
    CHECK(open_fixture(&f));
    surface_tree_move(&f.surface, f.mesh.positions, f.end, NULL);
    for (int trial = 0; trial < 500; ++trial) {
        double x0[12], x1[12];
        SurfaceAdvance least = {1, PAIR_ADVANCE_FREE, 0};
        SurfaceAdvance advance;
        for (int a = 0; a < 3; ++a) {
            x0[a] = 0.5 + 0.6 * random_signed(&seed);
            x1[a] = x0[a] + 0.5 * random_signed(&seed);
        }
        surface_tree_advance(&f.surface, x0, x1, &how, &advance);
        for (uint32_t t = 0; t < f.mesh.triangle_count; ++t) {
            double time;
            gather(&f, f.mesh.positions, t, x0);
            gather(&f, f.end, t, x1);
            PairAdvanceEnd end = pair_advance(PAIR_POINT_TRIANGLE, x0, x1, &how, &time);
            if (end != PAIR_ADVANCE_FREE && (least.end == PAIR_ADVANCE_FREE || time < least.time) && boxes_meet(x0, x1))
                least = (SurfaceAdvance){time, end, t};
            /* at the time that was found all are at least the thickness away */
            double x[12];
            PairDistance d;
            for (int i = 0; i < 12; ++i)
                x[i] = x0[i] + advance.time * (x1[i] - x0[i]);
            pair_distance(PAIR_POINT_TRIANGLE, x, &d);
            CHECK(advance.end == PAIR_ADVANCE_INSIDE || sqrt(d.squared) > how.thickness);
        }
        CHECK(advance.time == least.time && advance.end == least.end && advance.triangle == least.triangle);
        stopped += advance.end == PAIR_ADVANCE_HIT;
    }
    CHECK(stopped > 100);
    close_fixture(&f);
}

TEST(surface_tree_moving_over_a_resting_point_stops_before_it) {
    Fixture f;
    CHECK(open_fixture(&f));
    const double point[3] = {0.52, 0.47, 1.0};
    for (uint32_t i = 0; i < f.mesh.vertex_count; ++i) /* 3 m upwards */
        for (uint32_t a = 0; a < 3; ++a)
            f.end[3 * i + a] = f.mesh.positions[3 * i + a] + (a == 2 ? 3 : 0);
    surface_tree_move(&f.surface, f.mesh.positions, f.end, NULL);
    SurfaceAdvance advance;
    SurfacePoint nearest;
    surface_tree_advance(&f.surface, point, point, &how, &advance);
    CHECK(advance.end == PAIR_ADVANCE_HIT && advance.time > 0.2 && advance.time < 0.25);
    /* the mesh at that time is just below the point */
    for (uint32_t i = 0; i < 3 * f.mesh.vertex_count; ++i)
        f.end[i] = f.mesh.positions[i] + advance.time * (f.end[i] - f.mesh.positions[i]);
    CHECK(surface_tree_nearest(&f.surface, f.end, point, INFINITY, &nearest));
    CHECK(nearest.distance > 0.01 + 0.1 * 0.05 - 1e-12 && nearest.distance < 0.01 + 0.2 * 0.05 + 1e-12);
    CHECK(nearest.normal[2] > 0.7);
    close_fixture(&f);
}

TEST(surface_tree_of_no_triangles_stops_nothing) {
    const double point[3] = {0, 0, 0}, far[3] = {1, 1, 1};
    SurfaceTree surface;
    SurfacePoint nearest;
    SurfaceAdvance advance;
    JnMessage message;
    CHECK(surface_tree_create(NULL, 0, point, &surface, &message) == JN_OK);
    CHECK(!surface_tree_nearest(&surface, point, point, INFINITY, &nearest));
    surface_tree_advance(&surface, point, far, &how, &advance);
    CHECK(advance.end == PAIR_ADVANCE_FREE && advance.time == 1);
    surface_tree_free(&surface);
}
