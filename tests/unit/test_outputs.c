/* What a bake leaves at its output path and beside it. */
#include "baking.h"
#include "harness.h"
#include "whole_and_parts.h"

#include "alembic_io.h"

/* A box that falls, with two cache samples a frame. */
static void open_falling(OneBody *scene, const char *path) {
    one_body_init(scene, tet_box_make(2, 2, 2, 0.1));
    scene->desc.gravity[1] = -9.81;
    scene->desc.frame_count = 4;
    scene->desc.samples_per_frame = 2;
    scene->desc.output_path = path;
}

TEST(archive_bounds_have_a_sample_for_every_sample_of_the_points) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    open_falling(&scene, whole_path);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(advance_frames(bake, 4, &message) == JN_OK);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    AbcReader *reader;
    AbcMeshInfo info;
    AbcPropertyInfo bounds;
    AbcError error;
    CHECK(abc_reader_open(&reader, whole_path, NULL, &error) == ABC_OK);
    uint32_t mesh = abc_reader_find(reader, "/body/bodyShape");
    CHECK(abc_reader_mesh_info(reader, mesh, &info, &error) == ABC_OK);
    CHECK(abc_reader_property(reader, ABC_ROOT, ".childBnds", &bounds, &error) == ABC_OK);
    CHECK(info.sample_count == 7 && bounds.sample_count == 7);
    CHECK(bounds.time_sampling == info.time_sampling);
    /* the body is not moved by its transform: at every time the archive's box is the mesh's, and it falls */
    for (uint32_t s = 0; s < info.sample_count; ++s) {
        AbcBounds box;
        double all[6];
        CHECK(abc_reader_mesh_bounds(reader, mesh, s, &box, &error) == ABC_OK);
        CHECK(abc_reader_property_doubles(reader, ABC_ROOT, ".childBnds", s, all, 6, &error) == ABC_OK);
        CHECK_NEAR(all[1], box.min[1], 1e-12);
        CHECK(s == 0 || all[1] < 0);
    }
    abc_reader_close(reader);
    one_body_free(&scene);
}
