/* Polygon files .ply, in text and in both binary byte orders. The header lists the elements and properties that follow;
   x, y, z and texture coordinates (s t or u v) of "vertex" and the list vertex_indices of "face" are used, and all
   other numbers of the vertices become fields. */
#include "geometry/ply.h"
#include "geometry/array.h"

#include <math.h>
#include <stdlib.h>

static JnStatus read_value(TextFile *file, const PlyScalar *scalar, double *value, JnMessage *message) {
    if (!file->binary)
        return textfile_number(file, "a property", value, message);
    const unsigned char *bytes = textfile_bytes(file, scalar->size);
    if (!bytes)
        return textfile_fail(file, message, "the file ends where a property is expected");
    if (scalar->real) {
        *value = scalar->size == 8 ? textfile_f64(bytes, file->big) : (double)textfile_f32(bytes, file->big);
        return JN_OK;
    }
    uint32_t whole = 0;
    for (size_t i = 0; i < scalar->size; ++i)
        whole |= (uint32_t)bytes[file->big ? scalar->size - 1 - i : i] << (8 * i);
    uint32_t top = 1u << (8 * scalar->size - 1);
    *value = (double)whole - (scalar->has_sign && whole & top ? 2.0 * top : 0);
    return JN_OK;
}

/* The corners of a face, appended to the mesh. */
static JnStatus add_corners(TextFile *file, const PlyProperty *property, uint32_t count, JnMesh *mesh, size_t *capacity,
                            JnMessage *message) {
    if (count < 3)
        return textfile_fail(file, message, "face %u has %u corners: a face has at least 3", mesh->face_count, count);
    size_t needed = (size_t)mesh->corner_count + count;
    uint32_t *grown = array_grow(mesh->face_vertices, capacity, needed, sizeof *grown);
    if (!grown || needed >= UINT32_MAX)
        return status_no_memory(message, file->name);
    mesh->face_vertices = grown;
    JnStatus status = JN_OK;
    for (uint32_t i = 0; status == JN_OK && i < count; ++i) {
        double corner = -1;
        status = read_value(file, property->scalar, &corner, message);
        if (status == JN_OK && !(corner >= 0 && corner < UINT32_MAX && corner == floor(corner)))
            return textfile_fail(file, message, "face %u names vertex %g", mesh->face_count, corner);
        if (status == JN_OK)
            grown[mesh->corner_count++] = (uint32_t)corner;
    }
    if (status == JN_OK)
        mesh->face_sizes[mesh->face_count++] = count;
    return status;
}

static JnStatus set_field(const TextFile *file, Ply *ply, const PlyProperty *property, uint32_t item, double value,
                          JnMessage *message) {
    const PlyField *field = &ply->fields[property->field];
    if (!isfinite(value))
        return textfile_fail(file, message, "the property %.*s of vertex %u is %g: mend it or leave it out",
                             property->name.length < 40 ? (int)property->name.length : 40, property->name.text, item,
                             value);
    field->values[(size_t)item * field->component_count + property->component] = value / property->unit;
    return JN_OK;
}

/* One item: its single values by role in `values`; fields and the corners of a face go to the mesh. */
static JnStatus read_item(TextFile *file, Ply *ply, const PlyElement *element, uint32_t item, JnMesh *mesh,
                          size_t *corner_capacity, double values[PLY_ROLE_COUNT], JnMessage *message) {
    JnStatus status = JN_OK;
    double value;
    for (uint32_t p = 0; status == JN_OK && p < element->property_count; ++p) {
        const PlyProperty *property = &element->properties[p];
        if (!property->count_scalar) {
            status = read_value(file, property->scalar, &value, message);
            if (status == JN_OK && property->role == PLY_FIELD)
                status = set_field(file, ply, property, item, value, message);
            else if (status == JN_OK && property->role != PLY_SKIPPED)
                values[property->role] = value;
            continue;
        }
        status = read_value(file, property->count_scalar, &value, message);
        if (status == JN_OK && !(value >= 0 && value <= (double)(file->size - file->at) && value == floor(value)))
            return textfile_fail(file, message, "a list of %g values, but only %zu bytes are left", value,
                                 file->size - file->at);
        uint32_t count = status == JN_OK ? (uint32_t)value : 0;
        if (status == JN_OK && property->role == PLY_CORNERS) {
            status = add_corners(file, property, count, mesh, corner_capacity, message);
            continue;
        }
        for (uint32_t i = 0; status == JN_OK && i < count; ++i)
            status = read_value(file, property->scalar, &value, message);
    }
    return status;
}

/* The fewest bytes that an item takes: in text a digit and a space for each property, of which it has
   some. */
