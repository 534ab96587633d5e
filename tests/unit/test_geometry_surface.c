#include "geometry/surface.h"
#include "geometry/topology.h"
#include "harness.h"
#include "unit/test_geometry_helpers.h"

TEST(surface_valid_is_accepted) {
    JnMessage message;
    CHECK(surface_check(&cube_surface, "here", &message) == JN_OK);
    CHECK_NEAR(surface_volume(&cube_surface), 1, 1e-15);
}

TEST(surface_empty_or_null_is_refused) {
    JnMessage message;
    JnSurface surface = {0};
    CHECK(surface_check(&surface, "bodies[1].surface", &message) == JN_ERR_MESH);
    CHECK_STR_HAS(message.text, "bodies[1].surface");
    surface = cube_surface;
    surface.face_sizes = NULL;
    CHECK(surface_check(&surface, "here", &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "face_sizes is NULL");
}

TEST(surface_face_of_two_corners_is_refused) {
    JnMessage message;
    const uint32_t sizes[6] = {4, 4, 4, 4, 2, 6};
    JnSurface surface = cube_surface;
    surface.face_sizes = sizes;
    CHECK(surface_check(&surface, "here", &message) == JN_ERR_MESH);
    CHECK_STR_HAS(message.text, "face 4 has 2 corners");
}

TEST(surface_sizes_that_do_not_add_up_are_refused) {
    JnMessage message;
    const uint32_t sizes[6] = {4, 4, 4, 4, 4, UINT32_MAX};
    JnSurface surface = cube_surface;
    surface.face_sizes = sizes;
    CHECK(surface_check(&surface, "here", &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "corner_count is 24");
}

TEST(surface_index_or_position_out_of_range_is_refused) {
    JnMessage message;
    uint32_t corners[24];
    memcpy(corners, cube_face_vertices, sizeof corners);
    corners[23] = 8;
    JnSurface surface = cube_surface;
    surface.face_vertices = corners;
    CHECK(surface_check(&surface, "here", &message) == JN_ERR_MESH);
    CHECK_STR_HAS(message.text, "face 5 names vertex 8");
    double positions[24];
    memcpy(positions, cube_positions, sizeof positions);
    positions[7] = NAN;
    surface = cube_surface;
    surface.positions = positions;
    CHECK(surface_check(&surface, "here", &message) == JN_ERR_MESH);
    CHECK_STR_HAS(message.text, "vertex 2");
}

TEST(triangulation_of_quads_keeps_volume) {
    uint32_t *triangles, count, sizes[12];
    CHECK(surface_triangulate(&cube_surface, &triangles, &count, NULL) == JN_OK);
    CHECK(count == 12);
    for (int i = 0; i < 12; ++i)
        sizes[i] = 3;
    JnSurface surface = {.vertex_count = 8,
                         .face_count = 12,
                         .corner_count = 36,
                         .positions = cube_positions,
                         .face_sizes = sizes,
                         .face_vertices = triangles};
    CHECK_NEAR(surface_volume(&surface), 1, 1e-15);
    free(triangles);
}

TEST(weld_of_coincident_vertices_takes_the_lowest) {
    const double positions[15] = {1, 2, 3, 0, 0, 0, 1, 2, 3, -0.0, 0, 0, 1, 2, 3.0000001};
    uint32_t *representative = topology_weld(positions, 5);
    const uint32_t expected[5] = {0, 1, 0, 1, 4};
    CHECK(representative && memcmp(representative, expected, sizeof expected) == 0);
    free(representative);
}

/* The edges of the cube without its first `skip` triangles. */
static TopologyEdges cube_edges(uint32_t skip, bool flip_last) {
    uint32_t *triangles = NULL, count = 0;
    TopologyEdges edges = {0};
    surface_triangulate(&cube_surface, &triangles, &count, NULL);
    uint32_t *representative = topology_weld(cube_positions, 8);
    if (flip_last) {
        uint32_t swap = triangles[33];
        triangles[33] = triangles[34];
        triangles[34] = swap;
    }
    topology_edges(triangles + 3 * skip, count - skip, representative, 8, &edges, NULL);
    free(triangles);
    free(representative);
    return edges;
}

TEST(edges_of_closed_surface_are_closed_and_oriented) {
    TopologyEdges edges = cube_edges(0, false);
    CHECK(edges.open_count == 0 && edges.odd_count == 0 && edges.oriented);
}

TEST(edges_of_surface_with_hole_are_counted) {
    CHECK(cube_edges(1, false).open_count == 3);
    CHECK(cube_edges(2, false).open_count == 4);
}

TEST(edges_of_surface_with_flipped_face_are_closed_but_not_oriented) {
    TopologyEdges edges = cube_edges(0, true);
    CHECK(edges.open_count == 0 && edges.odd_count == 0 && !edges.oriented);
}
