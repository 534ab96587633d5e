/* alembic_io: an allocation that fails, whichever it is, gives a status and loses nothing.

   The program is linked with --wrap for malloc, calloc, realloc; the sanitizer build finds leaks. */
#include "harness.h"
#include "unit/abc_scene.h"
#include "unit/abc_zoo.h"

static int allocation_count, fail_at = -1;
static size_t largest; /* bytes of one allocation */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static void note_size(size_t size) {
    largest = size > largest ? size : largest;
}

void *__wrap_malloc(size_t size) {
    note_size(size);
    return allocation_count++ == fail_at ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    note_size(count * size);
    return allocation_count++ == fail_at ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
    note_size(size);
    return allocation_count++ == fail_at ? NULL : __real_realloc(memory, size);
}

TEST(abc_writer_without_memory_returns_a_status) {
    char path[512];
    Zoo zoo;
    int number = 0;
    scene_path(path, sizeof path, "abc_memory.abc");
    for (bool done = false; !done; ++number) {
        allocation_count = 0;
        fail_at = number;
        bool good = zoo_write(&zoo, path);
        done = allocation_count <= number;
        fail_at = -1;
        CHECK(done == good);
        CHECK(good || abc_error.status == ABC_ERR_MEMORY);
    }
    printf("%d allocations\n", number);
    CHECK(number > 100);
}

/* Writes `count` samples of a transform, from number `first` on, and commits now and then. */
static bool write_transforms(AbcWriter *writer, uint32_t xform, uint32_t first, uint32_t count) {
    double matrix[16] = {[0] = 1, [5] = 1, [10] = 1, [15] = 1};
    bool good = true;
    for (uint32_t i = first; good && i < first + count; ++i) {
        matrix[12] = i;
        good = abc_writer_xform_sample(writer, xform, matrix, &abc_error) == ABC_OK &&
               (i % 100 != 99 || abc_writer_commit(writer, &abc_error) == ABC_OK);
    }
    return good;
}

SLOW_TEST(abc_writer_takes_the_same_memory_for_any_number_of_samples) {
    enum { RESERVED = 2000000, WRITTEN = 200000 };
    char path[512];
    scene_path(path, sizeof path, "abc_many_samples.abc");
    const double start = 0;
    AbcWriter *writer;
    AbcXformDesc desc = abc_xform_desc_default();
    desc.name = "mover";
    desc.animation.sample_capacity = RESERVED;
    uint32_t xform;
    largest = 0;
    CHECK(abc_writer_create(&writer, path, NULL, &abc_error) == ABC_OK);
    CHECK(abc_writer_add_time_sampling(writer, &(AbcTimeSampling){ABC_UNIFORM, 1.0 / 24, 1, &start},
                                       &desc.animation.time_sampling, &abc_error) == ABC_OK);
    CHECK(abc_writer_add_xform(writer, ABC_ROOT, &desc, &xform, &abc_error) == ABC_OK);
    CHECK(write_transforms(writer, xform, 0, WRITTEN));
    CHECK(abc_writer_close(writer, &abc_error) == ABC_OK);
    CHECK(abc_writer_reopen(&writer, path, 1e9, ABC_SURVIVE_PROCESS, &abc_error) == ABC_OK);
    CHECK(abc_writer_sample_count(writer, xform) == WRITTEN);
    CHECK(write_transforms(writer, xform, WRITTEN, 1000));
    CHECK(abc_writer_close(writer, &abc_error) == ABC_OK);
    printf("largest allocation: %zu bytes\n", largest);
    CHECK(largest > 0 && largest < 4 << 20);
    remove(path);
}

static AbcStatus read_all(const char *path) {
    AbcReader *reader;
    float values[72];
    int32_t counts[6], corners[24];
    double matrix[16];
    AbcStatus status = abc_reader_open(&reader, path, NULL, &abc_error);
    if (status)
        return status;
    uint32_t shell = abc_reader_find(reader, "/still/shell"), skin = abc_reader_find(reader, "/again/skin");
    status = abc_reader_mesh_normals(reader, shell, 0, values, 72, &abc_error);
    if (!status)
        status = abc_reader_mesh_topology(reader, skin, 0, counts, 6, corners, 24, &abc_error);
    if (!status)
        status = abc_reader_world_matrix(reader, skin, 0, matrix, &abc_error);
    abc_reader_close(reader);
    return status;
}

TEST(abc_reader_without_memory_returns_a_status) {
    char path[512];
    Zoo zoo;
    int number = 0;
    scene_path(path, sizeof path, "abc_memory_read.abc");
    CHECK(zoo_write(&zoo, path));
    for (bool done = false; !done; ++number) {
        allocation_count = 0;
        fail_at = number;
        AbcStatus status = read_all(path);
        done = allocation_count <= number;
        fail_at = -1;
        CHECK(status == (done ? ABC_OK : ABC_ERR_MEMORY));
    }
    CHECK(number > 50);
}

TEST(abc_reopening_without_memory_returns_a_status_and_keeps_the_archive) {
    char path[512];
    int number = 0;
    scene_path(path, sizeof path, "abc_memory_reopen.abc");
    CHECK(scene_write(path, 4, 4));
    for (bool done = false; !done; ++number) {
        AbcWriter *writer = NULL;
        allocation_count = 0;
        fail_at = number;
        AbcStatus status = abc_writer_reopen(&writer, path, (double)INFINITY, ABC_SURVIVE_PROCESS, &abc_error);
        done = allocation_count <= number;
        fail_at = -1;
        CHECK(status == (done ? ABC_OK : ABC_ERR_MEMORY));
        abc_writer_abandon(writer);
        CHECK(scene_holds(path, 4));
    }
    CHECK(number > 50);
}
