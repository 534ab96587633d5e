/* A mesh under construction: its arrays, its fields, and its completion. */
#include "geometry/mesh.h"
#include "geometry/array.h"
#include "geometry/curves.h"
#include "geometry/surface.h"
#include "geometry/tetmesh.h"

#include <stdlib.h>
#include <string.h>

JnStatus mesh_set_vertex_count(JnMesh *mesh, uint32_t count, JnMessage *message) {
    if (mesh->positions || mesh->field_count)
        return status_fail(message, JN_ERR_FORMAT, "the mesh has two lists of vertices: keep one");
    mesh->positions = array_new(3 * (size_t)count, sizeof *mesh->positions);
    mesh->vertex_count = mesh->positions ? count : 0;
    return mesh->positions ? JN_OK : status_no_memory(message, "the vertices of a mesh");
}

JnStatus mesh_read_numbered_vertices(JnMesh *mesh, TextFile *file, bool by_lines, int64_t *base, JnMessage *message) {
    uint32_t count;
    int64_t dimension = 0, number = 0;
    JnStatus status = textfile_count(file, 8, "vertices", &count, message);
    if (status == JN_OK)
        status = textfile_integer(file, "the dimension", &dimension, message);
    if (status == JN_OK && dimension != 3)
        return textfile_fail(file, message, "the dimension is %lld, but must be 3", (long long)dimension);
    if (status == JN_OK)
        status = mesh_set_vertex_count(mesh, count, message);
    for (uint32_t v = 0; status == JN_OK && v < count; ++v) {
        if (by_lines || v == 0)
            textfile_next_line(file);
        status = textfile_integer(file, "a vertex number", &number, message);
        if (status == JN_OK && v == 0)
            *base = number;
        if (status == JN_OK && number != *base + v)
            return textfile_fail(file, message, "found vertex %lld where vertex %lld is expected", (long long)number,
                                 (long long)(*base + v));
        for (size_t i = 0; status == JN_OK && i < 3; ++i)
            status =
                textfile_coordinate(file, "a coordinate of a vertex", &mesh->positions[3 * (size_t)v + i], message);
    }
    return status;
}

JnStatus mesh_set_tet_count(JnMesh *mesh, uint32_t count, JnMessage *message) {
    if (mesh->tet_vertices)
        return status_fail(message, JN_ERR_FORMAT, "the mesh has two lists of tets: keep one");
    mesh->tet_vertices = array_new(4 * (size_t)count, sizeof *mesh->tet_vertices);
    mesh->tet_count = mesh->tet_vertices ? count : 0;
    return mesh->tet_vertices ? JN_OK : status_no_memory(message, "the tets of a mesh");
}

JnStatus mesh_set_face_counts(JnMesh *mesh, uint32_t face_count, uint32_t corner_count, JnMessage *message) {
    if (mesh->face_sizes)
        return status_fail(message, JN_ERR_FORMAT, "the mesh has two lists of faces: keep one");
    mesh->face_sizes = array_new(face_count, sizeof *mesh->face_sizes);
    mesh->face_vertices = array_new(corner_count, sizeof *mesh->face_vertices);
    mesh->face_count = face_count;
    mesh->corner_count = corner_count;
    if (mesh->face_sizes && mesh->face_vertices)
        return JN_OK;
    mesh->face_count = mesh->corner_count = 0;
    return status_no_memory(message, "the faces of a mesh");
}

JnStatus mesh_set_curve_counts(JnMesh *mesh, uint32_t curve_count, uint32_t corner_count, JnMessage *message) {
    mesh->curve_sizes = array_new(curve_count, sizeof *mesh->curve_sizes);
    mesh->curve_vertices = array_new(corner_count, sizeof *mesh->curve_vertices);
    if (!mesh->curve_sizes || !mesh->curve_vertices)
        return status_no_memory(message, "the curves of a mesh");
    mesh->curve_count = curve_count;
    mesh->curve_corner_count = corner_count;
    return JN_OK;
}

JnStatus mesh_add_field(JnMesh *mesh, const char *name, size_t name_length, uint32_t component_count, double **values,
                        JnMessage *message) {
    // a field of the same name is replaced
    uint32_t index = 0;
    while (index < mesh->field_count && (strlen(mesh->fields[index].name) != name_length ||
                                         memcmp(mesh->fields[index].name, name, name_length) != 0))
        ++index;
    if (index == mesh->field_count) {
        size_t capacity = mesh->field_count;
        JnMeshField *moved = array_grow(mesh->fields, &capacity, (size_t)index + 1, sizeof *moved);
        if (!moved)
            return status_no_memory(message, "the fields of a mesh");
        mesh->fields = moved;
    }
    char *copy = array_new(name_length + 1, 1);
    *values = array_new((size_t)mesh->vertex_count * component_count, sizeof **values);
    if (!copy || !*values) {
        free(copy);
        free(*values);
        *values = NULL;
        return status_no_memory(message, "the fields of a mesh");
    }
    memcpy(copy, name, name_length);
    if (index == mesh->field_count) {
        ++mesh->field_count;
    } else {
        free((void *)mesh->fields[index].name);
        free((void *)mesh->fields[index].values);
    }
    mesh->fields[index] = (JnMeshField){.name = copy, .values = *values, .component_count = component_count};
    return JN_OK;
}

