/* The exact test of intersections, which judges the solver, judged itself: by integers. */
#include "exact_intersection.h"

#include "contact_mesh.h"
#include "harness.h"
#include "random.h"

typedef __int128 Wide;

static Wide integer_determinant(const int64_t x[4][3]) {
    Wide m[3][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            m[i][j] = x[i + 1][j] - x[0][j];
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) + m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

TEST(exact_side_has_the_sign_of_integers_near_every_plane) {
    uint64_t seed = 1;
    int zeros = 0, tiny = 0;
    for (int trial = 0; trial < 20000; ++trial) {
        int64_t x[4][3];
        double y[4][3];
        for (int i = 0; i < 3; ++i)
            for (int a = 0; a < 3; ++a)
                x[i][a] = (int64_t)(random_signed(&seed) * 1e10) * 2;
        /* in or next to the plane of the others; halves are whole */
        for (int a = 0; a < 3; ++a)
            x[3][a] = x[0][a] + (x[1][a] - x[0][a]) / 2 + (x[2][a] - x[0][a]) / 2 +
                      (trial % 4 ? (int64_t)(random_signed(&seed) * 1.6) : 0);
        for (int i = 0; i < 12; ++i)
            y[i / 3][i % 3] = ldexp((double)x[i / 3][i % 3], -20);
        Wide det = integer_determinant(x);
        zeros += det == 0;
        tiny += det != 0;
        CHECK(exact_side(y[0], y[1], y[2], y[3]) == (det > 0) - (det < 0));
    }
    CHECK(zeros > 5000 && tiny > 5000);
}

static int64_t small_dot(const int64_t a[3], const int64_t b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void small_cross(const int64_t a[3], const int64_t b[3], int64_t out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Whether a segment and a triangle of small integers meet: the segment is clipped by the planes through the sides of
   the triangle, and by the triangle's own. -1: the triangle is degenerate. */
static int integer_meets(const int64_t x[5][3]) {
    int64_t u[3], v[3], normal[3], low[2] = {0, 1}, high[2] = {1, 1}; /* fractions of the way from p to q */
    for (int a = 0; a < 3; ++a) {
        u[a] = x[3][a] - x[2][a];
        v[a] = x[4][a] - x[2][a];
    }
    small_cross(u, v, normal);
    if (small_dot(normal, normal) == 0)
        return -1;
    for (int plane = 0; plane < 5; ++plane) {
        /* keep what has height >= 0 over three sides, and over both faces of the plane */
        int64_t side[3], inward[3], from[3], to[3];
        const int64_t *origin = x[2 + plane % 3];
        for (int a = 0; a < 3; ++a)
            side[a] = x[2 + (plane + 1) % 3][a] - origin[a];
        small_cross(normal, side, inward);
        for (int a = 0; a < 3; ++a) {
            inward[a] = plane < 3 ? inward[a] : plane == 3 ? normal[a] : -normal[a];
            from[a] = x[0][a] - origin[a];
            to[a] = x[1][a] - origin[a];
        }
        int64_t f = small_dot(inward, from), t = small_dot(inward, to);
        if (f < 0 && t < 0)
            return 0;
        int64_t crossing[2] = {f < 0 ? -f : f, f < 0 ? t - f : f - t};
        if (f < 0 && crossing[0] * low[1] > low[0] * crossing[1])
            memcpy(low, crossing, sizeof low);
        if (t < 0 && crossing[0] * high[1] < high[0] * crossing[1])
            memcpy(high, crossing, sizeof high);
    }
    return low[0] * high[1] <= high[0] * low[1];
}

TEST(exact_segment_meets_triangle_as_integers_say) {
    uint64_t seed = 2;
    int counts[3] = {0};
    for (int trial = 0; trial < 100000; ++trial) {
        int64_t x[5][3];
        double y[5][3];
        for (int i = 0; i < 15; ++i) {
            x[i / 3][i % 3] = (int64_t)floor(2.5 * (1 + random_signed(&seed)));
            if (trial % 3 == 0 && i % 3 == trial % 9 / 3)
                x[i / 3][i % 3] = 1;
            y[i / 3][i % 3] = (double)x[i / 3][i % 3];
        }
        int expected = integer_meets(x), met = exact_segment_meets_triangle(y[0], y[1], y[2], y[3], y[4]);
        ++counts[expected + 1];
        CHECK(expected == -1 || met == expected);
        /* whatever the order of the vertices, also for degenerate triangles */
        CHECK(met == exact_segment_meets_triangle(y[1], y[0], y[4], y[2], y[3]));
        CHECK(met == exact_segment_meets_triangle(y[0], y[1], y[3], y[2], y[4]));
    }
    CHECK(counts[0] > 1000 && counts[1] > 10000 && counts[2] > 10000);
}

TEST(exact_degenerate_triangles_are_segments_and_points) {
    const double a[3] = {0, 0, 0}, b[3] = {2, 2, 2}, c[3] = {1, 1, 1}, d[3] = {3, 3, 3};
    const double low[3] = {1, 1, 0}, high[3] = {1, 1, 5}, beside[3] = {1, 2, 0}, above[3] = {1, 2, 5};
    CHECK(exact_segment_meets_triangle(low, high, a, b, c) && !exact_segment_meets_triangle(beside, above, a, b, c));
    CHECK(exact_segment_meets_triangle(low, high, c, c, c) && !exact_segment_meets_triangle(low, high, b, b, b));
    CHECK(exact_segment_meets_triangle(b, d, a, b, c) && !exact_segment_meets_triangle(d, d, a, b, c));
    CHECK(exact_segment_meets_triangle(c, c, a, b, b));
}

TEST(exact_segment_that_misses_by_one_bit_misses) {
    const double a[3] = {0.1, 0.2, 0.3}, b[3] = {1.1, 0.2, 0.3}, c[3] = {0.1, 1.2, 0.3};
    double p[3] = {0.3, 0.4, 1}, q[3] = {0.3, 0.4, 0.3};
    CHECK(exact_segment_meets_triangle(p, q, a, b, c));
    q[2] = nextafter(0.3, 1);
    CHECK(!exact_segment_meets_triangle(p, q, a, b, c));
    q[2] = nextafter(0.3, 0);
    CHECK(exact_segment_meets_triangle(p, q, a, b, c));
}

TEST(exact_count_of_crossing_sheets_is_that_of_all_pairs) {
    ContactMesh mesh;
    uint32_t first[2] = {UINT32_MAX, UINT32_MAX};
    CHECK(contact_mesh_sheets(2, 9, 0.3, &mesh));
    CHECK(exact_count_crossings(mesh.positions, mesh.edges, mesh.edge_count, mesh.triangles, mesh.triangle_count,
                                first) == 0);
    CHECK(first[0] == UINT32_MAX);
    for (uint32_t v = 0; v < mesh.vertex_count; ++v) /* the second sheet is turned upright through the first */
        if (mesh.groups[v]) {
            double *x = &mesh.positions[3 * v], height = x[2] - 0.3;
            x[2] = x[1] - 0.47;
            x[1] = 0.52 + height;
        }
    long expected = 0;
    for (uint32_t e = 0; e < mesh.edge_count; ++e)
        for (uint32_t t = 0; t < mesh.triangle_count; ++t) {
            const uint32_t *ends = &mesh.edges[2 * e], *corners = &mesh.triangles[3 * t];
            int shared = 0;
            for (int i = 0; i < 6; ++i)
                shared |= ends[i % 2] == corners[i / 2];
            expected += !shared &&
                        exact_segment_meets_triangle(&mesh.positions[3 * ends[0]], &mesh.positions[3 * ends[1]],
                                                     &mesh.positions[3 * corners[0]], &mesh.positions[3 * corners[1]],
                                                     &mesh.positions[3 * corners[2]]);
        }
    CHECK(expected > 10 && expected < 100);
    CHECK(exact_count_crossings(mesh.positions, mesh.edges, mesh.edge_count, mesh.triangles, mesh.triangle_count,
                                first) == expected);
    CHECK(first[0] < mesh.edge_count && first[1] < mesh.triangle_count);
    CHECK(exact_count_crossings(mesh.positions, mesh.edges, mesh.edge_count, NULL, 0, NULL) == 0);
    contact_mesh_free(&mesh);
}
