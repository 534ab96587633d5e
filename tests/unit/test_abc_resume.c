/* alembic_io: archives are cut short, resumed, grown and abandoned. */
#include "harness.h"
#include "unit/abc_scene.h"

static bool resume(const char *path, double keep_before, uint32_t first, uint32_t end) {
    Scene scene = {0};
    if (abc_writer_reopen(&scene.writer, path, keep_before, ABC_SURVIVE_PROCESS, &abc_error)) {
        printf("reopen: %s\n", abc_error.text);
        return false;
    }
    scene.body = abc_writer_find(scene.writer, "/body");
    scene.shape = abc_writer_find(scene.writer, "/body/bodyShape");
    bool good = abc_writer_sample_count(scene.writer, scene.shape) == first;
    for (uint32_t i = first; good && i < end; ++i)
        good = scene_frame(&scene, i);
    return scene_close(&scene) && good;
}

TEST(abc_resume_at_any_frame_gives_the_file_of_one_go) {
    char whole[512], part[512];
    scene_path(whole, sizeof whole, "abc_whole.abc");
    scene_path(part, sizeof part, "abc_part.abc");
    CHECK(scene_write(whole, 8, 8));
    for (uint32_t frame = 0; frame <= 8; ++frame) {
        CHECK(scene_write(part, 8, 8));
        CHECK(resume(part, scene_time(frame), frame, 8));
        CHECK(same_files(whole, part));
    }
}

TEST(abc_reopen_keeping_all_appends) {
    char whole[512], part[512];
    scene_path(whole, sizeof whole, "abc_append_whole.abc");
    scene_path(part, sizeof part, "abc_append_part.abc");
    CHECK(scene_write(whole, 8, 8));
    CHECK(scene_write(part, 8, 5));
    CHECK(scene_holds(part, 5));
    CHECK(resume(part, (double)INFINITY, 5, 8));
    CHECK(same_files(whole, part));
}

TEST(abc_resume_drops_samples_and_bytes) {
    char path[512], early[512];
    scene_path(path, sizeof path, "abc_drop.abc");
    scene_path(early, sizeof early, "abc_early.abc");
    CHECK(scene_write(path, 8, 8));
    CHECK(scene_write(early, 8, 3));
    CHECK(resume(path, scene_time(3), 3, 3));
    CHECK(scene_holds(path, 3));
    CHECK(same_files(path, early));
}

TEST(abc_more_samples_than_reserved_move_the_tables) {
    char path[512];
    scene_path(path, sizeof path, "abc_grow.abc");
    CHECK(scene_write(path, 2, 300));
    CHECK(scene_holds(path, 300));
    /* and again after a resume in the grown part */
    CHECK(resume(path, scene_time(200), 200, 310));
    CHECK(scene_holds(path, 310));
}

TEST(abc_uncommitted_samples_are_not_seen) {
    char path[512];
    scene_path(path, sizeof path, "abc_uncommitted.abc");
    Scene scene;
    CHECK(scene_begin(&scene, path, 4));
    CHECK(scene_holds(path, 0));
    CHECK(scene_frame(&scene, 0));
    double xyz[3 * SCENE_VERTICES], velocity[3 * SCENE_VERTICES];
    scene_sample(3, xyz, velocity);
    const AbcMeshSample sample = {.vertex_count = SCENE_VERTICES, .positions.f64 = xyz, .velocities.f64 = velocity};
    CHECK(abc_writer_mesh_sample(scene.writer, scene.shape, &sample, &abc_error) == ABC_OK);
    CHECK(scene_holds(path, 1));
    abc_writer_drop_uncommitted(scene.writer);
    CHECK(scene_frame(&scene, 1));
    CHECK(scene_holds(path, 2));
    /* what is not committed at the end is cut off */
    CHECK(abc_writer_mesh_sample(scene.writer, scene.shape, &sample, &abc_error) == ABC_OK);
    CHECK(scene_close(&scene));
    char plain[512];
    scene_path(plain, sizeof plain, "abc_plain.abc");
    CHECK(scene_write(plain, 4, 2));
    CHECK(same_files(path, plain));
}

