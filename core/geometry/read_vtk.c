/* VTK legacy .vtk, text and binary (always big-endian), versions 1 to 5: an unstructured grid of tets with its point
   data. Vertices, lines, triangles and quads are skipped, other solids refused.
   https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html */
#include "geometry/mesh.h"
#include "geometry/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Scalar {
    const char *name;
    size_t size;
    bool real, has_sign;
} Scalar;

static const Scalar scalars[] = {
    {"double", 8, true, true},          {"float", 4, true, true},           {"int", 4, false, true},
    {"vtktypeint64", 8, false, true},   {"long", 8, false, true},           {"unsigned_long", 8, false, false},
    {"unsigned_int", 4, false, false},  {"short", 2, false, true},          {"unsigned_short", 2, false, false},
    {"char", 1, false, true},           {"unsigned_char", 1, false, false}, {"vtkIdType", 4, false, true},
    {"vtktypeuint64", 8, false, false},
};
static const Scalar int_scalar = {"int", 4, false, true};

typedef struct Vtk {
    TextFile *file;
    JnMesh *mesh;
    bool binary;
    uint32_t cell_count, corner_count;
    int64_t *ends;    /* [cell_count] where the cell's corners end */
    int64_t *corners; /* [corner_count] */
    bool has_types;
    bool point_data; /* in POINT_DATA, whose arrays are kept */
} Vtk;

/* ------------------------------------------------------------------------------------------------ values */

static JnStatus read_scalar(Vtk *vtk, const Scalar **scalar, JnMessage *message) {
    Word word;
    bool found = textfile_word(vtk->file, &word);
    for (size_t i = 0; found && i < sizeof scalars / sizeof scalars[0]; ++i)
        if (textfile_is(word, scalars[i].name)) {
            *scalar = &scalars[i];
            return JN_OK;
        }
    return textfile_fail(vtk->file, message, "a list has no known type (float, double, int, ...)");
}

static JnStatus read_value(Vtk *vtk, const Scalar *scalar, double *value, JnMessage *message) {
    TextFile *file = vtk->file;
    if (!vtk->binary)
        return textfile_number(file, "a value", value, message);
    const unsigned char *bytes = textfile_bytes(file, scalar->size);
    if (!bytes)
        return textfile_fail(file, message, "the file ends where a value is expected");
    if (scalar->real) {
        *value = scalar->size == 8 ? textfile_f64(bytes, true) : (double)textfile_f32(bytes, true);
    } else {
        uint64_t whole = 0;
        for (size_t i = 0; i < scalar->size; ++i)
            whole = whole << 8 | bytes[i];
        uint64_t top = (uint64_t)1 << (8 * scalar->size - 1);
        *value = (double)(whole & (top - 1)) + (whole & top ? (scalar->has_sign ? -(double)top : (double)top) : 0);
    }
    return isfinite(*value) ? JN_OK : textfile_fail(file, message, "a value is %g, not a finite number", *value);
}

static JnStatus read_whole(Vtk *vtk, const Scalar *scalar, int64_t *value, JnMessage *message) {
    double real = 0;
    JnStatus status = read_value(vtk, scalar, &real, message);
    if (status == JN_OK && (real != floor(real) || fabs(real) > 1e15))
        status = textfile_fail(vtk->file, message, "%g is not a possible whole number", real);
    *value = status == JN_OK ? (int64_t)real : 0;
    return status;
}

/* Numbers begin on the next line: messages name bytes from there. */
static void begin_values(Vtk *vtk) {
    textfile_next_line(vtk->file);
    vtk->file->binary = vtk->binary;
}

/* `count` values of a list of `width` numbers each, kept in `values` if that is not NULL. */
static JnStatus read_values(Vtk *vtk, const Scalar *scalar, size_t count, double *values, JnMessage *message) {
    JnStatus status = JN_OK;
    double ignored;
    for (size_t i = 0; status == JN_OK && i < count; ++i)
        status = read_value(vtk, scalar, values ? &values[i] : &ignored, message);
    return status;
}

/* -------------------------------------------------------------------------------- the grid */

