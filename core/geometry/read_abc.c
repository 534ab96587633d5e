/* Alembic .abc: the only mesh of the archive at its first sample, placed by the transforms above it, with its painted
   weights (float parameters per vertex) as fields. */
#include "alembic_io.h"
#include "geometry/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 256 };

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

/* Every float parameter per vertex of the mesh. Those that cannot be read or are not finite are skipped. */
static JnStatus read_weights(AbcReader *reader, uint32_t object, JnMesh *mesh, JnMessage *message) {
    static const char folder[] = ".geom/.arbGeomParams";
    AbcPropertyInfo info;
    double *read = malloc(((size_t)mesh->vertex_count + 1) * sizeof *read);
    JnStatus status = read ? JN_OK : status_no_memory(message, "the fields of a mesh");
    for (uint32_t i = 0; status == JN_OK && abc_reader_property_at(reader, object, folder, i, &info, NULL) == ABC_OK;
         ++i) {
        char path[PATH_SIZE];
        size_t count = 0;
        if (info.compound || info.extent != 1 || (info.scope != ABC_SCOPE_VERTEX && info.scope != ABC_SCOPE_VARYING))
            continue;
        int length = snprintf(path, sizeof path, "%s/%s", folder, info.name);
        if (length >= PATH_SIZE || abc_reader_property_size(reader, object, path, 0, &count, NULL) != ABC_OK ||
            count != mesh->vertex_count)
            continue;
        if (abc_reader_property_doubles(reader, object, path, 0, read, count, NULL) != ABC_OK ||
            !all_finite(read, count))
            continue;
        double *values;
        status = mesh_add_field(mesh, info.name, strlen(info.name), 1, &values, message);
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
    return read_weights(reader, object, mesh, message);
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
