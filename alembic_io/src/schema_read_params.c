/* Layer 3, reading: texture coordinates, normals and other parameters, expanded to the corners of the faces. */
#include "schema_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATH_SIZE = 300 };

/* A parameter as it is stored: values, and perhaps indices into them. */
typedef struct StoredParam {
    ReaderProperty *values, *indices; /* indices: NULL if not indexed */
    OgawaData value_data, index_data;
    size_t value_count, user_count; /* user_count: indices if there are, else values */
    AbcScope scope;
} StoredParam;

/* The faces of the mesh, in the file's winding. */
typedef struct Faces {
    int32_t *counts, *indices;
    AbcMeshSizes sizes;
} Faces;

static AbcStatus last_sample(AbcReader *reader, ReaderProperty *property, uint32_t sample, OgawaData *values,
                             AbcError *error) {
    uint32_t last = property->header.sample_count ? property->header.sample_count - 1 : 0;
    return abcr_sample(reader, property, sample < last ? sample : last, values, error);
}

static AbcStatus find_param(AbcReader *reader, uint32_t object, const char *path, uint32_t width, uint32_t sample,
                            StoredParam *param, AbcError *error) {
    char inside[PATH_SIZE];
    AbcPropertyInfo info;
    *param = (StoredParam){0};
    AbcStatus status = abcr_find(reader, object, path, &param->values, error);
    if (status == ABC_OK)
        status = abc_reader_property(reader, object, path, &info, error);
    if (status)
        return status;
    param->scope = info.scope;
    if (info.compound) {
        snprintf(inside, sizeof inside, "%s/.vals", path);
        status = abcr_find(reader, object, inside, &param->values, error);
        snprintf(inside, sizeof inside, "%s/.indices", path);
        if (status == ABC_OK)
            status = abcr_find(reader, object, inside, &param->indices, error);
    }
    if (status)
        return status;
    const PropertyHeader *header = &param->values->header;
    if (header->kind != PROPERTY_ARRAY || header->extent != width || abc_format_pod_size(header->pod) == 0 ||
        (param->indices && (param->indices->header.kind != PROPERTY_ARRAY || param->indices->header.extent != 1)))
        return abc_fail(error, ABC_ERR_UNSUPPORTED,
                        "The property \"%s\" of \"%.200s\" is not an array of %" PRIu32 " numbers a value.", path,
                        reader->objects[object].path, width);
    status = last_sample(reader, param->values, sample, &param->value_data, error);
    if (status == ABC_OK && param->indices)
        status = last_sample(reader, param->indices, sample, &param->index_data, error);
    if (status)
        return status;
    param->value_count = abcr_pod_count(param->values, param->value_data) / width;
    param->user_count = param->indices ? abcr_pod_count(param->indices, param->index_data) : param->value_count;
    return ABC_OK;
}

static void free_faces(Faces *faces) {
    free(faces->counts);
    free(faces->indices);
}

static AbcStatus load_faces(AbcReader *reader, uint32_t object, uint32_t sample, Faces *faces, AbcError *error) {
    *faces = (Faces){0};
    AbcStatus status = abc_reader_mesh_sizes(reader, object, sample, &faces->sizes, error);
    if (status)
        return status;
    faces->counts = malloc(faces->sizes.face_count * sizeof *faces->counts + 1);
    faces->indices = malloc(faces->sizes.index_count * sizeof *faces->indices + 1);
    if (!faces->counts || !faces->indices)
        return abc_fail_memory(error, "the faces of a mesh");
    status = abc_reader_mesh_topology(reader, object, sample, faces->counts, faces->sizes.face_count, faces->indices,
                                      faces->sizes.index_count, error);
    /* the topology comes in the reader's winding, per-corner values are in the file's */
    if (status == ABC_OK && reader->counter_clockwise)
        abc_corners_reverse(faces->counts, faces->sizes.face_count, faces->indices, sizeof *faces->indices);
    return status;
}

/* Which user of the parameter a corner is, by the parameter's scope. */
static size_t user_of_corner(AbcScope scope, size_t corner, size_t face, int32_t vertex) {
    switch (scope) {
    case ABC_SCOPE_FACEVARYING:
        return corner;
    case ABC_SCOPE_VERTEX:
    case ABC_SCOPE_VARYING:
        return (size_t)vertex;
    case ABC_SCOPE_UNIFORM:
        return face;
    case ABC_SCOPE_CONSTANT:
    case ABC_SCOPE_UNKNOWN:
        break;
    }
    return 0;
}

