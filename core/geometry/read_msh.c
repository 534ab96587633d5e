/* Gmsh .msh, versions 2.2 and 4.1, in text and binary: nodes, tets and $NodeData. Nodes carry tags, any
   numbers, by which tets and data name them. Points, lines and triangles are passed over, other solids
   refused. https://gmsh.info/doc/texinfo/gmsh.html, File formats. */
#include "geometry/mesh.h"
#include "geometry/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Tagged {
    int64_t tag;
    uint32_t vertex;
} Tagged;

typedef struct Msh {
    TextFile *file;
    JnMesh *mesh;
    bool version4;
    Tagged *tags;     /* [vertex_count], ascending; NULL before the nodes were read */
    int64_t base_tag; /* the lowest; if the tags have no gap, tag - base_tag is the place in `tags` */
    bool no_gaps;
} Msh;

/* ------------------------------------------------------------------------------------------------ numbers */

/* A whole number of `width` bytes, or a word of the text. */
static JnStatus read_whole(Msh *msh, size_t width, const char *what, int64_t *value, JnMessage *message) {
    TextFile *file = msh->file;
    if (!file->binary)
        return textfile_integer(file, what, value, message);
    const unsigned char *bytes = textfile_bytes(file, width);
    if (!bytes)
        return textfile_fail(file, message, "the file ends where %s is expected", what);
    *value = width == 8 ? (int64_t)textfile_u64(bytes, file->big) : (int32_t)textfile_u32(bytes, file->big);
    return JN_OK;
}

static JnStatus read_int(Msh *msh, const char *what, int64_t *value, JnMessage *message) {
    return read_whole(msh, 4, what, value, message);
}

/* What version 4 stores in 8 bytes and version 2 in 4: tags. */
static JnStatus read_tag(Msh *msh, const char *what, int64_t *value, JnMessage *message) {
    return read_whole(msh, msh->version4 ? 8 : 4, what, value, message);
}

static JnStatus read_real(Msh *msh, const char *what, double *value, JnMessage *message) {
    TextFile *file = msh->file;
    if (!file->binary)
        return textfile_number(file, what, value, message);
    const unsigned char *bytes = textfile_bytes(file, 8);
    if (!bytes)
        return textfile_fail(file, message, "the file ends where %s is expected", what);
    *value = textfile_f64(bytes, file->big);
    if (!isfinite(*value))
        return textfile_fail(file, message, "%s is %g, not a finite number", what, *value);
    return JN_OK;
}

/* A number of things: in version 2 always text, followed by the binary part on the next line; in version 4 as
 * all else. */
static JnStatus read_count(Msh *msh, size_t least_bytes, const char *what, uint32_t *count,
                           JnMessage *message) {
    int64_t value;
    JnStatus status = msh->version4 ? read_whole(msh, 8, what, &value, message)
                                    : textfile_integer(msh->file, what, &value, message);
    if (status == JN_OK && !msh->version4 && msh->file->binary)
        textfile_next_line(msh->file);
    if (status == JN_OK)
        status = textfile_check_count(msh->file, value, least_bytes, what, message);
    *count = status == JN_OK ? (uint32_t)value : 0;
    return status;
}

/* ------------------------------------------------------------------------------------------------ nodes */

static int compare_tags(const void *left, const void *right) {
    const Tagged *a = left, *b = right;
    return a->tag < b->tag ? -1 : a->tag > b->tag;
}

/* Sorts the tags for find_vertex. */
static JnStatus index_tags(Msh *msh, JnMessage *message) {
    uint32_t count = msh->mesh->vertex_count;
    qsort(msh->tags, count, sizeof *msh->tags, compare_tags);
    if (count && msh->tags[0].tag < 0)
        return textfile_fail(msh->file, message, "a node has the tag %lld: tags are not negative",
                             (long long)msh->tags[0].tag);
    for (uint32_t i = 1; i < count; ++i)
        if (msh->tags[i].tag == msh->tags[i - 1].tag)
            return textfile_fail(msh->file, message, "two nodes have the tag %lld",
                                 (long long)msh->tags[i].tag);
    msh->base_tag = count ? msh->tags[0].tag : 0;
    msh->no_gaps = count && msh->tags[count - 1].tag - msh->base_tag == (int64_t)count - 1;
    return JN_OK;
}

