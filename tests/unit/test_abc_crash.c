/* alembic_io: whatever instant the writer dies at, or the disk fills up, the archive holds all finished
   frames.

   The program is linked with --wrap=abc_os_write_at and --wrap=abc_os_flush: all writes and flushes of the
   library pass through here. */
#include "harness.h"
#include "unit/abc_scene.h"

#include "abc_os.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FRAMES = 4, SECTOR = 512, LARGEST_IMAGE = 1 << 16, MOST_WRITES = 256 };

/* What the wrapped write does. */
static struct {
    bool inspect;       /* look at the archive after every piece of a write */
    char path[512];     /* the archive */
    uint32_t committed; /* frames that it must hold */
    uint32_t most;      /* frames that it may hold */
    int inspections;
    bool broken;
    int fail_at; /* number of the write that fails, -1 for none */
    int write_count;
} disk = {.fail_at = -1};

/* A disk that loses power: what was flushed is there, of what was written since then any sectors may be. */
static struct {
    bool active;
    unsigned char stable[LARGEST_IMAGE];
    size_t stable_size;
    struct {
        uint64_t offset;
        size_t size;
        unsigned char *bytes;
    } writes[MOST_WRITES];
    int write_count;
    int losses;
} power;

int __real_abc_os_flush(OsFile file);
int __wrap_abc_os_flush(OsFile file);
int __real_abc_os_write_at(OsFile file, uint64_t offset, const void *bytes, size_t size);
int __wrap_abc_os_write_at(OsFile file, uint64_t offset, const void *bytes, size_t size);

/* The number of samples of the shape, or -1 if the archive cannot be read in full. */
static int readable_samples(const char *path) {
    AbcReader *reader;
    AbcMeshInfo info;
    if (abc_reader_open(&reader, path, NULL, &abc_error))
        return -1;
    AbcStatus status = abc_reader_mesh_info(reader, abc_reader_find(reader, "/body/bodyShape"), &info, &abc_error);
    abc_reader_close(reader);
    return status == ABC_OK && scene_holds(path, info.sample_count) ? (int)info.sample_count : -1;
}

static void inspect(void) {
    int found = readable_samples(disk.path);
    ++disk.inspections;
    if (found < (int)disk.committed || found > (int)disk.most) {
        printf("after write %d: %d samples instead of %u: %s\n", disk.write_count, found, disk.committed,
               abc_error.text);
        disk.broken = true;
    }
}

static void remember_write(uint64_t offset, const unsigned char *bytes, size_t size);

/* A write reaches the file sector by sector; a full disk takes half of it. */
int __wrap_abc_os_write_at(OsFile file, uint64_t offset, const void *bytes, size_t size) {
    const unsigned char *from = bytes;
    if (disk.write_count++ == disk.fail_at) {
        (void)__real_abc_os_write_at(file, offset, bytes, size / 2);
        return ENOSPC;
    }
    if (power.active)
        remember_write(offset, bytes, size);
    if (!disk.inspect)
        return __real_abc_os_write_at(file, offset, bytes, size);
    while (size > 0) {
        size_t part = SECTOR - (size_t)(offset % SECTOR);
        part = part < size ? part : size;
        int failed = __real_abc_os_write_at(file, offset, from, part);
        if (failed)
            return failed;
        inspect();
        from += part;
        offset += part;
        size -= part;
    }
    return 0;
}

static uint32_t random_number(void) {
    static uint32_t state = 2463534242u;
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

/* Remembers a write sector by sector; each may reach the disk or not. */
static void remember_write(uint64_t offset, const unsigned char *bytes, size_t size) {
    while (size > 0 && power.write_count < MOST_WRITES) {
        size_t part = SECTOR - (size_t)(offset % SECTOR);
        part = part < size ? part : size;
        power.writes[power.write_count].offset = offset;
        power.writes[power.write_count].size = part;
        power.writes[power.write_count].bytes = malloc(part);
        memcpy(power.writes[power.write_count++].bytes, bytes, part);
        offset += part;
        bytes += part;
        size -= part;
    }
    disk.broken |= size > 0;
}

/* Puts some of the remembered writes into an image; all of them if share is 100. */
static size_t apply_writes(unsigned char *image, size_t size, uint32_t share) {
    for (int i = 0; i < power.write_count; ++i) {
        size_t end = (size_t)power.writes[i].offset + power.writes[i].size;
        if (end > LARGEST_IMAGE || random_number() % 100 >= share)
            continue;
        memcpy(image + power.writes[i].offset, power.writes[i].bytes, power.writes[i].size);
        size = end > size ? end : size;
    }
    return size;
}

/* The power fails now: the file that is left must hold the committed frames, whatever was lost. */
static void lose_power(const char *path, uint32_t share) {
    static unsigned char image[LARGEST_IMAGE];
    memset(image, 0, sizeof image);
    memcpy(image, power.stable, power.stable_size);
    size_t size = apply_writes(image, power.stable_size, share);
    remove(path);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(image, 1, size, file) != size)
        disk.broken = true;
    if (file)
        fclose(file);
    int found = readable_samples(path);
    ++power.losses;
    if (found < (int)disk.committed || found > (int)disk.most) {
        printf("after a loss of power: %d samples instead of %u: %s\n", found, disk.committed, abc_error.text);
        disk.broken = true;
    }
}

