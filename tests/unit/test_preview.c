/* What a scene shows before its bake: animated poses with painted maps, simulation meshes, colliders. */
#include "scene_fixture.h"

static JnPreview *preview_of(JnScene *scene) {
    JnPreview *preview = NULL;
    jn_preview_create(scene, &preview, &fixture_message);
    return preview;
}

static JnMeshView view_of(const JnMesh *mesh) {
    JnMeshView view = {.struct_size = sizeof view};
    jn_mesh_view(mesh, &view, NULL);
    return view;
}

TEST(preview_body_follows_its_keys_and_carries_its_maps) {
    JnScene *scene = fixture_load(BEAM_SCENE(
        ", \"frames\": {\"count\": 11}",
        ", \"transform\": {\"translate\": [0, 5, 0]}, \"weights\": {\"foot\": {\"field\": \"start\"}, \"poke\": "
        "{\"box\": [[3.5, -9, -9], [9, 9, 9]]}}, \"regions\": [{\"weights\": \"foot\", \"effect\": \"pin\"}], "
        "\"forces\": [{\"weights\": \"poke\", \"force\": [1, 0, 0]}], \"animation\": {\"keys\": [{\"frame\": 1}, "
        "{\"frame\": 11, \"translate\": [0, 0, 10]}]}"));
    CHECK(scene);
    JnPreview *preview = preview_of(scene);
    CHECK(preview);
    JnMesh *first = NULL, *last = NULL;
    CHECK(jn_preview_body(preview, 0, 1, &first, NULL) == JN_OK);
    CHECK(jn_preview_body(preview, 0, 11, &last, NULL) == JN_OK);
    JnMeshView a = view_of(first), b = view_of(last);
    CHECK(a.surface.vertex_count == 20 && a.surface.face_count == 36 && b.surface.vertex_count == 20);
    double low = INFINITY;
    for (uint32_t v = 0; v < 20; ++v) {
        low = fmin(low, a.surface.positions[3 * v + 1]);
        CHECK_NEAR(b.surface.positions[3 * v], a.surface.positions[3 * v], 1e-12);
        CHECK_NEAR(b.surface.positions[3 * v + 2], a.surface.positions[3 * v + 2] + 10, 1e-12);
    }
    CHECK_NEAR(low, 4.5, 1e-12);
    CHECK(a.field_count == 2 && strcmp(a.fields[0].name, "foot") == 0 && strcmp(a.fields[1].name, "poke") == 0);
    for (uint32_t v = 0; v < 20; ++v) {
        CHECK(a.fields[0].values[v] == (a.surface.positions[3 * v] < 1e-9));
        CHECK(a.fields[1].values[v] == (a.surface.positions[3 * v] > 3.5));
    }
    jn_mesh_free(first);
    jn_mesh_free(last);
    jn_preview_free(preview);
    jn_scene_free(scene);
}

TEST(preview_simulated_mesh_fits_the_surface_and_follows_it) {
    JnScene *scene = NULL;
    JnMessage message;
    CHECK(jn_scene_load(JN_TEST_SOURCE "/sample_scenes/pudding/scene.json", &scene, &message) == JN_OK);
    JnPreview *preview = preview_of(scene);
    CHECK(preview);
    JnMesh *body = NULL, *cage = NULL, *moved = NULL;
    CHECK(jn_preview_body(preview, 0, 1, &body, &message) == JN_OK);
    CHECK(jn_preview_simulated(preview, 0, NULL, 0, &cage, &message) == JN_OK);
    JnMeshView surface = view_of(body), still = view_of(cage);
    CHECK(still.surface.face_count > 100 && surface.surface.vertex_count == 1906);
    double low = INFINITY, cage_low = INFINITY;
    for (uint32_t v = 0; v < surface.surface.vertex_count; ++v)
        low = fmin(low, surface.surface.positions[3 * v + 1]);
    for (uint32_t v = 0; v < still.surface.vertex_count; ++v)
        cage_low = fmin(cage_low, still.surface.positions[3 * v + 1]);
    // a twelfth of a cell
    CHECK_NEAR(cage_low, low, 0.1);
    JnMeshReport report = {.struct_size = sizeof report};
    CHECK(jn_preview_report(preview, 0, &report, &message) == JN_OK);
    CHECK(report.tet_count > 1000 && report.piece_count == 1 && report.smallest_angle > 10);
    CHECK(report.cell > 0.5 && report.cell < 2); // in scene units, which are centimetres
    CHECK(isnan(report.surface_volume) && report.volume > 100);
    CHECK(jn_preview_report(preview, 1, &report, &message) == JN_ERR_ARGUMENT);
    report.struct_size = 4;
    CHECK(jn_preview_report(preview, 0, &report, &message) == JN_ERR_STRUCT_SIZE);

    /* a shear of the surface is the same shear of the cage */
    size_t count = 3 * (size_t)surface.surface.vertex_count;
    double *sheared = malloc(count * sizeof *sheared);
    for (size_t i = 0; i < count; ++i)
        sheared[i] = surface.surface.positions[i] + (i % 3 == 0 ? 0.3 * surface.surface.positions[i + 1] : 0);
    CHECK(jn_preview_simulated(preview, 0, sheared, surface.surface.vertex_count, &moved, &message) == JN_OK);
    JnMeshView after = view_of(moved);
    for (uint32_t v = 0; v < still.surface.vertex_count; ++v) {
        const double *p = still.surface.positions + 3 * (size_t)v, *q = after.surface.positions + 3 * (size_t)v;
        CHECK_NEAR(q[0], p[0] + 0.3 * p[1], 1e-6);
        CHECK_NEAR(q[1], p[1], 1e-6);
        CHECK_NEAR(q[2], p[2], 1e-6);
    }
    JnMesh *none = cage;
    CHECK(jn_preview_simulated(preview, 0, sheared, 5, &none, &message) == JN_ERR_ARGUMENT && !none);
    CHECK_STR_HAS(message.text, "1906 vertices");
    sheared[7] = NAN;
    CHECK(jn_preview_simulated(preview, 0, sheared, 1906, &none, &message) == JN_ERR_ARGUMENT && !none);
    free(sheared);
    jn_mesh_free(body);
    jn_mesh_free(cage);
    jn_mesh_free(moved);
    jn_preview_free(preview);
    jn_scene_free(scene);
}

