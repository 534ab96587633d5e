#include "frame_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static AbcStatus out_of_memory(AbcError *error) {
    snprintf(error->text, sizeof error->text, "out of memory for the meshes of a frame");
    return error->status = ABC_ERR_MEMORY;
}

/* Reads the faces of `sample` and the positions at `time`, which lies between that sample and the next. */
static AbcStatus read_polygons(AbcReader *reader, uint32_t object, uint32_t sample, double time, Polygons *polygons,
                               AbcError *error) {
    AbcMeshSizes sizes;
    AbcStatus status = abc_reader_mesh_sizes(reader, object, sample, &sizes, error);
    if (status != ABC_OK)
        return status;
    size_t read_count = 0;
    polygons->vertex_count = sizes.vertex_count;
    polygons->face_count = sizes.face_count;
    polygons->index_count = sizes.index_count;
    polygons->positions = malloc((sizes.vertex_count * 3 + 1) * sizeof *polygons->positions);
    polygons->face_counts = malloc((sizes.face_count + 1) * sizeof *polygons->face_counts);
    polygons->face_indices = malloc((sizes.index_count + 1) * sizeof *polygons->face_indices);
    if (!polygons->positions || !polygons->face_counts || !polygons->face_indices)
        return out_of_memory(error);
    status = abc_reader_mesh_topology(reader, object, sample, polygons->face_counts, sizes.face_count,
                                      polygons->face_indices, sizes.index_count, error);
    if (status == ABC_OK)
        status = abc_reader_mesh_positions_at(reader, object, time, polygons->positions, sizes.vertex_count * 3,
                                              &read_count, error);
    return status;
}

/* That the curves have as many points as the sample. */
static AbcStatus check_curves(const Polygons *curves, AbcError *error) {
    int64_t counted = 0;
    bool negative = false;
    for (size_t k = 0; k < curves->face_count; ++k) {
        negative |= curves->face_counts[k] < 0;
        counted += curves->face_counts[k];
    }
    if (!negative && counted == (int64_t)curves->vertex_count)
        return ABC_OK;
    snprintf(error->text, sizeof error->text, "curves of %lld points in total, but the sample has %zu",
             (long long)counted, curves->vertex_count);
    return error->status = ABC_ERR_CORRUPT;
}

/* What is visible of an object at a time; nothing if *sample_count is 0. */
static AbcStatus find_sample(AbcReader *reader, uint32_t object, double time, uint32_t *sample, uint32_t *sample_count,
                             double matrix[16], AbcError *error) {
    AbcMeshInfo info;
    AbcTimeSampling sampling;
    bool visible = true;
    *sample_count = 0;
    AbcStatus status = abc_reader_visible(reader, object, time, &visible, error);
    if (status != ABC_OK || !visible)
        return status;
    if ((status = abc_reader_mesh_info(reader, object, &info, error)) != ABC_OK || info.sample_count == 0 ||
        (status = abc_reader_time_sampling(reader, info.time_sampling, &sampling)) != ABC_OK ||
        (status = abc_reader_world_matrix(reader, object, time, matrix, error)) != ABC_OK)
        return status;
    uint32_t upper;
    double weight;
    abc_sample_bracket(&sampling, info.sample_count, time, sample, &upper, &weight);
    *sample_count = info.sample_count;
    return ABC_OK;
}

/* The name of the transform above the object, which is that of the body if the cache is ours. */
static const char *name_above(const AbcReader *reader, const AbcObjectInfo *about) {
    AbcObjectInfo parent;
    return abc_reader_object(reader, about->parent, &parent) == ABC_OK ? parent.name : "";
}

static AbcStatus read_object(AbcReader *reader, uint32_t object, double time, const FramePaint *paint, FrameMesh *mesh,
                             AbcError *error) {
    AbcObjectInfo about;
    AbcStatus status = abc_reader_object(reader, object, &about);
    bool curves = about.schema == ABC_SCHEMA_CURVES;
    if (status != ABC_OK || (about.schema != ABC_SCHEMA_POLYMESH && about.schema != ABC_SCHEMA_SUBD && !curves))
        return status;
    uint32_t sample, sample_count;
    double matrix[16];
    status = find_sample(reader, object, time, &sample, &sample_count, matrix, error);
    if (status != ABC_OK || sample_count == 0)
        return status;
    Polygons polygons = {0};
    int32_t number = (int32_t)mesh->object_count++;
    status = read_polygons(reader, object, sample, time, &polygons, error);
    if (status == ABC_OK && curves)
        status = check_curves(&polygons, error);
    if (status == ABC_OK && paint)
        polygons.weights = paint->find(paint->context, name_above(reader, &about), polygons.vertex_count);
    if (status == ABC_OK && !(curves ? frame_mesh_add_curves(mesh, &polygons, matrix, number)
                                     : frame_mesh_add_faces(mesh, &polygons, matrix, number)))
        status = out_of_memory(error);
    polygons_free(&polygons);
    return status;
}

AbcStatus frame_cache_read(AbcReader *reader, double time, const FramePaint *paint, FrameMesh *mesh, AbcError *error) {
    AbcArchiveInfo archive;
    AbcStatus status = ABC_OK;
    abc_reader_archive_info(reader, &archive);
    for (uint32_t object = 0; object < archive.object_count && status == ABC_OK; ++object)
        status = read_object(reader, object, time, paint, mesh, error);
    return status;
}

AbcStatus frame_cache_positions(AbcReader *reader, const char *body_name, double time, double **positions,
                                size_t *vertex_count, AbcError *error) {
    AbcArchiveInfo archive;
    *positions = NULL;
    *vertex_count = 0;
    abc_reader_archive_info(reader, &archive);
    for (uint32_t object = 0; object < archive.object_count; ++object) {
        AbcObjectInfo about;
        AbcStatus status = abc_reader_object(reader, object, &about);
        if (status != ABC_OK || (about.schema != ABC_SCHEMA_POLYMESH && about.schema != ABC_SCHEMA_CURVES) ||
            strcmp(name_above(reader, &about), body_name) != 0)
            continue;
        uint32_t sample, sample_count;
        double matrix[16];
        Polygons polygons = {0};
        status = find_sample(reader, object, time, &sample, &sample_count, matrix, error);
        if (status == ABC_OK && sample_count > 0)
            status = read_polygons(reader, object, sample, time, &polygons, error);
        for (size_t v = 0; status == ABC_OK && v < polygons.vertex_count; ++v) {
            double *p = polygons.positions + 3 * v, q[3];
            for (int i = 0; i < 3; ++i)
                q[i] = p[0] * matrix[i] + p[1] * matrix[4 + i] + p[2] * matrix[8 + i] + matrix[12 + i];
            memcpy(p, q, sizeof q);
        }
        if (status == ABC_OK && sample_count > 0) {
            *positions = polygons.positions;
            *vertex_count = polygons.vertex_count;
            polygons.positions = NULL;
        }
        polygons_free(&polygons);
        return status;
    }
    return ABC_OK;
}
