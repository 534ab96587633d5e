/* Stereolithography .stl, binary and text: separate triangles, whose coincident corners are merged into one vertex to
   connect them. */
#include "geometry/mesh.h"
#include "geometry/array.h"
#include "geometry/topology.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD_SIZE = 84, TRIANGLE_SIZE = 50 };

/* Corners in file order, three per triangle; belongs to this reader. */
typedef struct Corners {
    double *positions; /* [count * 3] */
    size_t count, capacity;
} Corners;

static JnStatus read_binary(TextFile *file, Corners *corners, JnMessage *message) {
    uint32_t triangle_count = textfile_u32(&file->bytes[HEAD_SIZE - 4], false);
    file->binary = true;
    corners->positions = array_new(9 * (size_t)triangle_count, sizeof *corners->positions);
    if (!corners->positions)
        return status_no_memory(message, file->name);
    file->at = HEAD_SIZE;
    for (uint32_t t = 0; t < triangle_count; ++t) {
        // a normal, three corners, two bytes of attributes
        const unsigned char *bytes = textfile_bytes(file, TRIANGLE_SIZE);
        if (!bytes)
            return textfile_fail(file, message, "the file ends inside triangle %u of %u", t, triangle_count);
        for (size_t i = 0; i < 9; ++i) {
            double value = (double)textfile_f32(bytes + 12 + 4 * i, false);
            JnStatus status = textfile_check_coordinate(file, "a coordinate of a triangle", value, message);
            if (status != JN_OK)
                return status;
            corners->positions[3 * corners->count + i] = value;
        }
        corners->count += 3;
    }
    return JN_OK;
}

static JnStatus read_text(TextFile *file, Corners *corners, JnMessage *message) {
    Word word;
    size_t facet_begin = 0;
    JnStatus status = JN_OK;
    textfile_next_line(file);
    while (status == JN_OK && textfile_word(file, &word)) {
        if (textfile_is(word, "vertex")) {
            double *grown = array_grow(corners->positions, &corners->capacity, corners->count + 1, 3 * sizeof *grown);
            if (!grown)
                return status_no_memory(message, file->name);
            corners->positions = grown;
            for (size_t i = 0; status == JN_OK && i < 3; ++i)
                status = textfile_coordinate(file, "a coordinate of a vertex", &grown[3 * corners->count + i], message);
            ++corners->count;
        } else if (textfile_is(word, "endfacet")) {
            if (corners->count != facet_begin + 3)
                return textfile_fail(file, message, "a facet with %zu vertices: a facet has 3",
                                     corners->count - facet_begin);
            facet_begin = corners->count;
        } else if (textfile_is(word, "solid") || textfile_is(word, "endsolid")) {
            textfile_next_line(file);
        }
    }
    if (status == JN_OK && corners->count != facet_begin)
        return textfile_fail(file, message, "the file ends inside a facet");
    return status;
}

/* Merges corners at the same position into one vertex, in the order of the corners. */
static JnStatus fill_mesh(const Corners *corners, JnMesh *mesh, JnMessage *message) {
    uint32_t count = (uint32_t)corners->count, used = 0;
    uint32_t *representative = topology_weld(corners->positions, count);
    if (!representative)
        return status_no_memory(message, "the vertices of a mesh");
    for (uint32_t c = 0; c < count; ++c)
        used += representative[c] == c;
    JnStatus status = mesh_set_vertex_count(mesh, used, message);
    if (status == JN_OK)
        status = mesh_set_face_counts(mesh, count / 3, count, message);
    used = 0;
    for (uint32_t c = 0; status == JN_OK && c < count; ++c) {
        if (representative[c] == c) {
            memcpy(&mesh->positions[3 * (size_t)used], &corners->positions[3 * (size_t)c], 3 * sizeof(double));
            mesh->face_vertices[c] = used++;
        } else {
            // the representative is the lowest corner at its position, so it already has its number
            mesh->face_vertices[c] = mesh->face_vertices[representative[c]];
        }
        mesh->face_sizes[c / 3] = 3;
    }
    free(representative);
    return status;
}

JnStatus read_stl(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message) {
    (void)companion;
    Corners corners = {0};
    JnStatus status;
    // binary files may begin with "solid" too, so their exact size is checked first
    bool binary = file->size >= HEAD_SIZE &&
                  file->size - HEAD_SIZE == (uint64_t)TRIANGLE_SIZE * textfile_u32(&file->bytes[HEAD_SIZE - 4], false);
    if (binary)
        status = read_binary(file, &corners, message);
    else if (file->size >= 5 && memcmp(file->bytes, "solid", 5) == 0)
        status = read_text(file, &corners, message);
    else
        status = status_fail(message, JN_ERR_FORMAT,
                             "%s: %zu bytes are neither text that begins with 'solid' nor a binary file of the length "
                             "that it gives: it is cut short, or not an .stl file",
                             file->name, file->size);
    if (status == JN_OK && corners.count > UINT32_MAX - 3)
        status = textfile_fail(file, message, "%zu corners are too many", corners.count);
    if (status == JN_OK)
        status = fill_mesh(&corners, mesh, message);
    free(corners.positions);
    return status;
}
