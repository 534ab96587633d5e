/* What alembic_io costs over plain input and output of the same bytes, in the same run, in turn.

     bench_abc [folder] [vertices] [frames]       100,000 vertices, 240 frames by default

   Writing: every frame's positions go into an archive (with bounds, digests, tables and a commit), or into a
   plain file by one fwrite a frame. Neither flushes a frame to the disk; both flush once at the end, which is
   timed apart. Then the same with every frame flushed. Reading: all samples, or all bytes of the plain file,
   from the page cache. The best of several rounds counts: machines are shared and noisy. Prints a table and
   writes abc.json to the folder. */
#include "alembic_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 7, POSES = 8, FLUSHED_FRAMES = 24 };

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

static double write_plain(Setup *s, uint32_t frames, int flush_frames) {
    double start = now();
    FILE *file = fopen(s->plain, "wb");
    must(file != NULL, s->plain);
    for (uint32_t i = 0; i < frames; ++i) {
        must(fwrite(pose32(s, i), 12, s->vertex_count, file) == s->vertex_count, s->plain);
        if (flush_frames)
            must(fflush(file) == 0 && fsync(fileno(file)) == 0, s->plain);
    }
    must(fflush(file) == 0, s->plain);
    double time = now() - start;
    must(fsync(fileno(file)) == 0 && fclose(file) == 0, s->plain);
    return time;
}

static double write_archive(Setup *s, uint32_t frames, int flush_frames, int wide) {
    const int32_t counts[] = {3}, corners[] = {0, 1, 2};
    const double first = 0;
    AbcWriter *writer;
    uint32_t sampling, mesh;
    double start = now();
    AbcWriterDesc desc = abc_writer_desc_default();
    desc.durability = flush_frames ? ABC_SURVIVE_POWER_LOSS : ABC_SURVIVE_PROCESS;
    must(!abc_writer_create(&writer, s->archive, &desc, &error), "create");
    must(!abc_writer_add_time_sampling(writer, &(AbcTimeSampling){ABC_UNIFORM, 0.04, 1, &first}, &sampling,
                                       &error),
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
        must(!abc_writer_mesh_sample(writer, mesh, &sample, &error), "sample");
        must(!abc_writer_commit(writer, &error), "commit");
    }
    double time = now() - start;
    must(!abc_writer_close(writer, &error), "close");
    return time;
}

static double read_plain(Setup *s) {
    double start = now();
    FILE *file = fopen(s->plain, "rb");
    must(file != NULL, s->plain);
    for (uint32_t i = 0; i < s->frame_count; ++i)
        must(fread(s->into, 12, s->vertex_count, file) == s->vertex_count, s->plain);
    fclose(file);
    return now() - start;
}

static double read_archive(Setup *s, bool map) {
    AbcReaderDesc desc = abc_reader_desc_default();
    desc.memory_map = map;
    AbcReader *reader;
    double start = now();
    must(!abc_reader_open(&reader, s->archive, &desc, &error), "open");
    uint32_t mesh = abc_reader_find(reader, "/mesh");
    for (uint32_t i = 0; i < s->frame_count; ++i)
        must(!abc_reader_mesh_positions(reader, mesh, i, s->into, 3 * s->vertex_count, &error), "read");
    abc_reader_close(reader);
    double time = now() - start;
    must(s->into[0] == (float)(s->frame_count - 1), "the last frame");
    return time;
}

typedef struct Result {
    const char *name;
    double ours, plain, megabytes;
} Result;

static void better(double *best, double time) {
    if (*best == 0 || time < *best)
        *best = time;
}

static void measure(Setup *s, Result *results) {
    double megabytes = 12e-6 * (double)s->vertex_count * s->frame_count;
    const Result rows[] = {{"write float32", 0, 0, megabytes},
                           {"write float64", 0, 0, megabytes},
                           {"read", 0, 0, megabytes},
                           {"read mapped", 0, 0, megabytes},
                           {"write, every frame flushed", 0, 0, megabytes / s->frame_count * FLUSHED_FRAMES}};
    memcpy(results, rows, sizeof rows);
    for (int round = 0; round < ROUNDS; ++round) {
        better(&results[1].ours, write_archive(s, s->frame_count, 0, 1));
        better(&results[1].plain, write_plain(s, s->frame_count, 0));
        better(&results[0].ours, write_archive(s, s->frame_count, 0, 0));
        better(&results[0].plain, write_plain(s, s->frame_count, 0));
        better(&results[2].ours, read_archive(s, false));
        better(&results[2].plain, read_plain(s));
        better(&results[3].ours, read_archive(s, true));
        results[3].plain = results[2].plain;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        better(&results[4].ours, write_archive(s, FLUSHED_FRAMES, 1, 0));
        better(&results[4].plain, write_plain(s, FLUSHED_FRAMES, 1));
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
    Result results[5];
    measure(&s, results);
    FILE *file = fopen(json, "w");
    must(file != NULL, json);
    fprintf(file, "{\"vertices\": %zu, \"frames\": %u, \"rows\": [", s.vertex_count, s.frame_count);
    printf("%zu vertices, %u frames\n%-28s %12s %12s %8s\n", s.vertex_count, s.frame_count, "", "ours MB/s",
           "plain MB/s", "ratio");
    for (int i = 0; i < 5; ++i) {
        const Result *r = &results[i];
        printf("%-28s %12.0f %12.0f %8.2f\n", r->name, r->megabytes / r->ours, r->megabytes / r->plain,
               r->ours / r->plain);
        fprintf(file, "%s\n  {\"name\": \"%s\", \"seconds\": %.6f, \"plain_seconds\": %.6f, \"ratio\": %.3f}",
                i ? "," : "", r->name, r->ours, r->plain, r->ours / r->plain);
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
