/* The head of a .ply file: the elements and properties that follow it, and what each of them is used for. */
#include "geometry/ply.h"

#include <string.h>

static const PlyScalar scalars[] = {
    {{"char", "int8"}, 1, 127, false, true},        {{"uchar", "uint8"}, 1, 255, false, false},
    {{"short", "int16"}, 2, 32767, false, true},    {{"ushort", "uint16"}, 2, 65535, false, false},
    {{"int", "int32"}, 4, 2147483647, false, true}, {{"uint", "uint32"}, 4, 4294967295, false, false},
    {{"float", "float32"}, 4, 1, true, true},       {{"double", "float64"}, 8, 1, true, true},
};

/* ------------------------------------------------------------------------------------------------ lines */

static JnStatus read_scalar(TextFile *file, const PlyScalar **scalar, JnMessage *message) {
    Word word;
    bool found = textfile_word_on_line(file, &word);
    for (size_t i = 0; found && i < sizeof scalars / sizeof scalars[0]; ++i)
        if (textfile_is_any(word, scalars[i].names)) {
            *scalar = &scalars[i];
            return JN_OK;
        }
    return textfile_fail(file, message, "a property has no known type (float, double, int, uchar, ...)");
}

bool ply_has_role(const PlyElement *element, PlyRole role) {
    for (uint32_t p = 0; p < element->property_count; ++p)
        if (element->properties[p].role == role)
            return true;
    return false;
}

/* The use of the property: the first of its name is used, a second one is skipped. Whether one that stays skipped is a
   field is decided when all are known. */
static PlyRole find_role(const PlyElement *element, const PlyProperty *property, Word name) {
    static const char *const vertex_names[][4] = {
        {"x"}, {"y"}, {"z"}, {"s", "u", "texture_u"}, {"t", "v", "texture_v"}};
    static const char *const corner_names[] = {"vertex_indices", "vertex_index", NULL};
    if (element->is_face && property->count_scalar && textfile_is_any(name, corner_names))
        return ply_has_role(element, PLY_CORNERS) ? PLY_SKIPPED : PLY_CORNERS;
    for (int role = PLY_X; element->is_vertex && !property->count_scalar && role <= PLY_V; ++role)
        if (textfile_is_any(name, vertex_names[role]))
            return ply_has_role(element, (PlyRole)role) ? PLY_SKIPPED : (PlyRole)role;
    return PLY_SKIPPED;
}

static JnStatus read_property(TextFile *file, Ply *ply, JnMessage *message) {
    if (ply->element_count == 0)
        return textfile_fail(file, message, "a property comes before the first element");
    PlyElement *element = &ply->elements[ply->element_count - 1];
    if (element->property_count == PLY_MOST_PROPERTIES)
        return textfile_fail(file, message, "an element with more than %d properties", PLY_MOST_PROPERTIES);
    PlyProperty *property = &element->properties[element->property_count++];
    property->role = PLY_SKIPPED;
    Word word;
    size_t at = file->at;
    JnStatus status = JN_OK;
    if (textfile_word_on_line(file, &word) && textfile_is(word, "list"))
        status = read_scalar(file, &property->count_scalar, message);
    else
        file->at = at;
    if (status == JN_OK)
        status = read_scalar(file, &property->scalar, message);
    if (status == JN_OK && !textfile_word_on_line(file, &property->name))
        return textfile_fail(file, message, "a property without a name");
    if (status == JN_OK && property->count_scalar && property->count_scalar->real)
        return textfile_fail(file, message, "a list whose length is not of a whole type");
    if (status == JN_OK)
        property->role = find_role(element, property, property->name);
    return status;
}

