#include "film_meshes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static JnMeshView view_of(const JnMesh *mesh) {
    JnMeshView view = {.struct_size = sizeof view};
    jn_mesh_view(mesh, &view, NULL);
    return view;
}

static const JnMeshField *find_field(const JnMeshView *view, const char *name) {
    for (uint32_t i = 0; name && i < view->field_count; ++i)
        if (strcmp(view->fields[i].name, name) == 0 && view->fields[i].component_count == 1)
            return &view->fields[i];
    return NULL;
}

/* -------------------------------------------------------------------------------- axes */

/* Rows that turn row vectors of the scene to the picture's axes: z up becomes y up. */
static const double from_y_up[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
static const double from_z_up[16] = {1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1};

void film_turn_to_scene(uint32_t up_axis, double *positions, size_t count) {
    for (size_t v = 0; up_axis == JN_UP_Z && v < count; ++v) {
        double *p = positions + 3 * v, y = p[1];
        p[1] = -p[2];
        p[2] = y;
    }
}

void film_to_scene(uint32_t up_axis, Vec3 point, double scene_point[3]) {
    scene_point[0] = (double)point.x;
    scene_point[1] = (double)point.y;
    scene_point[2] = (double)point.z;
    film_turn_to_scene(up_axis, scene_point, 1);
}

/* -------------------------------------------------------------------------------- meshes */

/* Arrays for so many; false if memory runs out. */
static bool allocate(Polygons *polygons, float **weights) {
    polygons->positions = malloc((3 * polygons->vertex_count + 1) * sizeof *polygons->positions);
    polygons->face_counts = malloc((polygons->face_count + 1) * sizeof *polygons->face_counts);
    polygons->face_indices = malloc((polygons->index_count + 1) * sizeof *polygons->face_indices);
    *weights = malloc((polygons->vertex_count + 1) * sizeof **weights);
    return polygons->positions && polygons->face_counts && polygons->face_indices && *weights;
}

static bool add_faces(FrameMesh *to, const JnSurface *surface, const JnMeshField *field, const double matrix[16],
                      int32_t object) {
    float *weights = NULL;
    Polygons faces = {
        .vertex_count = surface->vertex_count, .face_count = surface->face_count, .index_count = surface->corner_count};
    bool enough = allocate(&faces, &weights);
    for (size_t i = 0; enough && i < 3 * faces.vertex_count; ++i)
        faces.positions[i] = surface->positions[i];
    for (size_t f = 0; enough && f < faces.face_count; ++f)
        faces.face_counts[f] = (int32_t)surface->face_sizes[f];
    for (size_t k = 0; enough && k < faces.index_count; ++k)
        faces.face_indices[k] = (int32_t)surface->face_vertices[k];
    for (size_t v = 0; enough && field && v < faces.vertex_count; ++v)
        weights[v] = (float)field->values[v];
    faces.weights = field ? weights : NULL;
    enough = enough && frame_mesh_add_faces(to, &faces, matrix, object);
    polygons_free(&faces);
    free(weights);
    return enough;
}

/* Curves get vertices of their own, in their order. */
static bool add_curves(FrameMesh *to, const JnCurves *curves, const JnMeshField *field, const double matrix[16],
                       int32_t object) {
    float *weights = NULL;
    Polygons lines = {
        .vertex_count = curves->corner_count, .face_count = curves->curve_count, .index_count = curves->corner_count};
    bool enough = allocate(&lines, &weights);
    for (size_t k = 0; enough && k < curves->curve_count; ++k)
        lines.face_counts[k] = (int32_t)curves->curve_sizes[k];
    for (size_t v = 0; enough && v < curves->corner_count; ++v) {
        uint32_t vertex = curves->curve_vertices[v];
        lines.face_indices[v] = (int32_t)v;
        memcpy(lines.positions + 3 * v, curves->positions + 3 * (size_t)vertex, 3 * sizeof(double));
        weights[v] = field ? (float)field->values[vertex] : 0;
    }
    lines.weights = field ? weights : NULL;
    enough = enough && frame_mesh_add_curves(to, &lines, matrix, object);
    polygons_free(&lines);
    free(weights);
    return enough;
}

bool film_add_mesh(FrameMesh *to, const JnMesh *mesh, uint32_t up_axis, int32_t object, const char *map) {
    JnMeshView view = view_of(mesh);
    const JnMeshField *field = find_field(&view, map);
    const double *matrix = up_axis == JN_UP_Z ? from_z_up : from_y_up;
    bool enough = true;
    if (view.surface.face_count > 0)
        enough = add_faces(to, &view.surface, field, matrix, object);
    if (view.curves.curve_count > 0)
        enough = enough && add_curves(to, &view.curves, field, matrix, object);
    return enough;
}

bool film_mesh_is_flat(const JnMesh *mesh) {
    JnMeshView view = view_of(mesh);
    if (view.surface.corner_count < 3)
        return true;
    const double *positions = view.surface.positions;
    const uint32_t *corners = view.surface.face_vertices;
    Vec3 points[3];
    for (int i = 0; i < 3; ++i) {
        const double *p = positions + 3 * (size_t)corners[i], *origin = positions + 3 * (size_t)corners[0];
        points[i] = vec3((float)(p[0] - origin[0]), (float)(p[1] - origin[1]), (float)(p[2] - origin[2]));
    }
    Vec3 normal = vec3_unit(vec3_cross(points[1], points[2]), vec3(0, 1, 0));
    float farthest = 0, off = 0;
    for (uint32_t v = 0; v < view.surface.vertex_count; ++v) {
        const double *p = positions + 3 * (size_t)v, *origin = positions + 3 * (size_t)corners[0];
        Vec3 q = vec3((float)(p[0] - origin[0]), (float)(p[1] - origin[1]), (float)(p[2] - origin[2]));
        farthest = fmaxf(farthest, vec3_length(q));
        off = fmaxf(off, fabsf(vec3_dot(q, normal)));
    }
    return off <= 1e-4f * farthest;
}

/* -------------------------------------------------------------------------------- bodies */

static uint32_t vertex_count_of(const JnMeshView *view) {
    return view->curves.curve_count > 0 ? view->curves.vertex_count : view->surface.vertex_count;
}

JnStatus film_body_vertices(JnPreview *preview, uint32_t body, double frame, uint32_t *count, JnMessage *message) {
    JnMesh *mesh = NULL;
    JnStatus status = jn_preview_body(preview, body, frame, &mesh, message);
    if (status != JN_OK)
        return status;
    JnMeshView view = view_of(mesh);
    *count = vertex_count_of(&view);
    jn_mesh_free(mesh);
    return JN_OK;
}

JnStatus film_body_positions(JnPreview *preview, uint32_t body, double frame, double **positions, size_t *count,
                             JnMessage *message) {
    JnMesh *mesh = NULL;
    JnStatus status = jn_preview_body(preview, body, frame, &mesh, message);
    if (status != JN_OK)
        return status;
    JnMeshView view = view_of(mesh);
    *count = vertex_count_of(&view);
    *positions = malloc((3 * *count + 1) * sizeof **positions);
    if (*positions)
        memcpy(*positions, view.curves.curve_count > 0 ? view.curves.positions : view.surface.positions,
               3 * *count * sizeof **positions);
    else
        *message = (JnMessage){JN_ERR_MEMORY, "out of memory for the vertices of a body"};
    jn_mesh_free(mesh);
    return *positions ? JN_OK : JN_ERR_MEMORY;
}

float *film_map_weights(JnPreview *preview, uint32_t body, double frame, const char *map, size_t vertex_count) {
    JnMesh *mesh = NULL;
    float *weights = NULL;
    if (jn_preview_body(preview, body, frame, &mesh, NULL) != JN_OK)
        return NULL;
    JnMeshView view = view_of(mesh);
    const JnMeshField *field = find_field(&view, map);
    if (field && vertex_count_of(&view) == vertex_count)
        weights = malloc((vertex_count + 1) * sizeof *weights);
    for (size_t v = 0; weights && v < vertex_count; ++v)
        weights[v] = (float)field->values[v];
    jn_mesh_free(mesh);
    return weights;
}

JnStatus film_list_maps(JnPreview *preview, const JnBakeDesc *desc, const char *map, bool *found, char *names,
                        size_t capacity, JnMessage *message) {
    size_t length = 0;
    names[0] = '\0';
    for (uint32_t b = 0; b < desc->body_count; ++b) {
        JnMesh *mesh = NULL;
        JnStatus status = jn_preview_body(preview, b, desc->first_frame, &mesh, message);
        if (status != JN_OK)
            return status;
        JnMeshView view = view_of(mesh);
        *found = *found || find_field(&view, map);
        for (uint32_t i = 0; i < view.field_count && length < capacity; ++i)
            length += (size_t)snprintf(names + length, capacity - length, "%s%s",
                                       length ? ", " : "are: ", view.fields[i].name);
        jn_mesh_free(mesh);
    }
    return JN_OK;
}
