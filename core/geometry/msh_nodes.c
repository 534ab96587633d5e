/* $Nodes of a .msh file. Nodes have tags, any numbers from 0, by which elements and data refer to them. */
#include "geometry/msh.h"
#include "geometry/array.h"

#include <stdlib.h>

static int compare_tags(const void *left, const void *right) {
    const MshTag *a = left, *b = right;
    return a->tag < b->tag ? -1 : a->tag > b->tag;
}

/* Sorts the tags for msh_find_vertex. */
static JnStatus index_tags(Msh *msh, JnMessage *message) {
    uint32_t count = msh->mesh->vertex_count;
    qsort(msh->tags, count, sizeof *msh->tags, compare_tags);
    if (count && msh->tags[0].tag < 0)
        return textfile_fail(msh->file, message, "a node has the tag %lld: tags are not negative",
                             (long long)msh->tags[0].tag);
    for (uint32_t i = 1; i < count; ++i)
        if (msh->tags[i].tag == msh->tags[i - 1].tag)
            return textfile_fail(msh->file, message, "two nodes have the tag %lld", (long long)msh->tags[i].tag);
    msh->base_tag = count ? msh->tags[0].tag : 0;
    msh->no_gaps = count && msh->tags[count - 1].tag - msh->base_tag == (int64_t)count - 1;
    return JN_OK;
}

JnStatus msh_find_vertex(const Msh *msh, int64_t tag, uint32_t *vertex, JnMessage *message) {
    uint32_t count = msh->mesh->vertex_count;
    const MshTag key = {.tag = tag}, *found = NULL;
    if (!msh->tags)
        return textfile_fail(msh->file, message, "$Nodes must come before sections that refer to nodes");
    if (!msh->no_gaps)
        found = bsearch(&key, msh->tags, count, sizeof key, compare_tags);
    else if (tag >= msh->base_tag && tag - msh->base_tag < (int64_t)count)
        found = &msh->tags[tag - msh->base_tag];
    if (!found)
        return textfile_fail(msh->file, message, "there is no node with the tag %lld", (long long)tag);
    *vertex = found->vertex;
    return JN_OK;
}

static JnStatus read_coordinate(Msh *msh, double *value, JnMessage *message) {
    JnStatus status = msh_real(msh, "a coordinate of a node", value, message);
    return status == JN_OK ? textfile_check_coordinate(msh->file, "a coordinate of a node", *value, message) : status;
}

static JnStatus read_position(Msh *msh, uint32_t vertex, JnMessage *message) {
    JnStatus status = JN_OK;
    for (size_t i = 0; status == JN_OK && i < 3; ++i)
        status = read_coordinate(msh, &msh->mesh->positions[3 * (size_t)vertex + i], message);
    return status;
}

/* One block of version 4: dimension, entity, whether parameters follow the coordinates, then all tags, then
   all nodes. */
static JnStatus read_node_block(Msh *msh, uint32_t *filled, JnMessage *message) {
    int64_t dimension = 0, entity, parametric = 0, tag;
    uint32_t count = 0;
    double parameter;
    JnStatus status = msh_int(msh, "the dimension of a block", &dimension, message);
    if (status == JN_OK)
        status = msh_int(msh, "the entity of a block", &entity, message);
    if (status == JN_OK)
        status = msh_int(msh, "the parametric flag of a block", &parametric, message);
    if (status == JN_OK)
        status = msh_count(msh, 8, "nodes", &count, message);
    if (status == JN_OK && count > msh->mesh->vertex_count - *filled)
        return textfile_fail(msh->file, message, "a block of %u nodes is more than the %u announced", count,
                             msh->mesh->vertex_count);
    if (status == JN_OK && parametric && (dimension < 0 || dimension > 3))
        return textfile_fail(msh->file, message, "%lld is not a dimension", (long long)dimension);
    for (uint32_t i = 0; status == JN_OK && i < count; ++i) {
        status = msh_tag(msh, "the tag of a node", &tag, message);
        if (status == JN_OK)
            msh->tags[*filled + i] = (MshTag){tag, *filled + i};
    }
    for (uint32_t i = 0; status == JN_OK && i < count; ++i) {
        status = read_position(msh, *filled + i, message);
        for (int64_t p = 0; status == JN_OK && parametric && p < dimension; ++p)
            status = msh_real(msh, "a parameter of a node", &parameter, message);
    }
    *filled += count;
    return status;
}

JnStatus msh_read_nodes(Msh *msh, JnMessage *message) {
    uint32_t block_count = 0, count = 0, filled = 0;
    int64_t ignored, tag;
    JnStatus status = JN_OK;
    if (msh->version4)
        status = msh_count(msh, 1, "blocks of nodes", &block_count, message);
    if (status == JN_OK)
        status = msh_count(msh, 8, "nodes", &count, message);
    for (int i = 0; status == JN_OK && msh->version4 && i < 2; ++i)
        status = msh_tag(msh, "the lowest and highest tag", &ignored, message);
    if (status == JN_OK)
        status = mesh_set_vertex_count(msh->mesh, count, message);
    if (status == JN_OK) {
        msh->tags = array_new(count, sizeof *msh->tags);
        status = msh->tags ? JN_OK : status_no_memory(message, "the nodes of a mesh");
    }
    for (uint32_t b = 0; status == JN_OK && b < block_count; ++b)
        status = read_node_block(msh, &filled, message);
    for (; status == JN_OK && !msh->version4 && filled < count; ++filled) {
        status = msh_tag(msh, "the tag of a node", &tag, message);
        if (status == JN_OK) {
            msh->tags[filled] = (MshTag){tag, filled};
            status = read_position(msh, filled, message);
        }
    }
    if (status == JN_OK && filled != count)
        return textfile_fail(msh->file, message, "%u nodes were announced, but the blocks hold %u", count, filled);
    return status == JN_OK ? index_tags(msh, message) : status;
}
