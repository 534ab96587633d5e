/* Cloth: quads, vertices numbered by columns from start to end, with the unit square as texture coordinates. */
#include "geometry/shape.h"

#include "geometry/array.h"

JnStatus shape_make_cloth(const JnShape *shape, JnMesh *mesh, JnMessage *message) {
    uint32_t nx = shape->cells[0], ny = shape->cells[1], row = ny + 1;
    JnStatus status = shape_reserve(mesh, ((double)nx + 1) * ((double)ny + 1), 0, message);
    if (status == JN_OK)
        status = mesh_set_face_counts(mesh, nx * ny, 4 * nx * ny, message);
    if (status != JN_OK)
        return status;
    mesh->uvs = array_new(2 * (size_t)mesh->corner_count, sizeof *mesh->uvs);
    if (!mesh->uvs)
        return status_no_memory(message, "a shape");
    double *p = mesh->positions;
    for (uint32_t x = 0; x <= nx; ++x)
        for (uint32_t y = 0; y <= ny; ++y, p += 3) {
            p[0] = shape_grid_place(0, shape->size[0], x, nx);
            p[1] = shape_grid_place(-shape->size[1] / 2, shape->size[1] / 2, y, ny);
            p[2] = 0;
        }
    static const uint32_t corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (uint32_t x = 0, c = 0; x < nx; ++x)
        for (uint32_t y = 0; y < ny; ++y) {
            mesh->face_sizes[x * ny + y] = 4;
            for (int k = 0; k < 4; ++k, ++c) {
                uint32_t i = x + corners[k][0], j = y + corners[k][1];
                mesh->face_vertices[c] = i * row + j;
                mesh->uvs[2 * (size_t)c] = (float)((double)i / nx);
                mesh->uvs[2 * (size_t)c + 1] = (float)((double)j / ny);
            }
        }
    return shape_mark_ends(mesh, row, message);
}
