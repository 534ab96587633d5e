/* Wavefront .obj: vertices, texture coordinates and polygons; groups, materials, normals, lines and curves
   are passed over. Vertex numbers count from 1, or backwards from -1, the vertex before the face. */
#include "geometry/mesh.h"
#include "geometry/array.h"
#include "geometry/number.h"

#include <stdlib.h>

#define NO_UV UINT32_MAX

typedef struct Corner {
    uint32_t vertex;
    uint32_t uv; /* NO_UV: none */
} Corner;

/* What is read before the sizes are known; belongs to this reader. */
typedef struct Obj {
    double *positions;    /* [vertex_count * 3] */
    float *uvs;           /* [uv_count * 2] */
    uint32_t *face_sizes; /* [face_count] */
    Corner *corners;      /* [corner_count] */
    size_t vertex_count, uv_count, face_count, corner_count;
    size_t vertex_capacity, uv_capacity, face_capacity, corner_capacity;
} Obj;

static JnStatus read_vertex(TextFile *file, Obj *obj, JnMessage *message) {
    double *positions = array_grow(obj->positions, &obj->vertex_capacity, obj->vertex_count + 1, 3 * sizeof *positions);
    if (!positions)
        return status_no_memory(message, file->name);
    obj->positions = positions;
    JnStatus status = JN_OK;
    for (size_t i = 0; status == JN_OK && i < 3; ++i)
        status = textfile_number(file, "a coordinate of a vertex", &positions[3 * obj->vertex_count + i], message);
    ++obj->vertex_count;
    return status;
}

static JnStatus read_uv(TextFile *file, Obj *obj, JnMessage *message) {
    float *uvs = array_grow(obj->uvs, &obj->uv_capacity, obj->uv_count + 1, 2 * sizeof *uvs);
    if (!uvs)
        return status_no_memory(message, file->name);
    obj->uvs = uvs;
    double u, v = 0;
    Word word;
    JnStatus status = textfile_number(file, "a texture coordinate", &u, message);
    if (status == JN_OK && textfile_word_on_line(file, &word) && !number_parse(word.text, word.length, &v))
        return textfile_fail(file, message, "a texture coordinate is not a finite number");
    uvs[2 * obj->uv_count] = (float)u;
    uvs[2 * obj->uv_count + 1] = (float)v;
    ++obj->uv_count;
    return status;
}

/* A reference as written, 1.. or ..-1, becomes an index from 0. It may point forward: the end of the file
   tells. */
static bool resolve(int64_t reference, size_t count_so_far, uint32_t *index) {
    int64_t from_zero = reference > 0 ? reference - 1 : (int64_t)count_so_far + reference;
    *index = (uint32_t)from_zero;
    return reference != 0 && from_zero >= 0 && from_zero < NO_UV;
}

/* A corner: v, v/vt, v//vn or v/vt/vn. */
static JnStatus read_corner(TextFile *file, Word word, Obj *obj, JnMessage *message) {
    Corner *corners = array_grow(obj->corners, &obj->corner_capacity, obj->corner_count + 1, sizeof *corners);
    if (!corners)
        return status_no_memory(message, file->name);
    obj->corners = corners;
    Corner *corner = &corners[obj->corner_count];
    corner->uv = NO_UV;
    size_t slash = 0;
    while (slash < word.length && word.text[slash] != '/')
        ++slash;
    size_t uv_begin = slash < word.length ? slash + 1 : slash, uv_end = uv_begin;
    while (uv_end < word.length && word.text[uv_end] != '/')
        ++uv_end;
    int64_t vertex, uv;
    if (!number_parse_integer(word.text, slash, &vertex) || !resolve(vertex, obj->vertex_count, &corner->vertex) ||
        (uv_end > uv_begin && (!number_parse_integer(word.text + uv_begin, uv_end - uv_begin, &uv) ||
                               !resolve(uv, obj->uv_count, &corner->uv))))
        return textfile_fail(file, message,
                             "'%.*s' is no corner of a face: the first vertex is 1, the last one before "
                             "the face is -1",
                             word.length < 40 ? (int)word.length : 40, word.text);
    ++obj->corner_count;
    return JN_OK;
}

