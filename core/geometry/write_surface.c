/* Writers of surfaces: Wavefront .obj with its UVs and polylines, and .ply in text. Numbers are written so that they
   are read back exactly. */
#include "geometry/mesh.h"

void write_obj(const JnMesh *mesh, TextWriter *writer) {
    const double *p = mesh->positions;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v, p += 3)
        textfile_write(writer, "v %g %g %g\n", p[0], p[1], p[2]);
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

void write_ply(const JnMesh *mesh, TextWriter *writer) {
    textfile_write(writer,
                   "ply\nformat ascii 1.0\nelement vertex %u\nproperty double x\nproperty double y\nproperty double z\n"
                   "element face %u\nproperty list uint uint vertex_indices\nend_header\n",
                   mesh->vertex_count, mesh->face_count);
    const double *p = mesh->positions;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v, p += 3)
        textfile_write(writer, "%g %g %g\n", p[0], p[1], p[2]);
    const uint32_t *corner = mesh->face_vertices;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        textfile_write(writer, "%u", mesh->face_sizes[f]);
        for (uint32_t i = 0; i < mesh->face_sizes[f]; ++i)
            textfile_write(writer, " %u", *corner++);
        textfile_write(writer, "\n");
    }
}