bool mesh_is_colour(const JnMeshField *field) {
    return strcmp(field->name, MESH_COLOUR) == 0 && (field->component_count == 3 || field->component_count == 4);
}

JnTets mesh_tets(const JnMesh *mesh) {
    if (!mesh->tet_count)
        return (JnTets){0};
    return (JnTets){mesh->vertex_count, mesh->tet_count, mesh->positions, mesh->tet_vertices};
}

JnCurves mesh_curves(const JnMesh *mesh) {
    if (!mesh->curve_count)
        return (JnCurves){0};
    return (JnCurves){.vertex_count = mesh->vertex_count,
                      .curve_count = mesh->curve_count,
                      .corner_count = mesh->curve_corner_count,
                      .positions = mesh->positions,
                      .curve_sizes = mesh->curve_sizes,
                      .curve_vertices = mesh->curve_vertices};
}

JnSurface mesh_surface(const JnMesh *mesh) {
    if (!mesh->face_count && mesh->curve_count)
        return (JnSurface){0};
    return (JnSurface){.vertex_count = mesh->vertex_count,
                       .face_count = mesh->face_count,
                       .corner_count = mesh->corner_count,
                       .positions = mesh->positions,
                       .face_sizes = mesh->face_sizes,
                       .face_vertices = mesh->face_vertices,
                       .uvs = mesh->uvs};
}

static JnStatus check_indices(const JnMesh *mesh, const char *place, JnMessage *message) {
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; ++i)
        if (mesh->tet_vertices[i] >= mesh->vertex_count)
            return status_fail(message, JN_ERR_MESH, "%s: tet %zu names vertex %u (counted from 0), but there are %u",
                               place, i / 4, mesh->tet_vertices[i], mesh->vertex_count);
    return JN_OK;
}

/* Drops the vertices that no tet uses (points and curves of a CAD model), with their values in the fields. */
static JnStatus drop_unused(JnMesh *mesh, JnMessage *message) {
    uint32_t *numbers = array_new(mesh->vertex_count, sizeof *numbers);
    if (!numbers)
        return status_no_memory(message, "the vertices of a mesh");
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; ++i)
        numbers[mesh->tet_vertices[i]] = 1;
    uint32_t used = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        if (!numbers[v])
            continue;
        memmove(&mesh->positions[3 * (size_t)used], &mesh->positions[3 * (size_t)v], 3 * sizeof *mesh->positions);
        for (uint32_t f = 0; f < mesh->field_count; ++f) {
            size_t width = mesh->fields[f].component_count;
            double *values = (double *)mesh->fields[f].values;
            memmove(&values[used * width], &values[v * width], width * sizeof *values);
        }
        numbers[v] = used++;
    }
    for (size_t i = 0; i < 4 * (size_t)mesh->tet_count; ++i)
        mesh->tet_vertices[i] = numbers[mesh->tet_vertices[i]];
    mesh->vertex_count = used;
    free(numbers);
    return JN_OK;
}

/* The boundary of the tets becomes the faces of the mesh. */
static JnStatus set_boundary(JnMesh *mesh, JnMessage *message) {
    uint32_t *triangles, count;
    JnTets tets = mesh_tets(mesh);
    JnStatus status = tetmesh_boundary(&tets, &triangles, &count, message);
    if (status == JN_OK)
        status = mesh_set_face_counts(mesh, count, 3 * count, message);
    if (status == JN_OK) {
        memcpy(mesh->face_vertices, triangles, 3 * (size_t)count * sizeof *triangles);
        for (uint32_t f = 0; f < count; ++f)
            mesh->face_sizes[f] = 3;
    }
    free(triangles);
    return status;
}

JnStatus mesh_finish(JnMesh *mesh, bool tets, const char *place, JnMessage *message) {
    if (!tets) {
        JnSurface surface = mesh_surface(mesh);
        JnCurves curves = mesh_curves(mesh);
        JnStatus checked = mesh->curve_count ? curves_check(&curves, place, message) : JN_OK;
        if (checked == JN_OK && (mesh->face_count || !mesh->curve_count))
            checked = surface_check(&surface, place, message);
        return checked;
    }
    if (mesh->tet_count == 0)
        return status_fail(message, JN_ERR_MESH,
                           "%s holds no tets: mesh the volume (not only its surface) and save it again", place);
    JnStatus status = check_indices(mesh, place, message);
    if (status == JN_OK) {
        mesh_orient_tets(mesh);
        status = drop_unused(mesh, message);
    }
    JnTets view = mesh_tets(mesh);
    if (status == JN_OK)
        status = tetmesh_check(&view, place, message);
    if (status == JN_OK)
        status = set_boundary(mesh, message);
    return status;
}