TEST(preview_of_springs_are_curves_between_vertices) {
    JnScene *scene = fixture_load("{\"jounce\": 1, \"bodies\": [{\"name\": \"flag\", \"kind\": \"textile\", \"mesh\": "
                                  "{\"shape\": \"cloth\", \"size\": [2, 1, 1], \"cells\": [4, 2, 1]}}]}");
    CHECK(scene);
    JnPreview *preview = preview_of(scene);
    CHECK(preview);
    JnMesh *springs = NULL;
    CHECK(jn_preview_simulated(preview, 0, NULL, 0, &springs, NULL) == JN_OK);
    JnMeshView view = view_of(springs);
    CHECK(view.surface.face_count == 0 && view.curves.vertex_count == 15);
    CHECK(view.curves.curve_count >= 22 && view.curves.corner_count == 2 * view.curves.curve_count);
    jn_mesh_free(springs);
    jn_preview_free(preview);
    jn_scene_free(scene);
}

TEST(preview_plane_is_a_still_grid_on_it_that_faces_the_free_side) {
    JnScene *scene = fixture_load(
        BEAM_SCENE(", \"units\": {\"metres_per_unit\": 0.01}, \"colliders\": [{\"name\": \"slope\", \"point\": [1, 2, "
                   "3], \"normal\": [1, 3, -2], \"animation\": {\"keys\": [{\"frame\": 1}, {\"frame\": 5, "
                   "\"translate\": [0, 8, 0]}]}}]",
                   ""));
    CHECK(scene);
    JnPreview *preview = preview_of(scene);
    CHECK(preview);
    const double normal[3] = {1, 3, -2}, centre[3] = {10, 20, 30};
    for (int moved = 0; moved < 2; ++moved) {
        JnMesh *grid = NULL;
        CHECK(jn_preview_collider(preview, 0, moved ? 5 : 1, centre, 40, &grid, NULL) == JN_OK);
        JnMeshView view = view_of(grid);
        double farthest = 0;
        for (uint32_t v = 0; v < view.surface.vertex_count; ++v) {
            const double *p = view.surface.positions + 3 * (size_t)v;
            double off = normal[0] * (p[0] - 1) + normal[1] * (p[1] - 2 - 8 * moved) + normal[2] * (p[2] - 3);
            CHECK_NEAR(off, 0, 1e-9);
            farthest = fmax(farthest, hypot(hypot(p[0] - 10, p[1] - 20), p[2] - 30));
        }
        CHECK(farthest > 40 && farthest < 120);
        const double *p = view.surface.positions;
        const uint32_t *f = view.surface.face_vertices;
        double u[3], w[3], up = 0;
        for (int i = 0; i < 3; ++i) {
            u[i] = p[3 * f[1] + (uint32_t)i] - p[3 * f[0] + (uint32_t)i];
            w[i] = p[3 * f[2] + (uint32_t)i] - p[3 * f[0] + (uint32_t)i];
        }
        for (int i = 0; i < 3; ++i)
            up += normal[i] * (u[(i + 1) % 3] * w[(i + 2) % 3] - u[(i + 2) % 3] * w[(i + 1) % 3]);
        CHECK(up > 0);
        jn_mesh_free(grid);
    }
    JnMesh *grid = NULL;
    CHECK(jn_preview_collider(preview, 1, 1, centre, 40, &grid, &fixture_message) == JN_ERR_ARGUMENT);
    CHECK_STR_HAS(fixture_message.text, "collider_index is 1");
    CHECK(jn_preview_collider(preview, 0, 1, centre, NAN, &grid, NULL) == JN_ERR_ARGUMENT);
    CHECK(jn_preview_collider(preview, 0, NAN, centre, 40, &grid, NULL) == JN_ERR_ARGUMENT);
    CHECK(jn_preview_collider(NULL, 0, 1, centre, 40, &grid, NULL) == JN_ERR_ARGUMENT);
    JnPreview *none = preview;
    CHECK(jn_preview_create(NULL, &none, NULL) == JN_ERR_ARGUMENT && !none);
    jn_preview_free(none);
    jn_preview_free(preview);
    jn_scene_free(scene);
}
