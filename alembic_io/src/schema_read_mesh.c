/* Layer 3, reading: meshes, curves and points. See alembic_io.h. */
#include "reader.h"

#include <inttypes.h>
#include <stdlib.h>

#include "schema_read.h"

AbcStatus abc_geom_check(const AbcReader *reader, uint32_t object, AbcError *error) {
    if (object >= reader->object_count)
        return abc_fail(error, ABC_ERR_NOT_FOUND, "There is no object number %" PRIu32 " in the archive.", object);
    AbcSchema schema = reader->objects[object].schema;
    if (schema != ABC_SCHEMA_POLYMESH && schema != ABC_SCHEMA_SUBD && schema != ABC_SCHEMA_CURVES &&
        schema != ABC_SCHEMA_POINTS)
        return abc_fail(error, ABC_ERR_NOT_FOUND, "The object \"%.200s\" is not a mesh, curves or points.",
                        reader->objects[object].path);
    return ABC_OK;
}

/* Finds a property of the geometry; *property is NULL if it does not exist and need not. */
static AbcStatus find_part(AbcReader *reader, uint32_t object, const char *path, bool needed, ReaderProperty **property,
                           AbcError *error) {
    AbcStatus status = abc_geom_check(reader, object, error);
    if (status)
        return status;
    return needed ? abcr_find(reader, object, path, property, error)
                  : abcr_find_optional(reader, object, path, property, error);
}

/* The values of a property for a sample of the positions: the last one if the property has fewer samples. */
static AbcStatus find_values(AbcReader *reader, uint32_t object, const char *path, uint32_t sample, uint32_t extent,
                             ReaderProperty **property, OgawaData *values, AbcError *error) {
    AbcStatus status = find_part(reader, object, path, true, property, error);
    if (status)
        return status;
    const PropertyHeader *header = &(*property)->header;
    if (header->kind != PROPERTY_ARRAY || header->extent != extent || abc_format_pod_size(header->pod) == 0)
        return abc_fail(error, ABC_ERR_UNSUPPORTED,
                        "The property \"%.100s\" of \"%.200s\" is not an array of %" PRIu32 " numbers an element.",
                        path, reader->objects[object].path, extent);
    uint32_t last = header->sample_count ? header->sample_count - 1 : 0;
    return abcr_sample(reader, *property, sample < last ? sample : last, values, error);
}

AbcStatus abc_reader_mesh_info(AbcReader *reader, uint32_t object, AbcMeshInfo *info, AbcError *error) {
    static const char *const faces[] = {".geom/.faceIndices", ".geom/.faceCounts", ".geom/nVertices"};
    *info = (AbcMeshInfo){0};
    ReaderProperty *positions, *other;
    AbcStatus status = find_part(reader, object, ".geom/P", true, &positions, error);
    if (status)
        return status;
    if (positions->header.kind == PROPERTY_COMPOUND)
        return abc_fail(error, ABC_ERR_CORRUPT, "The positions of \"%.200s\" are a compound.",
                        reader->objects[object].path);
    info->sample_count = positions->header.sample_count;
    info->time_sampling = positions->header.time_sampling;
    info->constant_points = positions->header.constant || info->sample_count < 2;
    info->constant_topology = true;
    for (size_t i = 0; status == ABC_OK && i < sizeof faces / sizeof *faces; ++i) {
        status = find_part(reader, object, faces[i], false, &other, error);
        if (status == ABC_OK && other && !other->header.constant && other->header.sample_count > 1)
            info->constant_topology = false;
    }
    const struct {
        const char *path;
        bool *found;
    } parts[] = {
        {".geom/.velocities", &info->has_velocities}, {".geom/uv", &info->has_uvs}, {".geom/N", &info->has_normals}};
    for (size_t i = 0; status == ABC_OK && i < sizeof parts / sizeof *parts; ++i) {
        status = find_part(reader, object, parts[i].path, false, &other, error);
        *parts[i].found = status == ABC_OK && other;
    }
    if (status == ABC_OK && reader->objects[object].schema == ABC_SCHEMA_CURVES) {
        double type[4] = {0};
        status = abc_reader_property_doubles(reader, object, ".geom/curveBasisAndType", 0, type, 4, error);
        info->cubic = type[0] == 0;
        info->periodic = type[1] == 1;
    }
    return status;
}

