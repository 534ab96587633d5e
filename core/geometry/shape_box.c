/* Beam, sheet and cuboid: a grid of cells, five tets each, vertices numbered by cross-sections from start to
   end. */
#include "geometry/shape.h"
#include "geometry/cube_split.h"

#include <math.h>

JnStatus shape_make_box(const JnShape *shape, JnMesh *mesh, JnMessage *message) {
    const uint32_t *cells = shape->cells;
    const double *size = shape->size;
    double vertex_count = 1, cell_count = 1;
    for (int a = 0; a < 3; ++a) {
        vertex_count *= (double)cells[a] + 1;
        cell_count *= cells[a];
    }
    JnStatus status = shape_reserve(mesh, vertex_count, CUBE_TETS * cell_count, message);
    if (status != JN_OK)
        return status;

    // grid points, z fastest
    double *p = mesh->positions;
    for (uint32_t x = 0; x <= cells[0]; ++x)
        for (uint32_t y = 0; y <= cells[1]; ++y)
            for (uint32_t z = 0; z <= cells[2]; ++z, p += 3) {
                p[0] = shape_grid_place(0, size[0], x, cells[0]);
                p[1] = shape_grid_place(-size[1] / 2, size[1] / 2, y, cells[1]);
                p[2] = shape_grid_place(-size[2] / 2, size[2] / 2, z, cells[2]);
            }

    // cells
    uint32_t row = cells[2] + 1, section = row * (cells[1] + 1);
    for (uint32_t x = 0; x < cells[0]; ++x)
        for (uint32_t y = 0; y < cells[1]; ++y)
            for (uint32_t z = 0; z < cells[2]; ++z) {
                uint32_t corners[8];
                for (uint32_t c = 0; c < 8; ++c)
                    corners[c] = (x + (c & 1)) * section + (y + (c >> 1 & 1)) * row + z + (c >> 2);
                cube_split(corners, x + y + z, &mesh->tet_vertices[4 * (size_t)mesh->tet_count]);
                mesh->tet_count += CUBE_TETS;
            }
    return shape_mark_ends(mesh, section, message);
}

JnStatus shape_make_cuboid(const JnShape *shape, JnMesh *mesh, JnMessage *message) {
    JnStatus status = shape_make_box(shape, mesh, message);
    double *pose = NULL;
    if (status == JN_OK)
        status = mesh_add_field(mesh, "pose", 4, 3, &pose, message);
    if (status != JN_OK)
        return status;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const double *p = &mesh->positions[3 * v];
        double angle = 2 * 3.14159265358979323846 * shape->turns * p[0] / shape->size[0];
        double c = cos(angle), s = sin(angle);
        pose[3 * v] = p[0];
        pose[3 * v + 1] = c * p[1] - s * p[2];
        pose[3 * v + 2] = s * p[1] + c * p[2];
    }
    return JN_OK;
}