static JnStatus read_face(TextFile *file, Obj *obj, JnMessage *message) {
    uint32_t *sizes = array_grow(obj->face_sizes, &obj->face_capacity, obj->face_count + 1, sizeof *sizes);
    if (!sizes)
        return status_no_memory(message, file->name);
    obj->face_sizes = sizes;
    size_t begin = obj->corner_count;
    Word word;
    while (textfile_word_on_line(file, &word)) {
        if (textfile_is(word, "\\")) {
            textfile_next_line(file);
            continue;
        }
        JnStatus status = read_corner(file, word, obj, message);
        if (status != JN_OK)
            return status;
    }
    size_t size = obj->corner_count - begin;
    if (size < 3)
        return textfile_fail(file, message, "a face with %zu corners: a face has at least 3", size);
    sizes[obj->face_count++] = (uint32_t)size;
    return JN_OK;
}

static JnStatus read_lines(TextFile *file, Obj *obj, JnMessage *message) {
    JnStatus status = JN_OK;
    Word word;
    while (status == JN_OK && file->at < file->size) {
        if (textfile_word_on_line(file, &word)) {
            if (textfile_is(word, "v"))
                status = read_vertex(file, obj, message);
            else if (textfile_is(word, "vt"))
                status = read_uv(file, obj, message);
            else if (textfile_is(word, "f"))
                status = read_face(file, obj, message);
        }
        if (status == JN_OK)
            textfile_next_line(file);
    }
    if (status == JN_OK && (obj->vertex_count >= UINT32_MAX || obj->corner_count >= UINT32_MAX))
        return textfile_fail(file, message, "%zu vertices and %zu corners are too many", obj->vertex_count,
                             obj->corner_count);
    return status;
}

/* Every corner must name a vertex, and a texture coordinate if it names one, that the file has. */
static JnStatus check_references(const TextFile *file, const Obj *obj, JnMessage *message) {
    const Corner *corner = obj->corners;
    for (size_t f = 0; f < obj->face_count; ++f)
        for (uint32_t i = 0; i < obj->face_sizes[f]; ++i, ++corner) {
            if (corner->vertex >= obj->vertex_count)
                return status_fail(message, JN_ERR_FORMAT, "%s: face %zu names vertex %u, but the file has %zu",
                                   file->name, f + 1, corner->vertex + 1, obj->vertex_count);
            if (corner->uv != NO_UV && corner->uv >= obj->uv_count)
                return status_fail(message, JN_ERR_FORMAT,
                                   "%s: face %zu names texture coordinate %u, but the file has %zu", file->name, f + 1,
                                   corner->uv + 1, obj->uv_count);
        }
    return JN_OK;
}

/* The mesh in its final sizes; corners without a texture coordinate get (0, 0) if others have one. */
static JnStatus fill_mesh(const Obj *obj, JnMesh *mesh, JnMessage *message) {
    JnStatus status = mesh_set_vertex_count(mesh, (uint32_t)obj->vertex_count, message);
    if (status == JN_OK)
        status = mesh_set_face_counts(mesh, (uint32_t)obj->face_count, (uint32_t)obj->corner_count, message);
    if (status == JN_OK && obj->uv_count) {
        mesh->uvs = array_new(2 * obj->corner_count, sizeof *mesh->uvs);
        status = mesh->uvs ? JN_OK : status_no_memory(message, "the texture coordinates of a mesh");
    }
    if (status != JN_OK)
        return status;
    for (size_t i = 0; i < 3 * obj->vertex_count; ++i)
        mesh->positions[i] = obj->positions[i];
    for (size_t f = 0; f < obj->face_count; ++f)
        mesh->face_sizes[f] = obj->face_sizes[f];
    for (size_t c = 0; c < obj->corner_count; ++c) {
        const Corner *corner = &obj->corners[c];
        mesh->face_vertices[c] = corner->vertex;
        if (!mesh->uvs || corner->uv == NO_UV)
            continue;
        mesh->uvs[2 * c] = obj->uvs[2 * (size_t)corner->uv];
        mesh->uvs[2 * c + 1] = obj->uvs[2 * (size_t)corner->uv + 1];
    }
    return JN_OK;
}

JnStatus read_obj(TextFile *file, TextFile *companion, JnMesh *mesh, JnMessage *message) {
    (void)companion;
    Obj obj = {0};
    file->comment = '#';
    JnStatus status = read_lines(file, &obj, message);
    if (status == JN_OK)
        status = check_references(file, &obj, message);
    if (status == JN_OK)
        status = fill_mesh(&obj, mesh, message);
    free(obj.positions);
    free(obj.uvs);
    free(obj.face_sizes);
    free(obj.corners);
    return status;
}
