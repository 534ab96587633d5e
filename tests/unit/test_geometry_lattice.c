#include "geometry/mesher.h"
#include "geometry/surface.h"
#include "harness.h"
#include "unit/test_geometry_helpers.h"

typedef struct Built {
    JnStatus status;
    JnMessage message;
    TetMesh mesh;
    Embedding embedding;
    JnTets tets; /* borrows from mesh */
} Built;

static Built build(const JnSurface *surface, double resolution) {
    Built built = {0};
    const void *item = NULL;
    built.status = table_find(&mesher_table, "lattice", "here", &item, &built.message);
    if (built.status != JN_OK)
        return built;
    const Mesher *mesher = item;
    built.status = mesher->build(surface, resolution, &built.mesh, &built.embedding, &built.message);
    built.tets = (JnTets){built.mesh.vertex_count, built.mesh.tet_count, built.mesh.positions, built.mesh.tet_vertices};
    return built;
}

static void discard(Built *built) {
    tetmesh_free(&built->mesh);
    embedding_free(&built->embedding);
}

/* The surface of a ball with the given diameters; the view's positions may be changed. */
static JnMesh *ball_surface(double diameter, uint32_t cells, JnSurface *surface) {
    JnShape shape;
    JnMesh *mesh = NULL;
    JnMeshView view = {.struct_size = sizeof view};
    jn_shape_init(&shape, sizeof shape, "ball");
    shape.size[0] = shape.size[1] = shape.size[2] = diameter;
    shape.cells[0] = cells;
    if (jn_shape_make(&shape, &mesh, NULL) == JN_OK && jn_mesh_view(mesh, &view, NULL) == JN_OK)
        *surface = view.surface;
    return mesh;
}

/* Everything that a lattice promises of its tets: positive, conforming, all vertices used, a closed boundary. */
static bool is_sound(const Built *built) {
    uint32_t *triangles, count;
    double lowest;
    double volume = tets_volume(&built->tets, &lowest);
    FaceCounts faces = count_faces(&built->tets);
    if (built->status != JN_OK || !(lowest > 0) || faces.crowded || !faces.shared ||
        tetmesh_check(&built->tets, "lattice", NULL) != JN_OK)
        return false;
    if (tetmesh_boundary(&built->tets, &triangles, &count, NULL) != JN_OK || count != faces.single)
        return false;
    uint32_t *sizes = malloc(count * sizeof *sizes);
    for (uint32_t f = 0; f < count; ++f)
        sizes[f] = 3;
    JnSurface boundary = {.vertex_count = built->tets.vertex_count,
                          .face_count = count,
                          .corner_count = 3 * count,
                          .positions = built->tets.positions,
                          .face_sizes = sizes,
                          .face_vertices = triangles};
    bool closed = fabs(surface_volume(&boundary) - volume) < 1e-9 * volume;
    free(sizes);
    free(triangles);
    return closed;
}

TEST(lattice_of_cube_is_the_cube) {
    for (uint32_t cells = 1; cells <= 9; ++cells) {
        Built built = build(&cube_surface, cells);
        CHECK(is_sound(&built));
        CHECK(built.tets.tet_count == 5 * cells * cells * cells);
        CHECK(built.tets.vertex_count == (cells + 1) * (cells + 1) * (cells + 1));
        CHECK_NEAR(tets_volume(&built.tets, NULL), 1, 1e-12);
        discard(&built);
    }
}

TEST(lattice_of_ball_converges_from_above_to_its_volume) {
    JnSurface surface = {0};
    JnMesh *ball = ball_surface(2, 16, &surface);
    double truth = surface_volume(&surface), before = INFINITY;
    CHECK(truth > 4);
    for (double resolution = 5; resolution <= 40; resolution *= 2) {
        Built built = build(&surface, resolution);
        CHECK(is_sound(&built));
        double volume = tets_volume(&built.tets, NULL);
        CHECK(volume > truth && volume < before);
        // a layer of half-filled cells: the excess is at most area times cell
        CHECK(volume - truth < 12.6 * 2 / resolution);
        before = volume;
        discard(&built);
    }
    CHECK(before < 1.12 * truth);
    jn_mesh_free(ball);
}