static JnStatus read_points(Vtk *vtk, JnMessage *message) {
    uint32_t count;
    const Scalar *scalar;
    JnStatus status = textfile_count(vtk->file, 6, "points", &count, message);
    if (status == JN_OK)
        status = read_scalar(vtk, &scalar, message);
    if (status == JN_OK)
        status = mesh_set_vertex_count(vtk->mesh, count, message);
    if (status != JN_OK)
        return status;
    begin_values(vtk);
    for (size_t i = 0; status == JN_OK && i < 3 * (size_t)count; ++i) {
        double *x = &vtk->mesh->positions[i];
        status = read_value(vtk, scalar, x, message);
        if (status == JN_OK)
            status = textfile_check_coordinate(vtk->file, "a coordinate of a point", *x, message);
    }
    return status;
}

/* Before version 5: each cell is its number of corners and the corners. */
static JnStatus read_mixed_cells(Vtk *vtk, uint32_t total, JnMessage *message) {
    JnStatus status = JN_OK;
    begin_values(vtk);
    uint32_t left = total;
    for (uint32_t c = 0; status == JN_OK && c < vtk->cell_count; ++c) {
        int64_t size = 0;
        status = read_whole(vtk, &int_scalar, &size, message);
        if (status == JN_OK && (size < 0 || size >= left))
            return textfile_fail(vtk->file, message, "cell %u has %lld corners where %u numbers are left", c,
                                 (long long)size, left);
        left -= (uint32_t)size + 1;
        for (int64_t i = 0; status == JN_OK && i < size; ++i)
            status = read_whole(vtk, &int_scalar, &vtk->corners[vtk->corner_count++], message);
        vtk->ends[c] = vtk->corner_count;
    }
    return status;
}

/* Version 5: OFFSETS, one more than there are cells, then CONNECTIVITY. */
static JnStatus read_split_cells(Vtk *vtk, uint32_t total, JnMessage *message) {
    const Scalar *scalar = NULL;
    Word word;
    int64_t first = 0, before = 0;
    JnStatus status = read_scalar(vtk, &scalar, message);
    if (status == JN_OK) {
        begin_values(vtk);
        status = read_whole(vtk, scalar, &first, message);
    }
    for (uint32_t c = 0; status == JN_OK && c < vtk->cell_count; ++c) {
        status = read_whole(vtk, scalar, &vtk->ends[c], message);
        if (status == JN_OK && (first != 0 || vtk->ends[c] < before || vtk->ends[c] > total))
            return textfile_fail(vtk->file, message, "the corners of cell %u end at %lld of %u", c,
                                 (long long)vtk->ends[c], total);
        before = vtk->ends[c];
    }
    if (status == JN_OK && (!textfile_word(vtk->file, &word) || !textfile_is(word, "CONNECTIVITY")))
        return textfile_fail(vtk->file, message, "CONNECTIVITY is expected after OFFSETS");
    if (status == JN_OK)
        status = read_scalar(vtk, &scalar, message);
    if (status == JN_OK)
        begin_values(vtk);
    for (; status == JN_OK && vtk->corner_count < total; ++vtk->corner_count)
        status = read_whole(vtk, scalar, &vtk->corners[vtk->corner_count], message);
    return status;
}

static JnStatus read_cells(Vtk *vtk, JnMessage *message) {
    TextFile *file = vtk->file;
    uint32_t count, total;
    Word word;
    if (vtk->ends)
        return textfile_fail(file, message, "the file has two lists of cells");
    JnStatus status = textfile_count(file, 2, "cells", &count, message);
    if (status == JN_OK)
        status = textfile_count(file, 2, "corners", &total, message);
    if (status != JN_OK)
        return status;
    vtk->ends = array_new(count, sizeof *vtk->ends);
    vtk->corners = array_new(total, sizeof *vtk->corners);
    if (!vtk->ends || !vtk->corners)
        return status_no_memory(message, file->name);

    // version 5 says OFFSETS on the next line; anything else belongs to the first cell
    TextFile ahead = *file;
    textfile_next_line(&ahead);
    bool split = textfile_word_on_line(&ahead, &word) && textfile_is(word, "OFFSETS");
    if (!split) {
        vtk->cell_count = count;
        return read_mixed_cells(vtk, total, message);
    }
    *file = ahead;
    vtk->cell_count = count ? count - 1 : 0;
    return read_split_cells(vtk, total, message);
}

enum { CELL_TET = 10 };
/* Corners of a cell of each type; 0: any number. */
static const uint8_t cell_sizes[CELL_TET + 1] = {0, 1, 0, 2, 0, 3, 0, 0, 4, 4, 4};

