#include "frame_mesh.h"

#include "tubes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Neighbouring faces that meet at more than 60 degrees are drawn with a sharp edge. */
static const float crease_cosine = 0.5f;

static AbcStatus out_of_memory(AbcError *error) {
    snprintf(error->text, sizeof error->text, "out of memory for the meshes of a frame");
    return error->status = ABC_ERR_MEMORY;
}

/* -------------------------------------------------------------------------------- reading */

/* One mesh object at one time, as the cache has it. */
typedef struct Polygons {
    AbcMeshSizes sizes;
    double *positions;     /* [vertex_count * 3] in the object's space */
    int32_t *face_counts;  /* [face_count] */
    int32_t *face_indices; /* [index_count] */
} Polygons;

static void polygons_free(Polygons *polygons) {
    free(polygons->positions);
    free(polygons->face_counts);
    free(polygons->face_indices);
}

/* Reads the faces of `sample` and the positions at `time`, which lies between that sample and the next. */
static AbcStatus read_polygons(AbcReader *reader, uint32_t object, uint32_t sample, double time, Polygons *polygons,
                               AbcError *error) {
    AbcMeshSizes *sizes = &polygons->sizes;
    AbcStatus status = abc_reader_mesh_sizes(reader, object, sample, sizes, error);
    if (status != ABC_OK)
        return status;
    size_t read_count = 0;
    polygons->positions = malloc((sizes->vertex_count * 3 + 1) * sizeof *polygons->positions);
    polygons->face_counts = malloc((sizes->face_count + 1) * sizeof *polygons->face_counts);
    polygons->face_indices = malloc((sizes->index_count + 1) * sizeof *polygons->face_indices);
    if (!polygons->positions || !polygons->face_counts || !polygons->face_indices)
        return out_of_memory(error);
    status = abc_reader_mesh_topology(reader, object, sample, polygons->face_counts, sizes->face_count,
                                      polygons->face_indices, sizes->index_count, error);
    if (status == ABC_OK)
        status = abc_reader_mesh_positions_at(reader, object, time, polygons->positions, sizes->vertex_count * 3,
                                              &read_count, error);
    return status;
}

/* Replaces curves, whose points have been read and whose counts are in face_counts, by tubes. */
static AbcStatus make_tubes(Polygons *curves, AbcError *error) {
    size_t points = curves->sizes.vertex_count, quads = tube_quads(points, curves->sizes.face_count);
    if (points > INT32_MAX / TUBE_SIDES)
        return out_of_memory(error);
    int64_t counted = 0;
    bool negative = false;
    for (size_t k = 0; k < curves->sizes.face_count; ++k) {
        negative |= curves->face_counts[k] < 0;
        counted += curves->face_counts[k];
    }
    if (negative || counted != (int64_t)points) {
        snprintf(error->text, sizeof error->text, "curves of %lld points in total, but the sample has %zu",
                 (long long)counted, points);
        return error->status = ABC_ERR_CORRUPT;
    }
    Polygons tubes = {.sizes = {.vertex_count = points * TUBE_SIDES, .face_count = quads, .index_count = 4 * quads},
                      .positions = malloc((points * TUBE_SIDES * 3 + 1) * sizeof(double)),
                      .face_counts = malloc((quads + 1) * sizeof(int32_t)),
                      .face_indices = malloc((4 * quads + 1) * sizeof(int32_t))};
    if (!tubes.positions || !tubes.face_counts || !tubes.face_indices) {
        polygons_free(&tubes);
        return out_of_memory(error);
    }
    for (size_t q = 0; q < quads; ++q)
        tubes.face_counts[q] = 4;
    tubes_make(curves->positions, curves->face_counts, curves->sizes.face_count, tubes.positions, tubes.face_indices);
    polygons_free(curves);
    *curves = tubes;
    return ABC_OK;
}