AbcStatus abc_reader_mesh_sizes(AbcReader *reader, uint32_t object, uint32_t sample, AbcMeshSizes *sizes,
                                AbcError *error) {
    *sizes = (AbcMeshSizes){0};
    ReaderProperty *property;
    OgawaData values;
    AbcStatus status = find_values(reader, object, ".geom/P", sample, 3, &property, &values, error);
    if (status)
        return status;
    sizes->vertex_count = abcr_pod_count(property, values) / 3;
    AbcSchema schema = reader->objects[object].schema;
    if (schema == ABC_SCHEMA_POINTS)
        return ABC_OK;
    bool curves = schema == ABC_SCHEMA_CURVES;
    status = find_values(reader, object, curves ? ".geom/nVertices" : ".geom/.faceCounts", sample, 1, &property,
                         &values, error);
    if (status)
        return status;
    sizes->face_count = abcr_pod_count(property, values);
    if (curves)
        return ABC_OK;
    status = find_values(reader, object, ".geom/.faceIndices", sample, 1, &property, &values, error);
    if (status == ABC_OK)
        sizes->index_count = abcr_pod_count(property, values);
    return status;
}

/* Counts that sum up to `total`. */
static AbcStatus check_counts(const AbcReader *reader, uint32_t object, const int32_t *counts, size_t count,
                              size_t total, AbcError *error) {
    size_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
        if (counts[i] < 0 || (size_t)counts[i] > total - sum)
            return abc_fail(error, ABC_ERR_CORRUPT,
                            "Face %zu of \"%.200s\" has %" PRId32 " corners, more than are left.", i,
                            reader->objects[object].path, counts[i]);
        sum += (size_t)counts[i];
    }
    if (sum != total)
        return abc_fail(error, ABC_ERR_CORRUPT, "The faces of \"%.200s\" have %zu corners, but there are %zu.",
                        reader->objects[object].path, sum, total);
    return ABC_OK;
}

void abc_corners_reverse(const int32_t *face_counts, size_t face_count, void *corners, size_t width) {
    uint8_t *bytes = corners, swap[16];
    for (size_t face = 0; face < face_count; ++face) {
        size_t count = (size_t)face_counts[face];
        for (size_t k = 0; k < count / 2; ++k) {
            uint8_t *a = bytes + k * width, *b = bytes + (count - 1 - k) * width;
            memcpy(swap, a, width);
            memcpy(a, b, width);
            memcpy(b, swap, width);
        }
        bytes += count * width;
    }
}

static AbcStatus read_faces(AbcReader *reader, uint32_t object, uint32_t sample, const AbcMeshSizes *sizes,
                            int32_t *face_counts, int32_t *face_indices, AbcError *error) {
    ReaderProperty *property;
    OgawaData values;
    AbcStatus status = find_values(reader, object, ".geom/.faceCounts", sample, 1, &property, &values, error);
    if (status == ABC_OK)
        status = abcr_int32s(reader, property, values, face_counts, sizes->face_count, error);
    if (status == ABC_OK)
        status = check_counts(reader, object, face_counts, sizes->face_count, sizes->index_count, error);
    if (status == ABC_OK)
        status = find_values(reader, object, ".geom/.faceIndices", sample, 1, &property, &values, error);
    if (status == ABC_OK)
        status = abcr_int32s(reader, property, values, face_indices, sizes->index_count, error);
    if (status)
        return status;
    for (size_t i = 0; i < sizes->index_count; ++i)
        if (face_indices[i] < 0 || (size_t)face_indices[i] >= sizes->vertex_count)
            return abc_fail_at(error, values.position + 4 * i,
                               "Corner %zu of \"%.200s\" uses vertex %" PRId32 " of %zu.", i,
                               reader->objects[object].path, face_indices[i], sizes->vertex_count);
    if (reader->counter_clockwise)
        abc_corners_reverse(face_counts, sizes->face_count, face_indices, sizeof *face_indices);
    return ABC_OK;
}

AbcStatus abc_reader_mesh_topology(AbcReader *reader, uint32_t object, uint32_t sample, int32_t *face_counts,
                                   size_t face_capacity, int32_t *face_indices, size_t index_capacity,
                                   AbcError *error) {
    AbcMeshSizes sizes;
    AbcStatus status = abc_reader_mesh_sizes(reader, object, sample, &sizes, error);
    if (status)
        return status;
    if (sizes.face_count > face_capacity || sizes.index_count > index_capacity)
        return abc_fail(error, ABC_ERR_ARGUMENT,
                        "\"%.200s\" has %zu faces and %zu corners; there is room for %zu and "
                        "%zu.",
                        reader->objects[object].path, sizes.face_count, sizes.index_count, face_capacity,
                        index_capacity);
    if (reader->objects[object].schema == ABC_SCHEMA_POINTS)
        return ABC_OK;
    if (reader->objects[object].schema != ABC_SCHEMA_CURVES)
        return read_faces(reader, object, sample, &sizes, face_counts, face_indices, error);
    ReaderProperty *property;
    OgawaData values;
    status = find_values(reader, object, ".geom/nVertices", sample, 1, &property, &values, error);
    if (status == ABC_OK)
        status = abcr_int32s(reader, property, values, face_counts, sizes.face_count, error);
    return status ? status : check_counts(reader, object, face_counts, sizes.face_count, sizes.vertex_count, error);
}