TEST(lattice_embeds_every_render_vertex_inside) {
    JnSurface surface = {0};
    JnMesh *ball = ball_surface(0.37, 12, &surface);
    Built built = build(&surface, 7.3);
    CHECK(is_sound(&built));
    CHECK(built.embedding.point_count == surface.vertex_count);
    double *x = malloc(3 * (size_t)surface.vertex_count * sizeof *x), error = 0, lowest = 0;
    embedding_apply(&built.embedding, built.mesh.positions, x);
    for (size_t i = 0; i < 3 * (size_t)surface.vertex_count; ++i)
        error = fmax(error, fabs(x[i] - surface.positions[i]));
    for (size_t i = 0; i < 4 * (size_t)surface.vertex_count; ++i)
        lowest = fmin(lowest, built.embedding.weights[i]);
    CHECK_NEAR(error, 0, 1e-12);
    CHECK(lowest > -1e-6);
    free(x);
    discard(&built);
    jn_mesh_free(ball);
}

TEST(lattice_is_the_same_at_every_scale_and_place) {
    JnSurface surface = {0};
    JnMesh *ball = ball_surface(1, 8, &surface);
    Built first = build(&surface, 10);
    CHECK(is_sound(&first));
    double *moved = malloc(3 * (size_t)surface.vertex_count * sizeof *moved);
    for (size_t i = 0; i < 3 * (size_t)surface.vertex_count; ++i)
        moved[i] = 1024 * surface.positions[i] + 4096;
    surface.positions = moved;
    Built second = build(&surface, 10);
    CHECK(is_sound(&second));
    CHECK(second.tets.tet_count == first.tets.tet_count && second.tets.vertex_count == first.tets.vertex_count);
    discard(&first);
    discard(&second);
    free(moved);
    jn_mesh_free(ball);
}

TEST(lattice_of_inside_out_surface_is_the_same) {
    JnSurface surface = {0};
    JnMesh *ball = ball_surface(1, 8, &surface);
    Built first = build(&surface, 12);
    CHECK(is_sound(&first));
    uint32_t *flipped = malloc(surface.corner_count * sizeof *flipped);
    for (uint32_t c = 0; c < surface.corner_count; ++c)
        flipped[c] = surface.face_vertices[c / 3 * 3 + 2 - c % 3];
    surface.face_vertices = flipped;
    Built second = build(&surface, 12);
    CHECK(is_sound(&second) && second.tets.tet_count == first.tets.tet_count);
    // one face turned: no winding number any more, but still an inside
    uint32_t swap = flipped[0];
    flipped[0] = flipped[1];
    flipped[1] = swap;
    Built third = build(&surface, 12);
    CHECK(is_sound(&third) && third.tets.tet_count == first.tets.tet_count);
    discard(&first);
    discard(&second);
    discard(&third);
    free(flipped);
    jn_mesh_free(ball);
}

/* Two copies of the cube, the second moved by `shift` along all axes; welded to nothing. */
static void two_cubes(double shift, double positions[48], uint32_t sizes[12], uint32_t corners[48],
                      JnSurface *surface) {
    for (uint32_t i = 0; i < 24; ++i) {
        positions[i] = cube_positions[i];
        positions[24 + i] = cube_positions[i] + shift;
        corners[i] = cube_face_vertices[i];
        corners[24 + i] = cube_face_vertices[i] + 8;
        sizes[i / 2] = 4;
    }
    *surface = (JnSurface){.vertex_count = 16,
                           .face_count = 12,
                           .corner_count = 48,
                           .positions = positions,
                           .face_sizes = sizes,
                           .face_vertices = corners};
}

TEST(lattice_of_overlapping_cubes_fills_both) {
    double positions[48];
    uint32_t sizes[12], corners[48];
    JnSurface surface;
    two_cubes(0.5, positions, sizes, corners, &surface);
    Built built = build(&surface, 15);
    CHECK(is_sound(&built));
    // 1 + 1 - 1/8, cells are a tenth long
    CHECK_NEAR(tets_volume(&built.tets, NULL), 1.875, 1e-9);
    discard(&built);
}

TEST(lattice_of_unwelded_but_closed_surface_is_accepted) {
    // every face with its own four vertices
    double positions[72];
    uint32_t corners[24];
    for (uint32_t c = 0; c < 24; ++c) {
        memcpy(&positions[3 * c], &cube_positions[3 * cube_face_vertices[c]], 3 * sizeof *positions);
        corners[c] = c;
    }
    JnSurface surface = cube_surface;
    surface.vertex_count = 24;
    surface.positions = positions;
    surface.face_vertices = corners;
    Built built = build(&surface, 4);
    CHECK(is_sound(&built) && built.tets.tet_count == 320);
    discard(&built);
}

TEST(lattice_of_open_surface_is_refused_with_place_and_count) {
    JnSurface surface = cube_surface;
    surface.face_count = 5;
    surface.corner_count = 20;
    Built built = build(&surface, 4);
    CHECK(built.status == JN_ERR_MESH);
    CHECK_STR_HAS(built.message.text, "open: 4 of its edges");
    CHECK_STR_HAS(built.message.text, "(1, 0, 0)");
    CHECK_STR_HAS(built.message.text, "weld");
    CHECK(built.mesh.positions == NULL && built.embedding.weights == NULL);
}