static Vec3 transformed(const double matrix[16], const double p[3]) {
    double q[3];
    for (int i = 0; i < 3; ++i)
        q[i] = p[0] * matrix[i] + p[1] * matrix[4 + i] + p[2] * matrix[8 + i] + matrix[12 + i];
    return vec3((float)q[0], (float)q[1], (float)q[2]);
}

/* Adds the polygons as fans of triangles. */
static bool append(FrameMesh *mesh, const Polygons *polygons, const double matrix[16]) {
    const AbcMeshSizes *sizes = &polygons->sizes;
    uint32_t first_vertex = mesh->vertex_count;
    size_t vertex_count = first_vertex + sizes->vertex_count;
    size_t triangle_count = mesh->triangle_count + sizes->index_count; // at least as many as the fans need
    Vec3 *positions = realloc(mesh->positions, (vertex_count + 1) * sizeof *positions);
    mesh->positions = positions ? positions : mesh->positions;
    uint32_t *triangles = realloc(mesh->triangles, (triangle_count * 3 + 1) * sizeof *triangles);
    mesh->triangles = triangles ? triangles : mesh->triangles;
    uint32_t *objects = realloc(mesh->objects, (triangle_count + 1) * sizeof *objects);
    mesh->objects = objects ? objects : mesh->objects;
    uint8_t *edges = realloc(mesh->edges, triangle_count + 1);
    mesh->edges = edges ? edges : mesh->edges;
    if (!positions || !triangles || !objects || !edges || vertex_count > UINT32_MAX || triangle_count > UINT32_MAX / 3)
        return false;
    for (size_t i = 0; i < sizes->vertex_count; ++i)
        positions[first_vertex + i] = transformed(matrix, polygons->positions + 3 * i);
    const int32_t *corners = polygons->face_indices;
    for (size_t face = 0; face < sizes->face_count; corners += polygons->face_counts[face++]) {
        for (int32_t i = 2; i < polygons->face_counts[face]; ++i) {
            uint32_t *triangle = triangles + 3 * (size_t)mesh->triangle_count;
            triangle[0] = first_vertex + (uint32_t)corners[0];
            triangle[1] = first_vertex + (uint32_t)corners[i - 1];
            triangle[2] = first_vertex + (uint32_t)corners[i];
            // a fan's inner sides are not edges: opposite corner 2 except for the first, corner 1 except for
            // the last
            bool first = i == 2, last = i + 1 == polygons->face_counts[face];
            edges[mesh->triangle_count] = (uint8_t)(1 | (last ? 2 : 0) | (first ? 4 : 0));
            objects[mesh->triangle_count++] = mesh->object_count;
        }
    }
    mesh->vertex_count = (uint32_t)vertex_count;
    return true;
}

static AbcStatus read_object(AbcReader *reader, uint32_t object, double time, FrameMesh *mesh, AbcError *error) {
    AbcObjectInfo about;
    AbcMeshInfo info;
    AbcTimeSampling sampling;
    bool visible = true;
    double matrix[16];
    AbcStatus status = abc_reader_object(reader, object, &about);
    bool curves = about.schema == ABC_SCHEMA_CURVES;
    if (status != ABC_OK || (about.schema != ABC_SCHEMA_POLYMESH && about.schema != ABC_SCHEMA_SUBD && !curves))
        return status;
    if ((status = abc_reader_visible(reader, object, time, &visible, error)) != ABC_OK || !visible ||
        (status = abc_reader_mesh_info(reader, object, &info, error)) != ABC_OK || info.sample_count == 0 ||
        (status = abc_reader_time_sampling(reader, info.time_sampling, &sampling)) != ABC_OK ||
        (status = abc_reader_world_matrix(reader, object, time, matrix, error)) != ABC_OK)
        return status;
    uint32_t lower, upper;
    double weight;
    abc_sample_bracket(&sampling, info.sample_count, time, &lower, &upper, &weight);
    Polygons polygons = {0};
    status = read_polygons(reader, object, lower, time, &polygons, error);
    if (status == ABC_OK && curves)
        status = make_tubes(&polygons, error);
    if (status == ABC_OK && !append(mesh, &polygons, matrix))
        status = out_of_memory(error);
    mesh->object_count += 1;
    polygons_free(&polygons);
    return status;
}

