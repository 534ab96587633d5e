/* Medit .mesh in text: Vertices and Tetrahedra; every other section is skipped. Vertices count from 1, in some files
   from 0; each row ends with a reference number. */
#include "geometry/mesh.h"

static JnStatus read_vertices(TextFile *file, JnMesh *mesh, JnMessage *message) {
    uint32_t count;
    int64_t reference;
    JnStatus status = textfile_count(file, 8, "vertices", &count, message);
    if (status == JN_OK)
        status = mesh_set_vertex_count(mesh, count, message);
    for (uint32_t v = 0; status == JN_OK && v < count; ++v) {
        for (size_t i = 0; status == JN_OK && i < 3; ++i)
            status =
                textfile_coordinate(file, "a coordinate of a vertex", &mesh->positions[3 * (size_t)v + i], message);
        if (status == JN_OK)
            status = textfile_integer(file, "the reference of a vertex", &reference, message);
    }
    return status;
}

static JnStatus read_tets(TextFile *file, JnMesh *mesh, JnMessage *message) {
    uint32_t count;
    int64_t number;
    JnStatus status = textfile_count(file, 10, "tets", &count, message);
    if (status == JN_OK)
        status = mesh_set_tet_count(mesh, count, message);
    for (uint32_t t = 0; status == JN_OK && t < count; ++t) {
        for (size_t i = 0; status == JN_OK && i < 4; ++i) {
            status = textfile_integer(file, "a vertex of a tet", &number, message);
            if (status == JN_OK && (number < 0 || number > UINT32_MAX))
                return textfile_fail(file, message, "a tet names vertex %lld: the first is 1", (long long)number);
            if (status == JN_OK)
                mesh->tet_vertices[4 * (size_t)t + i] = (uint32_t)number;
        }
        if (status == JN_OK)
            status = textfile_integer(file, "the reference of a tet", &number, message);
    }
    return status;
}

JnStatus read_medit(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message) {
    (void)companion;
    file->comment = '#';
    Word word;
    int64_t dimension;
    if (!textfile_word(file, &word) || !textfile_is(word, "MeshVersionFormatted"))
        return textfile_fail(file, message,
                             "the file does not begin with MeshVersionFormatted: only Medit files in text "
                             "can be read");
    JnStatus status = JN_OK;
    while (status == JN_OK && textfile_word(file, &word) && !textfile_is(word, "End")) {
        if (textfile_is(word, "Vertices")) {
            status = read_vertices(file, mesh, message);
        } else if (textfile_is(word, "Tetrahedra")) {
            status = read_tets(file, mesh, message);
        } else if (textfile_is(word, "Dimension")) {
            status = textfile_integer(file, "the dimension", &dimension, message);
            if (status == JN_OK && dimension != 3)
                status = textfile_fail(file, message, "the dimension is %lld, but must be 3", (long long)dimension);
        } else if (textfile_is(word, "Hexahedra") || textfile_is(word, "Prisms")) {
            status = textfile_fail(file, message, "the mesh has cells that are not tets: split them into tets");
        }
    }
    return status == JN_OK ? mesh_rebase_tets(mesh, 1, file->name, message) : status;
}
