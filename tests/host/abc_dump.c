/* Prints an archive as JSON, for test_abc_blender.py: abc_dump <path> [--ccw] */
#include "alembic_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static AbcError error;

static void must(AbcStatus status) {
    if (status == ABC_OK)
        return;
    fprintf(stderr, "abc_dump: %s: %s\n", abc_status_name(status), error.text);
    exit(1);
}

static void *room(size_t count, size_t width) {
    void *memory = malloc(count * width + 1);
    if (!memory)
        exit(1);
    return memory;
}

static void print_ints(const char *name, const int32_t *values, size_t count) {
    printf(", \"%s\": [", name);
    for (size_t i = 0; i < count; ++i)
        printf("%s%d", i ? ", " : "", values[i]);
    printf("]");
}

/* "name": [[x, y, ..], ..] */
static void print_tuples(const char *name, const float *values, size_t count, size_t width) {
    printf("\"%s\": [", name);
    for (size_t i = 0; i < count; ++i) {
        printf("%s[", i ? ", " : "");
        for (size_t k = 0; k < width; ++k)
            printf("%s%.9g", k ? ", " : "", (double)values[width * i + k]);
        printf("]");
    }
    printf("]");
}

static void print_mesh(AbcReader *reader, uint32_t object, const AbcMeshInfo *info) {
    AbcMeshSizes sizes;
    AbcTimeSampling times;
    must(abc_reader_mesh_sizes(reader, object, 0, &sizes, &error));
    must(abc_reader_time_sampling(reader, info->time_sampling, &times));
    int32_t *counts = room(sizes.face_count, sizeof *counts), *indices = room(sizes.index_count, sizeof *indices);
    float *uv = room(2 * sizes.index_count, sizeof *uv), *xyz = room(3 * sizes.vertex_count, sizeof *xyz);
    must(abc_reader_mesh_topology(reader, object, 0, counts, sizes.face_count, indices, sizes.index_count, &error));
    print_ints("face_counts", counts, sizes.face_count);
    print_ints("face_indices", indices, sizes.index_count);
    if (info->has_uvs) {
        must(abc_reader_mesh_uvs(reader, object, 0, uv, 2 * sizes.index_count, &error));
        printf(", ");
        print_tuples("uvs", uv, sizes.index_count, 2);
    }
    printf(", \"samples\": [");
    for (uint32_t i = 0; i < info->sample_count; ++i) {
        double time = abc_sample_time(&times, i), world[16];
        must(abc_reader_mesh_positions(reader, object, i, xyz, 3 * sizes.vertex_count, &error));
        must(abc_reader_world_matrix(reader, object, time, world, &error));
        printf("%s{\"time\": %.17g, \"world\": [", i ? ", " : "", time);
        for (int k = 0; k < 16; ++k)
            printf("%s%.17g", k ? ", " : "", world[k]);
        printf("], ");
        print_tuples("positions", xyz, sizes.vertex_count, 3);
        printf("}");
    }
    printf("]");
    free(counts);
    free(indices);
    free(uv);
    free(xyz);
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: abc_dump <path> [--ccw]\n");
        return 2;
    }
    AbcReaderDesc desc = abc_reader_desc_default();
    desc.counter_clockwise = argc > 2 && strcmp(argv[2], "--ccw") == 0;
    AbcReader *reader;
    must(abc_reader_open(&reader, argv[1], &desc, &error));
    AbcArchiveInfo archive;
    abc_reader_archive_info(reader, &archive);
    printf("{\"objects\": [");
    for (uint32_t i = 0; i < archive.object_count; ++i) {
        AbcObjectInfo object;
        AbcMeshInfo mesh;
        must(abc_reader_object(reader, i, &object));
        printf("%s{\"path\": \"%s\", \"schema\": \"%s\"", i ? ",\n" : "", object.path, object.schema_name);
        if (abc_reader_mesh_info(reader, i, &mesh, &error) == ABC_OK)
            print_mesh(reader, i, &mesh);
        printf("}");
    }
    printf("]}\n");
    abc_reader_close(reader);
    return 0;
}
