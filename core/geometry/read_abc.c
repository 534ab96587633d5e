/* Alembic .abc: the only mesh of the archive at its first sample, placed by the transforms above it, with its painted
   weights and colours (parameters of vertices, corners or faces) as fields. */
#include "alembic_io.h"
#include "geometry/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 256, WIDEST = 4 };
static const char params_folder[] = ".geom/.arbGeomParams";

static JnStatus fail(const TextFile *file, const AbcError *error, JnMessage *message) {
    JnStatus status = error->status == ABC_ERR_MEMORY ? JN_ERR_MEMORY : JN_ERR_FORMAT;
    return status_fail(message, status, "%.200s: %.700s", file->name, error->text);
}

/* The number of the only mesh. */
static JnStatus find_mesh(AbcReader *reader, const TextFile *file, uint32_t *mesh, JnMessage *message) {
    AbcObjectInfo info, first = {0};
    uint32_t count = 0;
    for (uint32_t object = 0; abc_reader_object(reader, object, &info) == ABC_OK; ++object)
        if (info.schema == ABC_SCHEMA_POLYMESH || info.schema == ABC_SCHEMA_SUBD) {
            if (count++ == 0) {
                *mesh = object;
                first = info;
            }
        }
    if (count == 1)
        return JN_OK;
    if (count == 0)
        return status_fail(message, JN_ERR_MESH, "%.200s holds no mesh: export a polygon mesh", file->name);
    return status_fail(message, JN_ERR_MESH, "%.200s holds %u meshes, '%.200s' the first: export one of them alone",
                       file->name, count, first.path);
}

static AbcStatus read_faces(AbcReader *reader, uint32_t object, JnMesh *mesh, AbcError *error) {
    /* int32_t and uint32_t have one layout, and the reader has checked that no index is negative */
    return abc_reader_mesh_topology(reader, object, 0, (int32_t *)mesh->face_sizes, mesh->face_count,
                                    (int32_t *)mesh->face_vertices, mesh->corner_count, error);
}

/* Positions at the time of the first sample, in the space of the archive. */
static AbcStatus read_positions(AbcReader *reader, uint32_t object, const AbcMeshInfo *info, JnMesh *mesh,
                                AbcError *error) {
    AbcTimeSampling sampling;
    double matrix[16];
    size_t count;
    AbcStatus status = abc_reader_time_sampling(reader, info->time_sampling, &sampling);
    double time = status == ABC_OK ? abc_sample_time(&sampling, 0) : 0;
    status = abc_reader_mesh_positions_at(reader, object, time, mesh->positions, 3 * (size_t)mesh->vertex_count, &count,
                                          error);
    if (status == ABC_OK)
        status = abc_reader_world_matrix(reader, object, time, matrix, error);
    for (size_t v = 0; status == ABC_OK && v < mesh->vertex_count; ++v) {
        double *x = mesh->positions + 3 * v, p[3] = {x[0], x[1], x[2]};
        for (int i = 0; i < 3; ++i)
            x[i] = p[0] * matrix[i] + p[1] * matrix[4 + i] + p[2] * matrix[8 + i] + matrix[12 + i];
    }
    return status;
}

static bool all_finite(const double *values, size_t count) {
    size_t finite = 0;
    while (finite < count && isfinite(values[finite]))
        ++finite;
    return finite == count;
}

/* A parameter of the mesh as it is stored. */
typedef struct Param {
    const char *name;
    uint32_t width;
    bool of_vertices; /* one value for each vertex, without indices */
} Param;

/* Parameter number `index`; false past the end. One that cannot be a field has the width 0: text, one value for the
   whole mesh, or more than four numbers a value. */
static bool param_at(AbcReader *reader, uint32_t object, uint32_t index, Param *param) {
    AbcPropertyInfo info, values;
    if (abc_reader_property_at(reader, object, params_folder, index, &info, NULL) != ABC_OK)
        return false;
    *param = (Param){.name = info.name};
    char path[PATH_SIZE];
    int length = snprintf(path, sizeof path, "%s/%s%s", params_folder, info.name, info.compound ? "/.vals" : "");
    bool per_vertex = info.scope == ABC_SCOPE_VERTEX || info.scope == ABC_SCOPE_VARYING;
    bool per_part = per_vertex || info.scope == ABC_SCOPE_FACEVARYING || info.scope == ABC_SCOPE_UNIFORM;
    if (length >= PATH_SIZE || !per_part || abc_reader_property(reader, object, path, &values, NULL) != ABC_OK ||
        values.scalar || values.extent > WIDEST)
        return true;
    param->width = values.extent;
    param->of_vertices = per_vertex && !info.compound;
    return true;
}

/* The values of a parameter with one value for each vertex; false if it cannot be read. */
static bool read_of_vertices(AbcReader *reader, uint32_t object, const Param *param, size_t count, double *values) {
    char path[PATH_SIZE];
    size_t stored = 0;
    snprintf(path, sizeof path, "%s/%s", params_folder, param->name);
    return abc_reader_property_size(reader, object, path, 0, &stored, NULL) == ABC_OK && stored == count &&
           abc_reader_property_doubles(reader, object, path, 0, values, count, NULL) == ABC_OK;
}