/* The types of the cells, by which the tets are selected. */
static JnStatus read_cell_types(Vtk *vtk, JnMessage *message) {
    uint32_t count, filled = 0;
    JnStatus status = textfile_count(vtk->file, 2, "types of cells", &count, message);
    if (status == JN_OK && (!vtk->ends || count != vtk->cell_count))
        return textfile_fail(vtk->file, message, "%u types for %u cells", count, vtk->cell_count);
    if (status == JN_OK)
        status = mesh_set_tet_count(vtk->mesh, count, message);
    if (status != JN_OK)
        return status;
    begin_values(vtk);
    for (uint32_t c = 0; status == JN_OK && c < count; ++c) {
        int64_t type = 0, begin = c ? vtk->ends[c - 1] : 0;
        status = read_whole(vtk, &int_scalar, &type, message);
        if (status == JN_OK && (type < 0 || type > CELL_TET))
            return textfile_fail(vtk->file, message,
                                 "cell %u is of type %lld: of the solids only plain tets (type 10) can "
                                 "be read: split it into tets",
                                 c, (long long)type);
        if (status == JN_OK && cell_sizes[type] && vtk->ends[c] - begin != cell_sizes[type])
            return textfile_fail(vtk->file, message, "cell %u of type %lld has %lld corners", c, (long long)type,
                                 (long long)(vtk->ends[c] - begin));
        if (status != JN_OK || type != CELL_TET)
            continue;
        for (size_t i = 0; i < 4; ++i) {
            int64_t corner = vtk->corners[(size_t)begin + i];
            if (corner < 0 || corner >= vtk->mesh->vertex_count)
                return textfile_fail(vtk->file, message, "cell %u names point %lld, but there are %u", c,
                                     (long long)corner, vtk->mesh->vertex_count);
            vtk->mesh->tet_vertices[4 * (size_t)filled + i] = (uint32_t)corner;
        }
        ++filled;
    }
    vtk->mesh->tet_count = filled;
    vtk->has_types = status == JN_OK;
    return status;
}

/* ------------------------------------------------------------------------------------------------ data */

/* A list of `tuple_count` times `width` values: kept as a field if it belongs to the points. */
static JnStatus read_list(Vtk *vtk, Word name, uint32_t width, uint32_t tuple_count, const Scalar *scalar,
                          JnMessage *message) {
    double *values = NULL;
    JnStatus status = JN_OK;
    if (vtk->point_data && tuple_count == vtk->mesh->vertex_count && !memchr(name.text, '\0', name.length))
        status = mesh_add_field(vtk->mesh, name.text, name.length, width, &values, message);
    if (status != JN_OK)
        return status;
    begin_values(vtk);
    return read_values(vtk, scalar, (size_t)tuple_count * width, values, message);
}

/* SCALARS name type [width], LOOKUP_TABLE name; VECTORS and NORMALS name type. */
static JnStatus read_attribute(Vtk *vtk, bool is_scalars, uint32_t width, uint32_t tuple_count, JnMessage *message) {
    TextFile *file = vtk->file;
    const Scalar *scalar;
    Word name, word;
    if (!textfile_word(file, &name))
        return textfile_fail(file, message, "data without a name");
    JnStatus status = read_scalar(vtk, &scalar, message);
    if (status == JN_OK && is_scalars && textfile_word_on_line(file, &word))
        width = word.length == 1 && word.text[0] >= '1' && word.text[0] <= '4' ? (uint32_t)(word.text[0] - '0') : 0;
    if (status == JN_OK && is_scalars &&
        (width == 0 || !textfile_word(file, &word) || !textfile_is(word, "LOOKUP_TABLE")))
        return textfile_fail(file, message, "SCALARS must have 1 to 4 components and a LOOKUP_TABLE");
    return status == JN_OK ? read_list(vtk, name, width, tuple_count, scalar, message) : status;
}

