/* Writers of tet meshes: Gmsh .msh 2.2 in text, which every reader of .msh supports, with fields as $NodeData; VTK
   legacy .vtk in text with fields as POINT_DATA; and Medit .mesh. Numbers are written so that they are read back
   exactly. */
#include "geometry/mesh.h"

void write_msh(const JnMesh *mesh, TextWriter *writer) {
    textfile_write(writer, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n%u\n", mesh->vertex_count);
    const double *p = mesh->positions;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v, p += 3)
        textfile_write(writer, "%u %g %g %g\n", v + 1, p[0], p[1], p[2]);

    // element type 4 is the tet; two tags, physical group and entity
    textfile_write(writer, "$EndNodes\n$Elements\n%u\n", mesh->tet_count);
    const uint32_t *c = mesh->tet_vertices;
    for (uint32_t t = 0; t < mesh->tet_count; ++t, c += 4)
        textfile_write(writer, "%u 4 2 1 1 %u %u %u %u\n", t + 1, c[0] + 1, c[1] + 1, c[2] + 1, c[3] + 1);
    textfile_write(writer, "$EndElements\n");

    // one string tag, the name; one real tag, the time; three whole tags: time step, components, values
    for (uint32_t f = 0; f < mesh->field_count; ++f) {
        const JnMeshField *field = &mesh->fields[f];
        textfile_write(writer, "$NodeData\n1\n");
        textfile_write_name(writer, field->name, true);
        textfile_write(writer, "\n1\n0\n3\n0\n%u\n%u\n", field->component_count, mesh->vertex_count);
        const double *value = field->values;
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            textfile_write(writer, "%u", v + 1);
            for (uint32_t i = 0; i < field->component_count; ++i)
                textfile_write(writer, " %g", *value++);
            textfile_write(writer, "\n");
        }
        textfile_write(writer, "$EndNodeData\n");
    }
}

void write_medit(const JnMesh *mesh, TextWriter *writer) {
    textfile_write(writer, "MeshVersionFormatted 2\nDimension 3\nVertices\n%u\n", mesh->vertex_count);
    const double *p = mesh->positions;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v, p += 3)
        textfile_write(writer, "%g %g %g 0\n", p[0], p[1], p[2]);
    textfile_write(writer, "Tetrahedra\n%u\n", mesh->tet_count);
    const uint32_t *c = mesh->tet_vertices;
    for (uint32_t t = 0; t < mesh->tet_count; ++t, c += 4)
        textfile_write(writer, "%u %u %u %u 0\n", c[0] + 1, c[1] + 1, c[2] + 1, c[3] + 1);
    textfile_write(writer, "End\n");
}

void write_vtk(const JnMesh *mesh, TextWriter *writer) {
    textfile_write(writer, "# vtk DataFile Version 3.0\ntets\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS %u double\n",
                   mesh->vertex_count);
    const double *p = mesh->positions;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v, p += 3)
        textfile_write(writer, "%g %g %g\n", p[0], p[1], p[2]);
    textfile_write(writer, "CELLS %u %u\n", mesh->tet_count, 5 * mesh->tet_count);
    const uint32_t *c = mesh->tet_vertices;
    for (uint32_t t = 0; t < mesh->tet_count; ++t, c += 4)
        textfile_write(writer, "4 %u %u %u %u\n", c[0], c[1], c[2], c[3]);
    textfile_write(writer, "CELL_TYPES %u\n", mesh->tet_count);
    for (uint32_t t = 0; t < mesh->tet_count; ++t)
        textfile_write(writer, "10\n");
    if (mesh->field_count)
        textfile_write(writer, "POINT_DATA %u\nFIELD fields %u\n", mesh->vertex_count, mesh->field_count);
    for (uint32_t f = 0; f < mesh->field_count; ++f) {
        const JnMeshField *field = &mesh->fields[f];
        textfile_write_name(writer, field->name, false);
        textfile_write(writer, " %u %u double\n", field->component_count, mesh->vertex_count);
        for (size_t i = 0; i < (size_t)mesh->vertex_count * field->component_count; ++i)
            textfile_write(writer, (i + 1) % field->component_count ? "%g " : "%g\n", field->values[i]);
    }
}
