/* TetGen .node and .ele, a file of vertices and a file of tets. Both are read by lines, because in some files lines are
   shorter or longer than the first line says; and the tets may number vertices from 0 although the vertices are
   numbered from 1, or the reverse. */
#include "geometry/mesh.h"

/* The whole number that a row begins with. */
static JnStatus row_number(TextFile *file, const char *what, int64_t *number, JnMessage *message) {
    textfile_next_line(file);
    return textfile_integer(file, what, number, message);
}

/* The tets with vertex numbers as written. */
static JnStatus read_tets(TextFile *file, JnMesh *mesh, JnMessage *message) {
    file->comment = '#';
    uint32_t count;
    int64_t corner_count = 0, number;
    JnStatus status = textfile_count(file, 10, "tets", &count, message);
    if (status == JN_OK)
        status = textfile_integer(file, "the number of vertices in a tet", &corner_count, message);
    if (status == JN_OK && corner_count != 4)
        return textfile_fail(file, message, "tets with %lld vertices: only plain tets with 4 can be read",
                             (long long)corner_count);
    if (status == JN_OK)
        status = mesh_set_tet_count(mesh, count, message);
    for (uint32_t t = 0; status == JN_OK && t < count; ++t) {
        status = row_number(file, "a tet number", &number, message);
        for (size_t i = 0; status == JN_OK && i < 4; ++i) {
            status = textfile_integer(file, "a vertex of a tet", &number, message);
            if (status == JN_OK && (number < 0 || number > UINT32_MAX))
                return textfile_fail(file, message, "a tet names vertex %lld, but there are %u vertices",
                                     (long long)number, mesh->vertex_count);
            if (status != JN_OK)
                break;
            mesh->tet_vertices[4 * (size_t)t + i] = (uint32_t)number;
        }
    }
    return status;
}

JnStatus read_tetgen_node(TextFile *node, TextFile *ele, JnMesh *mesh, JnMessage *message) {
    int64_t vertex_base = 0;
    node->comment = '#';
    JnStatus status = mesh_read_numbered_vertices(mesh, node, true, &vertex_base, message);
    if (status == JN_OK)
        status = read_tets(ele, mesh, message);
    return status == JN_OK ? mesh_rebase_tets(mesh, vertex_base, ele->name, message) : status;
}

JnStatus read_tetgen_ele(TextFile *ele, TextFile *node, JnMesh *mesh, JnMessage *message) {
    return read_tetgen_node(node, ele, mesh, message);
}