/* FIELD name count, then as many lists: name width tuples type. */
static JnStatus read_field(Vtk *vtk, JnMessage *message) {
    TextFile *file = vtk->file;
    Word name;
    uint32_t list_count, width = 0, tuple_count = 0;
    const Scalar *scalar;
    if (!textfile_word(file, &name))
        return textfile_fail(file, message, "a FIELD without a name");
    JnStatus status = textfile_count(file, 8, "lists", &list_count, message);
    for (uint32_t i = 0; status == JN_OK && i < list_count; ++i) {
        file->binary = false;
        if (!textfile_word(file, &name))
            return textfile_fail(file, message, "the file ends where a list is expected");
        status = textfile_count(file, 1, "components", &width, message);
        if (status == JN_OK && (width < 1 || width > 9))
            return textfile_fail(file, message, "a list with %u components: between 1 and 9 are possible", width);
        if (status == JN_OK)
            status = textfile_count(file, width, "values", &tuple_count, message);
        if (status == JN_OK)
            status = read_scalar(vtk, &scalar, message);
        if (status == JN_OK)
            status = read_list(vtk, name, width, tuple_count, scalar, message);
    }
    return status;
}

/* METADATA lasts until an empty line. */
static void skip_metadata(TextFile *file) {
    Word word;
    do
        textfile_next_line(file);
    while (textfile_word_on_line(file, &word));
}

/* One keyword of the file's body. Reading ends at an unknown keyword: only data that is not used can follow. */
static JnStatus read_keyword(Vtk *vtk, Word word, uint32_t *tuple_count, bool *done, JnMessage *message) {
    static const char *const vector_names[] = {"VECTORS", "NORMALS", NULL};
    static const char *const data_names[] = {"POINT_DATA", "CELL_DATA", NULL};
    if (textfile_is(word, "POINTS"))
        return read_points(vtk, message);
    if (textfile_is(word, "CELLS"))
        return read_cells(vtk, message);
    if (textfile_is(word, "CELL_TYPES"))
        return read_cell_types(vtk, message);
    if (textfile_is(word, "FIELD"))
        return read_field(vtk, message);
    if (textfile_is(word, "SCALARS"))
        return read_attribute(vtk, true, 1, *tuple_count, message);
    if (textfile_is_any(word, vector_names))
        return read_attribute(vtk, false, 3, *tuple_count, message);
    if (textfile_is_any(word, data_names)) {
        // the count may exceed the rest of the file: some files announce data and end
        int64_t count;
        JnStatus status = textfile_integer(vtk->file, "a number of values", &count, message);
        vtk->point_data = textfile_is(word, data_names[0]);
        *tuple_count = status == JN_OK && count > 0 && count < UINT32_MAX ? (uint32_t)count : 0;
        return status;
    }
    if (textfile_is(word, "METADATA")) {
        skip_metadata(vtk->file);
        return JN_OK;
    }
    *done = true;
    return vtk->has_types ? JN_OK : textfile_fail(vtk->file, message, "POINTS, CELLS or CELL_TYPES is expected");
}

/* Three lines: the signature, a title, the kind; then the kind of grid. */
static JnStatus read_head(Vtk *vtk, JnMessage *message) {
    static const char signature[] = "# vtk DataFile Version";
    TextFile *file = vtk->file;
    Word word;
    if (file->size < sizeof signature || memcmp(file->bytes, signature, sizeof signature - 1) != 0)
        return textfile_fail(file, message, "the file does not begin with '%s'", signature);
    textfile_next_line(file);
    textfile_next_line(file);
    if (!textfile_word(file, &word) || !(textfile_is(word, "ASCII") || textfile_is(word, "BINARY")))
        return textfile_fail(file, message, "the kind of file is neither ASCII nor BINARY");
    vtk->binary = textfile_is(word, "BINARY");
    if (!textfile_word(file, &word) || !textfile_is(word, "DATASET") || !textfile_word(file, &word) ||
        !textfile_is(word, "UNSTRUCTURED_GRID"))
        return textfile_fail(file, message, "DATASET UNSTRUCTURED_GRID is expected: no other can hold tets");
    return JN_OK;
}

JnStatus read_vtk(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message) {
    (void)companion;
    Vtk vtk = {.file = file, .mesh = mesh};
    Word word;
    uint32_t tuple_count = 0;
    bool done = false;
    JnStatus status = read_head(&vtk, message);
    while (status == JN_OK && !done && textfile_word(file, &word)) {
        file->binary = false;
        status = read_keyword(&vtk, word, &tuple_count, &done, message);
    }
    free(vtk.ends);
    free(vtk.corners);
    return status;
}
