#include "geometry/tetmesh.h"
#include "harness.h"
#include "unit/test_geometry_helpers.h"

/* Two tets on a common face. */
static const double positions[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
static const uint32_t tet_vertices[8] = {0, 1, 2, 3, 1, 2, 3, 4};
static const JnTets two_tets = {5, 2, positions, tet_vertices};

TEST(tetmesh_valid_is_accepted) {
    JnMessage message;
    double lowest;
    tets_volume(&two_tets, &lowest);
    CHECK(lowest > 0);
    CHECK(tetmesh_check(&two_tets, "here", &message) == JN_OK);
}

TEST(tetmesh_empty_is_refused) {
    JnMessage message;
    JnTets empty = {0};
    CHECK(tetmesh_check(&empty, "bodies[0].tets", &message) == JN_ERR_MESH);
    CHECK_STR_HAS(message.text, "bodies[0].tets");
    CHECK(tetmesh_check(NULL, "bodies[0].tets", NULL) == JN_ERR_MESH);
}

TEST(tetmesh_null_array_is_refused_by_name) {
    JnMessage message;
    JnTets tets = two_tets;
    tets.tet_vertices = NULL;
    CHECK(tetmesh_check(&tets, "here", &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "tet_vertices is NULL");
    tets = two_tets;
    tets.positions = NULL;
    CHECK(tetmesh_check(&tets, "here", &message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(message.text, "positions is NULL");
}

TEST(tetmesh_not_finite_is_refused_with_vertex) {
    JnMessage message;
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; ++i) {
        double moved[15];
        memcpy(moved, positions, sizeof moved);
        moved[3 * 2 + i] = bad[i];
        JnTets tets = {5, 2, moved, tet_vertices};
        CHECK(tetmesh_check(&tets, "here", &message) == JN_ERR_MESH);
        CHECK_STR_HAS(message.text, "vertex 2");
    }
}

TEST(tetmesh_index_out_of_range_is_refused_with_value) {
    JnMessage message;
    const uint32_t wrong[8] = {0, 1, 2, 3, 1, 2, 3, 5};
    JnTets tets = {5, 2, positions, wrong};
    CHECK(tetmesh_check(&tets, "here", &message) == JN_ERR_MESH);
    CHECK_STR_HAS(message.text, "tet 1 names vertex 5");
}

TEST(tetmesh_inverted_or_flat_is_refused_at_any_scale) {
    JnMessage message;
    const uint32_t inverted[8] = {0, 1, 2, 3, 1, 3, 2, 4};
    const uint32_t flat[8] = {0, 1, 2, 3, 1, 2, 3, 1};
    for (double scale = 1e-6; scale < 1e7; scale *= 1e6) {
        double scaled[15];
        for (int i = 0; i < 15; ++i)
            scaled[i] = scale * positions[i];
        JnTets tets = {5, 2, scaled, inverted};
        CHECK(tetmesh_check(&tets, "here", &message) == JN_ERR_MESH);
        CHECK_STR_HAS(message.text, "tet 1");
        CHECK_STR_HAS(message.text, "inverted");
        tets.tet_vertices = flat;
        CHECK(tetmesh_check(&tets, "here", &message) == JN_ERR_MESH);
        CHECK_STR_HAS(message.text, "flat");
        tets.tet_vertices = tet_vertices;
        CHECK(tetmesh_check(&tets, "here", &message) == JN_OK);
    }
}

TEST(tetmesh_unused_vertex_is_refused_by_number) {
    JnMessage message;
    JnTets tets = {5, 1, positions, tet_vertices};
    CHECK(tetmesh_check(&tets, "here", &message) == JN_ERR_MESH);
    CHECK_STR_HAS(message.text, "vertex 4 belongs to no tet");
}

TEST(tetmesh_with_a_tet_twice_is_refused_by_number) {
    JnMessage message;
    const uint32_t repeated[12] = {0, 1, 2, 3, 1, 2, 3, 4, 2, 0, 1, 3};
    JnTets tets = {5, 3, positions, repeated};
    CHECK(tetmesh_check(&tets, "here", &message) == JN_ERR_MESH);
    CHECK_STR_HAS(message.text, "here: tet 0 (vertices 0 1 2 3) is listed again as tet 2: remove one of the two");
}

TEST(tetmesh_with_two_tets_on_one_side_of_a_face_is_refused_by_number) {
    JnMessage message;
    const double corners[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, 0.1, 0.5};
    const uint32_t overlapping[8] = {0, 1, 2, 3, 0, 1, 2, 4};
    JnTets tets = {5, 2, corners, overlapping};
    CHECK(tetmesh_check(&tets, "here", &message) == JN_ERR_MESH);
    CHECK_STR_HAS(message.text, "tets 0 (vertices 0 1 2 3) and 1 (vertices 0 1 2 4) lie on the same side");
}

TEST(tetmesh_copy_owns_equal_arrays) {
    TetMesh mesh;
    CHECK(tetmesh_copy(&two_tets, &mesh, NULL) == JN_OK);
    CHECK(mesh.positions != positions && memcmp(mesh.positions, positions, sizeof positions) == 0);
    CHECK(mesh.tet_vertices != tet_vertices && memcmp(mesh.tet_vertices, tet_vertices, sizeof tet_vertices) == 0);
    tetmesh_free(&mesh);
    CHECK(mesh.positions == NULL && mesh.vertex_count == 0);
}

TEST(boundary_of_two_tets_has_six_faces_facing_outwards) {
    uint32_t *triangles, count;
    CHECK(tetmesh_boundary(&two_tets, &triangles, &count, NULL) == JN_OK);
    CHECK(count == 6);
    uint32_t sizes[6] = {3, 3, 3, 3, 3, 3};
    JnSurface surface = {.vertex_count = 5,
                         .face_count = 6,
                         .corner_count = 18,
                         .positions = positions,
                         .face_sizes = sizes,
                         .face_vertices = triangles};
    double volume = tets_volume(&two_tets, NULL);
    CHECK(volume > 0.1);
    CHECK_NEAR(surface_volume(&surface), volume, 1e-15);
    free(triangles);
}
