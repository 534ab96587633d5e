/* The boundary of tets as a mesh of its own, for files of surfaces. */
#include "geometry/array.h"
#include "geometry/mesh.h"

#include <stdlib.h>
#include <string.h>

/* Copies the values of the vertices that have a number, to that number. */
static void pick(const double *from, const uint32_t *numbers, uint32_t count, size_t width, double *to) {
    for (uint32_t v = 0; v < count; ++v)
        if (numbers[v])
            memcpy(&to[(numbers[v] - 1) * width], &from[v * width], width * sizeof *to);
}

/* Fills `surface`; numbers [vertex_count] are those of the vertices that stay, from 1. */
static JnStatus copy_boundary(const JnMesh *mesh, const uint32_t *numbers, uint32_t used, JnMesh *surface,
                              JnMessage *message) {
    JnStatus status = mesh_set_vertex_count(surface, used, message);
    if (status == JN_OK)
        status = mesh_set_face_counts(surface, mesh->face_count, mesh->corner_count, message);
    if (status != JN_OK)
        return status;
    pick(mesh->positions, numbers, mesh->vertex_count, 3, surface->positions);
    memcpy(surface->face_sizes, mesh->face_sizes, mesh->face_count * sizeof *mesh->face_sizes);
    for (uint32_t c = 0; c < mesh->corner_count; ++c)
        surface->face_vertices[c] = numbers[mesh->face_vertices[c]] - 1;
    for (uint32_t f = 0; status == JN_OK && f < mesh->field_count; ++f) {
        const JnMeshField *field = &mesh->fields[f];
        double *values;
        status = mesh_add_field(surface, field->name, strlen(field->name), field->component_count, &values, message);
        if (status == JN_OK)
            pick(field->values, numbers, mesh->vertex_count, field->component_count, values);
    }
    return status;
}

JnStatus mesh_boundary(const JnMesh *mesh, JnMesh **surface, JnMessage *message) {
    uint32_t *numbers = array_new(mesh->vertex_count, sizeof *numbers), used = 0;
    *surface = array_new(1, sizeof **surface);
    JnStatus status = numbers && *surface ? JN_OK : status_no_memory(message, "the surface of the tets");
    for (uint32_t c = 0; status == JN_OK && c < mesh->corner_count; ++c)
        numbers[mesh->face_vertices[c]] = 1;
    for (uint32_t v = 0; status == JN_OK && v < mesh->vertex_count; ++v)
        numbers[v] = numbers[v] ? ++used : 0;
    if (status == JN_OK)
        status = copy_boundary(mesh, numbers, used, *surface, message);
    free(numbers);
    if (status != JN_OK) {
        jn_mesh_free(*surface);
        *surface = NULL;
    }
    return status;
}
