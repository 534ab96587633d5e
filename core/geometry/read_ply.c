/* Polygon files .ply, in text and in both binary byte orders. The header lists the elements and properties that follow;
   x, y, z and texture coordinates (s t or u v) of "vertex" and the list vertex_indices of "face" are used. */
#include "geometry/mesh.h"
#include "geometry/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ELEMENTS = 16, MOST_PROPERTIES = 64 };

typedef enum Role { ROLE_NONE = -1, ROLE_X, ROLE_Y, ROLE_Z, ROLE_U, ROLE_V, ROLE_CORNERS, ROLE_COUNT } Role;

typedef struct Scalar {
    const char *names[3]; /* the last is NULL */
    size_t size;
    bool real, has_sign;
} Scalar;

static const Scalar scalars[] = {
    {{"char", "int8"}, 1, false, true},    {{"uchar", "uint8"}, 1, false, false},
    {{"short", "int16"}, 2, false, true},  {{"ushort", "uint16"}, 2, false, false},
    {{"int", "int32"}, 4, false, true},    {{"uint", "uint32"}, 4, false, false},
    {{"float", "float32"}, 4, true, true}, {{"double", "float64"}, 8, true, true},
};

typedef struct Property {
    const Scalar *count_scalar; /* of a list; NULL: a single value */
    const Scalar *scalar;
    Role role;
} Property;

typedef struct Element {
    bool is_vertex, is_face;
    uint32_t count;
    uint32_t property_count;
    Property properties[MOST_PROPERTIES];
} Element;

typedef struct Ply {
    uint32_t element_count;
    Element elements[MOST_ELEMENTS];
    float *vertex_uvs; /* [vertex_count * 2], NULL: none */
} Ply;

/* ------------------------------------------------------------------------------------------------ head */

static JnStatus read_scalar(TextFile *file, const Scalar **scalar, JnMessage *message) {
    Word word;
    bool found = textfile_word_on_line(file, &word);
    for (size_t i = 0; found && i < sizeof scalars / sizeof scalars[0]; ++i)
        if (textfile_is_any(word, scalars[i].names)) {
            *scalar = &scalars[i];
            return JN_OK;
        }
    return textfile_fail(file, message, "a property has no known type (float, double, int, uchar, ...)");
}

static bool has_role(const Element *element, Role role) {
    for (uint32_t p = 0; p < element->property_count; ++p)
        if (element->properties[p].role == role)
            return true;
    return false;
}

/* The use of the property: the first of its name is used, a second one is skipped. */
static Role find_role(const Element *element, const Property *property, Word name) {
    static const char *const vertex_names[][4] = {
        {"x"}, {"y"}, {"z"}, {"s", "u", "texture_u"}, {"t", "v", "texture_v"}};
    static const char *const corner_names[] = {"vertex_indices", "vertex_index", NULL};
    if (element->is_face && property->count_scalar && textfile_is_any(name, corner_names))
        return has_role(element, ROLE_CORNERS) ? ROLE_NONE : ROLE_CORNERS;
    for (int role = ROLE_X; element->is_vertex && !property->count_scalar && role <= ROLE_V; ++role)
        if (textfile_is_any(name, vertex_names[role]))
            return (Role)role;
    return ROLE_NONE;
}

static JnStatus read_property(TextFile *file, Ply *ply, JnMessage *message) {
    if (ply->element_count == 0)
        return textfile_fail(file, message, "a property comes before the first element");
    Element *element = &ply->elements[ply->element_count - 1];
    if (element->property_count == MOST_PROPERTIES)
        return textfile_fail(file, message, "an element with more than %d properties", MOST_PROPERTIES);
    Property *property = &element->properties[element->property_count++];
    Word word;
    size_t at = file->at;
    JnStatus status = JN_OK;
    if (textfile_word_on_line(file, &word) && textfile_is(word, "list"))
        status = read_scalar(file, &property->count_scalar, message);
    else
        file->at = at;
    if (status == JN_OK)
        status = read_scalar(file, &property->scalar, message);
    if (status == JN_OK && !textfile_word_on_line(file, &word))
        return textfile_fail(file, message, "a property without a name");
    if (status == JN_OK && property->count_scalar && property->count_scalar->real)
        return textfile_fail(file, message, "a list whose length is not of a whole type");
    property->role = ROLE_NONE;
    if (status == JN_OK)
        property->role = find_role(element, property, word);
    return status;
}

static JnStatus read_element(TextFile *file, Ply *ply, JnMessage *message) {
    Word name;
    if (ply->element_count == MOST_ELEMENTS)
        return textfile_fail(file, message, "more than %d elements", MOST_ELEMENTS);
    if (!textfile_word_on_line(file, &name))
        return textfile_fail(file, message, "an element without a name");
    Element *element = &ply->elements[ply->element_count++];
    element->is_vertex = textfile_is(name, "vertex");
    element->is_face = textfile_is(name, "face");
    return textfile_count(file, 1, "items of an element", &element->count, message);
}

static JnStatus read_format(TextFile *file, JnMessage *message) {
    Word word = {"", 0};
    textfile_word_on_line(file, &word);
    file->big = textfile_is(word, "binary_big_endian");
    file->binary = file->big || textfile_is(word, "binary_little_endian");
    if (!file->binary && !textfile_is(word, "ascii"))
        return textfile_fail(file, message, "the format is none of ascii, binary_little_endian, binary_big_endian");
    return JN_OK;
}

