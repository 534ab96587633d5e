/* Fuzzes the reader of alembic_io: the input is opened as an archive and everything in it is read. */
#include "alembic_io.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Samples and properties that are read of one archive: enough to reach everything, few enough to be fast. */
enum { SAMPLES = 4, PROPERTIES = 400, OBJECTS = 64, DEEPEST = 8, LARGEST = 1 << 20 };

static AbcError error;

static void read_property(AbcReader *reader, uint32_t object, const char *path, const AbcPropertyInfo *info) {
    for (uint32_t i = 0; i < info->sample_count && i < SAMPLES; ++i) {
        size_t count;
        if (abc_reader_property_size(reader, object, path, i, &count, &error) || count > LARGEST)
            continue;
        double *values = malloc((count + 1) * sizeof *values);
        if (values && abc_reader_property_doubles(reader, object, path, i, values, count, &error))
            abc_reader_property_text(reader, object, path, i, (char *)values, count, &error);
        free(values);
    }
}

static void read_properties(AbcReader *reader, uint32_t object, const char *path, int depth, int *budget) {
    AbcPropertyInfo info;
    for (uint32_t i = 0; (*budget)-- > 0; ++i) {
        char inside[512];
        if (abc_reader_property_at(reader, object, path, i, &info, &error))
            return;
        int size = snprintf(inside, sizeof inside, "%s%s%s", path, *path ? "/" : "", info.name);
        if (size >= (int)sizeof inside)
            continue;
        if (!info.compound)
            read_property(reader, object, inside, &info);
        else if (depth < DEEPEST)
            read_properties(reader, object, inside, depth + 1, budget);
    }
}

static void read_mesh(AbcReader *reader, uint32_t object) {
    AbcMeshInfo info;
    if (abc_reader_mesh_info(reader, object, &info, &error))
        return;
    for (uint32_t i = 0; i < info.sample_count && i < SAMPLES; ++i) {
        AbcMeshSizes sizes;
        AbcBounds bounds;
        size_t count;
        if (abc_reader_mesh_sizes(reader, object, i, &sizes, &error))
            continue;
        size_t floats = 3 * (sizes.vertex_count + sizes.index_count);
        int32_t *counts = malloc(sizes.face_count * sizeof *counts + 1);
        int32_t *indices = malloc(sizes.index_count * sizeof *indices + 1);
        double *xyz = malloc(floats * sizeof *xyz + 1);
        if (counts && indices && xyz) {
            abc_reader_mesh_topology(reader, object, i, counts, sizes.face_count, indices, sizes.index_count, &error);
            abc_reader_mesh_positions(reader, object, i, (float *)xyz, floats, &error);
            abc_reader_mesh_velocities(reader, object, i, (float *)xyz, floats, &error);
            abc_reader_mesh_uvs(reader, object, i, (float *)xyz, floats, &error);
            abc_reader_mesh_normals(reader, object, i, (float *)xyz, floats, &error);
            for (uint32_t width = 1; width <= 4; ++width)
                abc_reader_mesh_param(reader, object, "weight", width, i, (float *)xyz, floats, &error);
            abc_reader_mesh_bounds(reader, object, i, &bounds, &error);
            abc_reader_mesh_positions_at(reader, object, 0.05 * i, xyz, floats, &count, &error);
        }
        free(counts);
        free(indices);
        free(xyz);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    AbcReader *reader;
    AbcReaderDesc desc = abc_reader_desc_default();
    desc.counter_clockwise = size % 2;
    if (abc_reader_open_memory(&reader, bytes, size, &desc, &error))
        return 0;
    AbcArchiveInfo archive;
    abc_reader_archive_info(reader, &archive);
    int budget = PROPERTIES;
    for (uint32_t i = 0; i < archive.object_count && i < OBJECTS; ++i) {
        AbcObjectInfo object;
        double matrix[16];
        bool visible;
        if (abc_reader_object(reader, i, &object) || abc_reader_find(reader, object.path) == ABC_NO_OBJECT)
            abort();
        abc_reader_world_matrix(reader, i, 0.05, matrix, &error);
        abc_reader_visible(reader, i, 0.05, &visible, &error);
        read_mesh(reader, i);
        read_properties(reader, i, "", 0, &budget);
    }
    abc_reader_close(reader);
    return 0;
}