static size_t users_of_scope(AbcScope scope, const AbcMeshSizes *sizes) {
    switch (scope) {
    case ABC_SCOPE_FACEVARYING:
        return sizes->index_count;
    case ABC_SCOPE_VERTEX:
    case ABC_SCOPE_VARYING:
        return sizes->vertex_count;
    case ABC_SCOPE_UNIFORM:
        return sizes->face_count;
    case ABC_SCOPE_CONSTANT:
    case ABC_SCOPE_UNKNOWN:
        break;
    }
    return 1;
}

static AbcStatus spread(const Faces *faces, const StoredParam *param, const float *values, const int32_t *indices,
                        uint32_t width, float *to, AbcError *error) {
    size_t corner = 0;
    for (size_t face = 0; face < faces->sizes.face_count; ++face)
        for (int32_t k = 0; k < faces->counts[face]; ++k, ++corner) {
            size_t user = user_of_corner(param->scope, corner, face, faces->indices[corner]);
            size_t value = indices ? (size_t)(uint32_t)indices[user] : user;
            if (value >= param->value_count)
                return abc_fail_at(error, param->index_data.position, "Index %zu of a parameter is %zu of %zu.", user,
                                   value, param->value_count);
            memcpy(to + corner * width, values + value * width, width * sizeof *to);
        }
    return ABC_OK;
}

static AbcStatus read_param(AbcReader *reader, uint32_t object, const char *path, uint32_t width, uint32_t sample,
                            float *to, size_t capacity, AbcError *error) {
    StoredParam param;
    Faces faces = {0};
    float *values = NULL;
    int32_t *indices = NULL;
    AbcStatus status = abc_geom_check(reader, object, error);
    if (status == ABC_OK)
        status = find_param(reader, object, path, width, sample, &param, error);
    if (status == ABC_OK)
        status = load_faces(reader, object, sample, &faces, error);
    if (status == ABC_OK && capacity / width < faces.sizes.index_count)
        status = abc_fail(error, ABC_ERR_ARGUMENT, "\"%s\" needs room for %zu values; there is room for %zu.", path,
                          width * faces.sizes.index_count, capacity);
    if (status == ABC_OK && param.user_count != users_of_scope(param.scope, &faces.sizes))
        status = abc_fail_at(error, param.value_data.position,
                             "\"%s\" of \"%.200s\" has %zu values; its scope requires %zu.", path,
                             reader->objects[object].path, param.user_count, users_of_scope(param.scope, &faces.sizes));
    if (status == ABC_OK) {
        values = malloc(param.value_count * width * sizeof *values + 1);
        indices = param.indices ? malloc(param.user_count * sizeof *indices + 1) : NULL;
        if (!values || (param.indices && !indices))
            status = abc_fail_memory(error, "the values of a parameter");
    }
    if (status == ABC_OK)
        status = abcr_floats(reader, param.values, param.value_data, 0, values, param.value_count * width, error);
    if (status == ABC_OK && param.indices)
        status = abcr_int32s(reader, param.indices, param.index_data, indices, param.user_count, error);
    if (status == ABC_OK)
        status = spread(&faces, &param, values, indices, width, to, error);
    if (status == ABC_OK && reader->counter_clockwise)
        abc_corners_reverse(faces.counts, faces.sizes.face_count, to, width * sizeof *to);
    free(values);
    free(indices);
    free_faces(&faces);
    return status;
}

AbcStatus abc_reader_mesh_uvs(AbcReader *reader, uint32_t object, uint32_t sample, float *uv, size_t value_capacity,
                              AbcError *error) {
    return read_param(reader, object, ".geom/uv", 2, sample, uv, value_capacity, error);
}

AbcStatus abc_reader_mesh_normals(AbcReader *reader, uint32_t object, uint32_t sample, float *xyz,
                                  size_t value_capacity, AbcError *error) {
    return read_param(reader, object, ".geom/N", 3, sample, xyz, value_capacity, error);
}

AbcStatus abc_reader_mesh_param(AbcReader *reader, uint32_t object, const char *name, uint32_t width, uint32_t sample,
                                float *values, size_t value_capacity, AbcError *error) {
    char path[PATH_SIZE];
    static const size_t longest_inside = sizeof "/.indices";
    if (!name || width < 1 || width > 4)
        return abc_fail(error, ABC_ERR_ARGUMENT, "A parameter needs a name and one to four numbers a value.");
    if ((size_t)snprintf(path, sizeof path, ".geom/.arbGeomParams/%s", name) >= sizeof path - longest_inside)
        return abc_fail(error, ABC_ERR_UNSUPPORTED, "The name \"%.60s...\" of a parameter is too long.", name);
    return read_param(reader, object, path, width, sample, values, value_capacity, error);
}