TEST(lattice_of_surface_with_inner_wall_is_refused_with_place) {
    // the cube and its first face once more: three faces at each of four edges
    uint32_t sizes[7], corners[28];
    for (int i = 0; i < 28; ++i)
        corners[i] = cube_face_vertices[i % 24];
    for (int i = 0; i < 7; ++i)
        sizes[i] = 4;
    JnSurface surface = cube_surface;
    surface.face_count = 7;
    surface.corner_count = 28;
    surface.face_sizes = sizes;
    surface.face_vertices = corners;
    Built built = build(&surface, 4);
    CHECK(built.status == JN_ERR_MESH);
    CHECK_STR_HAS(built.message.text, "odd number of faces");
    CHECK_STR_HAS(built.message.text, "(0, 0, 0)");
}

TEST(lattice_with_lines_through_corners_and_edges_is_symmetric) {
    // the middle lines of cells run through the corners of the octahedron and along its edges
    const double positions[18] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
    const uint32_t sizes[8] = {3, 3, 3, 3, 3, 3, 3, 3};
    const uint32_t corners[24] = {0, 2, 4, 2, 1, 4, 1, 3, 4, 3, 0, 4, 2, 0, 5, 1, 2, 5, 3, 1, 5, 0, 3, 5};
    JnSurface surface = {.vertex_count = 6,
                         .face_count = 8,
                         .corner_count = 24,
                         .positions = positions,
                         .face_sizes = sizes,
                         .face_vertices = corners};
    CHECK_NEAR(surface_volume(&surface), 4.0 / 3, 1e-15);
    double before = INFINITY;
    for (double resolution = 1; resolution < 40; resolution += 2) {
        Built built = build(&surface, resolution);
        CHECK(is_sound(&built));
        double sums[3] = {0}, volume = tets_volume(&built.tets, NULL);
        for (size_t i = 0; i < 3 * (size_t)built.tets.vertex_count; ++i)
            sums[i % 3] += built.tets.positions[i];
        for (int a = 0; a < 3; ++a)
            CHECK_NEAR(sums[a], 0, 1e-9);
        CHECK(volume > 4.0 / 3 && volume < before);
        before = volume;
        discard(&built);
    }
    // half a cell beyond faces whose normals are diagonals: area sqrt(48), cell 2/39
    CHECK(before - 4.0 / 3 < 1.1 * sqrt(48) * sqrt(3) / 2 * 2 / 39);
}

TEST(lattice_of_doubled_sheet_is_refused_without_volume) {
    const uint32_t sizes[2] = {4, 4}, corners[8] = {0, 2, 3, 1, 1, 3, 2, 0};
    JnSurface surface = cube_surface;
    surface.face_count = 2;
    surface.corner_count = 8;
    surface.face_sizes = sizes;
    surface.face_vertices = corners;
    Built built = build(&surface, 4);
    CHECK(built.status == JN_ERR_MESH);
    CHECK_STR_HAS(built.message.text, "no volume");
    // bent along a diagonal of the cube, so that it is not flat
    const uint32_t bent_sizes[4] = {3, 3, 3, 3}, bent[12] = {0, 3, 5, 5, 3, 0, 3, 6, 5, 5, 6, 3};
    surface.face_count = 4;
    surface.corner_count = 12;
    surface.face_sizes = bent_sizes;
    surface.face_vertices = bent;
    built = build(&surface, 4);
    CHECK(built.status == JN_ERR_MESH);
    CHECK_STR_HAS(built.message.text, "no volume");
}

TEST(lattice_of_thin_closed_plate_is_one_cell_thick) {
    double positions[24];
    for (int i = 0; i < 24; ++i)
        positions[i] = cube_positions[i] * (i % 3 == 2 ? 1e-3 : 1);
    JnSurface surface = cube_surface;
    surface.positions = positions;
    Built built = build(&surface, 8);
    CHECK(is_sound(&built) && built.tets.tet_count == 8 * 8 * 5);
    discard(&built);
}