static JnStatus find_vertex(const Msh *msh, int64_t tag, uint32_t *vertex, JnMessage *message) {
    uint32_t count = msh->mesh->vertex_count;
    const Tagged key = {.tag = tag}, *found = NULL;
    if (!msh->tags)
        return textfile_fail(msh->file, message, "$Nodes must stand before what names nodes");
    if (!msh->no_gaps)
        found = bsearch(&key, msh->tags, count, sizeof key, compare_tags);
    else if (tag >= msh->base_tag && tag - msh->base_tag < (int64_t)count)
        found = &msh->tags[tag - msh->base_tag];
    if (!found)
        return textfile_fail(msh->file, message, "there is no node with the tag %lld", (long long)tag);
    *vertex = found->vertex;
    return JN_OK;
}

static JnStatus read_position(Msh *msh, uint32_t vertex, JnMessage *message) {
    JnStatus status = JN_OK;
    for (size_t i = 0; status == JN_OK && i < 3; ++i)
        status =
            read_real(msh, "a coordinate of a node", &msh->mesh->positions[3 * (size_t)vertex + i], message);
    return status;
}

/* One block of version 4: dimension, entity, whether parameters follow the coordinates, then all tags, then
 * all nodes. */
static JnStatus read_node_block(Msh *msh, uint32_t *filled, JnMessage *message) {
    int64_t dimension = 0, entity, parametric = 0, tag;
    uint32_t count = 0;
    double parameter;
    JnStatus status = read_int(msh, "the dimension of a block", &dimension, message);
    if (status == JN_OK)
        status = read_int(msh, "the entity of a block", &entity, message);
    if (status == JN_OK)
        status = read_int(msh, "the parametric flag of a block", &parametric, message);
    if (status == JN_OK)
        status = read_count(msh, 8, "nodes", &count, message);
    if (status == JN_OK && count > msh->mesh->vertex_count - *filled)
        return textfile_fail(msh->file, message, "a block of %u nodes is more than the %u announced", count,
                             msh->mesh->vertex_count);
    if (status == JN_OK && parametric && (dimension < 0 || dimension > 3))
        return textfile_fail(msh->file, message, "%lld is no dimension", (long long)dimension);
    for (uint32_t i = 0; status == JN_OK && i < count; ++i) {
        status = read_tag(msh, "the tag of a node", &tag, message);
        if (status == JN_OK)
            msh->tags[*filled + i] = (Tagged){tag, *filled + i};
    }
    for (uint32_t i = 0; status == JN_OK && i < count; ++i) {
        status = read_position(msh, *filled + i, message);
        for (int64_t p = 0; status == JN_OK && parametric && p < dimension; ++p)
            status = read_real(msh, "a parameter of a node", &parameter, message);
    }
    *filled += count;
    return status;
}

static JnStatus read_nodes(Msh *msh, JnMessage *message) {
    uint32_t block_count = 0, count = 0, filled = 0;
    int64_t ignored, tag;
    JnStatus status = JN_OK;
    if (msh->version4)
        status = read_count(msh, 1, "blocks of nodes", &block_count, message);
    if (status == JN_OK)
        status = read_count(msh, 8, "nodes", &count, message);
    for (int i = 0; status == JN_OK && msh->version4 && i < 2; ++i)
        status = read_tag(msh, "the lowest and highest tag", &ignored, message);
    if (status == JN_OK)
        status = mesh_set_vertex_count(msh->mesh, count, message);
    if (status == JN_OK) {
        msh->tags = array_new(count, sizeof *msh->tags);
        status = msh->tags ? JN_OK : status_no_memory(message, "the nodes of a mesh");
    }
    for (uint32_t b = 0; status == JN_OK && b < block_count; ++b)
        status = read_node_block(msh, &filled, message);
    for (; status == JN_OK && !msh->version4 && filled < count; ++filled) {
        status = read_tag(msh, "the tag of a node", &tag, message);
        msh->tags[filled] = (Tagged){tag, filled};
        if (status == JN_OK)
            status = read_position(msh, filled, message);
    }
    if (status == JN_OK && filled != count)
        return textfile_fail(msh->file, message, "%u nodes were announced, but the blocks hold %u", count,
                             filled);
    return status == JN_OK ? index_tags(msh, message) : status;
}

