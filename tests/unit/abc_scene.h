/* A small archive for the tests of alembic_io: /body (animated matrix) / bodyShape, a waving grid with uv,
   velocities and weights. Include after harness.h; the helpers fill `abc_error` and return false after an
   error. */
#ifndef ABC_SCENE_H
#define ABC_SCENE_H

#include "alembic_io.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCENE_COLUMNS = 5, SCENE_ROWS = 4, SCENE_VERTICES = SCENE_COLUMNS * SCENE_ROWS, SCENE_FACES = 4 * 3 };

#define SCENE_FPS 25.0
#define SCENE_RECEIPT "{\"version\": \"0.1\", \"note\": \"a = b; c\"}"

static AbcError abc_error;

typedef struct Scene {
    AbcWriter *writer;
    uint32_t body, shape;
} Scene;

static inline void scene_path(char *path, size_t size, const char *name) {
    snprintf(path, size, "%s/%s", JN_TEST_OUTPUT, name);
}

static inline double scene_time(uint32_t sample) {
    return 1 / SCENE_FPS + sample / SCENE_FPS;
}

/* Positions of a sample as float64, and their time derivatives. */
static inline void scene_sample(uint32_t sample, double *xyz, double *velocity) {
    double t = scene_time(sample);
    for (int v = 0; v < SCENE_VERTICES; ++v) {
        double x = v % SCENE_COLUMNS, y = v / SCENE_COLUMNS;
        xyz[3 * v] = x + 0.1 * sin(3 * t + y);
        xyz[3 * v + 1] = y;
        xyz[3 * v + 2] = 0.3 * sin(5 * t + x);
        velocity[3 * v] = 0.3 * cos(3 * t + y);
        velocity[3 * v + 1] = 0;
        velocity[3 * v + 2] = 1.5 * cos(5 * t + x);
    }
}

static inline void scene_faces(int32_t *counts, int32_t *corners, uint32_t *uv_indices, float *uv) {
    for (int v = 0; v < SCENE_VERTICES; ++v) {
        uv[2 * v] = (float)(v % SCENE_COLUMNS) / (SCENE_COLUMNS - 1);
        uv[2 * v + 1] = (float)(v / SCENE_COLUMNS) / (SCENE_ROWS - 1);
    }
    for (int f = 0; f < SCENE_FACES; ++f) {
        int32_t first = f / (SCENE_COLUMNS - 1) * SCENE_COLUMNS + f % (SCENE_COLUMNS - 1);
        const int32_t quad[4] = {first, first + 1, first + 1 + SCENE_COLUMNS, first + SCENE_COLUMNS};
        counts[f] = 4;
        for (int k = 0; k < 4; ++k) {
            corners[4 * f + k] = quad[k];
            uv_indices[4 * f + k] = (uint32_t)quad[k];
        }
    }
}

/* Creates the archive and begins it, with room for `capacity` samples. */
static inline bool scene_begin(Scene *scene, const char *path, uint32_t capacity) {
    int32_t counts[SCENE_FACES], corners[4 * SCENE_FACES];
    uint32_t uv_indices[4 * SCENE_FACES], sampling;
    float uv[2 * SCENE_VERTICES], weights[SCENE_VERTICES];
    const double start = scene_time(0);
    scene_faces(counts, corners, uv_indices, uv);
    for (int v = 0; v < SCENE_VERTICES; ++v)
        weights[v] = (float)v / SCENE_VERTICES;
    AbcWriterDesc desc = abc_writer_desc_default();
    desc.application = "alembic_io tests";
    desc.fps = SCENE_FPS;
    if (abc_writer_create(&scene->writer, path, &desc, &abc_error))
        return false;
    AbcWriter *w = scene->writer;
    if (abc_writer_add_time_sampling(w, &(AbcTimeSampling){ABC_UNIFORM, 1 / SCENE_FPS, 1, &start}, &sampling,
                                     &abc_error))
        return false;
    AbcXformDesc xform = abc_xform_desc_default();
    xform.name = "body";
    xform.animation = (AbcAnimation){sampling, capacity};
    const AbcGeomValues uvs = {uv, SCENE_VERTICES, uv_indices, 4 * SCENE_FACES, ABC_SCOPE_FACEVARYING, "map1"};
    AbcMeshDesc mesh = abc_mesh_desc_default();
    mesh.name = "bodyShape";
    mesh.animation = xform.animation;
    mesh.counter_clockwise = true;
    mesh.vertex_count = SCENE_VERTICES;
    mesh.face_count = SCENE_FACES;
    mesh.index_count = 4 * SCENE_FACES;
    mesh.face_counts = counts;
    mesh.face_indices = corners;
    mesh.velocities = true;
    mesh.uvs = &uvs;
    return !abc_writer_add_xform(w, ABC_ROOT, &xform, &scene->body, &abc_error) &&
           !abc_writer_add_mesh(w, scene->body, &mesh, &scene->shape, &abc_error) &&
           !abc_writer_add_geom_param(w, scene->shape, "weight", ABC_SCOPE_VERTEX, weights, SCENE_VERTICES, 1,
                                      &abc_error) &&
           !abc_writer_add_user_string(w, ABC_ROOT, "receipt", SCENE_RECEIPT, &abc_error) &&
           !abc_writer_add_archive_bounds(w, &xform.animation, &abc_error) && !abc_writer_begin(w, &abc_error);
}

