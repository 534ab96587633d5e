/* $Elements of a .msh file: the tets. Points, lines and triangles are skipped, other solids refused. */
#include "geometry/msh.h"

enum { TET_TYPE = 4, TYPE_COUNT = 32 };

/* The number of nodes of an element of `type`: positive for tets and for what is skipped, 0 for what is refused. */
static JnStatus element_size(const Msh *msh, int64_t type, int *size, JnMessage *message) {
    static const uint8_t sizes[TYPE_COUNT] = {0, 2, 3, 4, 4, 0,  0,  0,  3,  6,  9, 0, 0, 0, 0, 1,
                                              8, 0, 0, 0, 9, 10, 12, 15, 15, 21, 4, 5, 6, 0, 0, 0};
    *size = type > 0 && type < TYPE_COUNT ? sizes[type] : 0;
    if (*size)
        return JN_OK;
    return textfile_fail(
        msh->file, message,
        "elements of type %lld cannot be read: the only solids supported are tets with four nodes (type 4): mesh "
        "again with tets of first order",
        (long long)type);
}

/* The nodes of one element; a tet is added to the mesh, which has room for it. */
static JnStatus read_element_nodes(Msh *msh, int64_t type, int size, JnMessage *message) {
    JnStatus status = JN_OK;
    uint32_t vertex;
    for (int i = 0; status == JN_OK && i < size; ++i) {
        int64_t tag;
        status = msh_tag(msh, "a node of an element", &tag, message);
        if (status != JN_OK || type != TET_TYPE)
            continue;
        status = msh_find_vertex(msh, tag, &vertex, message);
        if (status == JN_OK)
            msh->mesh->tet_vertices[4 * (size_t)msh->mesh->tet_count + (size_t)i] = vertex;
    }
    msh->mesh->tet_count += status == JN_OK && type == TET_TYPE;
    return status;
}

/* A run of elements that share a type: all of a block of version 4; in version 2 a binary run, or one element of the
   text. `tag_count` numbers after each element's own number are skipped. */
static JnStatus read_run(Msh *msh, int64_t type, int64_t count, int64_t tag_count, JnMessage *message) {
    int size = 0;
    int64_t ignored;
    JnStatus status = element_size(msh, type, &size, message);
    if (status == JN_OK && (tag_count < 0 || (size_t)tag_count > msh->file->size))
        return textfile_fail(msh->file, message, "%lld is not a possible number of tags", (long long)tag_count);
    for (int64_t e = 0; status == JN_OK && e < count; ++e) {
        // in the text of version 2 the element's own number was read with its type
        bool numbered = msh->version4 || msh->file->binary;
        if (numbered)
            status = msh_tag(msh, "the number of an element", &ignored, message);
        for (int64_t i = 0; status == JN_OK && i < tag_count; ++i)
            status = msh_int(msh, "a tag of an element", &ignored, message);
        if (status == JN_OK)
            status = read_element_nodes(msh, type, size, message);
    }
    return status;
}

/* The header of a run: its type, its number of elements and the number of tags of each. */
static JnStatus read_run_head(Msh *msh, int64_t *type, int64_t *count, int64_t *tag_count, JnMessage *message) {
    int64_t ignored;
    uint32_t block_size = 1;
    JnStatus status = JN_OK;
    *tag_count = 0;
    if (msh->version4) {
        for (int i = 0; status == JN_OK && i < 2; ++i)
            status = msh_int(msh, "the entity of a block", &ignored, message);
        if (status == JN_OK)
            status = msh_int(msh, "the type of elements", type, message);
        if (status == JN_OK)
            status = msh_count(msh, 4, "elements", &block_size, message);
        *count = block_size;
        return status;
    }
    *count = 1;
    if (!msh->file->binary)
        status = msh_int(msh, "the number of an element", &ignored, message);
    if (status == JN_OK)
        status = msh_int(msh, "the type of elements", type, message);
    if (status == JN_OK && msh->file->binary)
        status = msh_int(msh, "a number of elements", count, message);
    if (status == JN_OK)
        status = msh_int(msh, "a number of tags", tag_count, message);
    return status;
}

JnStatus msh_read_elements(Msh *msh, JnMessage *message) {
    uint32_t block_count = 0, element_count = 0;
    int64_t ignored, type, count, tag_count;
    JnStatus status = JN_OK;
    if (msh->version4)
        status = msh_count(msh, 1, "blocks of elements", &block_count, message);
    if (status == JN_OK)
        status = msh_count(msh, 4, "elements", &element_count, message);
    for (int i = 0; status == JN_OK && msh->version4 && i < 2; ++i)
        status = msh_tag(msh, "the lowest and highest tag", &ignored, message);

    // room as if all were tets
    if (status == JN_OK)
        status = mesh_set_tet_count(msh->mesh, element_count, message);
    msh->mesh->tet_count = 0;
    uint32_t blocks_read = 0;
    int64_t left = element_count;
    while (status == JN_OK && (msh->version4 ? blocks_read++ < block_count : left > 0)) {
        status = read_run_head(msh, &type, &count, &tag_count, message);
        if (status == JN_OK && (count < (msh->version4 ? 0 : 1) || count > left))
            return textfile_fail(msh->file, message, "a run of %lld elements where %lld are left of the %u announced",
                                 (long long)count, (long long)left, element_count);
        if (status == JN_OK)
            status = read_run(msh, type, count, tag_count, message);
        left -= count;
    }
    return status;
}
