/* Mesh files: the public calls and the table of formats. */
#include "geometry/mesh.h"
#include "geometry/array.h"
#include "base/os/os.h"

#include <stdlib.h>
#include <string.h>

static const MeshFormat formats[] = {
    {".obj", NULL, false, read_obj, write_obj, KEEPS_COLOUR | KEEPS_UVS | KEEPS_CURVES},
    {".ply", NULL, false, read_ply, write_ply, KEEPS_FIELDS},
    {".stl", NULL, false, read_stl, NULL, 0},
    {".msh", NULL, true, read_msh, write_msh, KEEPS_FIELDS},
    {".mesh", NULL, true, read_medit, write_medit, 0},
    {".veg", NULL, true, read_veg, NULL, 0},
    {".vtk", NULL, true, read_vtk, write_vtk, KEEPS_FIELDS},
    {".node", ".ele", true, read_tetgen_node, NULL, 0},
    {".ele", ".node", true, read_tetgen_ele, NULL, 0},
    {".abc", NULL, false, read_abc, NULL, 0},
    {".glb", NULL, false, read_glb, NULL, 0},
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

const MeshFormat *mesh_format(uint32_t index) {
    return index < FORMAT_COUNT ? &formats[index] : NULL;
}

/* The part of the path's last name from its last point on: ".obj"; "" if there is none. */
static const char *path_ending(const char *path) {
    const char *ending = "";
    for (const char *c = path; *c; ++c)
        if (*c == '/' || *c == '\\')
            ending = "";
        else if (*c == '.')
            ending = c;
    return ending;
}

static JnStatus find_format(const char *path, bool writing, const MeshFormat **format, JnMessage *message) {
    Word ending = {path_ending(path), strlen(path_ending(path))};
    char known[128] = "";
    for (size_t i = 0; i < FORMAT_COUNT; ++i) {
        if (writing && !formats[i].write)
            continue;
        *format = &formats[i];
        if (textfile_is(ending, formats[i].ending))
            return JN_OK;
        strcat(strcat(known, " "), formats[i].ending);
    }
    *format = NULL;
    return status_fail(message, JN_ERR_FORMAT, "cannot %s %s: its name must end in one of%s",
                       writing ? "write" : "read", path, known);
}

JnStatus mesh_parse(const MeshFormat *format, TextFile *file, TextFile *companion, JnMesh **mesh, JnMessage *message) {
    *mesh = array_new(1, sizeof **mesh);
    if (!*mesh)
        return status_no_memory(message, file->name);
    JnStatus status = format->read(file, companion, *mesh, message);
    if (status == JN_OK)
        status = mesh_finish(*mesh, format->tets, file->name, message);
    if (status != JN_OK) {
        jn_mesh_free(*mesh);
        *mesh = NULL;
    }
    return status;
}

/* The path with its ending replaced; the caller frees it. NULL if out of memory. */
static char *companion_path(const char *path, const char *ending) {
    size_t stem = strlen(path) - strlen(path_ending(path));
    char *other = array_new(stem + strlen(ending) + 1, 1);
    if (other)
        strcat(strncat(other, path, stem), ending);
    return other;
}

JnStatus jn_mesh_read(const char *path, JnMesh **mesh, JnMessage *message) {
    status_clear(message);
    if (!path || !mesh)
        return status_fail(message, JN_ERR_ARGUMENT, "jn_mesh_read: %s is NULL", path ? "mesh" : "path");
    *mesh = NULL;
    const MeshFormat *format;
    JnStatus status = find_format(path, false, &format, message);
    if (status != JN_OK)
        return status;

    // load the file, and the one that belongs to it
    char *other_path = NULL;
    unsigned char *bytes = NULL, *other_bytes = NULL;
    size_t size = 0, other_size = 0;
    status = textfile_load(path, &bytes, &size, message);
    if (status == JN_OK && format->companion) {
        other_path = companion_path(path, format->companion);
        status = other_path ? textfile_load(other_path, &other_bytes, &other_size, message)
                            : status_no_memory(message, path);
    }
    if (status == JN_OK) {
        TextFile file = textfile_open(path, bytes, size);
        TextFile other = textfile_open(other_path, other_bytes, other_size);
        status = mesh_parse(format, &file, &other, mesh, message);
    }
    free(other_path);
    free(bytes);
    free(other_bytes);
    return status;
}

static JnStatus write_file(const JnMesh *mesh, const MeshFormat *format, const char *path, JnMessage *message) {
    char reason[128];
    TextWriter writer = {.file = os_file_open(path, "wb")};
    if (!writer.file)
        return status_fail(message, JN_ERR_FILE, "cannot write %s: %s", path, os_error_text(reason, sizeof reason));
    format->write(mesh, &writer);
    bool closed = fclose(writer.file) == 0;
    if (closed && !writer.failed)
        return JN_OK;
    os_error_text(reason, sizeof reason);
    os_file_remove(path);
    return status_fail(message, JN_ERR_FILE, "cannot write all of %s: %s", path, reason);
}

JnStatus jn_mesh_write(const JnMesh *mesh, const char *path, JnMessage *message) {
    status_clear(message);
    if (!path || !mesh)
        return status_fail(message, JN_ERR_ARGUMENT, "jn_mesh_write: %s is NULL", path ? "mesh" : "path");
    const MeshFormat *format;
    JnStatus status = find_format(path, true, &format, message);
    if (status != JN_OK)
        return status;
    if (format->tets && !mesh->tet_count)
        return status_fail(message, JN_ERR_MESH,
                           "cannot write %s: the mesh is a surface, and %s files hold tets: write .obj or .ply", path,
                           format->ending);
    if (format->tets || !mesh->tet_count)
        return write_file(mesh, format, path, message);
    JnMesh *surface;
    status = mesh_boundary(mesh, &surface, message);
    if (status == JN_OK)
        status = write_file(surface, format, path, message);
    jn_mesh_free(surface);
    return status;
}

/* Adds `text` to the list in list[capacity], of which *used bytes are known, and counts what does not fit too. */
static void add_loss(char *list, size_t capacity, size_t *used, const char *text) {
    const char *parts[] = {*used ? ", " : "", text};
    for (int i = 0; i < 2; ++i)
        for (const char *c = parts[i]; *c; ++c, ++*used)
            if (*used + 1 < capacity)
                list[*used] = *c;
}

size_t jn_mesh_losses(const JnMesh *mesh, const char *path, char *text, size_t capacity) {
    const MeshFormat *format = NULL;
    size_t used = 0;
    if (mesh && path)
        find_format(path, true, &format, NULL);
    unsigned keeps = format ? format->keeps : 0;
    for (uint32_t f = 0; format && f < mesh->field_count; ++f)
        if (!(keeps & KEEPS_FIELDS) && !(keeps & KEEPS_COLOUR && mesh_is_colour(&mesh->fields[f])))
            add_loss(text, capacity, &used, mesh->fields[f].name);
    if (format && mesh->uvs && !(keeps & KEEPS_UVS))
        add_loss(text, capacity, &used, "texture coordinates");
    if (format && mesh->curve_count && !(keeps & KEEPS_CURVES))
        add_loss(text, capacity, &used, "curves");
    if (capacity)
        text[used < capacity ? used : capacity - 1] = '\0';
    return used;
}

JnStatus jn_mesh_view(const JnMesh *mesh, JnMeshView *view, JnMessage *message) {
    status_clear(message);
    if (!mesh || !view)
        return status_fail(message, JN_ERR_ARGUMENT, "jn_mesh_view: %s is NULL", mesh ? "view" : "mesh");
    if (view->struct_size != sizeof *view)
        return status_fail(message, JN_ERR_STRUCT_SIZE,
                           "JnMeshView has struct_size %u, this library's is %zu: set struct_size to "
                           "sizeof(JnMeshView) before the call, and build against this library's header",
                           view->struct_size, sizeof *view);
    view->field_count = mesh->field_count;
    view->surface = mesh_surface(mesh);
    view->tets = mesh_tets(mesh);
    view->curves = mesh_curves(mesh);
    view->fields = mesh->fields;
    view->reversed_tet_count = mesh->reversed_tet_count;
    return JN_OK;
}

void jn_mesh_free(JnMesh *mesh) {
    if (!mesh)
        return;
    for (uint32_t f = 0; f < mesh->field_count; ++f) {
        free((void *)mesh->fields[f].name);
        free((void *)mesh->fields[f].values);
    }
    free(mesh->fields);
    free(mesh->positions);
    free(mesh->face_sizes);
    free(mesh->face_vertices);
    free(mesh->uvs);
    free(mesh->tet_vertices);
    free(mesh->curve_sizes);
    free(mesh->curve_vertices);
    free(mesh);
}