/* ------------------------------------------------------------------------------------------------ elements
 */

enum { TET_TYPE = 4, TYPE_COUNT = 32 };

/* The number of nodes of an element of `type`: positive for what is passed over and for tets, 0 for what is
 * refused. */
static JnStatus element_size(const Msh *msh, int64_t type, int *size, JnMessage *message) {
    static const uint8_t sizes[TYPE_COUNT] = {0, 2, 3, 4, 4, 0,  0,  0,  3,  6,  9, 0, 0, 0, 0, 1,
                                              8, 0, 0, 0, 9, 10, 12, 15, 15, 21, 4, 5, 6, 0, 0, 0};
    *size = type > 0 && type < TYPE_COUNT ? sizes[type] : 0;
    if (*size)
        return JN_OK;
    return textfile_fail(
        msh->file, message,
        "elements of type %lld cannot be read: among solids only tets with four nodes (type 4): mesh "
        "again with tets of first order",
        (long long)type);
}

/* The nodes of one element; a tet is added to the mesh, which has room for it. */
static JnStatus read_element_nodes(Msh *msh, int64_t type, int size, JnMessage *message) {
    JnStatus status = JN_OK;
    uint32_t vertex;
    for (int i = 0; status == JN_OK && i < size; ++i) {
        int64_t tag;
        status = read_tag(msh, "a node of an element", &tag, message);
        if (status != JN_OK || type != TET_TYPE)
            continue;
        status = find_vertex(msh, tag, &vertex, message);
        if (status == JN_OK)
            msh->mesh->tet_vertices[4 * (size_t)msh->mesh->tet_count + (size_t)i] = vertex;
    }
    msh->mesh->tet_count += status == JN_OK && type == TET_TYPE;
    return status;
}

/* A run of elements that share a type: all of a block of version 4; in version 2 a binary run, or one element
   of the text. `tag_count` numbers after each element's own are passed over. */
static JnStatus read_run(Msh *msh, int64_t type, int64_t count, int64_t tag_count, JnMessage *message) {
    int size = 0;
    int64_t ignored;
    JnStatus status = element_size(msh, type, &size, message);
    if (status == JN_OK && (tag_count < 0 || (size_t)tag_count > msh->file->size))
        return textfile_fail(msh->file, message, "%lld is no possible number of tags", (long long)tag_count);
    for (int64_t e = 0; status == JN_OK && e < count; ++e) {
        // in the text of version 2 the element's own number was read with its type
        bool numbered = msh->version4 || msh->file->binary;
        if (numbered)
            status = read_tag(msh, "the number of an element", &ignored, message);
        for (int64_t i = 0; status == JN_OK && i < tag_count; ++i)
            status = read_int(msh, "a tag of an element", &ignored, message);
        if (status == JN_OK)
            status = read_element_nodes(msh, type, size, message);
    }
    return status;
}

/* What stands before a run: its type, how many elements it has and how many tags each. */
static JnStatus read_run_head(Msh *msh, int64_t *type, int64_t *count, int64_t *tag_count,
                              JnMessage *message) {
    int64_t ignored;
    uint32_t block_size = 1;
    JnStatus status = JN_OK;
    *tag_count = 0;
    if (msh->version4) {
        for (int i = 0; status == JN_OK && i < 2; ++i)
            status = read_int(msh, "the entity of a block", &ignored, message);
        if (status == JN_OK)
            status = read_int(msh, "the type of elements", type, message);
        if (status == JN_OK)
            status = read_count(msh, 4, "elements", &block_size, message);
        *count = block_size;
        return status;
    }
    *count = 1;
    if (!msh->file->binary)
        status = read_int(msh, "the number of an element", &ignored, message);
    if (status == JN_OK)
        status = read_int(msh, "the type of elements", type, message);
    if (status == JN_OK && msh->file->binary)
        status = read_int(msh, "a number of elements", count, message);
    if (status == JN_OK)
        status = read_int(msh, "a number of tags", tag_count, message);
    return status;
}

