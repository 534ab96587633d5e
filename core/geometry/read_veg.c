/* Vega .veg: *VERTICES and *ELEMENTS with tets; materials, sets and regions are skipped. Vertices are numbered from 1,
   in some files from 0, and in some the tets otherwise than the vertices. */
#include "geometry/mesh.h"

static JnStatus read_elements(TextFile *file, JnMesh *mesh, JnMessage *message) {
    static const char *const tet_names[] = {"TET", "TETS", NULL};
    Word kind;
    uint32_t count;
    int64_t corner_count = 0, number;
    if (!textfile_word(file, &kind) || !textfile_is_any(kind, tet_names))
        return textfile_fail(file, message, "the elements are not of the kind TETS: only tets can be read");
    JnStatus status = textfile_count(file, 10, "tets", &count, message);
    if (status == JN_OK)
        status = textfile_integer(file, "the number of vertices in a tet", &corner_count, message);
    if (status == JN_OK && corner_count != 4)
        return textfile_fail(file, message, "tets with %lld vertices: a tet has 4", (long long)corner_count);
    if (status == JN_OK)
        status = mesh_set_tet_count(mesh, count, message);
    textfile_next_line(file);
    for (uint32_t t = 0; status == JN_OK && t < count; ++t) {
        status = textfile_integer(file, "a tet number", &number, message);
        for (size_t i = 0; status == JN_OK && i < 4; ++i) {
            status = textfile_integer(file, "a vertex of a tet", &number, message);
            if (status == JN_OK && (number < 0 || number > UINT32_MAX))
                return textfile_fail(file, message, "a tet names vertex %lld, but there are %u vertices",
                                     (long long)number, mesh->vertex_count);
            if (status == JN_OK)
                mesh->tet_vertices[4 * (size_t)t + i] = (uint32_t)number;
        }
    }
    return status;
}

JnStatus read_veg(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message) {
    (void)companion;
    file->comment = '#';
    int64_t base = 1;
    Word word;
    JnStatus status = JN_OK;
    while (status == JN_OK && textfile_word(file, &word)) {
        if (textfile_is(word, "*VERTICES"))
            status = mesh_read_numbered_vertices(mesh, file, false, &base, message);
        else if (textfile_is(word, "*ELEMENTS"))
            status = read_elements(file, mesh, message);
        else if (textfile_is(word, "*INCLUDE"))
            status = textfile_fail(file, message, "*INCLUDE cannot be read: put the mesh into one file");
    }
    return status == JN_OK ? mesh_rebase_tets(mesh, base, file->name, message) : status;
}