/* Writes and commits one frame. */
static inline bool scene_frame(Scene *scene, uint32_t sample) {
    double xyz[3 * SCENE_VERTICES], velocity[3 * SCENE_VERTICES];
    const double matrix[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, sample, 2, 3, 1};
    scene_sample(sample, xyz, velocity);
    const AbcMeshSample values = {.vertex_count = SCENE_VERTICES, .positions.f64 = xyz, .velocities.f64 = velocity};
    return !abc_writer_xform_sample(scene->writer, scene->body, matrix, &abc_error) &&
           !abc_writer_mesh_sample(scene->writer, scene->shape, &values, &abc_error) &&
           !abc_writer_archive_bounds_sample(scene->writer, &abc_error) &&
           !abc_writer_commit(scene->writer, &abc_error);
}

static inline bool scene_close(Scene *scene) {
    AbcWriter *writer = scene->writer;
    scene->writer = NULL;
    return !abc_writer_close(writer, &abc_error);
}

/* The whole archive in one go. */
static inline bool scene_write(const char *path, uint32_t capacity, uint32_t frame_count) {
    Scene scene;
    bool good = scene_begin(&scene, path, capacity);
    for (uint32_t i = 0; good && i < frame_count; ++i)
        good = scene_frame(&scene, i);
    return scene_close(&scene) && good;
}

/* True if the archive at `path` holds the samples 0 .. count - 1, bit for bit. */
static inline bool scene_holds(const char *path, uint32_t count) {
    AbcReader *reader;
    if (abc_reader_open(&reader, path, NULL, &abc_error)) {
        printf("open: %s\n", abc_error.text);
        return false;
    }
    uint32_t shape = abc_reader_find(reader, "/body/bodyShape");
    AbcMeshInfo info = {0};
    bool good =
        shape != ABC_NO_OBJECT && !abc_reader_mesh_info(reader, shape, &info, &abc_error) && info.sample_count == count;
    if (!good)
        printf("found %u samples instead of %u\n", info.sample_count, count);
    for (uint32_t i = 0; good && i < count; ++i) {
        double xyz[3 * SCENE_VERTICES], velocity[3 * SCENE_VERTICES], matrix[16];
        float read[3 * SCENE_VERTICES];
        scene_sample(i, xyz, velocity);
        good = !abc_reader_mesh_positions(reader, shape, i, read, 3 * SCENE_VERTICES, &abc_error);
        for (int k = 0; good && k < 3 * SCENE_VERTICES; ++k)
            good = read[k] == (float)xyz[k];
        good = good && !abc_reader_mesh_velocities(reader, shape, i, read, 3 * SCENE_VERTICES, &abc_error);
        for (int k = 0; good && k < 3 * SCENE_VERTICES; ++k)
            good = read[k] == (float)velocity[k];
        good = good && !abc_reader_world_matrix(reader, shape, scene_time(i), matrix, &abc_error) && matrix[12] == i &&
               matrix[13] == 2;
        if (!good)
            printf("sample %u differs: %s\n", i, abc_error.text);
    }
    abc_reader_close(reader);
    return good;
}

/* The bytes of a file in new memory, NULL if it cannot be read. */
static inline unsigned char *file_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + 1);
    if (bytes && fread(bytes, 1, *size, file) != *size) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    return bytes;
}

static inline bool same_files(const char *a, const char *b) {
    size_t size_a = 0, size_b = 0;
    unsigned char *bytes_a = file_bytes(a, &size_a), *bytes_b = file_bytes(b, &size_b);
    bool same = bytes_a && bytes_b && size_a == size_b && memcmp(bytes_a, bytes_b, size_a) == 0;
    if (!same && bytes_a && bytes_b) {
        size_t i = 0;
        while (i < size_a && i < size_b && bytes_a[i] == bytes_b[i])
            ++i;
        printf("%zu and %zu bytes, first difference at byte %zu\n", size_a, size_b, i);
    }
    free(bytes_a);
    free(bytes_b);
    return same;
}

#endif