static size_t least_bytes(const TextFile *file, const PlyElement *element) {
    size_t sum = 0;
    for (uint32_t p = 0; p < element->property_count; ++p) {
        const PlyProperty *property = &element->properties[p];
        sum += !file->binary ? 2 : property->count_scalar ? property->count_scalar->size : property->scalar->size;
    }
    return sum;
}

/* Room for the items of an element that are kept. */
static JnStatus make_room(TextFile *file, Ply *ply, const PlyElement *element, JnMesh *mesh, JnMessage *message) {
    if (element->property_count) {
        JnStatus checked = textfile_check_count(file, element->count, least_bytes(file, element),
                                                element->is_vertex ? "vertices" : "items of an element", message);
        if (checked != JN_OK)
            return checked;
    }
    if (element->is_vertex) {
        if (!ply_has_role(element, PLY_X) || !ply_has_role(element, PLY_Y) || !ply_has_role(element, PLY_Z))
            return textfile_fail(file, message, "the vertices do not have all of x, y and z");
        JnStatus status = mesh_set_vertex_count(mesh, element->count, message);
        if (status == JN_OK && ply_has_role(element, PLY_U) && ply_has_role(element, PLY_V)) {
            ply->vertex_uvs = array_new(2 * (size_t)element->count, sizeof *ply->vertex_uvs);
            status = ply->vertex_uvs ? JN_OK : status_no_memory(message, file->name);
        }
        for (uint32_t f = 0; status == JN_OK && f < ply->field_count; ++f) {
            PlyField *field = &ply->fields[f];
            status = mesh_add_field(mesh, field->name.text, field->name.length, field->component_count, &field->values,
                                    message);
        }
        return status;
    }
    if (!element->is_face)
        return JN_OK;
    if (!ply_has_role(element, PLY_CORNERS))
        return textfile_fail(file, message, "the faces have no list vertex_indices");
    if (mesh->face_sizes)
        return textfile_fail(file, message, "the file has two lists of faces");
    mesh->face_sizes = array_new(element->count, sizeof *mesh->face_sizes);
    return mesh->face_sizes ? JN_OK : status_no_memory(message, file->name);
}

static JnStatus read_items(TextFile *file, Ply *ply, const PlyElement *element, JnMesh *mesh, JnMessage *message) {
    JnStatus status = make_room(file, ply, element, mesh, message);
    size_t corner_capacity = 0;
    // items without properties take no bytes: there is nothing to read, whatever their number
    uint32_t count = element->property_count ? element->count : 0;
    for (uint32_t i = 0; status == JN_OK && i < count; ++i) {
        double values[PLY_ROLE_COUNT] = {0};
        status = read_item(file, ply, element, i, mesh, &corner_capacity, values, message);
        if (status != JN_OK || !element->is_vertex)
            continue;
        for (size_t k = 0; status == JN_OK && k < 3; ++k) {
            mesh->positions[3 * (size_t)i + k] = values[k];
            status = textfile_check_coordinate(file, "a coordinate of a vertex", values[k], message);
        }
        for (size_t k = 0; status == JN_OK && ply->vertex_uvs && k < 2; ++k)
            status = textfile_narrow(file, "a texture coordinate", values[PLY_U + k],
                                     &ply->vertex_uvs[2 * (size_t)i + k], message);
    }
    return status;
}

/* Texture coordinates of vertices become those of corners. */
static JnStatus spread_uvs(const Ply *ply, JnMesh *mesh, JnMessage *message) {
    if (!ply->vertex_uvs)
        return JN_OK;
    mesh->uvs = array_new(2 * (size_t)mesh->corner_count, sizeof *mesh->uvs);
    if (!mesh->uvs)
        return status_no_memory(message, "the texture coordinates of a mesh");
    for (uint32_t c = 0; c < mesh->corner_count; ++c)
        for (size_t k = 0; mesh->face_vertices[c] < mesh->vertex_count && k < 2; ++k)
            mesh->uvs[2 * (size_t)c + k] = ply->vertex_uvs[2 * (size_t)mesh->face_vertices[c] + k];
    return JN_OK;
}

JnStatus read_ply(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message) {
    (void)companion;
    Ply *ply = array_new(1, sizeof *ply);
    if (!ply)
        return status_no_memory(message, file->name);
    JnStatus status = ply_read_head(file, ply, message);
    for (uint32_t e = 0; status == JN_OK && e < ply->element_count; ++e)
        status = read_items(file, ply, &ply->elements[e], mesh, message);
    if (status == JN_OK)
        status = spread_uvs(ply, mesh, message);
    free(ply->vertex_uvs);
    free(ply);
    return status;
}
