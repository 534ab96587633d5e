/* alembic_io: an allocation that fails, whichever it is, gives a status and loses nothing.

   The program is linked with --wrap for malloc, calloc, realloc; the sanitizer build finds leaks. */
#include "harness.h"
#include "unit/abc_scene.h"
#include "unit/abc_zoo.h"

static int allocation_count, fail_at = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size) {
    return allocation_count++ == fail_at ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return allocation_count++ == fail_at ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size) {
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
