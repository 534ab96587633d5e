/* Which vertices of a surface are linked: grids, triangles, closed and dirty surfaces. */
#include "harness.h"

#include "geometry/cloth_pairs.h"
#include "geometry/mesh.h"

typedef struct Counts {
    uint32_t kinds[PAIR_FOLD + 1];
} Counts;

static Counts count_links(const ClothPair *links, uint32_t pair_count) {
    Counts counts = {{0}};
    for (uint32_t k = 0; k < pair_count; ++k)
        ++counts.kinds[links[k].kind];
    return counts;
}

static int links_pair(const ClothPair *links, uint32_t pair_count, uint32_t a, uint32_t b, ClothPairKind kind) {
    for (uint32_t k = 0; k < pair_count; ++k)
        if (links[k].ends[0] == a && links[k].ends[1] == b)
            return links[k].kind == kind;
    return 0;
}

TEST(links_of_a_grid_are_those_of_a_textile) {
    enum { NX = 5, NY = 3 };
    JnShape shape;
    JnMesh *mesh;
    JnMeshView view = {.struct_size = sizeof view};
    JnMessage message;
    ClothPair *links;
    uint32_t count;
    jn_shape_init(&shape, sizeof shape, "cloth");
    shape.size[0] = NX, shape.size[1] = NY;
    shape.cells[0] = NX, shape.cells[1] = NY;
    CHECK(jn_shape_make(&shape, &mesh, &message) == JN_OK);
    CHECK(jn_mesh_view(mesh, &view, &message) == JN_OK);
    CHECK(cloth_pairs_find(&view.surface, "here", &links, &count, &message) == JN_OK);
    Counts counts = count_links(links, count);
    CHECK(counts.kinds[PAIR_EDGE] == NX * (NY + 1) + NY * (NX + 1));
    CHECK(counts.kinds[PAIR_DIAGONAL] == 2 * NX * NY);
    CHECK(counts.kinds[PAIR_FOLD] == (NX - 1) * (NY + 1) + (NY - 1) * (NX + 1));
    /* unit squares: an inner edge stands for one square, one of the rim for half */
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t a = links[k].ends[0], b = links[k].ends[1];
        bool rim = (a % (NY + 1) == 0 && b % (NY + 1) == 0) || (a % (NY + 1) == NY && b % (NY + 1) == NY) || b <= NY ||
                   a >= NX * (NY + 1);
        CHECK_NEAR(links[k].area,
                   links[k].kind == PAIR_FOLD       ? 0
                   : links[k].kind == PAIR_DIAGONAL ? 2
                   : rim                            ? 0.5
                                                    : 1,
                   1e-12);
    }
    free(links);
    jn_mesh_free(mesh);
}

TEST(links_of_triangles_pair_the_corners_across_a_fold) {
    static const double positions[15] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0.5, 0.5, 1};
    static const uint32_t sizes[3] = {3, 3, 3}, corners[9] = {0, 1, 2, 0, 2, 3, 0, 2, 4};
    JnSurface surface = {5, 3, 9, 0, positions, sizes, corners, NULL};
    JnMessage message;
    ClothPair *links;
    uint32_t count;
    surface.face_count = 2, surface.corner_count = 6, surface.vertex_count = 4;
    CHECK(cloth_pairs_find(&surface, "here", &links, &count, &message) == JN_OK);
    Counts counts = count_links(links, count);
    CHECK(counts.kinds[PAIR_EDGE] == 5 && counts.kinds[PAIR_DIAGONAL] == 0 && counts.kinds[PAIR_FOLD] == 1);
    CHECK(links_pair(links, count, 1, 3, PAIR_FOLD) && links_pair(links, count, 0, 2, PAIR_EDGE));
    free(links);

    /* three faces on one edge, one of them turned the other way: each is linked with the next */
    surface.face_count = 3, surface.corner_count = 9, surface.vertex_count = 5;
    CHECK(cloth_pairs_find(&surface, "here", &links, &count, &message) == JN_OK);
    CHECK(count_links(links, count).kinds[PAIR_FOLD] == 2);
    CHECK(links_pair(links, count, 1, 3, PAIR_FOLD) && links_pair(links, count, 3, 4, PAIR_FOLD));
    free(links);
}

TEST(links_of_a_tetrahedron_are_its_edges_only) {
    static const double positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const uint32_t sizes[4] = {3, 3, 3, 3}, corners[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    JnSurface surface = {4, 4, 12, 0, positions, sizes, corners, NULL};
    JnMessage message;
    ClothPair *links;
    uint32_t count;
    CHECK(cloth_pairs_find(&surface, "here", &links, &count, &message) == JN_OK);
    CHECK(count == 6 && count_links(links, count).kinds[PAIR_EDGE] == 6);
    free(links);
}

TEST(links_of_a_pentagon_keep_its_shape_and_a_repeated_corner_is_refused) {
    static const double positions[15] = {0, 0, 0, 1, 0, 0, 1.3, 1, 0, 0.5, 1.6, 0, -0.3, 1, 0};
    static const uint32_t sizes[1] = {5}, corners[5] = {0, 1, 2, 3, 4}, repeated[5] = {0, 1, 1, 3, 4};
    JnSurface surface = {5, 1, 5, 0, positions, sizes, corners, NULL};
    JnMessage message;
    ClothPair *links;
    uint32_t count;
    CHECK(cloth_pairs_find(&surface, "here", &links, &count, &message) == JN_OK);
    Counts counts = count_links(links, count);
    CHECK(counts.kinds[PAIR_EDGE] == 5 && counts.kinds[PAIR_DIAGONAL] == 5 && counts.kinds[PAIR_FOLD] == 0);
    free(links);
    surface.face_vertices = repeated;
    CHECK(cloth_pairs_find(&surface, "bodies[2]", &links, &count, &message) == JN_ERR_MESH && !links);
    CHECK_STR_HAS(message.text, "bodies[2]: face 0 names vertex 1 twice");
}
