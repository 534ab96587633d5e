/* Wavefront .obj: vertices and their colours, texture coordinates, polygons and polylines; groups, materials, normals,
   points and splines are skipped. Vertex numbers count from 1, or backwards from -1, the last vertex before the
   face. */
#include "geometry/array.h"
#include "geometry/number.h"
#include "geometry/obj_colours.h"

#include <stdlib.h>

#define NO_UV UINT32_MAX

typedef struct Corner {
    uint32_t vertex;
    uint32_t uv; /* NO_UV: none */
} Corner;

/* Faces, or lines: runs of corners. */
typedef struct Runs {
    const char *what; /* "face" */
    size_t least;     /* minimum number of corners */
    uint32_t *sizes;  /* [count] */
    Corner *corners;  /* [corner_count] */
    size_t count, corner_count;
    size_t capacity, corner_capacity;
} Runs;

/* What is read before the sizes are known; belongs to this reader. */
typedef struct Obj {
    double *positions; /* [vertex_count * 3] */
    float *uvs;        /* [uv_count * 2] */
    size_t vertex_count, uv_count;
    size_t vertex_capacity, uv_capacity;
    ObjColours colours;
    Runs faces, lines;
} Obj;

static JnStatus read_vertex(TextFile *file, Obj *obj, JnMessage *message) {
    double *positions = array_grow(obj->positions, &obj->vertex_capacity, obj->vertex_count + 1, 3 * sizeof *positions);
    if (!positions)
        return status_no_memory(message, file->name);
    obj->positions = positions;
    JnStatus status = JN_OK;
    for (size_t i = 0; status == JN_OK && i < 3; ++i)
        status = textfile_coordinate(file, "a coordinate of a vertex", &positions[3 * obj->vertex_count + i], message);
    if (status == JN_OK)
        status = obj_colours_vertex(&obj->colours, file, obj->vertex_count, message);
    ++obj->vertex_count;
    return status;
}

static JnStatus read_uv(TextFile *file, Obj *obj, JnMessage *message) {
    float *uvs = array_grow(obj->uvs, &obj->uv_capacity, obj->uv_count + 1, 2 * sizeof *uvs);
    if (!uvs)
        return status_no_memory(message, file->name);
    obj->uvs = uvs;
    double u = 0, v = 0;
    Word word;
    JnStatus status = textfile_number(file, "a texture coordinate", &u, message);
    if (status == JN_OK && textfile_word_on_line(file, &word) && !number_parse(word.text, word.length, &v))
        return textfile_fail(file, message, "'%.*s' stands for a texture coordinate, but is not a finite number",
                             word.length < 40 ? (int)word.length : 40, word.text);
    if (status == JN_OK)
        status = textfile_narrow(file, "a texture coordinate", u, &uvs[2 * obj->uv_count], message);
    if (status == JN_OK)
        status = textfile_narrow(file, "a texture coordinate", v, &uvs[2 * obj->uv_count + 1], message);
    ++obj->uv_count;
    return status;
}

/* A reference as written, 1.. or ..-1, becomes an index from 0. It may refer to a later vertex, which is checked at the
   end of the file. */
static bool resolve(int64_t reference, size_t count_so_far, uint32_t *index) {
    int64_t from_zero = reference > 0 ? reference - 1 : (int64_t)count_so_far + reference;
    *index = (uint32_t)from_zero;
    return reference != 0 && from_zero >= 0 && from_zero < NO_UV;
}

/* A corner: v, v/vt, v//vn or v/vt/vn. */
static JnStatus read_corner(TextFile *file, Word word, const Obj *obj, Runs *runs, JnMessage *message) {
    Corner *corners = array_grow(runs->corners, &runs->corner_capacity, runs->corner_count + 1, sizeof *corners);
    if (!corners)
        return status_no_memory(message, file->name);
    runs->corners = corners;
    Corner *corner = &corners[runs->corner_count];
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
                             "'%.*s' is not a corner of a %s: the first vertex is 1, the last one before "
                             "the %s is -1",
                             word.length < 40 ? (int)word.length : 40, word.text, runs->what, runs->what);
    ++runs->corner_count;
    return JN_OK;
}

static JnStatus read_run(TextFile *file, const Obj *obj, Runs *runs, JnMessage *message) {
    uint32_t *sizes = array_grow(runs->sizes, &runs->capacity, runs->count + 1, sizeof *sizes);
    if (!sizes)
        return status_no_memory(message, file->name);
    runs->sizes = sizes;
    size_t begin = runs->corner_count;
    Word word;
    while (textfile_word_on_line(file, &word)) {
        if (textfile_is(word, "\\")) {
            textfile_next_line(file);
            continue;
        }
        JnStatus status = read_corner(file, word, obj, runs, message);
        if (status != JN_OK)
            return status;
    }
    size_t size = runs->corner_count - begin;
    if (size < runs->least)
        return textfile_fail(file, message, "a %s with %zu corners: a %s has at least %zu", runs->what, size,
                             runs->what, runs->least);
    sizes[runs->count++] = (uint32_t)size;
    return JN_OK;
}