static JnStatus read_elements(Msh *msh, JnMessage *message) {
    uint32_t block_count = 0, element_count = 0;
    int64_t ignored, type, count, tag_count;
    JnStatus status = JN_OK;
    if (msh->version4)
        status = read_count(msh, 1, "blocks of elements", &block_count, message);
    if (status == JN_OK)
        status = read_count(msh, 4, "elements", &element_count, message);
    for (int i = 0; status == JN_OK && msh->version4 && i < 2; ++i)
        status = read_tag(msh, "the lowest and highest tag", &ignored, message);

    // room as if all were tets
    if (status == JN_OK)
        status = mesh_set_tet_count(msh->mesh, element_count, message);
    msh->mesh->tet_count = 0;
    uint32_t blocks_read = 0;
    int64_t left = element_count;
    while (status == JN_OK && (msh->version4 ? blocks_read++ < block_count : left > 0)) {
        status = read_run_head(msh, &type, &count, &tag_count, message);
        if (status == JN_OK && (count < (msh->version4 ? 0 : 1) || count > left))
            return textfile_fail(msh->file, message,
                                 "a run of %lld elements where %lld are left of the %u announced",
                                 (long long)count, (long long)left, element_count);
        if (status == JN_OK)
            status = read_run(msh, type, count, tag_count, message);
        left -= count;
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ node data
 */

/* The rest of the line without the quotes round it. */
static Word read_quoted(TextFile *file) {
    Word first = {"", 0};
    if (!textfile_word(file, &first))
        return first;
    size_t end = file->at;
    while (end < file->size && file->bytes[end] != '\n' && file->bytes[end] != '\r')
        ++end;
    Word text = {first.text, (size_t)((const char *)&file->bytes[end - 1] + 1 - first.text)};
    while (text.length && (text.text[text.length - 1] == ' ' || text.text[text.length - 1] == '\t'))
        --text.length;
    if (text.length && text.text[0] == '"')
        ++text.text, --text.length;
    if (text.length && text.text[text.length - 1] == '"')
        --text.length;
    return text;
}

/* The head of $NodeData, text in both kinds of file: name, time, time step, components, values. */
static JnStatus read_data_head(Msh *msh, Word *name, int64_t *component_count, uint32_t *value_count,
                               JnMessage *message) {
    TextFile *file = msh->file;
    uint32_t count = 0;
    int64_t whole;
    double ignored;
    JnStatus status = textfile_count(file, 2, "text tags", &count, message);
    for (uint32_t i = 0; status == JN_OK && i < count; ++i) {
        Word text = read_quoted(file);
        *name = i ? *name : text;
        textfile_next_line(file);
    }
    if (status == JN_OK)
        status = textfile_count(file, 2, "real tags", &count, message);
    for (uint32_t i = 0; status == JN_OK && i < count; ++i)
        status = textfile_number(file, "a real tag", &ignored, message);
    if (status == JN_OK)
        status = textfile_count(file, 2, "whole tags", &count, message);
    for (uint32_t i = 0; status == JN_OK && i < count; ++i) {
        status = textfile_integer(file, "a whole tag", &whole, message);
        if (status == JN_OK && i == 2)
            status = textfile_check_count(file, whole, 4, "values", message);
        if (status == JN_OK && i == 1)
            *component_count = whole;
        if (status == JN_OK && i == 2)
            *value_count = (uint32_t)whole;
    }
    if (status == JN_OK && (count < 3 || *component_count < 1 || *component_count > 9))
        return textfile_fail(file, message, "node data with %lld components: between 1 and 9 are possible",
                             (long long)*component_count);
    if (msh->file->binary)
        textfile_next_line(file);
    return status;
}

static JnStatus read_node_data(Msh *msh, JnMessage *message) {
    Word name = {"field", 5};
    int64_t component_count = 0, tag;
    uint32_t value_count = 0, vertex = 0;
    double *values;
    JnStatus status = read_data_head(msh, &name, &component_count, &value_count, message);
    if (status != JN_OK)
        return status;
    if (!msh->tags)
        return textfile_fail(msh->file, message, "$Nodes must stand before $NodeData");
    if (memchr(name.text, '\0', name.length))
        return textfile_fail(msh->file, message, "the name of node data holds a zero byte");
    status = mesh_add_field(msh->mesh, name.text, name.length, (uint32_t)component_count, &values, message);
    for (uint32_t i = 0; status == JN_OK && i < value_count; ++i) {
        status = read_int(msh, "the tag of a node", &tag, message);
        if (status == JN_OK)
            status = find_vertex(msh, tag, &vertex, message);
        for (int64_t c = 0; status == JN_OK && c < component_count; ++c)
            status = read_real(msh, "a value", &values[vertex * component_count + c], message);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------ sections
 */

/* "2.2 1 8": version, binary or not, bytes of a number; in binary files the number 1 tells the order of
 * bytes. */
static JnStatus read_format(Msh *msh, JnMessage *message) {
    TextFile *file = msh->file;
    double version = 0;
    int64_t binary = 0, number_size = 0;
    JnStatus status = textfile_number(file, "the version", &version, message);
    if (status == JN_OK)
        status = textfile_integer(file, "the kind of file", &binary, message);
    if (status == JN_OK)
        status = textfile_integer(file, "the size of a number", &number_size, message);
    if (status != JN_OK)
        return status;
    msh->version4 = version == 4.1;
    if (!msh->version4 && version != 2 && version != 2.1 && version != 2.2)
        return textfile_fail(file, message, "version %g cannot be read: save it as version 2.2 or 4.1",
                             version);
    if (binary != 0 && (binary != 1 || number_size != 8))
        return textfile_fail(file, message, "a file of kind %lld with numbers of %lld bytes cannot be read",
                             (long long)binary, (long long)number_size);
    file->binary = binary == 1;
    if (!file->binary)
        return JN_OK;
    textfile_next_line(file);
    const unsigned char *one = textfile_bytes(file, 4);
    file->big = one && textfile_u32(one, true) == 1;
    if (!one || (!file->big && textfile_u32(one, false) != 1))
        return textfile_fail(file, message,
                             "the order of bytes is not told: the number 1 must follow the format");
    return JN_OK;
}

/* Goes behind the end of a section that is of no use here: "$End" and its name. */
static JnStatus skip_section(TextFile *file, Word name, JnMessage *message) {
    for (; file->size - file->at >= name.length + 3; ++file->at) {
        const unsigned char *here = &file->bytes[file->at];
        file->line += *here == '\n';
        if (*here == '$' && memcmp(here, "$End", 4) == 0 &&
            memcmp(here + 4, name.text + 1, name.length - 1) == 0) {
            file->at += name.length + 3;
            return JN_OK;
        }
    }
    return textfile_fail(file, message, "the file ends inside the section %.*s",
                         name.length < 40 ? (int)name.length : 40, name.text);
}

static JnStatus read_section(Msh *msh, Word name, JnMessage *message) {
    TextFile *file = msh->file;
    textfile_next_line(file);
    JnStatus status = JN_OK;
    if (textfile_is(name, "$MeshFormat"))
        status = read_format(msh, message);
    else if (textfile_is(name, "$Nodes"))
        status = read_nodes(msh, message);
    else if (textfile_is(name, "$Elements"))
        status = read_elements(msh, message);
    else if (textfile_is(name, "$NodeData"))
        status = read_node_data(msh, message);
    return status == JN_OK ? skip_section(file, name, message) : status;
}

JnStatus read_msh(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message) {
    (void)companion;
    Msh msh = {.file = file, .mesh = mesh};
    Word word;
    JnStatus status = JN_OK;
    bool first = true;
    while (status == JN_OK && textfile_word(file, &word)) {
        if (first && !textfile_is(word, "$MeshFormat"))
            status = textfile_fail(file, message,
                                   "the file does not begin with $MeshFormat: it is no .msh file of Gmsh");
        else if (word.text[0] != '$' || word.length < 2)
            status = textfile_fail(file, message, "a section is expected, and its name begins with $");
        else
            status = read_section(&msh, word, message);
        first = false;
    }
    free(msh.tags);
    return status;
}