static AbcStatus check_room(const AbcReader *reader, uint32_t object, size_t count, size_t capacity, AbcError *error) {
    if (count > capacity)
        return abc_fail(error, ABC_ERR_ARGUMENT, "A sample of \"%.200s\" has %zu values; there is room for %zu.",
                        reader->objects[object].path, count, capacity);
    return ABC_OK;
}

static AbcStatus read_triples(AbcReader *reader, uint32_t object, const char *path, uint32_t sample, float *xyz,
                              size_t capacity, AbcError *error) {
    ReaderProperty *property;
    OgawaData values;
    AbcStatus status = find_values(reader, object, path, sample, 3, &property, &values, error);
    if (status)
        return status;
    size_t count = abcr_pod_count(property, values);
    status = check_room(reader, object, count, capacity, error);
    return status ? status : abcr_floats(reader, property, values, 0, xyz, count, error);
}

AbcStatus abc_reader_mesh_positions(AbcReader *reader, uint32_t object, uint32_t sample, float *xyz,
                                    size_t value_capacity, AbcError *error) {
    return read_triples(reader, object, ".geom/P", sample, xyz, value_capacity, error);
}

AbcStatus abc_reader_mesh_velocities(AbcReader *reader, uint32_t object, uint32_t sample, float *xyz,
                                     size_t value_capacity, AbcError *error) {
    return read_triples(reader, object, ".geom/.velocities", sample, xyz, value_capacity, error);
}

/* xyz += weight * (values - xyz), piece by piece. */
static AbcStatus blend(AbcReader *reader, const ReaderProperty *property, OgawaData values, double weight, double *xyz,
                       size_t count, AbcError *error) {
    double part[512];
    for (size_t done = 0; done < count;) {
        size_t size = count - done < 512 ? count - done : 512;
        AbcStatus status = abcr_doubles(reader, property, values, done, part, size, error);
        if (status)
            return status;
        for (size_t i = 0; i < size; ++i)
            xyz[done + i] += weight * (part[i] - xyz[done + i]);
        done += size;
    }
    return ABC_OK;
}

AbcStatus abc_reader_mesh_positions_at(AbcReader *reader, uint32_t object, double time, double *xyz,
                                       size_t value_capacity, size_t *vertex_count, AbcError *error) {
    ReaderProperty *property;
    OgawaData before, after;
    AbcStatus status = find_values(reader, object, ".geom/P", 0, 3, &property, &before, error);
    if (status)
        return status;
    uint32_t lower, upper;
    double weight;
    abcr_bracket(reader, property, time, &lower, &upper, &weight);
    status = abcr_sample(reader, property, lower, &before, error);
    if (status == ABC_OK)
        status = abcr_sample(reader, property, upper, &after, error);
    if (status)
        return status;
    size_t count = abcr_pod_count(property, before);
    status = check_room(reader, object, count, value_capacity, error);
    if (status == ABC_OK)
        status = abcr_doubles(reader, property, before, 0, xyz, count, error);
    if (status == ABC_OK && weight > 0 && after.size == before.size)
        status = blend(reader, property, after, weight, xyz, count, error);
    *vertex_count = count / 3;
    return status;
}

AbcStatus abc_reader_mesh_bounds(AbcReader *reader, uint32_t object, uint32_t sample, AbcBounds *bounds,
                                 AbcError *error) {
    double box[6];
    ReaderProperty *property;
    AbcStatus status = find_part(reader, object, ".geom/.selfBnds", true, &property, error);
    if (status)
        return status;
    if (property->header.extent != 6)
        return abc_fail(error, ABC_ERR_UNSUPPORTED, "The bounds of \"%.200s\" are not six numbers.",
                        reader->objects[object].path);
    uint32_t last = property->header.sample_count ? property->header.sample_count - 1 : 0;
    status =
        abc_reader_property_doubles(reader, object, ".geom/.selfBnds", sample < last ? sample : last, box, 6, error);
    if (status)
        return status;
    memcpy(bounds->min, box, sizeof bounds->min);
    memcpy(bounds->max, box + 3, sizeof bounds->max);
    return ABC_OK;
}