static JnStatus read_element(TextFile *file, Ply *ply, JnMessage *message) {
    Word name;
    if (ply->element_count == PLY_MOST_ELEMENTS)
        return textfile_fail(file, message, "more than %d elements", PLY_MOST_ELEMENTS);
    if (!textfile_word_on_line(file, &name))
        return textfile_fail(file, message, "an element without a name");
    PlyElement *element = &ply->elements[ply->element_count++];
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

/* ------------------------------------------------------------------------------------------------ fields */

static bool same_name(Word a, Word b) {
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* Which component of a colour the name is, 0 to 3; -1: none. */
static int colour_component(Word name) {
    static const char *const names[][3] = {
        {"red", "diffuse_red"}, {"green", "diffuse_green"}, {"blue", "diffuse_blue"}, {"alpha", "diffuse_alpha"}};
    for (int i = 0; i < 4; ++i)
        if (textfile_is_any(name, names[i]))
            return i;
    return -1;
}

/* "push_x" is component 0 of "push": writes the name without its ending. -1: it is none of `letters`. */
static int suffix_component(Word name, const char *letters, Word *stem) {
    if (name.length < 3 || name.text[name.length - 2] != '_')
        return -1;
    const char *found = memchr(letters, name.text[name.length - 1], strlen(letters));
    *stem = (Word){name.text, name.length - 2};
    return found ? (int)(found - letters) : -1;
}

/* Component `component` of the name at `property` under one of the ways of naming components: `way` 0 colours, 1 and
   on the endings. */
static int component_of(const PlyProperty *property, int way, Word *stem) {
    static const char *const endings[] = {"xyzw", "rgba", "012345678"};
    *stem = (Word){MESH_COLOUR, strlen(MESH_COLOUR)};
    return way == 0 ? colour_component(property->name) : suffix_component(property->name, endings[way - 1], stem);
}
enum { WAYS = 4 };

static bool may_be_field(const PlyProperty *property) {
    static const char *const normals[] = {"nx", "ny", "nz", "normal_x", "normal_y", "normal_z", NULL};
    return property->role == PLY_SKIPPED && !property->count_scalar && !textfile_is_any(property->name, normals) &&
           !memchr(property->name.text, '\0', property->name.length);
}

/* The number of properties from `first` on that are the components 0, 1, .. of one field; 0: `first` stands alone. */
static uint32_t run_length(const PlyElement *element, uint32_t first, Word *name) {
    for (int way = 0; way < WAYS; ++way) {
        Word stem;
        uint32_t length = 0;
        for (uint32_t p = first; p < element->property_count && may_be_field(&element->properties[p]); ++p, ++length)
            if (component_of(&element->properties[p], way, &stem) != (int)length || (length && !same_name(stem, *name)))
                break;
            else
                *name = stem;
        if (length >= 2)
            return length;
    }
    *name = element->properties[first].name;
    return 0;
}

static bool is_field(const Ply *ply, Word name) {
    for (uint32_t f = 0; f < ply->field_count; ++f)
        if (same_name(ply->fields[f].name, name))
            return true;
    return false;
}

/* The properties of the vertices that are left become fields; of two with the same name, the first. */
static void plan_fields(Ply *ply, PlyElement *element) {
    /* half of a pair of texture coordinates is none */
    bool has_pair = ply_has_role(element, PLY_U) && ply_has_role(element, PLY_V);
    for (uint32_t p = 0; p < element->property_count && !has_pair; ++p)
        if (element->properties[p].role == PLY_U || element->properties[p].role == PLY_V)
            element->properties[p].role = PLY_SKIPPED;
    for (uint32_t p = 0, length; p < element->property_count; p += length) {
        Word name;
        length = 1;
        if (!may_be_field(&element->properties[p]))
            continue;
        uint32_t run = run_length(element, p, &name);
        length = run ? run : 1;
        if (is_field(ply, name))
            continue;
        for (uint32_t c = 0; c < length; ++c) {
            PlyProperty *property = &element->properties[p + c];
            bool colour = colour_component(property->name) >= 0;
            *property = (PlyProperty){.scalar = property->scalar,
                                      .role = PLY_FIELD,
                                      .name = property->name,
                                      .field = ply->field_count,
                                      .component = c,
                                      .unit = colour ? property->scalar->unit : 1};
        }
        ply->fields[ply->field_count++] = (PlyField){.name = name, .component_count = length};
    }
}

JnStatus ply_read_head(TextFile *file, Ply *ply, JnMessage *message) {
    Word word;
    JnStatus status = JN_OK;
    bool binary = false, has_format = false;
    if (!textfile_word(file, &word) || !textfile_is(word, "ply"))
        return textfile_fail(file, message, "the file does not begin with 'ply'");
    while (status == JN_OK && textfile_word(file, &word)) {
        if (textfile_is(word, "end_header")) {
            textfile_next_line(file);
            file->binary = binary;
            for (uint32_t e = 0; e < ply->element_count; ++e)
                if (ply->elements[e].is_vertex && ply->field_count == 0)
                    plan_fields(ply, &ply->elements[e]);
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