/* All that was written is on the disk from here on. */
int __wrap_abc_os_flush(OsFile file) {
    if (power.active) {
        char path[512];
        scene_path(path, sizeof path, "abc_after_power_loss.abc");
        for (uint32_t share = 0; share <= 100; share += 5)
            lose_power(path, share);
        power.stable_size = apply_writes(power.stable, power.stable_size, 100);
        while (power.write_count > 0)
            free(power.writes[--power.write_count].bytes);
    }
    return __real_abc_os_flush(file);
}

SLOW_TEST(abc_loss_of_power_at_any_time_keeps_the_flushed_frames) {
    Scene scene = {0};
    disk.fail_at = -1;
    disk.inspect = disk.broken = false;
    scene_path(disk.path, sizeof disk.path, "abc_power.abc");
    CHECK(scene_write(disk.path, 2, 0));
    CHECK(abc_writer_reopen(&scene.writer, disk.path, (double)INFINITY, ABC_SURVIVE_POWER_LOSS, &abc_error) == ABC_OK);
    scene.body = abc_writer_find(scene.writer, "/body");
    scene.shape = abc_writer_find(scene.writer, "/body/bodyShape");
    unsigned char *bytes = file_bytes(disk.path, &power.stable_size);
    CHECK(bytes && power.stable_size < LARGEST_IMAGE);
    memcpy(power.stable, bytes, power.stable_size);
    free(bytes);
    power.active = true;
    power.losses = 0;
    /* room for 2 samples: the tables are moved on the way */
    bool good = true;
    for (uint32_t frame = 0; good && frame < FRAMES; ++frame) {
        /* the count of the frame before goes to the disk with this one */
        disk.committed = frame > 0 ? frame - 1 : 0;
        disk.most = frame;
        good = scene_frame(&scene, frame);
    }
    power.active = false;
    while (power.write_count > 0)
        free(power.writes[--power.write_count].bytes);
    CHECK(good);
    CHECK(scene_close(&scene));
    CHECK(!disk.broken);
    CHECK(power.losses >= 21 * FRAMES);
    CHECK(scene_holds(disk.path, FRAMES));
}

SLOW_TEST(abc_after_every_sector_written_all_finished_frames_are_there) {
    Scene scene;
    disk.fail_at = -1;
    scene_path(disk.path, sizeof disk.path, "abc_sectors.abc");
    /* room for 2 samples: the tables are moved on the way */
    CHECK(scene_begin(&scene, disk.path, 2));
    disk.inspect = true;
    disk.broken = false;
    for (uint32_t frame = 0; frame < FRAMES; ++frame) {
        disk.committed = frame;
        disk.most = frame + 1;
        CHECK(scene_frame(&scene, frame));
    }
    bool closed = scene_close(&scene);
    disk.inspect = false;
    CHECK(closed);
    CHECK(!disk.broken);
    CHECK(disk.inspections > 10 * FRAMES);
    CHECK(scene_holds(disk.path, FRAMES));
}

SLOW_TEST(abc_after_every_sector_of_a_resume_the_kept_frames_are_there) {
    Scene scene = {0};
    disk.fail_at = -1;
    disk.inspect = false;
    scene_path(disk.path, sizeof disk.path, "abc_sectors_resume.abc");
    CHECK(scene_write(disk.path, 80, FRAMES));
    disk.inspect = true;
    disk.broken = false;
    disk.inspections = 0;
    disk.committed = 1;
    disk.most = FRAMES;
    AbcStatus status = abc_writer_reopen(&scene.writer, disk.path, scene_time(1), ABC_SURVIVE_POWER_LOSS, &abc_error);
    disk.inspect = false;
    CHECK(status == ABC_OK);
    CHECK(!disk.broken);
    CHECK(disk.inspections > 5);
    abc_writer_abandon(scene.writer);
    CHECK(scene_holds(disk.path, 1));
}

