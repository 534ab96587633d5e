/* Fibres: straight ones along x that grow on a field in y and z, points numbered from their roots to their tips. */
#include "geometry/shape.h"

JnStatus shape_make_fibres(const JnShape *shape, JnMesh *mesh, JnMessage *message) {
    uint32_t segments = shape->cells[0], ny = shape->cells[1], nz = shape->cells[2];
    double points = ((double)segments + 1) * ny * nz;
    JnStatus status = shape_reserve(mesh, points, 0, message);
    if (status == JN_OK)
        status = mesh_set_curve_counts(mesh, ny * nz, (uint32_t)points, message);
    if (status != JN_OK)
        return status;
    uint32_t count = ny * nz;
    for (uint32_t f = 0; f < count; ++f) {
        /* at the centre of its cell of the field */
        double y = shape->size[1] * ((f / nz + 0.5) / ny - 0.5), z = shape->size[2] * ((f % nz + 0.5) / nz - 0.5);
        mesh->curve_sizes[f] = segments + 1;
        for (uint32_t i = 0; i <= segments; ++i) {
            uint32_t point = i * count + f;
            double *p = mesh->positions + 3 * (size_t)point;
            p[0] = shape_grid_place(0, shape->size[0], i, segments);
            p[1] = y;
            p[2] = z;
            mesh->curve_vertices[(size_t)f * (segments + 1) + i] = point;
        }
    }
    return shape_mark_ends(mesh, count, message);
}
