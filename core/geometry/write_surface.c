/* Writers of surfaces: Wavefront .obj with its UVs, polylines and colours, and .ply in text with its fields. Numbers
   are written so that they are read back exactly. */
#include "geometry/mesh.h"

#include <math.h>

/* The field of colours, NULL: none. */
static const JnMeshField *find_colour(const JnMesh *mesh) {
    for (uint32_t f = 0; f < mesh->field_count; ++f)
        if (mesh_is_colour(&mesh->fields[f]))
            return &mesh->fields[f];
    return NULL;
}

void write_obj(const JnMesh *mesh, TextWriter *writer) {
    const double *p = mesh->positions;
    const JnMeshField *colour = find_colour(mesh);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v, p += 3) {
        textfile_write(writer, "v %g %g %g", p[0], p[1], p[2]);
        for (uint32_t i = 0; colour && i < colour->component_count; ++i)
            textfile_write(writer, " %g", colour->values[(size_t)v * colour->component_count + i]);
        textfile_write(writer, "\n");
    }
    for (uint32_t c = 0; mesh->uvs && c < mesh->corner_count; ++c)
        textfile_write(writer, "vt %g %g\n", (double)mesh->uvs[2 * (size_t)c], (double)mesh->uvs[2 * (size_t)c + 1]);
    for (uint32_t f = 0, c = 0; f < mesh->face_count; ++f) {
        textfile_write(writer, "f");
        for (uint32_t i = 0; i < mesh->face_sizes[f]; ++i, ++c) {
            textfile_write(writer, " %u", mesh->face_vertices[c] + 1);
            if (mesh->uvs)
                textfile_write(writer, "/%u", c + 1);
        }
        textfile_write(writer, "\n");
    }
    for (uint32_t k = 0, c = 0; k < mesh->curve_count; ++k) {
        textfile_write(writer, "l");
        for (uint32_t i = 0; i < mesh->curve_sizes[k]; ++i)
            textfile_write(writer, " %u", mesh->curve_vertices[c++] + 1);
        textfile_write(writer, "\n");
    }
}

/* Whether every number of the colour is exactly that of a whole number of 0 to 255. */
static bool is_in_bytes(const JnMeshField *field, uint32_t vertex_count) {
    bool whole = mesh_is_colour(field);
    for (size_t i = 0; whole && i < (size_t)vertex_count * field->component_count; ++i) {
        double byte = round(field->values[i] * 255);
        whole = byte >= 0 && byte <= 255 && byte / 255 == field->values[i];
    }
    return whole;
}

/* The properties of a field, by the names from which the reader makes the field again. */
static void write_ply_properties(const JnMeshField *field, bool in_bytes, TextWriter *writer) {
    static const char *const colours[] = {"red", "green", "blue", "alpha"}, *const letters[] = {"x", "y", "z", "w"};
    const char *type = in_bytes ? "uchar" : "double";
    for (uint32_t i = 0; i < field->component_count; ++i) {
        textfile_write(writer, "property %s ", type);
        if (mesh_is_colour(field))
            textfile_write(writer, "%s", colours[i]);
        else
            textfile_write_name(writer, field->name, false);
        if (field->component_count > 4)
            textfile_write(writer, "_%u", i);
        else if (field->component_count > 1 && !mesh_is_colour(field))
            textfile_write(writer, "_%s", letters[i]);
        textfile_write(writer, "\n");
    }
}

void write_ply(const JnMesh *mesh, TextWriter *writer) {
    textfile_write(
        writer, "ply\nformat ascii 1.0\nelement vertex %u\nproperty double x\nproperty double y\nproperty double z\n",
        mesh->vertex_count);
    for (uint32_t f = 0; f < mesh->field_count; ++f)
        write_ply_properties(&mesh->fields[f], is_in_bytes(&mesh->fields[f], mesh->vertex_count), writer);
    textfile_write(writer, "element face %u\nproperty list uint uint vertex_indices\nend_header\n", mesh->face_count);
    const double *p = mesh->positions;
    bool colour_in_bytes = find_colour(mesh) && is_in_bytes(find_colour(mesh), mesh->vertex_count);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v, p += 3) {
        textfile_write(writer, "%g %g %g", p[0], p[1], p[2]);
        for (uint32_t f = 0; f < mesh->field_count; ++f) {
            const JnMeshField *field = &mesh->fields[f];
            double scale = colour_in_bytes && mesh_is_colour(field) ? 255 : 1;
            for (uint32_t i = 0; i < field->component_count; ++i) {
                double value = field->values[(size_t)v * field->component_count + i];
                textfile_write(writer, " %g", scale == 1 ? value : round(scale * value));
            }
        }
        textfile_write(writer, "\n");
    }
    const uint32_t *corner = mesh->face_vertices;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        textfile_write(writer, "%u", mesh->face_sizes[f]);
        for (uint32_t i = 0; i < mesh->face_sizes[f]; ++i)
            textfile_write(writer, " %u", *corner++);
        textfile_write(writer, "\n");
    }
}