TEST(abc_failed_sample_can_be_tried_again) {
    char path[512], plain[512];
    scene_path(path, sizeof path, "abc_retry.abc");
    scene_path(plain, sizeof plain, "abc_retry_plain.abc");
    Scene scene;
    CHECK(scene_begin(&scene, path, 4));
    CHECK(scene_frame(&scene, 0));
    double xyz[3 * SCENE_VERTICES], velocity[3 * SCENE_VERTICES];
    scene_sample(1, xyz, velocity);
    velocity[3 * 7 + 1] = (double)NAN;
    const AbcMeshSample sample = {.vertex_count = SCENE_VERTICES, .positions.f64 = xyz, .velocities.f64 = velocity};
    CHECK(abc_writer_mesh_sample(scene.writer, scene.shape, &sample, &abc_error) == ABC_ERR_ARGUMENT);
    CHECK_STR_HAS(abc_error.text, "velocity of vertex 7");
    CHECK_STR_HAS(abc_error.text, "/body/bodyShape");
    CHECK(scene_frame(&scene, 1));
    CHECK(scene_close(&scene));
    CHECK(scene_holds(path, 2));
    CHECK(scene_write(plain, 4, 2));
    CHECK(same_files(path, plain));
}

TEST(abc_draft_leaves_an_older_archive_alone) {
    char path[512], draft[520];
    scene_path(path, sizeof path, "abc_draft.abc");
    snprintf(draft, sizeof draft, "%s.part", path);
    CHECK(scene_write(path, 4, 4));
    AbcWriter *writer;
    CHECK(abc_writer_create(&writer, path, NULL, &abc_error) == ABC_OK);
    CHECK(scene_holds(path, 4));
    abc_writer_abandon(writer);
    CHECK(scene_holds(path, 4));
    CHECK(fopen(draft, "rb") == NULL);
}

TEST(abc_archives_of_other_writers_are_not_reopened) {
    AbcWriter *writer;
    char path[512];
    snprintf(path, sizeof path, "%s/abc/blender279_cube_uv.abc", JN_TEST_ASSETS);
    FILE *file = fopen(path, "rb");
    if (!file)
        SKIP("the .abc files from elsewhere are not there");
    fclose(file);
    CHECK(abc_writer_reopen(&writer, path, 0, ABC_SURVIVE_PROCESS, &abc_error) == ABC_ERR_UNSUPPORTED);
    CHECK(writer == NULL);
}

/* The receipt of the archive. */
static void read_receipt(const char *path, char *text, size_t capacity) {
    AbcReader *reader;
    size_t size;
    text[0] = '\0';
    if (abc_reader_open(&reader, path, NULL, &abc_error))
        return;
    abc_reader_user_string(reader, ABC_ROOT, "receipt", text, capacity, &size, &abc_error);
    abc_reader_close(reader);
}

TEST(abc_receipt_is_replaced_while_writing_and_after_a_resume) {
    char path[512], text[64];
    Scene scene;
    scene_path(path, sizeof path, "abc_receipt.abc");
    CHECK(scene_begin(&scene, path, 8));
    CHECK(scene_frame(&scene, 0));
    CHECK(abc_writer_replace_user_string(scene.writer, ABC_ROOT, "receipt", "second", &abc_error) == ABC_OK);
    read_receipt(path, text, sizeof text);
    CHECK(strcmp(text, "second") == 0);
    CHECK(abc_writer_replace_user_string(scene.writer, ABC_ROOT, "none", "x", &abc_error) == ABC_ERR_NOT_FOUND);
    CHECK(scene_frame(&scene, 1));
    CHECK(scene_close(&scene));
    /* a resume that drops a frame keeps the value, which was written after it */
    CHECK(abc_writer_reopen(&scene.writer, path, scene_time(1), ABC_SURVIVE_POWER_LOSS, &abc_error) == ABC_OK);
    read_receipt(path, text, sizeof text);
    CHECK(strcmp(text, "second") == 0);
    CHECK(abc_writer_replace_user_string(scene.writer, ABC_ROOT, "receipt", "third", &abc_error) == ABC_OK);
    scene.body = abc_writer_find(scene.writer, "/body");
    scene.shape = abc_writer_find(scene.writer, "/body/bodyShape");
    CHECK(scene_frame(&scene, 1));
    CHECK(scene_close(&scene));
    read_receipt(path, text, sizeof text);
    CHECK(strcmp(text, "third") == 0);
    CHECK(scene_holds(path, 2));
}
