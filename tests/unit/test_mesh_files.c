#include "harness.h"
#include "jounce.h"
#include "unit/test_geometry_helpers.h"

#include <unistd.h>

static bool asset_path(const char *name, char path[512]) {
    snprintf(path, 512, "%s/%s", JN_TEST_ASSETS, name);
    FILE *file = fopen(path, "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

/* Reads what was written, compares, and leaves no file behind. */
static JnMesh *write_and_read(const JnMesh *mesh, const char *name, JnMeshView *view) {
    char path[512];
    JnMessage message;
    JnMesh *back = NULL;
    snprintf(path, sizeof path, "%s/%s", JN_TEST_OUTPUT, name);
    if (jn_mesh_write(mesh, path, &message) != JN_OK || jn_mesh_read(path, &back, &message) != JN_OK)
        printf("%s\n", message.text);
    unlink(path);
    view->struct_size = sizeof *view;
    if (back)
        jn_mesh_view(back, view, NULL);
    return back;
}

/* A cuboid of odd sizes: no coordinate is a round number. */
static JnMesh *make_cuboid(JnMeshView *view) {
    JnShape shape;
    JnMesh *mesh = NULL;
    jn_shape_init(&shape, sizeof shape, "cuboid");
    shape.size[0] = 1e5 / 3, shape.size[1] = 1e4 / 7, shape.size[2] = 12345.678 / 11;
    shape.cells[0] = 7, shape.cells[1] = 3, shape.cells[2] = 3;
    shape.turns = 0.3;
    view->struct_size = sizeof *view;
    if (jn_shape_make(&shape, &mesh, NULL) == JN_OK)
        jn_mesh_view(mesh, view, NULL);
    return mesh;
}

TEST(msh_written_and_read_is_the_same_to_the_bit) {
    JnMeshView view, back_view;
    JnMesh *mesh = make_cuboid(&view), *back = write_and_read(mesh, "round_trip.msh", &back_view);
    CHECK(back != NULL);
    CHECK(back_view.tets.vertex_count == view.tets.vertex_count && back_view.tets.tet_count == view.tets.tet_count);
    CHECK(memcmp(back_view.tets.positions, view.tets.positions, 3 * (size_t)view.tets.vertex_count * sizeof(double)) ==
          0);
    CHECK(memcmp(back_view.tets.tet_vertices, view.tets.tet_vertices, 16 * (size_t)view.tets.tet_count) == 0);
    CHECK(back_view.surface.face_count == view.surface.face_count);
    CHECK(view.field_count == 3 && back_view.field_count == 3);
    for (uint32_t f = 0; f < 3; ++f) {
        const JnMeshField *a = &view.fields[f], *b = &back_view.fields[f];
        CHECK(strcmp(a->name, b->name) == 0 && a->component_count == b->component_count);
        CHECK(memcmp(a->values, b->values, (size_t)view.tets.vertex_count * a->component_count * sizeof(double)) == 0);
    }
    jn_mesh_free(mesh);
    jn_mesh_free(back);
}

TEST(medit_written_and_read_is_the_same_to_the_bit) {
    JnMeshView view, back_view;
    JnMesh *mesh = make_cuboid(&view), *back = write_and_read(mesh, "round_trip.mesh", &back_view);
    CHECK(back != NULL);
    CHECK(back_view.tets.vertex_count == view.tets.vertex_count && back_view.tets.tet_count == view.tets.tet_count);
    CHECK(memcmp(back_view.tets.positions, view.tets.positions, 3 * (size_t)view.tets.vertex_count * sizeof(double)) ==
          0);
    CHECK(memcmp(back_view.tets.tet_vertices, view.tets.tet_vertices, 16 * (size_t)view.tets.tet_count) == 0);
    jn_mesh_free(mesh);
    jn_mesh_free(back);
}

TEST(obj_written_and_read_keeps_polygons_and_uvs) {
    char path[512];
    JnMesh *mesh = NULL, *back;
    JnMeshView view = {.struct_size = sizeof view}, back_view;
    if (!asset_path("surface/quadknot.obj", path))
        SKIP("the assets are not here");
    CHECK(jn_mesh_read(path, &mesh, NULL) == JN_OK && jn_mesh_view(mesh, &view, NULL) == JN_OK);
    CHECK(view.surface.uvs != NULL);
    back = write_and_read(mesh, "round_trip.obj", &back_view);
    CHECK(back != NULL && back_view.surface.uvs != NULL);
    CHECK(back_view.surface.vertex_count == view.surface.vertex_count);
    CHECK(back_view.surface.corner_count == view.surface.corner_count);
    CHECK(memcmp(back_view.surface.positions, view.surface.positions, 24 * (size_t)view.surface.vertex_count) == 0);
    CHECK(memcmp(back_view.surface.face_vertices, view.surface.face_vertices, 4 * (size_t)view.surface.corner_count) ==
          0);
    CHECK(memcmp(back_view.surface.uvs, view.surface.uvs, 8 * (size_t)view.surface.corner_count) == 0);
    jn_mesh_free(mesh);
    jn_mesh_free(back);
}

TEST(tets_written_as_surface_keep_boundary_and_used_vertices) {
    static const char *const names[] = {"boundary.obj", "boundary.ply"};
    for (int i = 0; i < 2; ++i) {
        JnMeshView view, back_view;
        JnMesh *mesh = make_cuboid(&view), *back = write_and_read(mesh, names[i], &back_view);
        CHECK(back != NULL && back_view.tets.tet_count == 0);
        CHECK(back_view.surface.face_count == view.surface.face_count);
        // 8 x 4 x 4 grid points of which 6 x 2 x 2 lie inside
        CHECK(view.surface.vertex_count == 128 && back_view.surface.vertex_count == 128 - 24);
        double volume = surface_volume(&view.surface);
        CHECK(volume > 0);
        CHECK_NEAR(surface_volume(&back_view.surface), volume, 1e-12 * volume);
        jn_mesh_free(mesh);
        jn_mesh_free(back);
    }
}

TEST(write_to_impossible_place_or_ending_is_refused) {
    JnMeshView view;
    JnMesh *mesh = make_cuboid(&view), *surface;
    JnMessage message;
    CHECK(jn_mesh_write(mesh, "/no/such/folder/mesh.msh", &message) == JN_ERR_FILE);
    CHECK_STR_HAS(message.text, "/no/such/folder/mesh.msh");
    CHECK(jn_mesh_write(mesh, "mesh.stl", &message) == JN_ERR_FORMAT);
    CHECK_STR_HAS(message.text, ".msh");
    CHECK(jn_mesh_write(mesh, "folder.msh/mesh", &message) == JN_ERR_FORMAT);
    CHECK(jn_mesh_write(NULL, "mesh.msh", &message) == JN_ERR_ARGUMENT);
    surface = write_and_read(mesh, "surface_only.ply", &view);
    CHECK(surface && jn_mesh_write(surface, "mesh.msh", &message) == JN_ERR_MESH);
    CHECK_STR_HAS(message.text, "surface");
    jn_mesh_free(mesh);
    jn_mesh_free(surface);
}

TEST(read_of_absent_file_folder_or_ending_is_refused) {
    JnMesh *mesh = NULL;
    JnMessage message;
    CHECK(jn_mesh_read("/no/such/mesh.obj", &mesh, &message) == JN_ERR_FILE && !mesh);
    CHECK_STR_HAS(message.text, "/no/such/mesh.obj");
    CHECK(jn_mesh_read("/no/such/mesh.fbx", &mesh, &message) == JN_ERR_FORMAT);
    CHECK_STR_HAS(message.text, ".obj");
    CHECK(jn_mesh_read(NULL, &mesh, &message) == JN_ERR_ARGUMENT);
    CHECK(jn_mesh_read("mesh.obj", NULL, &message) == JN_ERR_ARGUMENT);
}

TEST(view_of_other_version_is_refused) {
    JnMeshView view;
    JnMessage message;
    JnMesh *mesh = make_cuboid(&view);
    view.struct_size = 8;
    CHECK(jn_mesh_view(mesh, &view, &message) == JN_ERR_STRUCT_SIZE);
    CHECK_STR_HAS(message.text, "JnMeshView");
    CHECK(jn_mesh_view(NULL, &view, &message) == JN_ERR_ARGUMENT);
    jn_mesh_free(mesh);
    jn_mesh_free(NULL);
}

typedef struct Counts {
    const char *path;
    uint32_t vertices, faces, tets;
} Counts;

TEST(tet_asset_of_every_format_is_read_with_its_counts) {
    static const Counts cases[] = {
        {"tet/torus_200.msh", 200, 400, 491},
        {"tet/shark_binary22.msh", 429, 792, 1073},
        {"tet/turtle.veg", 347, 530, 1185},
        {"tet/gargoyle_base_mismatch.ele", 345, 564, 1197},
        {"tet/gargoyle_base_mismatch.node", 345, 564, 1197},
        {"tet/armadillo_1180.ele", 1180, 2102, 3717},
        {"tet/sphere1K.msh", 1760, 2474, 6851},
        {"tet/mat40x40.msh", 3200, 6396, 9126},
        {"tet/simpleBridge.veg", 4000, 7058, 12827},
        {"tet/cactus_test_0.ele", 4239, 5620, 15859},
        {"tet/bunny.msh", 4670, 6266, 19379},
        {"tet/torus_inverted.vtk", 6647, 7938, 28625},
        {"tet/Armadillo13K.msh", 13230, 17296, 54985},
        {"tet/rod300x33.msh", 13333, 19966, 50511},
        {"tet/mat100x100t40.msh", 20000, 39996, 58806},
        {"tet/octopus_30K.1.node", 33113, 58296, 105440},
        {"rig/fish/cd_fish.msh", 10000, 9474, 42205},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char path[512];
        JnMesh *mesh = NULL;
        JnMessage message;
        JnMeshView view = {.struct_size = sizeof view};
        if (!asset_path(cases[i].path, path))
            SKIP("the assets are not here");
        if (jn_mesh_read(path, &mesh, &message) != JN_OK)
            printf("%s\n", message.text);
        CHECK(mesh && jn_mesh_view(mesh, &view, NULL) == JN_OK);
        CHECK(view.tets.vertex_count == cases[i].vertices && view.tets.tet_count == cases[i].tets);
        CHECK(view.surface.face_count == cases[i].faces);
        double lowest, volume = tets_volume(&view.tets, &lowest);
        CHECK(lowest > 0);
        CHECK_NEAR(surface_volume(&view.surface), volume, 1e-9 * volume);
        jn_mesh_free(mesh);
    }
}

TEST(surface_asset_clean_or_dirty_is_read_with_its_counts) {
    static const Counts cases[] = {
        {"surface/bunny.obj", 3301, 6598, 0},
        {"surface/armadillo.obj", 14587, 29170, 0},
        {"surface/dragon_50k.obj", 25007, 50000, 0},
        {"surface/suzanne.obj", 507, 967, 0},
        {"surface/human_woman.obj", 6890, 13776, 0},
        {"surface/spot_control_mesh.obj", 188, 180, 0},
        {"surface/spot_low.obj", 829, 1654, 0},
        {"surface/penguin.obj", 3362, 6720, 0},
        {"surface/penguin_control_mesh.obj", 201, 221, 0},
        {"surface/scorpion_low.obj", 6315, 12626, 0},
        {"surface/bridge_thin.obj", 16085, 16616, 0},
        {"surface/quadknot.obj", 1440, 1440, 0},
        {"surface/hand_open_wrist.obj", 810, 1602, 0},
        {"surface/teddy.obj", 1598, 3192, 0},
        {"surface/cloth_65x65.obj", 4225, 8192, 0},
        {"surface/bowl_obstacle.obj", 1321, 2560, 0},
        {"surface/funnel_obstacle.obj", 288, 552, 0},
        {"dirty/suzanne_quads_split.ply", 1966, 500, 0},
        {"dirty/pirate.obj", 2889, 2527, 0},
        {"dirty/chair_duplicate_faces.obj", 3186, 12756, 0},
        {"dirty/turtle.obj", 1961, 1884, 0},
        {"dirty/rabbit_parts.obj", 644, 678, 0},
        {"dirty/double_loop_selfintersecting.obj", 2008, 2006, 0},
        {"dirty/hammer_unwelded.obj", 2107, 4090, 0},
        {"dirty/openscad_nonmanifold.obj", 717, 1442, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char path[512];
        JnMesh *mesh = NULL;
        JnMessage message;
        JnMeshView view = {.struct_size = sizeof view};
        if (!asset_path(cases[i].path, path))
            SKIP("the assets are not here");
        if (jn_mesh_read(path, &mesh, &message) != JN_OK)
            printf("%s\n", message.text);
        CHECK(mesh && jn_mesh_view(mesh, &view, NULL) == JN_OK);
        CHECK(view.surface.vertex_count == cases[i].vertices && view.surface.face_count == cases[i].faces);
        CHECK(view.tets.tet_count == 0);
        jn_mesh_free(mesh);
    }
}

TEST(obj_lines_are_curves_written_and_read_alike) {
    const char *path = JN_TEST_OUTPUT "/lines.obj";
    JnMessage message;
    JnMesh *mesh, *back;
    JnMeshView view = {.struct_size = sizeof view}, back_view;
    FILE *file = fopen(path, "wb");
    CHECK(file);
    fputs("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nl 1 2/7 -2 \\\n4\nf 1 2 3\nl 4 1\n", file);
    fclose(file);
    /* 2/7 names a texture coordinate that the file does not have */
    CHECK(jn_mesh_read(path, &mesh, &message) == JN_ERR_FORMAT);
    CHECK_STR_HAS(message.text, "line 1 names texture coordinate 7");
    file = fopen(path, "wb");
    fputs("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nl 1 2 -2 \\\n4\nf 1 2 3\nl 4 1\n", file);
    fclose(file);
    CHECK(jn_mesh_read(path, &mesh, &message) == JN_OK);
    CHECK(jn_mesh_view(mesh, &view, &message) == JN_OK);
    CHECK(view.surface.face_count == 1 && view.curves.curve_count == 2 && view.curves.corner_count == 6);
    CHECK(view.curves.curve_sizes[0] == 4 && view.curves.curve_vertices[2] == 2 && view.curves.curve_vertices[4] == 3);
    back = write_and_read(mesh, "lines.obj", &back_view);
    CHECK(back && back_view.curves.curve_count == 2 && back_view.surface.face_count == 1);
    CHECK(memcmp(back_view.curves.curve_vertices, view.curves.curve_vertices, 6 * sizeof(uint32_t)) == 0);
    jn_mesh_free(mesh);
    jn_mesh_free(back);

    /* a file of lines alone; a line of one corner; a vertex that is not there */
    const struct {
        const char *text;
        JnStatus status;
        const char *part;
    } files[] = {{"v 0 0 0\nv 1 0 0\nl 1 2\n", JN_OK, ""},
                 {"v 0 0 0\nv 1 0 0\nl 1\n", JN_ERR_FORMAT, "a line with 1 corners"},
                 {"v 0 0 0\nv 1 0 0\nl 1 3\n", JN_ERR_FORMAT, "line 1 names vertex 3"}};
    for (int i = 0; i < 3; ++i) {
        file = fopen(path, "wb");
        fputs(files[i].text, file);
        fclose(file);
        CHECK(jn_mesh_read(path, &mesh, &message) == files[i].status);
        CHECK_STR_HAS(message.text, files[i].part);
        jn_mesh_free(mesh);
    }
    remove(path);
}