static JnStatus read_head(TextFile *file, Ply *ply, JnMessage *message) {
    Word word;
    JnStatus status = JN_OK;
    bool binary = false, has_format = false;
    if (!textfile_word(file, &word) || !textfile_is(word, "ply"))
        return textfile_fail(file, message, "the file does not begin with 'ply'");
    while (status == JN_OK && textfile_word(file, &word)) {
        if (textfile_is(word, "end_header")) {
            textfile_next_line(file);
            file->binary = binary;
            return has_format ? JN_OK : textfile_fail(file, message, "the header does not give the format");
        }
        if (textfile_is(word, "format")) {
            // the header itself is text: its messages name lines
            status = read_format(file, message);
            binary = file->binary;
            file->binary = false;
            has_format = true;
        } else if (textfile_is(word, "element")) {
            status = read_element(file, ply, message);
        } else if (textfile_is(word, "property")) {
            status = read_property(file, ply, message);
        }
        textfile_next_line(file);
    }
    return status == JN_OK ? textfile_fail(file, message, "the file ends before end_header") : status;
}

/* ------------------------------------------------------------------------------------------------ values */

static JnStatus read_value(TextFile *file, const Scalar *scalar, double *value, JnMessage *message) {
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
static JnStatus add_corners(TextFile *file, const Property *property, uint32_t count, JnMesh *mesh, size_t *capacity,
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

/* One item: its single values by role in `values`; the corners of a face go to the mesh. */
static JnStatus read_item(TextFile *file, const Element *element, JnMesh *mesh, size_t *corner_capacity,
                          double values[ROLE_COUNT], JnMessage *message) {
    JnStatus status = JN_OK;
    double value;
    for (uint32_t p = 0; status == JN_OK && p < element->property_count; ++p) {
        const Property *property = &element->properties[p];
        if (!property->count_scalar) {
            status = read_value(file, property->scalar, &value, message);
            if (status == JN_OK && property->role != ROLE_NONE)
                values[property->role] = value;
            continue;
        }
        status = read_value(file, property->count_scalar, &value, message);
        if (status == JN_OK && !(value >= 0 && value <= (double)(file->size - file->at) && value == floor(value)))
            return textfile_fail(file, message, "a list of %g values, but only %zu bytes are left", value,
                                 file->size - file->at);
        uint32_t count = status == JN_OK ? (uint32_t)value : 0;
        if (status == JN_OK && property->role == ROLE_CORNERS) {
            status = add_corners(file, property, count, mesh, corner_capacity, message);
            continue;
        }
        for (uint32_t i = 0; status == JN_OK && i < count; ++i)
            status = read_value(file, property->scalar, &value, message);
    }
    return status;
}

/* Room for the items of an element that are kept. */
static JnStatus make_room(TextFile *file, Ply *ply, const Element *element, JnMesh *mesh, JnMessage *message) {
    if (element->is_vertex) {
        if (!has_role(element, ROLE_X) || !has_role(element, ROLE_Y) || !has_role(element, ROLE_Z))
            return textfile_fail(file, message, "the vertices do not have all of x, y and z");
        JnStatus status = mesh_set_vertex_count(mesh, element->count, message);
        if (status == JN_OK && has_role(element, ROLE_U) && has_role(element, ROLE_V)) {
            ply->vertex_uvs = array_new(2 * (size_t)element->count, sizeof *ply->vertex_uvs);
            status = ply->vertex_uvs ? JN_OK : status_no_memory(message, file->name);
        }
        return status;
    }
    if (!element->is_face)
        return JN_OK;
    if (!has_role(element, ROLE_CORNERS))
        return textfile_fail(file, message, "the faces have no list vertex_indices");
    if (mesh->face_sizes)
        return textfile_fail(file, message, "the file has two lists of faces");
    mesh->face_sizes = array_new(element->count, sizeof *mesh->face_sizes);
    return mesh->face_sizes ? JN_OK : status_no_memory(message, file->name);
}

static JnStatus read_items(TextFile *file, Ply *ply, const Element *element, JnMesh *mesh, JnMessage *message) {
    JnStatus status = make_room(file, ply, element, mesh, message);
    size_t corner_capacity = 0;
    // items without properties take no bytes: there is nothing to read, whatever their number
    uint32_t count = element->property_count ? element->count : 0;
    for (uint32_t i = 0; status == JN_OK && i < count; ++i) {
        double values[ROLE_COUNT] = {0};
        status = read_item(file, element, mesh, &corner_capacity, values, message);
        if (status != JN_OK || !element->is_vertex)
            continue;
        for (size_t k = 0; status == JN_OK && k < 3; ++k) {
            mesh->positions[3 * (size_t)i + k] = values[k];
            status = textfile_check_coordinate(file, "a coordinate of a vertex", values[k], message);
        }
        for (size_t k = 0; status == JN_OK && ply->vertex_uvs && k < 2; ++k)
            status = textfile_narrow(file, "a texture coordinate", values[ROLE_U + k],
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
    JnStatus status = read_head(file, ply, message);
    for (uint32_t e = 0; status == JN_OK && e < ply->element_count; ++e)
        status = read_items(file, ply, &ply->elements[e], mesh, message);
    if (status == JN_OK)
        status = spread_uvs(ply, mesh, message);
    free(ply->vertex_uvs);
    free(ply);
    return status;
}
