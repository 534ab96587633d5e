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

/* Bakes `frame_count` of four frames to parts_path, gravity `gravity`. */
static JnStatus bake_falling(uint32_t frame_count, double gravity, uint32_t resume, JnMessage *message) {
    OneBody scene;
    JnBake *bake;
    open_falling(&scene, parts_path);
    scene.desc.gravity[1] = gravity;
    scene.desc.resume = resume;
    JnStatus status = jn_bake_begin(&scene.desc, &bake, message);
    if (status == JN_OK)
        status = advance_frames(bake, frame_count, message);
    JnStatus ended = jn_bake_end(bake, status == JN_OK ? message : NULL);
    one_body_free(&scene);
    return status == JN_OK ? ended : status;
}

TEST(finished_cache_stays_until_the_new_one_is_complete) {
    char unfinished[620];
    JnMessage message;
    size_t sizes[3] = {0};
    snprintf(unfinished, sizeof unfinished, "%.*s.unfinished.abc", (int)strlen(parts_path) - 4, parts_path);
    CHECK(bake_falling(4, -9.81, 0, &message) == JN_OK);
    char *finished = read_file(parts_path, &sizes[0]);
    CHECK(bake_falling(2, -5, 0, &message) == JN_OK);
    char *kept = read_file(parts_path, &sizes[1]), *beside = read_file(unfinished, &sizes[2]);
    CHECK(finished && kept && beside && sizes[0] == sizes[1] && memcmp(finished, kept, sizes[0]) == 0);
    free(kept);
    free(beside);
    /* what is beside is not of this bake, and what is there is complete: nothing to do */
    CHECK(bake_falling(0, -9.81, 1, &message) == JN_OK);
    CHECK(bake_falling(2, -5, 1, &message) == JN_OK);
    CHECK((beside = read_file(unfinished, &sizes[2])) == NULL);
    kept = read_file(parts_path, &sizes[1]);
    CHECK(kept && memcmp(finished, kept, sizes[0] < sizes[1] ? sizes[0] : sizes[1]) != 0);
    free(finished);
    free(kept);
}

TEST(bake_says_where_its_frames_are) {
    OneBody scene;
    JnBake *bake;
    JnMessage message;
    open_falling(&scene, whole_path);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(strcmp(jn_bake_cache_path(bake), whole_path) == 0);
    CHECK(advance_frames(bake, 4, &message) == JN_OK);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK_STR_HAS(jn_bake_cache_path(bake), ".unfinished.abc");
    /* a second bake to the same output, in the same process */
    JnBake *second;
    CHECK(jn_bake_begin(&scene.desc, &second, &message) == JN_ERR_FILE);
    CHECK_STR_HAS(message.text, "another bake is writing");
    CHECK(advance_frames(bake, 4, &message) == JN_OK);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    scene.desc.output_path = NULL;
    CHECK(jn_bake_begin(&scene.desc, &bake, &message) == JN_OK);
    CHECK(jn_bake_cache_path(bake) == NULL && jn_bake_cache_path(NULL) == NULL);
    CHECK(jn_bake_end(bake, &message) == JN_OK);
    one_body_free(&scene);
}
