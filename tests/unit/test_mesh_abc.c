/* Alembic files as source meshes. */
#include "harness.h"

#include "alembic_io.h"
#include "jounce.h"

#include <math.h>
#include <unistd.h>

TEST(mesh_abc_of_other_programs_is_read_with_uvs) {
    JnMesh *mesh;
    JnMessage message;
    JnMeshView view = {.struct_size = sizeof view};
    const char *path = JN_TEST_ASSETS "/abc/blender279_cube_uv.abc";
    if (access(path, R_OK) != 0)
        SKIP("the asset blender279_cube_uv.abc is absent");
    CHECK(jn_mesh_read(path, &mesh, &message) == JN_OK);
    CHECK(jn_mesh_view(mesh, &view, &message) == JN_OK);
    CHECK(view.surface.vertex_count == 8 && view.surface.face_count == 6 && view.surface.corner_count == 24);
    CHECK(view.surface.uvs != NULL && view.tets.tet_count == 0);
    jn_mesh_free(mesh);
}

TEST(mesh_abc_that_is_not_one_mesh_is_refused_with_words) {
    JnMesh *mesh;
    JnMessage message;
    if (access(JN_TEST_ASSETS "/abc/nestedInstancing.abc", R_OK) != 0)
        SKIP("the assets are absent");
    CHECK(jn_mesh_read(JN_TEST_ASSETS "/abc/nestedInstancing.abc", &mesh, &message) == JN_ERR_MESH);
    CHECK_STR_HAS(message.text, "meshes");
    CHECK(jn_mesh_read(JN_TEST_ASSETS "/abc/maya2015_dform_subframe_hdf5.abc", &mesh, &message) == JN_ERR_FORMAT);
    CHECK_STR_HAS(message.text, "HDF5");
}

TEST(mesh_abc_is_placed_by_its_transform_and_carries_its_weights) {
    static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t sizes[4] = {3, 3, 3, 3}, faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    static const float tail[4] = {0, 0.25f, 0.5f, 1}, broken[4] = {0, NAN, 0, INFINITY};
    /* green is a quarter of the vertex in every corner; red is 1 in the first face, at vertices 0 2 1, else 0 */
    float colours[36] = {0}, faces_red[4] = {1, 0, 0, 0};
    for (int c = 0; c < 12; ++c) {
        /* a file is clockwise: the values of its corners run backwards */
        colours[3 * c] = c < 3;
        colours[3 * c + 1] = (float)faces[c / 3 * 3 + 2 - c % 3] / 4;
    }
    const char *path = JN_TEST_OUTPUT "/mesh.abc";
    AbcWriter *writer;
    AbcError error;
    uint32_t parent, object;
    AbcWriterDesc archive = abc_writer_desc_default();
    AbcXformDesc xform = abc_xform_desc_default();
    AbcMeshDesc desc = abc_mesh_desc_default();
    xform.name = "tet";
    xform.matrix[13] = 5;
    desc.name = "tetShape";
    desc.counter_clockwise = true;
    desc.vertex_count = 4, desc.face_count = 4, desc.index_count = 12;
    desc.face_counts = sizes, desc.face_indices = faces;
    desc.positions.f64 = corners;
    CHECK(abc_writer_create(&writer, path, &archive, &error) == ABC_OK);
    CHECK(abc_writer_add_xform(writer, ABC_ROOT, &xform, &parent, &error) == ABC_OK);
    CHECK(abc_writer_add_mesh(writer, parent, &desc, &object, &error) == ABC_OK);
    CHECK(abc_writer_add_geom_param(writer, object, "tail", ABC_SCOPE_VERTEX, tail, 4, 1, &error) == ABC_OK);
    CHECK(abc_writer_add_geom_param(writer, object, "broken", ABC_SCOPE_VERTEX, broken, 4, 1, &error) == ABC_OK);
    CHECK(abc_writer_add_geom_param(writer, object, "Cd", ABC_SCOPE_FACEVARYING, colours, 12, 3, &error) == ABC_OK);
    CHECK(abc_writer_add_geom_param(writer, object, "red", ABC_SCOPE_UNIFORM, faces_red, 4, 1, &error) == ABC_OK);
    CHECK(abc_writer_add_geom_param(writer, object, "all", ABC_SCOPE_CONSTANT, tail, 1, 1, &error) == ABC_OK);
    CHECK(abc_writer_close(writer, &error) == ABC_OK);

    JnMesh *mesh;
    JnMessage message;
    JnMeshView view = {.struct_size = sizeof view};
    CHECK(jn_mesh_read(path, &mesh, &message) == JN_OK);
    CHECK(jn_mesh_view(mesh, &view, &message) == JN_OK);
    CHECK(view.surface.vertex_count == 4 && view.field_count == 3);
    CHECK(strcmp(view.fields[0].name, "tail") == 0);
    CHECK(strcmp(view.fields[1].name, "Cd") == 0 && view.fields[1].component_count == 3);
    CHECK(strcmp(view.fields[2].name, "red") == 0 && view.fields[2].component_count == 1);
    for (int i = 0; i < 12; ++i) {
        CHECK_NEAR(view.surface.positions[i], corners[i] + (i % 3 == 1 ? 5 : 0), 1e-12);
        CHECK(view.surface.face_vertices[i] == (uint32_t)faces[i]);
    }
    for (int v = 0; v < 4; ++v)
        CHECK(view.fields[0].values[v] == (double)tail[v]);
    /* every vertex is in three faces; all but the last in the first */
    for (int v = 0; v < 4; ++v) {
        CHECK_NEAR(view.fields[1].values[3 * v], v < 3 ? 1 / 3.0 : 0, 1e-15);
        CHECK_NEAR(view.fields[1].values[3 * v + 1], v / 4.0, 1e-15);
        CHECK_NEAR(view.fields[2].values[v], v < 3 ? 1 / 3.0 : 0, 1e-15);
    }
    jn_mesh_free(mesh);
    remove(path);
}