TEST(lattice_with_absurd_resolution_is_refused) {
    const double resolutions[] = {0, -1, 0.5, NAN, 1e4, 1e9, 1e300, INFINITY};
    for (size_t i = 0; i < sizeof resolutions / sizeof resolutions[0]; ++i) {
        Built built = build(&cube_surface, resolutions[i]);
        CHECK(built.status == JN_ERR_ARGUMENT || built.status == JN_ERR_MESH);
        CHECK_STR_HAS(built.message.text, "resolution");
    }
    // fits into memory as cubes, but not as tets that could be simulated
    Built built = build(&cube_surface, 200);
    CHECK(built.status == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(built.message.text, "lower the resolution");
}

TEST(lattice_of_surface_without_extent_or_too_far_is_refused) {
    double positions[24] = {0};
    JnSurface surface = cube_surface;
    surface.positions = positions;
    CHECK(build(&surface, 4).status == JN_ERR_MESH);
    for (int i = 0; i < 24; ++i)
        positions[i] = cube_positions[i] + 1e15;
    CHECK(build(&surface, 4).status == JN_ERR_MESH);
    for (int i = 0; i < 24; ++i)
        positions[i] = (2 * cube_positions[i] - 1) * 1.7e308;
    CHECK(build(&surface, 4).status == JN_ERR_MESH);
}

TEST(lattice_is_the_same_run_after_run) {
    JnSurface surface = {0};
    JnMesh *ball = ball_surface(1, 10, &surface);
    Built first = build(&surface, 17), second = build(&surface, 17);
    CHECK(first.status == JN_OK && first.tets.tet_count == second.tets.tet_count);
    CHECK(memcmp(first.mesh.positions, second.mesh.positions, 3 * (size_t)first.tets.vertex_count * sizeof(double)) ==
          0);
    CHECK(memcmp(first.embedding.weights, second.embedding.weights,
                 4 * (size_t)surface.vertex_count * sizeof(double)) == 0);
    discard(&first);
    discard(&second);
    jn_mesh_free(ball);
}

/* A closed or open file of the assets, with the volume of its surface as the divergence theorem gives it. */
typedef struct Case {
    const char *path;
    JnStatus status;
    bool simple; /* closed and without parts that overlap: the volume of the surface is that of the body */
} Case;

TEST(lattice_of_every_asset_holds_it_or_says_why_not) {
    static const Case cases[] = {
        {"surface/bunny.obj", JN_OK, true},
        {"surface/armadillo.obj", JN_OK, true},
        {"surface/dragon_50k.obj", JN_OK, true},
        {"surface/suzanne.obj", JN_ERR_MESH, false},
        {"surface/human_woman.obj", JN_OK, true},
        {"surface/spot_control_mesh.obj", JN_OK, true},
        {"surface/spot_low.obj", JN_OK, true},
        {"surface/penguin.obj", JN_OK, true},
        {"surface/penguin_control_mesh.obj", JN_OK, true},
        {"surface/scorpion_low.obj", JN_OK, true},
        {"surface/bridge_thin.obj", JN_OK, false},
        {"surface/quadknot.obj", JN_OK, true},
        {"surface/hand_open_wrist.obj", JN_ERR_MESH, false},
        {"surface/teddy.obj", JN_OK, true},
        {"surface/cloth_65x65.obj", JN_ERR_MESH, false},
        {"surface/bowl_obstacle.obj", JN_ERR_MESH, false},
        {"surface/funnel_obstacle.obj", JN_ERR_MESH, false},
        {"dirty/suzanne_quads_split.ply", JN_ERR_MESH, false},
        {"dirty/pirate.obj", JN_ERR_MESH, false},
        {"dirty/chair_duplicate_faces.obj", JN_ERR_MESH, false},
        {"dirty/turtle.obj", JN_ERR_MESH, false},
        {"dirty/rabbit_parts.obj", JN_OK, false},
        {"dirty/double_loop_selfintersecting.obj", JN_OK, false},
        {"dirty/hammer_unwelded.obj", JN_OK, true},
        {"dirty/openscad_nonmanifold.obj", JN_OK, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", JN_TEST_ASSETS, cases[i].path);
        FILE *file = fopen(path, "rb");
        if (!file)
            SKIP("the assets are not here");
        fclose(file);
        JnMesh *mesh = NULL;
        JnMeshView view = {.struct_size = sizeof view};
        CHECK(jn_mesh_read(path, &mesh, NULL) == JN_OK && jn_mesh_view(mesh, &view, NULL) == JN_OK);
        Built built = build(&view.surface, 20);
        if (built.status != cases[i].status)
            printf("%s: %s\n", cases[i].path, built.message.text);
        CHECK(built.status == cases[i].status);
        if (built.status == JN_OK) {
            CHECK(is_sound(&built));
            // never less than the body; bodies that are mostly thin parts gain most
            double volume = tets_volume(&built.tets, NULL), truth = surface_volume(&view.surface);
            CHECK(!cases[i].simple || (volume > truth && volume < 6 * truth));
        }
        discard(&built);
        jn_mesh_free(mesh);
    }
}
