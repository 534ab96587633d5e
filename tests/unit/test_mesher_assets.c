/* The mesher on real meshes, clean and dirty, from the folder of assets. */
#include "geometry/mesher.h"
#include "geometry/tet_quality.h"
#include "harness.h"
#include "unit/test_geometry_helpers.h"

typedef struct Asset {
    const char *path;
    bool solid; /* closed, or nearly so, and not all thin: its volume is right within two percent */
    bool quick;
} Asset;

static const Asset assets[] = {
    {"surface/armadillo.obj", true, false},
    {"surface/bowl_obstacle.obj", false, false},
    {"surface/bridge_thin.obj", true, false},
    {"surface/bunny.obj", true, false},
    {"surface/cloth_65x65.obj", false, true},
    {"surface/dragon_50k.obj", true, false},
    {"surface/funnel_obstacle.obj", false, false},
    {"surface/hand_open_wrist.obj", true, true},
    {"surface/human_woman.obj", true, true},
    {"surface/penguin.obj", true, true},
    {"surface/penguin_control_mesh.obj", true, false},
    {"surface/quadknot.obj", true, false},
    {"surface/scorpion_low.obj", true, false},
    {"surface/spot_control_mesh.obj", true, false},
    {"surface/spot_low.obj", true, false},
    {"surface/suzanne.obj", true, true},
    {"surface/teddy.obj", true, false},
    {"dirty/chair_duplicate_faces.obj", false, false},
    {"dirty/double_loop_selfintersecting.obj", true, false},
    {"dirty/hammer_unwelded.obj", true, true},
    {"dirty/openscad_nonmanifold.obj", false, false},
    {"dirty/pirate.obj", false, false},
    {"dirty/rabbit_parts.obj", true, true},
    {"dirty/suzanne_quads_split.ply", true, false},
    {"dirty/turtle.obj", true, true},
    {"rig/fish/cd_fish_tex.obj", true, false},
    {"rig/CesiumMan.glb", true, false},
    {"rig/RiggedFigure.glb", true, false},
};
enum { ASSETS = sizeof assets / sizeof assets[0] };

static void mesh_asset(const Asset *asset, double resolution, double tolerance) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", JN_TEST_ASSETS, asset->path);
    JnMesh *mesh = NULL;
    JnMeshView view = {.struct_size = sizeof view};
    JnMessage message = {0};
    CHECK(jn_mesh_read(path, &mesh, &message) == JN_OK && jn_mesh_view(mesh, &view, NULL) == JN_OK);
    MesherOptions options = {.resolution = resolution, .edge_length = NAN, .measure_volume = asset->solid};
    TetMesh tets;
    Embedding embedding;
    JnMeshReport report;
    const Mesher *mesher = mesher_table.items;
    JnStatus status = mesher->build(&view.surface, &options, &tets, &embedding, &report, NULL, &message);
    printf("%s: %s%u vertices, %u tets, angles %.1f to %.1f, aspect %.1f, volume %+.2f %%, %u pieces, out %.2f\n",
           asset->path, message.text, tets.vertex_count, tets.tet_count, report.smallest_angle, report.largest_angle,
           report.worst_aspect, 100 * (report.volume / report.surface_volume - 1), report.piece_count,
           farthest_out(&embedding));
    CHECK(status == JN_OK);
    JnTets given = {tets.vertex_count, tets.tet_count, tets.positions, tets.tet_vertices};
    CHECK(tetmesh_check(&given, "tets", NULL) == JN_OK);
    CHECK(report.smallest_angle >= 10);
    CHECK(farthest_out(&embedding) < 3);
    if (asset->solid)
        CHECK_NEAR(report.volume / report.surface_volume, 1, tolerance);
    tetmesh_free(&tets);
    embedding_free(&embedding);
    jn_mesh_free(mesh);
}

static bool assets_are_here(void) {
    FILE *file = fopen(JN_TEST_ASSETS "/surface/bunny.obj", "rb");
    if (file)
        fclose(file);
    return file != NULL;
}

TEST(some_assets_are_meshed_at_the_usual_resolution) {
    if (!assets_are_here())
        SKIP("the assets are not here");
    for (size_t i = 0; i < ASSETS; ++i)
        if (assets[i].quick)
            mesh_asset(&assets[i], 16, 0.03);
}

LONG_TEST(every_asset_is_meshed_with_its_volume_at_30_cells) {
    if (!assets_are_here())
        SKIP("the assets are not here");
    for (size_t i = 0; i < ASSETS; ++i)
        mesh_asset(&assets[i], 30, 0.02);
}

LONG_TEST(thin_bars_of_the_chair_are_covered_at_the_usual_resolution) {
    if (!assets_are_here())
        SKIP("the assets are not here");
    for (size_t i = 0; i < ASSETS; ++i)
        if (strstr(assets[i].path, "chair"))
            mesh_asset(&assets[i], 16, 0.02);
}