static JnStatus read_lines(TextFile *file, Obj *obj, JnMessage *message) {
    JnStatus status = JN_OK;
    Word word;
    while (status == JN_OK && file->at < file->size) {
        if (obj_colours_is_block(file)) {
            status = obj_colours_block(&obj->colours, file, message);
        } else if (textfile_word_on_line(file, &word)) {
            if (textfile_is(word, "v"))
                status = read_vertex(file, obj, message);
            else if (textfile_is(word, "vt"))
                status = read_uv(file, obj, message);
            else if (textfile_is(word, "f"))
                status = read_run(file, obj, &obj->faces, message);
            else if (textfile_is(word, "l"))
                status = read_run(file, obj, &obj->lines, message);
        }
        if (status == JN_OK)
            textfile_next_line(file);
    }
    size_t corner_count = obj->faces.corner_count + obj->lines.corner_count;
    if (status == JN_OK && (obj->vertex_count >= UINT32_MAX || corner_count >= UINT32_MAX))
        return textfile_fail(file, message, "%zu vertices and %zu corners are too many", obj->vertex_count,
                             corner_count);
    return status;
}

/* Every corner must name a vertex, and a texture coordinate if it names one, that the file has. */
static JnStatus check_references(const TextFile *file, const Obj *obj, const Runs *runs, JnMessage *message) {
    const Corner *corner = runs->corners;
    for (size_t f = 0; f < runs->count; ++f)
        for (uint32_t i = 0; i < runs->sizes[f]; ++i, ++corner) {
            if (corner->vertex >= obj->vertex_count)
                return status_fail(message, JN_ERR_FORMAT, "%s: %s %zu names vertex %u, but the file has %zu",
                                   file->name, runs->what, f + 1, corner->vertex + 1, obj->vertex_count);
            if (corner->uv != NO_UV && corner->uv >= obj->uv_count)
                return status_fail(message, JN_ERR_FORMAT,
                                   "%s: %s %zu names texture coordinate %u, but the file has %zu", file->name,
                                   runs->what, f + 1, corner->uv + 1, obj->uv_count);
        }
    return JN_OK;
}

/* The mesh in its final sizes; corners without a texture coordinate get (0, 0) if others have one. */
static JnStatus fill_mesh(const Obj *obj, JnMesh *mesh, JnMessage *message) {
    const Runs *faces = &obj->faces, *lines = &obj->lines;
    JnStatus status = mesh_set_vertex_count(mesh, (uint32_t)obj->vertex_count, message);
    if (status == JN_OK)
        status = mesh_set_face_counts(mesh, (uint32_t)faces->count, (uint32_t)faces->corner_count, message);
    if (status == JN_OK && lines->count)
        status = mesh_set_curve_counts(mesh, (uint32_t)lines->count, (uint32_t)lines->corner_count, message);
    if (status == JN_OK && obj->uv_count) {
        mesh->uvs = array_new(2 * faces->corner_count, sizeof *mesh->uvs);
        status = mesh->uvs ? JN_OK : status_no_memory(message, "the texture coordinates of a mesh");
    }
    if (status == JN_OK)
        status = obj_colours_finish(&obj->colours, mesh, message);
    if (status != JN_OK)
        return status;
    for (size_t i = 0; i < 3 * obj->vertex_count; ++i)
        mesh->positions[i] = obj->positions[i];
    for (size_t k = 0; k < lines->count; ++k)
        mesh->curve_sizes[k] = lines->sizes[k];
    for (size_t c = 0; c < lines->corner_count; ++c)
        mesh->curve_vertices[c] = lines->corners[c].vertex;
    for (size_t f = 0; f < faces->count; ++f)
        mesh->face_sizes[f] = faces->sizes[f];
    for (size_t c = 0; c < faces->corner_count; ++c) {
        const Corner *corner = &faces->corners[c];
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
    Obj obj = {.faces = {.what = "face", .least = 3}, .lines = {.what = "line", .least = 2}};
    file->comment = '#';
    JnStatus status = read_lines(file, &obj, message);
    if (status == JN_OK)
        status = check_references(file, &obj, &obj.faces, message);
    if (status == JN_OK)
        status = check_references(file, &obj, &obj.lines, message);
    if (status == JN_OK)
        status = fill_mesh(&obj, mesh, message);
    free(obj.positions);
    free(obj.uvs);
    obj_colours_free(&obj.colours);
    free(obj.faces.sizes);
    free(obj.faces.corners);
    free(obj.lines.sizes);
    free(obj.lines.corners);
    return status;
}
