#include "frame_mesh.h"

#include "jounce.h"
#include "tubes.h"

#include <stdlib.h>
#include <string.h>

/* Neighbouring faces that meet at more than 60 degrees are drawn with a sharp edge. */
static const float crease_cosine = 0.5f;

void polygons_free(Polygons *polygons) {
    free(polygons->positions);
    free(polygons->face_counts);
    free(polygons->face_indices);
    *polygons = (Polygons){0};
}

void frame_mesh_free(FrameMesh *mesh) {
    free(mesh->positions);
    free(mesh->weights);
    free(mesh->triangles);
    free(mesh->normals);
    free(mesh->objects);
    free(mesh->edges);
    *mesh = (FrameMesh){0};
}

/* -------------------------------------------------------------------------------- adding */

static Vec3 transformed(const double matrix[16], const double p[3]) {
    double q[3];
    for (int i = 0; i < 3; ++i)
        q[i] = p[0] * matrix[i] + p[1] * matrix[4 + i] + p[2] * matrix[8 + i] + matrix[12 + i];
    return vec3((float)q[0], (float)q[1], (float)q[2]);
}

/* Grows the arrays for the faces, as many triangles as they may need. */
static bool reserve(FrameMesh *mesh, const Polygons *faces) {
    size_t vertex_count = mesh->vertex_count + faces->vertex_count;
    size_t triangle_count = mesh->triangle_count + faces->index_count;
    if (vertex_count > UINT32_MAX || triangle_count > UINT32_MAX / 3)
        return false;
    Vec3 *positions = realloc(mesh->positions, (vertex_count + 1) * sizeof *positions);
    mesh->positions = positions ? positions : mesh->positions;
    uint32_t *triangles = realloc(mesh->triangles, (triangle_count * 3 + 1) * sizeof *triangles);
    mesh->triangles = triangles ? triangles : mesh->triangles;
    int32_t *objects = realloc(mesh->objects, (triangle_count + 1) * sizeof *objects);
    mesh->objects = objects ? objects : mesh->objects;
    uint8_t *edges = realloc(mesh->edges, triangle_count + 1);
    mesh->edges = edges ? edges : mesh->edges;
    if (!positions || !triangles || !objects || !edges)
        return false;
    if (!mesh->weights && !faces->weights)
        return true;
    bool first = !mesh->weights;
    float *weights = realloc(mesh->weights, (vertex_count + 1) * sizeof *weights);
    mesh->weights = weights ? weights : mesh->weights;
    for (size_t v = first ? 0 : mesh->vertex_count; weights && v < vertex_count; ++v)
        weights[v] = NAN;
    return weights != NULL;
}

/* Bit i: the side across from corner i of a triangle is a side of its polygon of `size` corners. */
static uint8_t polygon_sides(const uint32_t triangle[3], uint32_t size) {
    unsigned sides = 0;
    for (unsigned i = 0; i < 3; ++i) {
        uint32_t a = triangle[(i + 1) % 3], b = triangle[(i + 2) % 3];
        sides |= (unsigned)((a + 1) % size == b || (b + 1) % size == a) << i;
    }
    return (uint8_t)sides;
}

/* Adds one face. points [size * 3] and triangles [(size - 2) * 3]: for use. */
static bool add_face(FrameMesh *mesh, const Polygons *faces, const int32_t *corners, uint32_t size,
                     uint32_t first_vertex, int32_t object, double *points, uint32_t *triangles) {
    for (size_t i = 0; i < size; ++i)
        memcpy(points + 3 * i, faces->positions + 3 * (size_t)corners[i], 3 * sizeof *points);
    if (jn_polygon_triangulate(points, size, triangles, NULL) != JN_OK)
        return false;
    for (uint32_t t = 0; t + 2 < size; ++t) {
        for (size_t i = 0; i < 3; ++i)
            mesh->triangles[3 * (size_t)mesh->triangle_count + i] =
                first_vertex + (uint32_t)corners[triangles[3 * (size_t)t + i]];
        mesh->edges[mesh->triangle_count] = polygon_sides(&triangles[3 * (size_t)t], size);
        mesh->objects[mesh->triangle_count++] = object;
    }
    return true;
}

bool frame_mesh_add_faces(FrameMesh *mesh, const Polygons *faces, const double matrix[16], int32_t object) {
    uint32_t first_vertex = mesh->vertex_count;
    if (!reserve(mesh, faces))
        return false;
    for (size_t i = 0; i < faces->vertex_count; ++i)
        mesh->positions[first_vertex + i] = transformed(matrix, faces->positions + 3 * i);
    if (faces->weights)
        memcpy(mesh->weights + first_vertex, faces->weights, faces->vertex_count * sizeof *faces->weights);
    size_t largest = 3;
    for (size_t face = 0; face < faces->face_count; ++face)
        if (faces->face_counts[face] > 3 && (size_t)faces->face_counts[face] > largest)
            largest = (size_t)faces->face_counts[face];
    double *points = malloc(3 * largest * sizeof *points);
    uint32_t *triangles = malloc(3 * largest * sizeof *triangles);
    bool enough = points && triangles;
    const int32_t *corners = faces->face_indices;
    for (size_t face = 0; enough && face < faces->face_count; corners += faces->face_counts[face++])
        if (faces->face_counts[face] > 2)
            enough = add_face(mesh, faces, corners, (uint32_t)faces->face_counts[face], first_vertex, object, points,
                              triangles);
    free(points);
    free(triangles);
    mesh->vertex_count += (uint32_t)faces->vertex_count;
    return enough;
}

bool frame_mesh_add_curves(FrameMesh *mesh, const Polygons *curves, const double matrix[16], int32_t object) {
    size_t points = curves->vertex_count, quads = tube_quads(points, curves->face_count);
    if (points > INT32_MAX / TUBE_SIDES)
        return false;
    float *weights = curves->weights ? malloc((points * TUBE_SIDES + 1) * sizeof *weights) : NULL;
    Polygons tubes = {.vertex_count = points * TUBE_SIDES,
                      .face_count = quads,
                      .index_count = 4 * quads,
                      .positions = malloc((points * TUBE_SIDES * 3 + 1) * sizeof(double)),
                      .face_counts = malloc((quads + 1) * sizeof(int32_t)),
                      .face_indices = malloc((4 * quads + 1) * sizeof(int32_t)),
                      .weights = weights};
    bool enough = tubes.positions && tubes.face_counts && tubes.face_indices && (weights || !curves->weights);
    for (size_t q = 0; enough && q < quads; ++q)
        tubes.face_counts[q] = 4;
    for (size_t v = 0; enough && weights && v < points * TUBE_SIDES; ++v)
        weights[v] = curves->weights[v / TUBE_SIDES];
    if (enough) {
        tubes_make(curves->positions, curves->face_counts, curves->face_count, tubes.positions, tubes.face_indices);
        enough = frame_mesh_add_faces(mesh, &tubes, matrix, object);
    }
    polygons_free(&tubes);
    free(weights);
    return enough;
}

void frame_mesh_end_casters(FrameMesh *mesh) {
    mesh->caster_vertex_count = mesh->vertex_count;
    mesh->caster_triangle_count = mesh->triangle_count;
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

bool frame_mesh_finish(FrameMesh *mesh) {
    if (mesh->caster_triangle_count == 0)
        frame_mesh_end_casters(mesh);
    return compute_normals(mesh);
}