/* -------------------------------------------------------------------------------- normals */

/* Twice the area times the unit normal. */
static Vec3 face_normal(const FrameMesh *mesh, uint32_t triangle) {
    const uint32_t *corners = mesh->triangles + 3 * (size_t)triangle;
    Vec3 a = mesh->positions[corners[0]], b = mesh->positions[corners[1]], c = mesh->positions[corners[2]];
    return vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
}

/* For each vertex the triangles around it: those of vertex v are around[first[v]] .. around[first[v + 1] -
 * 1]. */
static void collect_triangles_around(const FrameMesh *mesh, uint32_t *first, uint32_t *around) {
    size_t corner_count = 3 * (size_t)mesh->triangle_count;
    memset(first, 0, ((size_t)mesh->vertex_count + 1) * sizeof *first);
    for (size_t i = 0; i < corner_count; ++i)
        first[mesh->triangles[i]] += 1;
    // running sums give each range's end; filling backwards turns ends into starts
    uint32_t sum = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
        first[v] = sum += first[v];
    first[mesh->vertex_count] = sum;
    for (size_t i = corner_count; i-- > 0;)
        around[--first[mesh->triangles[i]]] = (uint32_t)(i / 3);
}

/* A corner's normal: the area-weighted mean over the triangles around the vertex that are not beyond a
 * crease. */
static bool compute_normals(FrameMesh *mesh) {
    size_t corner_count = 3 * (size_t)mesh->triangle_count;
    Vec3 *faces = malloc(((size_t)mesh->triangle_count + 1) * sizeof *faces);
    uint32_t *first = malloc(((size_t)mesh->vertex_count + 1) * sizeof *first);
    uint32_t *around = malloc((corner_count + 1) * sizeof *around);
    mesh->normals = malloc((corner_count + 1) * sizeof *mesh->normals);
    bool enough = faces && first && around && mesh->normals;
    if (enough) {
        for (uint32_t i = 0; i < mesh->triangle_count; ++i)
            faces[i] = face_normal(mesh, i);
        collect_triangles_around(mesh, first, around);
        for (size_t i = 0; i < corner_count; ++i) {
            uint32_t vertex = mesh->triangles[i];
            Vec3 own = faces[i / 3], sum = own;
            float limit = crease_cosine * vec3_length(own);
            for (uint32_t k = first[vertex]; k < first[vertex + 1]; ++k) {
                Vec3 other = faces[around[k]];
                if (around[k] != i / 3 && vec3_dot(own, other) > limit * vec3_length(other))
                    sum = vec3_add(sum, other);
            }
            mesh->normals[i] = vec3_unit(sum, vec3(0, 1, 0));
        }
    }
    free(faces);
    free(first);
    free(around);
    return enough;
}

AbcStatus frame_mesh_read(AbcReader *reader, double time, FrameMesh *mesh, AbcError *error) {
    AbcArchiveInfo archive;
    AbcStatus status = ABC_OK;
    *mesh = (FrameMesh){0};
    abc_reader_archive_info(reader, &archive);
    for (uint32_t object = 0; object < archive.object_count && status == ABC_OK; ++object)
        status = read_object(reader, object, time, mesh, error);
    if (status == ABC_OK && !compute_normals(mesh))
        status = out_of_memory(error);
    if (status != ABC_OK)
        frame_mesh_free(mesh);
    return status;
}

void frame_mesh_free(FrameMesh *mesh) {
    free(mesh->positions);
    free(mesh->triangles);
    free(mesh->normals);
    free(mesh->objects);
    free(mesh->edges);
    *mesh = (FrameMesh){0};
}