/* The values of corners, averaged at each vertex; false if they cannot be read or memory is short. */
static bool read_of_corners(AbcReader *reader, uint32_t object, const Param *param, const JnMesh *mesh,
                            double *values) {
    size_t width = param->width, count = width * mesh->corner_count;
    float *corners = malloc((count + 1) * sizeof *corners);
    uint32_t *uses = calloc((size_t)mesh->vertex_count + 1, sizeof *uses);
    bool read = corners && uses &&
                abc_reader_mesh_param(reader, object, param->name, param->width, 0, corners, count, NULL) == ABC_OK;
    for (size_t c = 0; read && c < mesh->corner_count; ++c) {
        size_t v = mesh->face_vertices[c];
        read = v < mesh->vertex_count;
        for (size_t k = 0; read && k < width; ++k)
            values[v * width + k] += (double)corners[c * width + k];
        if (read)
            ++uses[v];
    }
    for (size_t i = 0; read && i < width * mesh->vertex_count; ++i)
        if (uses[i / width])
            values[i] /= uses[i / width];
    free(corners);
    free(uses);
    return read;
}

/* Every parameter of vertices, corners or faces becomes a field. Those that cannot be read or are not finite are
   skipped. */
static JnStatus read_fields(AbcReader *reader, uint32_t object, JnMesh *mesh, JnMessage *message) {
    Param param;
    double *read = malloc(((size_t)mesh->vertex_count * WIDEST + 1) * sizeof *read);
    JnStatus status = read ? JN_OK : status_no_memory(message, "the fields of a mesh");
    for (uint32_t i = 0; status == JN_OK && param_at(reader, object, i, &param); ++i) {
        size_t count = (size_t)mesh->vertex_count * param.width;
        memset(read, 0, count * sizeof *read);
        if (!param.width ||
            !(param.of_vertices ? read_of_vertices(reader, object, &param, count, read)
                                : read_of_corners(reader, object, &param, mesh, read)) ||
            !all_finite(read, count))
            continue;
        double *values;
        status = mesh_add_field(mesh, param.name, strlen(param.name), param.width, &values, message);
        if (status == JN_OK)
            memcpy(values, read, count * sizeof *values);
    }
    free(read);
    return status;
}

static JnStatus read_mesh(AbcReader *reader, const TextFile *file, JnMesh *mesh, JnMessage *message) {
    AbcError error;
    AbcMeshInfo info;
    AbcMeshSizes sizes;
    uint32_t object = 0;
    JnStatus status = find_mesh(reader, file, &object, message);
    if (status != JN_OK)
        return status;
    if (abc_reader_mesh_info(reader, object, &info, &error) != ABC_OK ||
        abc_reader_mesh_sizes(reader, object, 0, &sizes, &error) != ABC_OK)
        return fail(file, &error, message);
    if (sizes.vertex_count > UINT32_MAX || sizes.face_count > UINT32_MAX || sizes.index_count > UINT32_MAX)
        return status_fail(message, JN_ERR_MESH, "%.200s has more vertices than a mesh can have", file->name);
    status = mesh_set_vertex_count(mesh, (uint32_t)sizes.vertex_count, message);
    if (status == JN_OK)
        status = mesh_set_face_counts(mesh, (uint32_t)sizes.face_count, (uint32_t)sizes.index_count, message);
    if (status != JN_OK)
        return status;
    if (read_faces(reader, object, mesh, &error) != ABC_OK ||
        read_positions(reader, object, &info, mesh, &error) != ABC_OK)
        return fail(file, &error, message);
    if (info.has_uvs && (mesh->uvs = malloc((2 * sizes.index_count + 1) * sizeof(float))) &&
        abc_reader_mesh_uvs(reader, object, 0, mesh->uvs, 2 * sizes.index_count, NULL) != ABC_OK) {
        free(mesh->uvs);
        mesh->uvs = NULL;
    }
    for (size_t i = 0; mesh->uvs && i < 2 * sizes.index_count; ++i)
        if (!isfinite(mesh->uvs[i]))
            return status_fail(
                message, JN_ERR_MESH,
                "%.200s: a texture coordinate of corner %zu is %g: it must be a finite number: mend it or "
                "leave texture coordinates out of the export",
                file->name, i / 2, (double)mesh->uvs[i]);
    return read_fields(reader, object, mesh, message);
}

JnStatus read_abc(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message) {
    (void)companion;
    AbcReader *reader;
    AbcError error;
    const AbcReaderDesc desc = {.counter_clockwise = true};
    if (abc_reader_open_memory(&reader, file->bytes, file->size, &desc, &error) != ABC_OK)
        return fail(file, &error, message);
    JnStatus status = read_mesh(reader, file, mesh, message);
    abc_reader_close(reader);
    return status;
}