SLOW_TEST(abc_full_disk_at_every_write_keeps_the_finished_frames_and_can_go_on) {
    char plain[512];
    scene_path(plain, sizeof plain, "abc_full_plain.abc");
    scene_path(disk.path, sizeof disk.path, "abc_full.abc");
    disk.inspect = false;
    disk.fail_at = -1;
    CHECK(scene_write(plain, FRAMES, FRAMES));
    int failures = 0;
    for (int fail_at = 0; fail_at < 1000; ++fail_at) {
        Scene scene;
        disk.write_count = 0;
        disk.fail_at = fail_at;
        bool begun = scene_begin(&scene, disk.path, FRAMES);
        if (!begun) {
            CHECK(abc_error.status == ABC_ERR_IO && abc_error.system_error == ENOSPC);
            CHECK_STR_HAS(abc_error.text, "abc_full.abc");
            abc_writer_abandon(scene.writer);
            continue;
        }
        for (uint32_t frame = 0; frame < FRAMES; ++frame) {
            if (scene_frame(&scene, frame))
                continue;
            ++failures;
            CHECK(abc_error.status == ABC_ERR_IO && abc_error.system_error == ENOSPC);
            CHECK_STR_HAS(abc_error.text, strerror(ENOSPC));
            CHECK(readable_samples(disk.path) == (int)frame);
            /* someone makes room, and the frame is tried again */
            abc_writer_drop_uncommitted(scene.writer);
            CHECK(scene_frame(&scene, frame));
        }
        bool never_failed = disk.write_count <= fail_at;
        disk.fail_at = -1;
        CHECK(scene_close(&scene));
        CHECK(same_files(disk.path, plain));
        if (never_failed)
            break;
    }
    CHECK(failures > 5 * FRAMES);
}

TEST(abc_limit_of_the_system_is_an_error_with_its_text) {
    char path[512];
    scene_path(path, sizeof path, "abc_limit.abc");
    disk.inspect = false;
    disk.fail_at = -1;
    fflush(stdout);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        Scene scene;
        uint32_t frame = 0;
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){64 * 1024, 64 * 1024});
        bool good = scene_begin(&scene, path, 500);
        while (good && scene_frame(&scene, frame))
            ++frame;
        good = good && frame > 5 && abc_error.status == ABC_ERR_IO && abc_error.system_error == EFBIG;
        abc_writer_abandon(scene.writer);
        _exit(good && readable_samples(path) == (int)frame ? 0 : 1);
    }
    int state = 1;
    CHECK(waitpid(child, &state, 0) == child);
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

/* Writes frames for ever, and tells the beginning and each frame that is finished. */
static void write_until_killed(const char *path, int report) {
    Scene scene;
    if (!scene_begin(&scene, path, 100))
        _exit(1);
    for (uint32_t frame = 0; write(report, &frame, sizeof frame) == sizeof frame; ++frame)
        if (!scene_frame(&scene, frame))
            break;
    _exit(1);
}

/* The last number of finished frames in the pipe; 0 if there is none. */
static uint32_t last_report(int pipe_end) {
    uint32_t reports[1024], last = 0;
    ssize_t size;
    while ((size = read(pipe_end, reports, sizeof reports)) > 0)
        last = reports[(size_t)size / sizeof *reports - 1];
    return last;
}

SLOW_TEST(abc_writer_killed_200_times_leaves_every_finished_frame) {
    char path[512];
    uint32_t random = 12345, most = 0;
    int before_begin = 0;
    scene_path(path, sizeof path, "abc_killed.abc");
    disk.inspect = false;
    disk.fail_at = -1;
    fflush(stdout);
    for (int kill_number = 0; kill_number < 200; ++kill_number) {
        int ends[2];
        remove(path);
        CHECK(pipe(ends) == 0);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            close(ends[0]);
            write_until_killed(path, ends[1]);
        }
        close(ends[1]);
        random = random * 1664525u + 1013904223u;
        /* every fourth time the writer may be caught before it begins */
        uint32_t begun;
        if (kill_number % 4)
            CHECK(read(ends[0], &begun, sizeof begun) == sizeof begun);
        nanosleep(&(struct timespec){0, (long)(random >> 8) % 20000000}, NULL);
        kill(child, SIGKILL);
        int state;
        CHECK(waitpid(child, &state, 0) == child);
        CHECK(WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL);
        uint32_t finished = last_report(ends[0]);
        close(ends[0]);
        FILE *file = fopen(path, "rb");
        if (!file) {
            CHECK(finished == 0);
            ++before_begin;
            continue;
        }
        fclose(file);
        int found = readable_samples(path);
        CHECK(found == (int)finished || found == (int)finished + 1);
        most = finished > most ? finished : most;
    }
    printf("200 kills, %d before begin, up to %u frames finished\n", before_begin, most);
    CHECK(most > 10 && before_begin <= 50);
}
