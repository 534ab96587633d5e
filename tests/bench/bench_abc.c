/* What alembic_io costs over plain input and output of the same bytes, in the same run, in turn.

     bench_abc [folder] [vertices] [frames]       100,000 vertices, 240 frames by default

   Writing: every frame's positions go into an archive (with bounds, digests, tables and a commit), or into a
   plain file by one fwrite and fflush a frame: neither is flushed to the disk. Then the same with every frame
   flushed. Reading: all samples, or all bytes of the plain file, from the page cache. Machines are shared and
   noisy: the time of a frame is the median over all frames of all rounds. Prints a table and writes abc.json
   to the folder. */
#include "alembic_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 7, POSES = 8, FLUSHED_FRAMES = 24 };

/* Times of frames, seconds. */
typedef struct Times {
    double *seconds;
    size_t count, capacity;
} Times;

typedef struct Setup {
    char archive[512], plain[512];
    size_t vertex_count;
    uint32_t frame_count;
    float *poses32[POSES]; /* positions that differ from frame to frame */
    double *poses64;
    float *into; /* [3 * vertex_count] */
} Setup;

static AbcError error;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void must(int good, const char *what);

static void add_time(Times *times, double seconds) {
    if (times->count == times->capacity) {
        times->capacity = times->capacity ? 2 * times->capacity : 1024;
        times->seconds = realloc(times->seconds, times->capacity * sizeof *times->seconds);
        must(times->seconds != NULL, "memory");
    }
    times->seconds[times->count++] = seconds;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(Times *times) {
    qsort(times->seconds, times->count, sizeof *times->seconds, compare_doubles);
    return times->seconds[times->count / 2];
}

static void must(int good, const char *what) {
    if (good)
        return;
    fprintf(stderr, "bench_abc: %s: %s\n", what, error.text);
    exit(1);
}

/* Frame i is one of a few poses with one value changed, so that no two frames are equal. */
static const float *pose32(Setup *s, uint32_t frame) {
    float *pose = s->poses32[frame % POSES];
    pose[0] = (float)frame;
    return pose;
}

/* float64 has to be rounded first by a plain program too. */
static void write_plain(Setup *s, uint32_t frames, int flush_frames, int wide, Times *times) {
    FILE *file = fopen(s->plain, "wb");
    must(file != NULL, s->plain);
    for (uint32_t i = 0; i < frames; ++i) {
        const float *pose = pose32(s, i);
        double start = now();
        if (wide) {
            for (size_t k = 0; k < 3 * s->vertex_count; ++k)
                s->into[k] = (float)s->poses64[k];
            pose = s->into;
        }
        must(fwrite(pose, 12, s->vertex_count, file) == s->vertex_count && fflush(file) == 0, s->plain);
        if (flush_frames)
            must(fsync(fileno(file)) == 0, s->plain);
        add_time(times, now() - start);
    }
    must(fsync(fileno(file)) == 0 && fclose(file) == 0, s->plain);
}

static void write_archive(Setup *s, uint32_t frames, int flush_frames, int wide, Times *times) {
    const int32_t counts[] = {3}, corners[] = {0, 1, 2};
    const double first = 0;
    AbcWriter *writer;
    uint32_t sampling, mesh;
    AbcWriterDesc desc = abc_writer_desc_default();
    desc.durability = flush_frames ? ABC_SURVIVE_POWER_LOSS : ABC_SURVIVE_PROCESS;
    must(!abc_writer_create(&writer, s->archive, &desc, &error), "create");
    must(!abc_writer_add_time_sampling(writer, &(AbcTimeSampling){ABC_UNIFORM, 0.04, 1, &first}, &sampling, &error),
         "time");
    AbcMeshDesc shape = abc_mesh_desc_default();
    shape.name = "mesh";
    shape.animation = (AbcAnimation){sampling, frames};
    shape.vertex_count = s->vertex_count;
    shape.face_count = 1;
    shape.index_count = 3;
    shape.face_counts = counts;
    shape.face_indices = corners;
    must(!abc_writer_add_mesh(writer, ABC_ROOT, &shape, &mesh, &error), "mesh");
    must(!abc_writer_begin(writer, &error), "begin");
    for (uint32_t i = 0; i < frames; ++i) {
        AbcMeshSample sample = {.vertex_count = s->vertex_count};
        if (wide) {
            s->poses64[0] = i;
            sample.positions.f64 = s->poses64;
        } else {
            sample.positions.f32 = pose32(s, i);
        }
        double start = now();
        must(!abc_writer_mesh_sample(writer, mesh, &sample, &error), "sample");
        must(!abc_writer_commit(writer, &error), "commit");
        add_time(times, now() - start);
    }
    must(!abc_writer_close(writer, &error), "close");
}

static void read_plain(Setup *s, Times *times) {
    FILE *file = fopen(s->plain, "rb");
    must(file != NULL, s->plain);
    for (uint32_t i = 0; i < s->frame_count; ++i) {
        double start = now();
        must(fread(s->into, 12, s->vertex_count, file) == s->vertex_count, s->plain);
        add_time(times, now() - start);
    }
    fclose(file);
}

static void read_archive(Setup *s, bool map, Times *times) {
    AbcReaderDesc desc = abc_reader_desc_default();
    desc.memory_map = map;
    AbcReader *reader;
    must(!abc_reader_open(&reader, s->archive, &desc, &error), "open");
    uint32_t mesh = abc_reader_find(reader, "/mesh");
    for (uint32_t i = 0; i < s->frame_count; ++i) {
        double start = now();
        must(!abc_reader_mesh_positions(reader, mesh, i, s->into, 3 * s->vertex_count, &error), "read");
        add_time(times, now() - start);
    }
    abc_reader_close(reader);
    must(s->into[0] == (float)(s->frame_count - 1), "the last frame");
}

/* One row of the table: medians of our frames and of plain ones. */
typedef struct Result {
    const char *name;
    Times ours, plain;
} Result;

enum { WRITE32, WRITE64, READ, READ_MAPPED, WRITE_FLUSHED, RESULT_COUNT };

static void measure(Setup *s, Result *results) {
    for (int round = 0; round < ROUNDS; ++round) {
        write_archive(s, s->frame_count, 0, 1, &results[WRITE64].ours);
        write_plain(s, s->frame_count, 0, 1, &results[WRITE64].plain);
        write_archive(s, s->frame_count, 0, 0, &results[WRITE32].ours);
        write_plain(s, s->frame_count, 0, 0, &results[WRITE32].plain);
        read_archive(s, false, &results[READ].ours);
        read_plain(s, &results[READ].plain);
        read_archive(s, true, &results[READ_MAPPED].ours);
        read_plain(s, &results[READ_MAPPED].plain);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        write_archive(s, FLUSHED_FRAMES, 1, 0, &results[WRITE_FLUSHED].ours);
        write_plain(s, FLUSHED_FRAMES, 1, 0, &results[WRITE_FLUSHED].plain);
    }
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : ".";
    Setup s = {.vertex_count = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000,
               .frame_count = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 240};
    char json[512];
    snprintf(s.archive, sizeof s.archive, "%s/bench.abc", folder);
    snprintf(s.plain, sizeof s.plain, "%s/bench.raw", folder);
    snprintf(json, sizeof json, "%s/abc.json", folder);
    s.into = malloc(12 * s.vertex_count);
    s.poses64 = malloc(24 * s.vertex_count);
    must(s.vertex_count >= 3 && s.into && s.poses64, "memory");
    for (int pose = 0; pose < POSES; ++pose) {
        s.poses32[pose] = malloc(12 * s.vertex_count);
        must(s.poses32[pose] != NULL, "memory");
        for (size_t k = 0; k < 3 * s.vertex_count; ++k)
            s.poses32[pose][k] = (float)((k * 2654435761u + (size_t)pose) % 1000003) * 1e-3f;
    }
    for (size_t k = 0; k < 3 * s.vertex_count; ++k)
        s.poses64[k] = (double)s.poses32[0][k];
    Result results[RESULT_COUNT] = {{.name = "write float32"},
                                    {.name = "write float64"},
                                    {.name = "read"},
                                    {.name = "read mapped"},
                                    {.name = "write, every frame flushed"}};
    measure(&s, results);
    FILE *file = fopen(json, "w");
    must(file != NULL, json);
    fprintf(file, "{\"vertices\": %zu, \"frames\": %u, \"rows\": [", s.vertex_count, s.frame_count);
    printf("%zu vertices, %u frames\n%-28s %12s %12s %8s\n", s.vertex_count, s.frame_count, "", "ours MB/s",
           "plain MB/s", "ratio");
    for (int i = 0; i < RESULT_COUNT; ++i) {
        double ours = median(&results[i].ours), plain = median(&results[i].plain);
        double megabytes = 12e-6 * (double)s.vertex_count;
        printf("%-28s %12.0f %12.0f %8.2f\n", results[i].name, megabytes / ours, megabytes / plain, ours / plain);
        fprintf(file,
                "%s\n  {\"name\": \"%s\", \"frame_seconds\": %.9f, \"plain_frame_seconds\": %.9f, \"ratio\": "
                "%.3f}",
                i ? "," : "", results[i].name, ours, plain, ours / plain);
        free(results[i].ours.seconds);
        free(results[i].plain.seconds);
    }
    fprintf(file, "\n]}\n");
    fclose(file);
    remove(s.archive);
    remove(s.plain);
    free(s.into);
    free(s.poses64);
    for (int pose = 0; pose < POSES; ++pose)
        free(s.poses32[pose]);
    return 0;
}
